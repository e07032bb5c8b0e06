import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import { kindOf } from '../../../lib/motifKinds.ts';
import { mergeNative } from '../../../value/asset.ts';
import { findHints, type Hint } from '../match/hints.ts';
import type { NamedTrigger } from '../match/namedTriggers.ts';
import { only, structural, type OpenPrimitive, type StructureContext } from './context.ts';
import type { Address } from '../../../model/hex.ts';
import type { Leg } from '../../../model/primitive.ts';
import type { Rulebook } from '../../../model/rulebook.ts';
import type { AssetId, Movement } from '../../../model/valueFlow.ts';

/** Smaller numbers are as likely an index, a flag or a percentage as an amount. */
const SMALLEST_AMOUNT = 1_000n;
/** An account's unexplained movements, through pass-through accounts. */
interface OpenFlow {
  readonly sent: readonly Movement[];
  readonly received: readonly Movement[];
  readonly minted: readonly Movement[];
  readonly burnt: readonly Movement[];
}

/**
 * Finds acts of unknown contracts from words of events and functions (the lexicon), confirmed by the value
 * flow: direction, receipts, named accounts, exact amounts. Hints: always Suspected, and only over
 * unexplained movements.
 */
export class NamedActs {
  readonly #context: StructureContext;
  readonly #rulebook: Rulebook;
  readonly #found: readonly OpenPrimitive[];
  #hints: readonly Hint[] | undefined;

  constructor(context: StructureContext, rulebook: Rulebook, found: readonly OpenPrimitive[]) {
    this.#context = context;
    this.#rulebook = rulebook;
    this.#found = found;
  }

  /** Acts with an event or call that states the amount of an unexplained movement. */
  withAmounts(): OpenPrimitive[] {
    if (this.#rulebook.lexicon.length === 0 || !this.#anythingOpen()) return [];
    const acts: OpenPrimitive[] = [];
    for (const hint of this.#rankedHints()) {
      if (hint.entry.flow === 'none') continue;
      const act = hint.entry.flow === 'any' ? this.#withoutSides(hint) : this.#exact(hint);
      if (act) acts.push(this.#claim(act));
    }
    return acts;
  }

  /** Acts with words that match the direction of all unexplained movements of an account. */
  withoutAmounts(): OpenPrimitive[] {
    if (this.#rulebook.lexicon.length === 0 || !this.#unexplained()) return [];
    const acts: OpenPrimitive[] = [];
    for (const account of this.#principals()) {
      const flow = this.#openFlow(account);
      for (const hint of this.#rankedHints()) {
        if (hint.entry.exact || hint.entry.flow === 'any') continue;
        const act = this.#whole(hint, account, flow);
        if (!act) continue;
        acts.push(this.#claim(act));
        break;
      }
    }
    return acts;
  }

  #claim(act: OpenPrimitive): OpenPrimitive {
    for (const leg of act.legs) for (const m of leg.movements) this.#context.explained.add(m);
    return act;
  }

  #anythingOpen(): boolean {
    const { flow, explained } = this.#context;
    return flow.movements.some((m) => !explained.has(m.index));
  }

  /** Whether nothing but accompanying acts (approvals, wraps, executions) was found. */
  #unexplained(): boolean {
    return this.#found.every(({ kind }) => {
      const { allowance, carries, executes, serves, actsOnVenue } = kindOf(this.#rulebook, kind);
      return allowance || carries || executes !== null || serves !== null || actsOnVenue;
    });
  }

