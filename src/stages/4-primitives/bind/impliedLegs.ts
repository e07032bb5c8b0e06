import { isIssuance } from '../../../value/asset.ts';
import { distinctEvidence } from '../../../lib/evidence.ts';
import { addTo, only } from '../../../lib/lists.ts';
import { kindOf } from '../../../lib/motifKinds.ts';
import { SHARE_ROLES } from '../../../lib/roles.ts';
import { issueClaim, legOf } from '../../../value/claims.ts';
import type { RecognitionRun } from './applyMapping.ts';
import type { DraftPrimitive } from '../../../model/primitive.ts';
import type { AssetId, Movement, ValueFlow } from '../../../model/valueFlow.ts';

/** Effects that hand out a receipt, and those that take it back. */
const ISSUING: ReadonlySet<string> = new Set(['increase', 'open']);
const REDEEMING: ReadonlySet<string> = new Set(['decrease', 'close']);

type Input = Pick<RecognitionRun, 'flow' | 'rulebook'>;

/**
 * Adds the legs that events leave out: the mint or burn of a position's own token or of a receipt. A movement
 * that any trigger has is none.
 */
export function withImpliedLegs(found: readonly DraftPrimitive[], input: Input): DraftPrimitive[] {
  const all = [...found];
  const open = unclaimedIssues(all, input.flow);
  if (open.length === 0) return all;
  const taken = addPositionTokens(all, open, input.flow);
  const left = open.filter((m) => !taken.has(m));
  addReceipts(all, left, input);
  return all;
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
 * The receipt that an act's event does not mention: minted to or burnt from the account that put in or took
 * out the assets. The venue itself is its token, or as much of it moved as of the assets.
 */
function addReceipts(all: DraftPrimitive[], open: readonly Movement[], input: Input): void {
  const { flow, rulebook } = input;
  const issues = open.filter((m) => {
    const asset = flow.assets.get(m.asset);
    return asset?.kind === 'erc20' && !rulebook.wrappedNative.has(asset.address!);
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
