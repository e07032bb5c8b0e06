import type { Motif, PositionEffect, TxReport } from '../../model/generated/report.ts';
import type { RawMotifKind } from '../../model/generated/rules.ts';
import { venueOf } from './checkClaims.ts';
import { placeOf, placesIn } from './checkEvidence.ts';
import { accountIn, type Must } from './finding.ts';
import type { RawChain } from './rawChain.ts';
import type { RuleFacts } from './ruleFacts.ts';

/** The bytes of a log, or those passed to a call. */
function textAt(evidence: Motif['evidence'][number], chain: RawChain): string {
  const { log, frame } = placesIn(evidence, chain);
  if (log === null) return frame?.input ?? '';
  return log ? [...log.topics, log.data].join() : '';
}

/** Count and pool of an act are its evidence's; the parts of a whole are inside it. */
export function checkOwnWords(
  motif: Motif,
  motifs: readonly Motif[],
  chain: RawChain,
  problem: (check: string, message: string) => void,
): void {
  const { evidence, count = evidence.length, pool_id: pool } = motif;
  if (count !== evidence.length) problem('motif', `count is ${count}, its evidence has ${evidence.length}`);
  const isStated = evidence.some((place) => textAt(place, chain).includes(pool?.slice(2) ?? ''));
  if (!isStated) problem('motif', 'its evidence does not state the pool_id');
  const whole = motifs.find(({ id }) => id === motif.parent_id);
  const named = (whole?.claims ?? []).flatMap(({ operands, against = [] }) => [...operands, ...against]);
  if (named.includes(motif.id) && !motif.movements.every((m) => whole!.movements.includes(m)))
    problem('motif', `its movements are not among those of ${whole!.id}`);
}

/** Orders and requests hold nothing yet. */
const HOLDS_NOTHING = /^(order|withdrawal_request)$/;

/** A position has the evidence and the assets of its acts. */
export function checkWhole(effect: PositionEffect, behind: readonly Motif[], must: Must): void {
  const { effect: what, category, underlying, position_asset: token } = effect;
  const isGiven = (effect.position_delta_raw === null) === (token === null);
  must(isGiven, '/position_delta_raw', 'is given exactly with its asset');
  if (what === 'collect' || what === 'transfer') return;
  const shown = new Set(effect.evidence.map(placeOf));
  const left = behind.flatMap(({ evidence }) => evidence.map(placeOf)).filter((place) => !shown.has(place));
  must(left.length === 0, '/evidence', `${left.join(', ')} of its motifs is left out`);
  // A liquidator's own gain of a share is no deposit.
  const isSeized = what === 'increase' && behind.every(({ kind }) => kind === 'liquidation');
  if (isSeized || HOLDS_NOTHING.test(category)) return;
  const parts = behind.flatMap((m) => [...m.assets_in, ...m.assets_out]);
  const named = new Set(underlying.map(({ asset }) => asset.id));
  const isEmpty =
    named.size === 0 && parts.some(({ asset, role }) => asset.id !== token?.id && !role.includes('share'));
  const lacks = parts.some(({ role, asset }) => /^(in|out)$/.test(role) && !named.has(asset.id));
  const isPartial = category === 'liquidity' && behind.length === 1 && lacks;
  must(!isEmpty && !isPartial, '/underlying', 'leaves out an asset of its motifs');
}

/** Fragments are acts of the transaction, in their order. */
export function checkFragments({ classification: c, motifs }: TxReport, rules: RuleFacts, must: Must): void {
  const shown = motifs.map(({ kind }) => rules.motifs.get(kind)?.fragment ?? kind);
  const isUnsupported = (c.caveats ?? []).some(({ code }) => code === 'nothing_recognised');
  let next = 0;
  c.fragments.forEach(({ kind }, i) => {
    must(rules.intents.has(kind), `/fragments/${i}/kind`, 'is no intent of the rules');
    const isHeadline = kind === c.intent_kind;
    const place = isHeadline && isUnsupported ? -1 : shown.indexOf(kind, next);
    // A headline may rest on no act, and plain payments count as transfers.
    const like = /^(Native|Token|Nft)Transfer$/.test(kind) ? 'transfer' : kind;
    const isFree = isHeadline || like !== kind;
    const told = c.fragments.filter((one) => one.kind === kind).length;
    const most = Math.max(1, shown.filter((one) => one === kind || one === like).length);
    must(place >= 0 || (isFree && told <= most), `/fragments/${i}`, 'is no act that happened here');
    if (place >= 0) next = place + 1;
  });
}

/**
 * The movements of a composite are of its parts, and their venues or recipients are among its participants.
 */
export function checkParts(whole: Motif, { motifs }: TxReport, rules: RuleFacts, must: Must): void {
  const { trade: sort, venue } = rules.motifs.get(whole.kind)!;
  if (sort === 'summary') return;
  motifs.forEach((part, i) => {
    const { composite = false, trade } = rules.motifs.get(part.kind) ?? ({} as Partial<RawMotifKind>);
    const isInside = part.movements.length > 0 && part.movements.every((m) => whole.movements.includes(m));
    const isApart = composite || !isInside || part.parent_id !== null;
    must(isApart, `/motifs/${i}/parent_id`, `moves what ${whole.id} moves`);
    const party = venue === 'none' ? accountIn(part, 'recipient') : trade && venueOf(part);
    const isNamed = whole.participants.some(({ account }) => account === party);
    const at = `/motifs/${whole.id.slice(2)}/participants`;
    must(!party || part.parent_id !== whole.id || isNamed, at, `lack ${party}`);
  });
}

/** An act that changes a position has one in the report. */
export function checkTold(report: TxReport, rules: RuleFacts, must: Must): void {
  const told = new Set(report.position_effects.map(({ category }) => category as string));
  for (const motif of report.motifs) {
    const { kind, status } = motif;
    const { position } = rules.motifs.get(kind) ?? {};
    const amounts = [...motif.assets_in, ...motif.assets_out];
    // Baskets of NFTs and tokens that wrap another are no positions.
    const isFree =
      amounts.some(({ asset, role }) => asset.token_id !== null && /^(in|out)$/.test(role)) ||
      (status === 'Suspected' && rules.listed.has(venueOf(motif).toLowerCase()));
    const isHeld = position && !HOLDS_NOTHING.test(position.category);
    must(!isHeld || isFree || told.size > 0, '', `that of ${kind} is left out`);
    const isSeized = kind === 'liquidation' && amounts.some(({ role }) => role === 'collateral');
    must(!isSeized || told.has('lending_supply'), '', 'the seized collateral is left out');
  }
}