  /** The signer, and the owners of accounts that executed something. */
  #principals(): ReadonlySet<Address> {
    const owners = this.#found
      .filter(({ kind }) => kindOf(this.#rulebook, kind).executes !== null)
      .flatMap(({ roles }) => roles.filter(({ role }) => role === 'owner').map(({ account }) => account));
    return new Set([this.#context.tx.from, ...owners]);
  }

  #rankedHints(): readonly Hint[] {
    return (this.#hints ??= findHints(this.#context, this.#rulebook, this.#found, this.#principals()));
  }

  /**
   * The account's movements with amounts the trigger states; null where none flows in the entry's
   * direction.
   */
  #exact(hint: Hint): OpenPrimitive | null {
    const { entry, trigger } = hint;
    for (const account of this.#accountsOf(trigger)) {
      const flow = this.#openFlow(account);
      const stated = flow[entry.flow === 'sent' ? 'sent' : 'received'].filter(
        (m) =>
          m.amount >= SMALLEST_AMOUNT &&
          trigger.words.has(m.amount) &&
          this.#involves(trigger, m) &&
          (entry.sign === null || (entry.flow === 'sent' ? m.to : m.from) === trigger.contract),
      );
      const act = stated.length > 0 ? this.#actOf(hint, account, stated, flow) : null;
      if (act) return act;
    }
    return null;
  }

  /**
   * Whether the trigger's contract was called by a principal, is an end of the movement, or moved the token
   * itself.
   */
  #involves({ contract, basis }: NamedTrigger, m: Movement): boolean {
    const { flow, tx } = this.#context;
    const token = flow.assets.get(m.asset)?.address ?? null;
    if (basis === 'call' || [tx.to, token, m.from, m.to].includes(contract)) return true;
    const principals = this.#principals();
    return tx.frames.some(
      ({ from, to }) => (to === contract && principals.has(from)) || (from === contract && to === token),
    );
  }

  /** Everything that is left of the account's flow, where it goes the entry's way. */
  #whole(hint: Hint, account: Address, flow: OpenFlow): OpenPrimitive | null {
    const { entry, trigger } = hint;
    if (entry.sign === 'custody' || entry.sign === 'exit') return null;
    if (trigger.basis === 'event' && !this.#concerns(trigger, account)) return null;
    const gained = gains(flow, this.#context.wrappedNative);
    if (entry.flow === 'none') return gained.size === 0 ? this.#actOf(hint, account, flow.sent, flow) : null;
    if (entry.flow === 'sent' && (flow.sent.length === 0 || gained.size > 0)) return null;
    const got = flow.received.filter((m) => gained.has(mergeNative(m.asset, this.#context.wrappedNative)));
    if (entry.flow === 'received' && (got.length === 0 || flow.sent.length > 0)) return null;
    return this.#actOf(hint, account, entry.flow === 'sent' ? flow.sent : got, flow);
  }

  /** Whether an event names the account, or comes from a contract that the signer called. */
  #concerns(trigger: NamedTrigger, account: Address): boolean {
    return trigger.words.has(BigInt(account)) || trigger.contract === this.#context.tx.to;
  }

  /** An act between others: every unexplained movement with an amount that the event states. */
  #withoutSides({ entry, trigger }: Hint): OpenPrimitive | null {
    const { flow, explained, tx } = this.#context;
    if (trigger.basis !== 'event') return null;
    const stated = flow.movements.filter(
      (m) =>
        !explained.has(m.index) &&
        m.kind === 'transfer' &&
        m.amount >= SMALLEST_AMOUNT &&
        trigger.words.has(m.amount),
    );
    if (stated.length === 0 && entry.exact) return null;
    const own = (account: Address): boolean => account === tx.from || account === tx.to;
    const legs = stated.map((m) => legOf(own(m.from) ? 'debt' : entry.leg, [m], own(m.from) ? m.from : m.to));
    const doer = stated.map((m) => (own(m.from) ? m.from : m.to)).find(own) ?? tx.to ?? tx.from;
    return this.#primitive({ entry, trigger, rank: 0 }, doer, legs);
  }

  #actOf(hint: Hint, account: Address, moved: readonly Movement[], flow: OpenFlow): OpenPrimitive {
    const { entry } = hint;
    const legs = byAsset(moved).map((group) => legOf(entry.leg, group, account));
    if (entry.flow === 'received' || entry.flow === 'none')
      for (const group of byAsset(flow.burnt)) legs.push(legOf('share_in', group, account));
    if (entry.flow === 'sent')
      for (const group of byAsset(flow.minted)) legs.push(legOf('share_out', group, account));
    return this.#primitive(hint, account, legs);
  }

  #primitive({ entry, trigger }: Hint, owner: Address, legs: readonly Leg[]): OpenPrimitive {
    const { flow } = this.#context;
    return structural({
      kind: entry.kind,
      seq: trigger.seq,
      venue: trigger.contract,
      roles: [{ role: 'owner', account: owner }],
      legs,
      invariants: [],
      tags: ['structural', 'named'],
      evidence: [
        trigger.evidence,
        ...legs.flatMap(({ movements }) => movements.slice(0, 8).map((m) => flow.movements[m]!.evidence)),
      ],
    });
  }

  /** Accounts the trigger may be about: those it names, then the principals. */
  #accountsOf({ words, contract }: NamedTrigger): ReadonlySet<Address> {
    const { flow } = this.#context;
    const accounts = new Set<Address>();
    for (const account of flow.ledgers.keys())
      if (account !== contract && account !== ZERO_ADDRESS && words.has(BigInt(account)))
        accounts.add(account);
    for (const principal of this.#principals()) accounts.add(principal);
    return accounts;
  }

  #openFlow(account: Address): OpenFlow {
    const { flow, explained, passThrough, origins, destinations } = this.#context;
    const sent: Movement[] = [];
    const received: Movement[] = [];
    const minted: Movement[] = [];
    const burnt: Movement[] = [];
    for (const m of flow.movements) {
      if (explained.has(m.index)) continue;
      if (m.kind === 'mint') {
        if (only(destinations(m.to, m.asset)) === account) minted.push(m);
      } else if (m.kind === 'burn') {
        if (only(origins(m.from, m.asset)) === account) burnt.push(m);
      } else if (m.kind === 'transfer') {
        if (!passThrough.has(m.to) && m.to !== account && only(origins(m.from, m.asset)) === account)
          sent.push(m);
        if (!passThrough.has(m.from) && m.from !== account && only(destinations(m.to, m.asset)) === account)
          received.push(m);
      }
    }
    return { sent, received, minted, burnt };
  }
}

/** Assets with more in than out. */
function gains(
  { sent, received }: OpenFlow,
  wrappedNative: StructureContext['wrappedNative'],
): ReadonlySet<AssetId> {
  const net = new Map<AssetId, bigint>();
  const add = (m: Movement, sign: bigint): void => {
    const asset = mergeNative(m.asset, wrappedNative);
    net.set(asset, (net.get(asset) ?? 0n) + sign * m.amount);
  };
  for (const m of received) add(m, 1n);
  for (const m of sent) add(m, -1n);
  return new Set([...net].filter(([, amount]) => amount > 0n).map(([asset]) => asset));
}

function legOf(role: string, movements: readonly Movement[], account: Address): Leg {
  return {
    role,
    asset: movements[0]!.asset,
    amount: movements.reduce((sum, m) => sum + m.amount, 0n),
    account,
    movements: movements.map(({ index }) => index),
    exact: false,
  };
}

function byAsset(movements: readonly Movement[]): Movement[][] {
  const groups = new Map<AssetId, Movement[]>();
  for (const m of movements) groups.set(m.asset, [...(groups.get(m.asset) ?? []), m]);
  return [...groups.values()];
}
