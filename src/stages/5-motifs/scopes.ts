import { addTo, groupBy } from '../../lib/lists.ts';
import { ActIndex, actsOf, tokensOf, type Act } from './acts.ts';
import type { Address } from '../../model/hex.ts';
import type { CanonicalTx } from '../../model/canonicalTx.ts';
import type { Motif } from '../../model/motif.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { AssetId, ValueFlow } from '../../model/valueFlow.ts';

/**
 * A coherent part of the transaction: one act with all that serves it. The indexes of its motifs, in order.
 */
export type Scope = readonly number[];

/**
 * Splits a transaction into its coherent parts: the connected components of its acts. Acts connect where
 * they moved the same value, where one used another's proceeds at the same account (a zap, a loop), and
 * where a venue did them for its own customer. Allowances, wrapping, change and fees join the act they
 * serve, a user operation the acts of its sender.
 */
export function findScopes(
  tx: CanonicalTx,
  motifs: readonly Motif[],
  flow: ValueFlow,
  rulebook: Rulebook,
): Scope[] {
  if (!tx.succeeded) return [];
  const whole = motifs.filter(({ parent }) => parent === null);
  if (whole.length === 0) return tx.frames.length === 0 ? [] : [[]];
  if (whole.length === 1) return [[whole[0]!.index]];
  const all = actsOf(motifs, rulebook);
  const groups = new Components<Act>();
  const executions = all.filter(({ kind }) => kind.executes !== null);
  const serves = ({ kind, created }: Act): boolean =>
    kind.serves !== null || created !== null || kind.trade === 'summary';
  const others = all.filter(({ kind }) => kind.executes === null);
  const [serving, acts] = [others.filter(serves), others.filter((act) => !serves(act))];
  const venues = venuesOf(acts);
  for (const keys of [movementKeys, silentKeys, paymentKeys(acts)]) joinByKey(acts, keys, groups);
  joinInner(acts, venues, groups);
  joinForwarded(
    all.filter(({ kind }) => !kind.dependent),
    venues,
    flow,
    groups,
  );
  if (serving.length + executions.length > 0) {
    const index = new ActIndex(acts);
    const principals = new Set([tx.from, ...executions.flatMap(({ owner }) => owner ?? [])]);
    joinServing(serving, index, principals, groups);
    joinExecutions(executions, index, new ActIndex(serving), groups);
  }
  return groups.of(all).map((scope) => scope.map(({ motif }) => motif.index));
}

/** Contracts at which acts moved value, each with the first of these acts. */
function venuesOf(acts: readonly Act[]): ReadonlyMap<Address, Act> {
  const venues = new Map<Address, Act>();
  for (const act of acts) {
    const { motif, kind } = act;
    if (motif.movements.length > 0 && !kind.plain && !kind.actsOnVenue && !venues.has(motif.venue))
      venues.set(motif.venue, act);
  }
  return venues;
}

const movementKeys = ({ motif }: Act): readonly (string | number)[] => motif.movements;

/** Several logs of one kind that moved nothing report one act of one account. */
const silentKeys = ({ motif, own }: Act): readonly string[] =>
  motif.movements.length > 0 ? [] : [`${motif.kind} ${own[0] ?? motif.venue}`];

/** Plain payments of one payer are one act, and so are payments both ways between two accounts. */
function paymentKeys(acts: readonly Act[]): (act: Act) => readonly string[] {
  const payments = acts.filter(({ kind }) => kind.plain);
  const payers = new Set(payments.flatMap(({ owner }) => owner ?? []));
  return ({ kind, motif, owner }) => {
    if (!kind.plain || owner === null) return [];
    const back = motif.participants.filter(
      ({ role, account }) => role === 'recipient' && payers.has(account),
    );
    return [owner, ...back.map(({ account }) => [owner, account].sort().join(' '))];
  };
}

function joinByKey<K>(
  acts: readonly Act[],
  keysOf: (act: Act) => readonly K[],
  groups: Components<Act>,
): void {
  const first = new Map<K, Act>();
  for (const act of acts)
    for (const key of keysOf(act)) {
      const other = first.get(key);
      if (other) groups.join(other, act);
      else first.set(key, act);
    }
}

/** Acts between venues only: a solver's swaps, a vault's own deposits. */
function joinInner(acts: readonly Act[], venues: ReadonlyMap<Address, Act>, groups: Components<Act>): void {
  for (const act of acts) {
    const [party] = act.own;
    const outer = party && venues.get(party);
    if (outer && act.own.every((account) => account === act.motif.venue || venues.has(account)))
      groups.join(outer, act);
  }
}

/** An asset that an act received or sent, with the movement that counts. */
interface Use {
  readonly act: Act;
  readonly asset: AssetId;
  readonly received: boolean;
  readonly movement: number;
}

