import { groupBy, NOTHING } from '../../../lib/lists.ts';
import { lazy } from '../../../lib/lazy.ts';
import { sumsBy } from '../../../value/amount.ts';
import { mergeNative } from '../../../value/asset.ts';
import { endOf, type StructureContext } from './context.ts';
import type { Address } from '../../../model/hex.ts';
import type { AssetId, Movement } from '../../../model/valueFlow.ts';

/** One account's unexplained movements, seen through accounts that only pass value on. */
export interface UnclaimedFlow {
  readonly sent: readonly Movement[];
  readonly received: readonly Movement[];
  readonly minted: readonly Movement[];
  readonly burnt: readonly Movement[];
}

type Side = keyof UnclaimedFlow;
const eachSide = <T>(of: (side: Side) => T): Readonly<Record<Side, T>> => {
  return { sent: of('sent'), received: of('received'), minted: of('minted'), burnt: of('burnt') };
};

/** Unexplained movements by account and by amount, traced on first use: few transactions need them. */
export class UnclaimedFlows {
  readonly #open: readonly Movement[];
  readonly #sides = lazy(() => eachSide((side) => groupBy(this.#open, (m) => this.accountOf(m, side))));
  readonly #byAmount = lazy(() =>
    groupBy(this.#open, ({ kind, amount }) => (kind === 'transfer' ? amount : null)),
  );

  constructor(private readonly context: StructureContext) {
    this.#open = context.flow.movements.filter(this.#isOpen);
  }

  get isEmpty(): boolean {
    return this.#open.length === 0;
  }

  of(account: Address): UnclaimedFlow {
    return eachSide((side) => (this.#sides()[side].get(account) ?? NOTHING).filter(this.#isOpen));
  }

  /** Accounts that got something and gave nothing. */
  recipients(): Address[] {
    const { received, minted } = this.#sides();
    return [...new Set([...received.keys(), ...minted.keys()])].filter((account) => {
      const own = this.of(account);
      return own.sent.length + own.burnt.length === 0 && own.received.length + own.minted.length > 0;
    });
  }

  /** The first transfers of exactly this amount. */
  ofAmount(amount: bigint, limit: number): readonly Movement[] {
    return this.#byAmount().get(amount)?.filter(this.#isOpen).slice(0, limit) ?? NOTHING;
  }

  /** The account on that side of a movement; null for another kind of movement, or a stop on the way. */
  accountOf(m: Movement, side: Side): Address | null {
    const kind = side === 'minted' ? 'mint' : side === 'burnt' ? 'burn' : 'transfer';
    if (m.kind !== kind) return null;
    const outgoing = side === 'sent' || side === 'burnt';
    const far = outgoing ? m.to : m.from;
    if (kind === 'transfer' && this.context.carriers.has(far)) return null;
    const account = endOf(this.context, m, outgoing ? 'from' : 'to');
    return account === far ? null : account;
  }

  /** Assets that came in more than they went out. */
  gained({ sent, received }: UnclaimedFlow): ReadonlySet<AssetId> {
    const of = ({ asset, amount }: Movement, sign: bigint) =>
      [this.mergedAsset(asset), sign * amount] as const;
    const net = sumsBy([...received.map((m) => of(m, 1n)), ...sent.map((m) => of(m, -1n))]);
    return new Set([...net].filter(([, amount]) => amount > 0n).map(([asset]) => asset));
  }

  /** The native asset for wrapped native, else the asset itself. */
  mergedAsset(asset: AssetId): AssetId {
    return mergeNative(asset, this.context.flow);
  }

  readonly #isOpen = ({ index }: Movement): boolean => !this.context.claimed.has(index);
}
