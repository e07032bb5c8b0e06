import { ACTING_VENUES, PLAIN_MOVEMENTS } from '../../lib/motifKinds.ts';
import type { Address } from '../../model/hex.ts';
import type { CanonicalTx } from '../../model/canonicalTx.ts';
import type { Motif } from '../../model/motif.ts';
import type { ValueFlow } from '../../model/valueFlow.ts';
import { Act } from './act.ts';
import { Acts } from './acts.ts';
import { joinExchanges, joinHandedOn } from './forwarded.ts';
import { Groups } from './groups.ts';
import { actServed, isDependent, isServing, nearest } from './serving.ts';

/** A coherent part of the transaction: one act with all that serves it. The indexes of its motifs, in order. */
export type Scope = readonly number[];

/** A trade as the contract that arranged it tells it, and the trades it may consist of. */
const SUMMARY = 'aggregation';
const TRADES: ReadonlySet<string> = new Set([
  'swap',
  'route',
  'cycle',
  'order_settled',
  'vault_deposit',
  'vault_withdraw',
]);
/** Kinds that only say who had acts executed. */
const WRAPPING: ReadonlySet<string> = new Set([
  'user_operation',
  'account_execution',
  'account_execution_failed',
  'account_delegation',
]);

/**
 * Splits a transaction into its coherent parts. Acts are one where they moved the same value, where one used what another
 * had brought to the same account (a zap, a loop, a round trip), and where a venue did them to serve its own customer.
 * Wrapping, allowances, change, fees, and the creation of the account that acts go with the act they serve, and a user
 * operation with the acts of its sender. A multicall of unrelated acts, a bundle, and a batch of orders have several
 * scopes; where nothing is recognised the transaction's own call is the only one.
 */
export function findScopes(tx: CanonicalTx, motifs: readonly Motif[], flow: ValueFlow): Scope[] {
  if (!tx.succeeded) return [];
  const tops: number[] = [];
  for (const { parent, index } of motifs) if (parent === null) tops.push(index);
  if (tops.length === 0) return tx.frames.length === 0 ? [] : [tops];
  if (tops.length === 1) return [tops];
  const groups = new Groups(tops);
  const independent: Act[] = [];
  const wrappings: Act[] = [];
  const serving: Act[] = [];
  const acts: Act[] = [];
  for (const act of Act.of(motifs)) {
    if (!isDependent(act.motif)) independent.push(act);
    (WRAPPING.has(act.motif.kind) ? wrappings : isServing(act.motif) ? serving : acts).push(act);
  }
  const venues = venuesOf(acts);
  if (acts.length > 1) {
    joinSharing(acts, groups);
    joinInner(acts, venues, groups);
    joinSaid(acts, groups);
    joinExchanges(acts, groups);
    joinRetold(acts, groups);
  }
  if (groups.one) return groups.all();
  joinHandedOn(independent, venues, flow, groups);
  if (groups.one) return groups.all();
  const found = new Acts(acts);
  joinServing(serving, found, new Set([tx.from, ...wrappings.flatMap(({ owner }) => owner ?? [])]), groups);
  joinWrapping(wrappings, found, new Acts(serving), groups);
  return groups.all();
}

function joinTo(target: Act | null, act: Act, groups: Groups): void {
  if (target) groups.join(target.motif.index, act.motif.index);
}

/** Contracts at which acts were done, each with the first of these. */
function venuesOf(acts: readonly Act[]): ReadonlyMap<Address, Act> {
  const venues = new Map<Address, Act>();
  for (const act of acts) {
    const { kind, venue, movements } = act.motif;
    if (movements.length > 0 && !PLAIN_MOVEMENTS.has(kind) && !ACTING_VENUES.has(kind) && !venues.has(venue))
      venues.set(venue, act);
  }
  return venues;
}

function joinSharing(acts: readonly Act[], groups: Groups): void {
  const first = new Map<number, number>();
  for (const { motif } of acts)
    for (const m of motif.movements) {
      const other = first.get(m);
      if (other === undefined) first.set(m, motif.index);
      else groups.join(other, motif.index);
    }
}

/** Acts whose only parties are venues of others: a solver's swaps, a vault's own deposits. */
function joinInner(acts: readonly Act[], venues: ReadonlyMap<Address, Act>, groups: Groups): void {
  for (const act of acts) {
    const outer = act.own[0] === undefined ? undefined : venues.get(act.own[0]);
    if (
      outer &&
      outer !== act &&
      act.own.every((account) => account === act.motif.venue || venues.has(account))
    )
      joinTo(outer, act, groups);
  }
}

/** Several logs of one kind that moved nothing tell of one act of one account. */
function joinSaid(acts: readonly Act[], groups: Groups): void {
  const first = new Map<string, Act>();
  for (const act of acts) {
    if (act.motif.movements.length > 0) continue;
    const key = `${act.motif.kind}|${act.own[0] ?? act.motif.venue}`;
    const other = first.get(key);
    if (other) joinTo(other, act, groups);
    else first.set(key, act);
  }
}

/** What an aggregator says of a trade, beside the trades that it was made of. */
function joinRetold(acts: readonly Act[], groups: Groups): void {
  const summaries = acts.filter(({ motif }) => motif.kind === SUMMARY);
  if (summaries.length === 0) return;
  const trades = new Acts(acts.filter(({ motif }) => TRADES.has(motif.kind)));
  for (const summary of summaries)
    for (const token of summary.tokens)
      joinTo(nearest(summary.motif, trades.moving(token), 'before'), summary, groups);
}

/** What serves no act of its own account stays an act: allowances somebody sent for later, an account set up for later. */
function joinServing(
  serving: readonly Act[],
  acts: Acts,
  principals: ReadonlySet<Address>,
  groups: Groups,
): void {
  const left = new Map<string, Act>();
  for (const act of serving) {
    if (!groups.alone(act.motif.index)) continue;
    const key = act.setsUp ? `set up|${act.setsUp}` : `${act.motif.kind}|${act.owner ?? act.motif.venue}`;
    const target = actServed(act, acts, principals) ?? left.get(key);
    if (target) joinTo(target, act, groups);
    else left.set(key, act);
  }
}

/** What an account had executed goes with its first act, else with what prepared one. */
function joinWrapping(wrappings: readonly Act[], acts: Acts, serving: Acts, groups: Groups): void {
  for (const wrapping of wrappings) {
    if (wrapping.owner === null) continue;
    joinTo(
      acts.of(wrapping.owner)[0] ?? serving.of(wrapping.owner)[0] ?? serving.at(wrapping.owner)[0] ?? null,
      wrapping,
      groups,
    );
  }
}
