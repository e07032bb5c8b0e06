import { isIssuance } from '../../../value/asset.ts';
import { distance } from '../../../value/amount.ts';
import { distinctEvidence } from '../../../lib/evidence.ts';
import { addTo, only } from '../../../lib/lists.ts';
import { kindOf } from '../../../lib/motifKinds.ts';
import { SHARE_ROLES } from '../../../lib/roles.ts';
import { issueClaim, legOf, ROUNDING } from '../../../value/claims.ts';
import { DETAIL } from '../join/oneAct.ts';
import type { RecognitionRun } from './applyMapping.ts';
import type { DraftPrimitive } from '../../../model/primitive.ts';
import type { AssetId, Movement, ValueFlow } from '../../../model/valueFlow.ts';

/** Effects that hand out a receipt, and those that take it back. */
const ISSUING: ReadonlySet<string> = new Set(['increase', 'open']);
const REDEEMING: ReadonlySet<string> = new Set(['decrease', 'close']);

type Input = Pick<RecognitionRun, 'tx' | 'flow' | 'rulebook'>;

/**
 * Adds the legs that events leave out: the mint or burn of a position's own token, of a receipt, and the mint
 * by which a debt or supply token nets interest against an amount. A movement that any trigger has is none.
 */
export function withImpliedLegs(found: readonly DraftPrimitive[], input: Input): DraftPrimitive[] {
  const all = [...found];
  addNetted(all, found, input);
  const open = unclaimedIssues(all, input.flow);
  if (open.length === 0) return all;
  const taken = addPositionTokens(all, open, input.flow);
  const left = open.filter((m) => !taken.has(m));
  addReceipts(all, left, input);
  return all;
}

/**
 * A token that owes its holder more interest than the holder takes out (or pays back) mints the difference
 * instead of burning the amount: the mint becomes a leg of that act.
 */
function addNetted(all: DraftPrimitive[], found: readonly DraftPrimitive[], input: Input): void {
  const { flow } = input;
  for (const detail of found) {
    const taken = detail.tags.includes(DETAIL) ? netted(detail) : null;
    if (taken === null) continue;
    const at = all.findIndex(
      (act) => act.seq > detail.seq && takesOut(act, taken) && servedBy(act, detail, input),
    );
    if (at >= 0) all[at] = withToken(all[at]!, flow.movements[detail.legs[0]!.movements[0]!]!, flow);
  }
}

type Taken = NonNullable<ReturnType<typeof netted>>;

/** The amount the holder took out or paid back, and the position's owner; null for any other detail. */
function netted({ legs, portions, roles }: DraftPrimitive) {
  const [leg] = legs;
  const interest = portions.find(({ role }) => role === 'interest')?.amount ?? 0n;
  const owner = roles.find(({ role }) => role === 'owner')?.account;
  if (leg?.role !== 'share_out' || leg.movements.length !== 1 || !owner || interest <= leg.amount)
    return null;
  return { amount: interest - leg.amount, owner };
}

const SHRINKS: ReadonlySet<string> = new Set(['out', 'repaid']);

function takesOut({ legs, roles }: DraftPrimitive, taken: Taken): boolean {
  const [leg, ...more] = legs;
  if (!leg || more.length > 0 || !SHRINKS.has(leg.role)) return false;
  const own = roles.some(({ role, account }) => role === 'owner' && account === taken.owner);
  return own && distance(leg.amount, taken.amount) <= ROUNDING;
}

/** The token paid the act's asset out itself or ran under the act's own contract: no stranger's token. */
function servedBy(act: DraftPrimitive, detail: DraftPrimitive, { tx, flow }: Input): boolean {
  const token = detail.venue;
  const { role, movements } = act.legs[0]!;
  if (role === 'out' && movements.some((m) => flow.movements[m]!.from === token)) return true;
  const log = detail.evidence.find((one) => one.log !== null)?.log ?? null;
  let frame = log === null ? null : (tx.logs[log]!.within ?? null);
  while (frame !== null && tx.frames[frame]!.context === token) frame = tx.frames[frame]!.parent;
  return frame !== null && tx.frames[frame]!.context === act.venue;
}