function usesOf(act: Act, flow: ValueFlow): Use[] {
  const { assetsIn, assetsOut, movements } = act.motif;
  // A plain payment is an act of its payer only.
  const received = [...assetsIn, ...(act.kind.plain ? assetsOut : [])];
  const use = (asset: AssetId, isReceived: boolean): Use[] => {
    const own = movements.filter((index) => flow.movements[index]!.asset === asset);
    const movement = isReceived ? own[0] : own.at(-1);
    return movement === undefined ? [] : [{ act, asset, received: isReceived, movement }];
  };
  return [
    ...received.flatMap(({ asset }) => use(asset, true)),
    ...assetsOut.flatMap(({ asset }) => use(asset, false)),
  ];
}

/** Proceeds that a router unwrapped on the way never reached the account as this asset. */
const reached = (flow: ValueFlow, account: Address, asset: AssetId): boolean =>
  (flow.ledgers.get(account)?.get(asset)?.inflow ?? 0n) > 0n;

/**
 * Joins acts where a later one used an earlier one's proceeds at the same account. Venues do not join acts:
 * strangers' acts meet there.
 */
function joinForwarded(
  acts: readonly Act[],
  venues: ReadonlyMap<Address, Act>,
  flow: ValueFlow,
  groups: Components<Act>,
): void {
  for (const list of usesByHolder(acts, venues, flow)) {
    list.sort((a, b) => a.movement - b.movement);
    const first = list.findIndex(({ received }) => received);
    const last = list.findLastIndex(({ received }) => !received);
    if (first >= 0) for (let i = first; i <= last; i++) groups.join(list[first]!.act, list[i]!.act);
  }
}

/** Uses of one asset by one account that is no venue. */
function usesByHolder(
  acts: readonly Act[],
  venues: ReadonlyMap<Address, Act>,
  flow: ValueFlow,
): Iterable<Use[]> {
  const uses = new Map<string, Use[]>();
  for (const act of acts)
    for (const use of usesOf(act, flow))
      for (const account of act.parties)
        if (!venues.has(account) && (!use.received || reached(flow, account, use.asset)))
          addTo(uses, `${account} ${use.asset}`, use);
  return uses.values();
}

/**
 * An act that serves no other act of its account remains an act: an allowance for later, an account set up
 * for later.
 */
function joinServing(
  serving: readonly Act[],
  acts: ActIndex,
  principals: ReadonlySet<Address>,
  groups: Components<Act>,
): void {
  const left = new Map<string, Act>();
  for (const act of serving) {
    const key = `${act.motif.kind} ${act.created ?? act.owner ?? act.motif.venue}`;
    const target = actServed(act, acts, principals) ?? left.get(key);
    if (target) groups.join(target, act);
    else left.set(key, act);
  }
}

/** The nearest act of one of its accounts, about its asset where it has one. */
function actServed(serving: Act, acts: ActIndex, principals: ReadonlySet<Address>): Act | null {
  const { motif, kind, created } = serving;
  const isSummary = kind.trade === 'summary';
  const side = kind.serves ?? (isSummary ? 'before' : 'after');
  const near = (keys: readonly string[]): Act | null => acts.nearest(motif.index, keys, side);
  if (isSummary) return near(tokensOf(motif).map((token) => `any ${token}`));
  if (created) return near([created]) ?? near([`at ${created}`]);
  return near(accountKeys(serving)) ?? (servesAny(serving, principals) ? near(['any']) : null);
}

/** An inner contract's allowance serves any act. */
function servesAny({ kind, owner }: Act, principals: ReadonlySet<Address>): boolean {
  return kind.dependent || (kind.allowance && owner !== null && !principals.has(owner));
}

/** An act's accounts, each with the tokens that the act is about, if any. */
function accountKeys({ motif, kind, own }: Act): readonly string[] {
  if (!kind.allowance && !kind.carries) return own;
  const tokens = kind.allowance ? [motif.venue] : tokensOf(motif);
  return own.flatMap((account) => tokens.map((token) => `${account} ${token}`));
}

/** Acts an account had executed join its first act, else the act that prepared it. */
function joinExecutions(
  executions: readonly Act[],
  acts: ActIndex,
  serving: ActIndex,
  groups: Components<Act>,
): void {
  for (const execution of executions) {
    const { owner } = execution;
    const target = owner && (acts.first(owner) ?? serving.first(owner) ?? serving.first(`at ${owner}`));
    if (target) groups.join(target, execution);
  }
}

/** Disjoint sets of items (union-find with path halving). */
export class Components<T extends object> {
  readonly #parents = new Map<T, T>();

  join(a: T, b: T): void {
    const [rootA, rootB] = [this.#find(a), this.#find(b)];
    if (rootA !== rootB) this.#parents.set(rootB, rootA);
  }

  /** The sets that the items are in, each in order. */
  of(items: readonly T[]): T[][] {
    return [...groupBy(items, (item) => this.#find(item)).values()];
  }

  #find(item: T): T {
    const parents = this.#parents;
    let at = item;
    for (let parent = parents.get(at); parent; parent = parents.get(at)) {
      const next = parents.get(parent) ?? parent;
      if (next !== parent) parents.set(at, next);
      at = next;
    }
    return at;
  }
}
