import { NATIVE_ASSET } from '../../../value/asset.ts';
import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import { balances, type Balance } from '../../../value/balances.ts';
import { holding, HoldingFlow, type Holding, type Links } from '../../../value/follow.ts';
import type { SubjectView } from './subjectView.ts';
import type { Address } from '../../../model/hex.ts';
import type { AssetAmount, Motif } from '../../../model/motif.ts';
import type { AssetId } from '../../../model/valueFlow.ts';

/**
 * Represents the asset where a swap netted inside one contract does not name it. Open ends of one contract
 * meet.
 */
const OPEN: AssetId = 'open';

/** What the swaps paid to an account other than the subject. */
export interface Delivery {
  readonly account: Address;
  readonly bought: readonly Balance[];
}

/**
 * How the subject's sent assets turned into its received ones, or into others'. Order in time is ignored,
 * because callback pools pay before they are paid.
 */
export class Exchange {
  readonly #view: SubjectView;
  readonly #flow: HoldingFlow;
  #path?: readonly Motif[];
  #reached?: ReadonlySet<Holding>;
  #deliveries?: readonly Delivery[];

  constructor(view: SubjectView) {
    this.#view = view;
    this.#flow = new HoldingFlow(view.flow, linksOf(view), (asset) => view.mergedAsset(asset), view.entity);
  }

  /**
   * Swaps between the subject's sent and received assets: reachable forwards from payments and backwards
   * from receipts. Only the forward half counts where the proceeds went to another account, only the
   * backward half where everything was borrowed.
   */
  get path(): readonly Motif[] {
    return (this.#path ??= this.#findPath());
  }

  #findPath(): readonly Motif[] {
    const { sent, received, swaps } = this.#view;
    if (sent.length === 0 && received.length === 0) return [];
    const after = sent.length === 0 ? null : this.#fromGifts;
    const receipts = received.flatMap((b) => b.incoming.map((m) => holding(m.from, b.id)));
    const before = received.length === 0 ? null : this.#flow.reach(receipts, 'back');
    return swaps.filter(
      (swap) => (after === null || after.has(inside(swap))) && (before === null || before.has(inside(swap))),
    );
  }

  /**
   * Accounts outside the subject that ended with another asset than the subject sent, received along the
   * way of the swaps: the trade was made for them. Venues keep their trades and do not count.
   */
  get deliveries(): readonly Delivery[] {
    return (this.#deliveries ??= this.#findDeliveries());
  }

  #findDeliveries(): readonly Delivery[] {
    const { flow, sent, entity, venues, input } = this.#view;
    const given = new Set(sent.map((b) => b.id));
    const after = this.#fromGifts;
    const found: Delivery[] = [];
    for (const account of flow.incoming.keys()) {
      if (account === ZERO_ADDRESS || entity.has(account) || venues.has(account)) continue;
      const own = balances(flow, account, { mergeWrapped: input.rulebook.wrappedNative, dust: 'drop' });
      const bought = [...own.values()].filter(
        ({ id, net }) => net > 0n && !given.has(id) && after.has(holding(account, id)),
      );
      if (bought.length > 0) found.push({ account, bought });
    }
    return found;
  }

  /** Where anything the subject sent can have gone. */
  get #fromGifts(): ReadonlySet<Holding> {
    const payments = (): Holding[] =>
      this.#view.sent.flatMap((b) => b.outgoing.map((m) => holding(m.to, b.id)));
    return (this.#reached ??= this.#flow.reach(payments(), 'onward'));
  }
}

/** The inside of a motif, where assets turn into others. */
const inside = (motif: Motif): Holding => `motif ${motif.index}`;

/** Ways of value besides movements: through wrapped-native contracts and through motifs. */
function linksOf(view: SubjectView): Links {
  const onward = new Map<Holding, Holding[]>();
  const back = new Map<Holding, Holding[]>();
  const link = (from: Holding, to: Holding): void => {
    push(onward, from, to);
    push(back, to, from);
  };
  // Wrapping: native goes into the token contract and the same amount appears from the zero address, or back.
  const minted = holding(ZERO_ADDRESS, NATIVE_ASSET);
  for (const wrapped of view.input.rulebook.wrappedNative) {
    link(holding(wrapped, NATIVE_ASSET), minted);
    link(minted, holding(wrapped, NATIVE_ASSET));
  }
  for (const motif of view.input.motifs) {
    if (!view.isSwap(motif) && (motif.assetsIn.length === 0 || motif.assetsOut.length === 0)) continue;
    for (const end of endsOf(view, motif, motif.assetsOut, 'to')) link(end, inside(motif));
    for (const end of endsOf(view, motif, motif.assetsIn, 'from')) link(inside(motif), end);
  }
  return { onward, back };
}

/** Holdings at which the motif's counterparty paid in (`to`) or was paid out (`from`) these legs' amounts. */
function endsOf(
  view: SubjectView,
  motif: Motif,
  legs: readonly AssetAmount[],
  end: 'to' | 'from',
): Set<Holding> {
  const assets = view.mergedAssetsOf(legs);
  const ends = new Set<Holding>();
  for (const asset of assets) ends.add(holding(motif.venue, asset));
  for (const index of motif.movements) {
    const movement = view.flow.movements[index]!;
    const asset = view.mergedAsset(movement.asset);
    if (assets.has(asset)) ends.add(holding(movement[end], asset));
  }
  if (view.isSwap(motif) && assets.size === 0) ends.add(holding(motif.venue, OPEN));
  return ends;
}

function push(lists: Map<Holding, Holding[]>, key: Holding, value: Holding): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