/** Mints and burns that no trigger has. */
function unclaimedIssues(all: readonly DraftPrimitive[], { movements }: ValueFlow): Movement[] {
  if (!movements.some(isIssuance)) return [];
  const claimed = new Set<number>();
  for (const { legs } of all) for (const leg of legs) for (const m of leg.movements) claimed.add(m);
  return movements.filter((m) => isIssuance(m) && !claimed.has(m.index));
}

/**
 * The position's own NFT, minted or burnt apart from the position's events: a leg of the position's last act
 * before it, or the next one. Returns the movements added.
 */
function addPositionTokens(
  all: DraftPrimitive[],
  open: readonly Movement[],
  flow: ValueFlow,
): ReadonlySet<Movement> {
  const acts = new Map<AssetId, number[]>();
  all.forEach(({ position }, at) => {
    if (position) addTo(acts, position, at);
  });
  const taken = new Set<Movement>();
  for (const m of open) {
    const own = acts.get(m.asset);
    if (!own) continue;
    const at = own.findLast((i) => all[i]!.seq <= m.seq) ?? own[0]!;
    all[at] = withToken(all[at]!, m, flow);
    taken.add(m);
  }
  return taken;
}

/**
 * The receipt that an act's event does not mention: a token minted to, or burnt from, the account that put in
 * or took out the assets. It counts where the venue itself is the token, or where as much of it moved as of
 * the assets (a receipt of one to one). Events find theirs before calls.
 */
function addReceipts(all: DraftPrimitive[], open: readonly Movement[], input: Input): void {
  const { flow } = input;
  const issues = open.filter((m) => {
    const asset = flow.assets.get(m.asset);
    return asset?.kind === 'erc20' && !flow.wrappedNative.has(asset.address!);
  });
  if (issues.length === 0) return;
  const taken = new Set<number>();
  for (const basis of ['event', 'call'] as const)
    all.forEach((item, at) => {
      const receipt = item.basis === basis ? receiptOf(item, issues, input) : null;
      if (!receipt || taken.has(receipt.index)) return;
      taken.add(receipt.index);
      all[at] = withToken(item, receipt, flow);
    });
}

function receiptOf(
  { kind, legs, venue }: DraftPrimitive,
  open: readonly Movement[],
  { flow, rulebook }: Input,
): Movement | null {
  const effect = kindOf(rulebook, kind).position?.effect ?? '';
  const way = ISSUING.has(effect) ? 'mint' : REDEEMING.has(effect) ? 'burn' : null;
  if (way === null || legs.some(({ role }) => SHARE_ROLES.has(role))) return null;
  const accounts = new Set(legs.map(({ account }) => account));
  const assets = new Set<AssetId>(legs.map(({ asset }) => asset));
  const amounts = new Set(legs.map(({ amount }) => amount));
  const fits = open.filter((m) => {
    const holder = way === 'mint' ? m.to : m.from;
    const held = flow.ledgers.get(holder)?.get(m.asset);
    // A receipt that came and went with the transaction is none.
    const changed = held !== undefined && held.inflow !== held.outflow;
    return m.kind === way && changed && !assets.has(m.asset) && accounts.has(holder);
  });
  const own = fits.filter((m) => flow.assets.get(m.asset)!.address === venue);
  const alike = own.length > 0 ? own : fits.filter((m) => amounts.has(m.amount));
  return only(alike);
}

/** An act with the mint or burn of its position's token, where it repays its debt's, as a further leg. */
function withToken(act: DraftPrimitive, m: Movement, flow: ValueFlow): DraftPrimitive {
  const [role, account] = m.kind === 'mint' ? ['share_out', m.to] : ['share_in', m.from];
  const { legs, evidence, claims } = act;
  const owed = legs.some((leg) => leg.role === 'repaid') ? 'debt_' : '';
  return {
    ...act,
    legs: [...legs, legOf(`${owed}${role}`, [m], account)],
    evidence: distinctEvidence([...evidence, m.evidence]),
    claims: [...claims, issueClaim(flow, [m.index])],
  };
}
