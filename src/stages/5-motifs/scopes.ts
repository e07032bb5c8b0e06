import { jointFrame } from '../../lib/jointFrame.ts';
import { PLAIN_MOVEMENTS } from '../../lib/motifKinds.ts';
import type { Address } from '../../model/hex.ts';
import type { CanonicalTx } from '../../model/canonicalTx.ts';
import type { Motif } from '../../model/motif.ts';

/** A coherent part of the transaction: one act with all that serves it. */
export interface Scope {
  /** Smallest frame that is certain to hold it; null where the trace does not show it. */
  readonly frame: number | null;
  /** Motif indexes. */
  readonly motifs: readonly number[];
}

/** Kinds that serve the act before or after them, and which of the two is looked for first. */
const SERVING: ReadonlyMap<string, 'before' | 'after'> = new Map([
  ['wrap', 'after'], ['approval', 'after'], ['collateral_toggle', 'after'],
  ['unwrap', 'before'], ['refund', 'before'], ['protocol_fee', 'before'], ['builder_payment', 'before'], ['accrual', 'before'],
]);
/** Kinds whose bare presence next to any act makes them part of it: they exist only because something else happened. */
const DEPENDENT: ReadonlySet<string> = new Set(['refund', 'protocol_fee', 'builder_payment']);
/** Kinds that only say who had acts executed. */
const WRAPPING: ReadonlySet<string> = new Set(['user_operation', 'account_execution', 'account_execution_failed', 'account_delegation']);
/** Roles of accounts that an act is done by or for, as opposed to where it is done. */
const PARTIES: ReadonlySet<string> = new Set(['owner', 'payer', 'recipient', 'caller', 'maker', 'taker', 'buyer', 'seller', 'borrower', 'liquidator']);

/**
 * Splits a transaction into its acts: what moved the same value, what a venue did to serve its own customer, and wrapping,
 * allowances, change and fees go with the act they serve. A multicall, a bundle of user operations or a zap has as many
 * scopes as it has such acts. Where nothing is recognised the transaction's own call is the only one.
 */
export function findScopes(tx: CanonicalTx, motifs: readonly Motif[]): Scope[] {
  if (!tx.succeeded) return [];
  const tops = motifs.filter((m) => m.parent === null);
  if (tops.length === 0) return tx.frames.length === 0 ? [] : [{ frame: 0, motifs: [] }];
  const acts = tops.filter((m) => !SERVING.has(m.kind) && !WRAPPING.has(m.kind));
  const groups = new Groups();
  for (const motif of tops) groups.add(motif.index);
  joinSharing(acts, groups);
  joinInner(acts, groups);
  joinSaid(acts, groups);
  const byParty = index(acts);
  for (const motif of tops) {
    const found = SERVING.has(motif.kind) ? served(motif, byParty, acts) : WRAPPING.has(motif.kind) ? wrapped(motif, byParty) : null;
    if (found) groups.join(found.index, motif.index);
  }
  return groups.all().map((members) => ({ motifs: members, frame: holding(tx, members.map((i) => motifs[i]!)) }));
}

function joinSharing(acts: readonly Motif[], groups: Groups): void {
  const first = new Map<number, number>();
  for (const act of acts) for (const m of act.movements) {
    const other = first.get(m);
    if (other === undefined) first.set(m, act.index);
    else groups.join(other, act.index);
  }
}

/** Acts whose only parties are venues of others: a solver's swaps, a vault's own deposits. */
function joinInner(acts: readonly Motif[], groups: Groups): void {
  const venues = new Map<Address, Motif>();
  for (const act of acts) if (act.movements.length > 0 && !PLAIN_MOVEMENTS.has(act.kind) && !venues.has(act.venue)) venues.set(act.venue, act);
  for (const act of acts) {
    const parties = partiesOf(act);
    const outer = parties[0] === undefined ? undefined : venues.get(parties[0]);
    if (outer && outer !== act && parties.every((account) => account === act.venue || venues.has(account))) groups.join(outer.index, act.index);
  }
}

/** Several logs of one kind that moved nothing tell of one act of one account. */
function joinSaid(acts: readonly Motif[], groups: Groups): void {
  const first = new Map<string, number>();
  for (const act of acts) {
    if (act.movements.length > 0) continue;
    const key = `${act.kind}|${partiesOf(act)[0] ?? act.venue}`;
    const other = first.get(key);
    if (other === undefined) first.set(key, act.index);
    else groups.join(other, act.index);
  }
}

function partiesOf(act: Motif): Address[] {
  return [...new Set(act.participants.filter((p) => PARTIES.has(p.role)).map((p) => p.account))];
}

function index(acts: readonly Motif[]): ReadonlyMap<Address, readonly Motif[]> {
  const found = new Map<Address, Motif[]>();
  for (const act of acts) for (const account of partiesOf(act)) {
    const list = found.get(account);
    if (list) list.push(act);
    else found.set(account, [act]);
  }
  return found;
}

/** The act of one of its accounts that stands nearest on the side where what it serves is expected, else on the other. */
function served(motif: Motif, byParty: ReadonlyMap<Address, readonly Motif[]>, acts: readonly Motif[]): Motif | null {
  const near = partiesOf(motif).flatMap((account) => byParty.get(account) ?? []);
  const side = SERVING.get(motif.kind)!;
  return nearest(motif, near, side) ?? (DEPENDENT.has(motif.kind) ? nearest(motif, acts, side) : null);
}

function nearest(motif: Motif, acts: readonly Motif[], side: 'before' | 'after'): Motif | null {
  const pick = (wanted: readonly Motif[]): Motif | null => wanted.reduce<Motif | null>((best, act) => (best === null || Math.abs(act.index - motif.index) < Math.abs(best.index - motif.index) ? act : best), null);
  const [before, after] = [acts.filter((act) => act.index < motif.index), acts.filter((act) => act.index > motif.index)];
  return side === 'before' ? (pick(before) ?? pick(after)) : (pick(after) ?? pick(before));
}

function wrapped(motif: Motif, byParty: ReadonlyMap<Address, readonly Motif[]>): Motif | null {
  const owner = motif.participants.find((p) => p.role === 'owner')?.account;
  return (owner && byParty.get(owner)?.[0]) ?? null;
}

function holding(tx: CanonicalTx, members: readonly Motif[]): number | null {
  let frame: number | null = null;
  for (const { scopeFrame } of members) {
    if (scopeFrame === null) return null;
    frame = frame === null ? scopeFrame : jointFrame(tx.frames, frame, scopeFrame);
  }
  return frame;
}

/** Disjoint sets of motif indexes, each told in order. */
class Groups {
  readonly #root = new Map<number, number>();
  add(index: number): void { this.#root.set(index, index); }
  join(a: number, b: number): void { this.#root.set(this.#find(b), this.#find(a)); }
  all(): number[][] {
    const groups = new Map<number, number[]>();
    for (const index of this.#root.keys()) {
      const root = this.#find(index);
      groups.set(root, [...(groups.get(root) ?? []), index]);
    }
    return [...groups.values()].map((members) => members.sort((a, b) => a - b)).sort((a, b) => a[0]! - b[0]!);
  }
  #find(index: number): number {
    let at = index;
    while (this.#root.get(at) !== at) at = this.#root.get(at)!;
    for (let next = index; next !== at; ) {
      const after = this.#root.get(next)!;
      this.#root.set(next, at);
      next = after;
    }
    return at;
  }
}
