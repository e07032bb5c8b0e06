import { SHARE_ROLES } from '../../../lib/roles.ts';
import { distinctEvidence, joinedDetail } from './mergeDuplicates.ts';
import { withToken } from './positionEnds.ts';
import type { CanonicalTx } from '../../../model/canonicalTx.ts';
import type { OpenPortion } from '../bind/positionDetail.ts';
import type { OpenPrimitive } from '../structure/context.ts';
import type { ValueFlow } from '../../../model/valueFlow.ts';

/** Tag of mappings with an event that only adds detail to another event's movement. */
const DETAIL = 'detail';

/** Role of the asset that goes with each position token, where an act has more than one position. */
const COUNTERPARTS: Readonly<Record<string, string>> = {
  debt_share_in: 'debt',
  collateral_share_in: 'collateral',
};

/**
 * A token's own event about a movement (how much of it is interest) joins the act that moved it. Without
 * such an act it stays a primitive of its own.
 */
export function joinDetails(
  all: readonly OpenPrimitive[],
  tx: CanonicalTx,
  flow: ValueFlow,
): readonly OpenPrimitive[] {
  if (!all.some((item) => item.tags.includes(DETAIL))) return all;
  const found = withNettedTokens(all, tx, flow);
  const hosts = new Map<number, number>();
  found.forEach((item, at) => {
    if (!item.tags.includes(DETAIL))
      for (const leg of item.legs) for (const m of leg.movements) hosts.set(m, at);
  });
  const joined = [...found];
  const absorbed = new Set<number>();
  found.forEach((item, at) => {
    const movement = item.tags.includes(DETAIL) ? hostedMovement(item, hosts) : undefined;
    if (movement === undefined) return;
    absorbed.add(at);
    const host = joined[hosts.get(movement)!]!;
    const { about, position, portions } = joinedDetail([
      host,
      { ...item, position: null, about: [], portions: portionsFor(host, movement, item.portions) },
    ]);
    joined[hosts.get(movement)!] = {
      ...host,
      about,
      position,
      portions,
      evidence: distinctEvidence([...host.evidence, ...item.evidence]),
    };
  });
  return joined
    .filter((_, at) => !absorbed.has(at))
    .map((item) =>
      item.tags.includes(DETAIL) ? { ...item, tags: item.tags.filter((tag) => tag !== DETAIL) } : item,
    );
}

/**
 * A token that owes its holder more interest than the holder takes out (or pays back) mints the difference
 * instead of burning the amount: the mint becomes a leg of that act.
 */
function withNettedTokens(
  found: readonly OpenPrimitive[],
  tx: CanonicalTx,
  flow: ValueFlow,
): readonly OpenPrimitive[] {
  const result = [...found];
  for (const detail of found) {
    const taken = detail.tags.includes(DETAIL) ? netted(detail) : null;
    if (taken === null) continue;
    const at = result.findIndex(
      (act) => act.seq > detail.seq && takesOut(act, taken) && servedBy(act, detail, tx, flow),
    );
    if (at >= 0) result[at] = withToken(result[at]!, flow.movements[detail.legs[0]!.movements[0]!]!);
  }
  return result;
}

/** The amount the holder took out or paid back, and the position's owner; null for any other detail. */
function netted({ legs, portions, roles }: OpenPrimitive): { amount: bigint; owner: string } | null {
  const [leg] = legs;
  const interest = portions.find(({ role }) => role === 'interest')?.amount ?? 0n;
  const owner = roles.find(({ role }) => role === 'owner')?.account;
  if (leg?.role !== 'share_out' || leg.movements.length !== 1 || !owner || interest <= leg.amount)
    return null;
  return { amount: interest - leg.amount, owner };
}

/** Tokens that account in scaled units round to the nearest one, each way. */
const ROUNDING = 2n;
const SHRINKS: ReadonlySet<string> = new Set(['out', 'repaid']);

function takesOut({ legs, roles }: OpenPrimitive, taken: { amount: bigint; owner: string }): boolean {
  const [leg, ...more] = legs;
  if (!leg || more.length > 0 || !SHRINKS.has(leg.role)) return false;
  const gap = leg.amount - taken.amount;
  const own = roles.some(({ role, account }) => role === 'owner' && account === taken.owner);
  return own && gap <= ROUNDING && gap >= -ROUNDING;
}

/** The token paid the act's asset out itself or ran under the act's own contract: no stranger's token. */
function servedBy(act: OpenPrimitive, detail: OpenPrimitive, tx: CanonicalTx, flow: ValueFlow): boolean {
  const token = detail.venue;
  const { role, movements } = act.legs[0]!;
  if (role === 'out' && movements.some((m) => flow.movements[m]!.from === token)) return true;
  const log = detail.evidence.find((e) => e.log !== null)?.log ?? null;
  let frame = log === null ? null : (tx.logs[log]?.within ?? null);
  while (frame !== null && tx.frames[frame]!.context === token) frame = tx.frames[frame]!.parent;
  return frame !== null && tx.frames[frame]!.context === act.venue;
}

function hostedMovement({ legs }: OpenPrimitive, hosts: ReadonlyMap<number, number>): number | undefined {
  for (const { movements } of legs) for (const m of movements) if (hosts.has(m)) return m;
  return undefined;
}

/**
 * Interest is in the position's asset: the act's only asset, or the one that goes with this position token.
 */
function portionsFor(host: OpenPrimitive, movement: number, portions: readonly OpenPortion[]): OpenPortion[] {
  const share = host.legs.find((leg) => leg.movements.includes(movement))!;
  const beside = host.legs.filter(({ role }) => role === COUNTERPARTS[share.role]);
  const own = beside.length > 0 ? beside : host.legs.filter(({ role }) => !SHARE_ROLES.has(role));
  const assets = new Set(own.map((leg) => leg.asset));
  return assets.size === 1
    ? portions.map((p) => ({ ...p, asset: p.asset ?? [...assets][0]! }))
    : portions.filter((p) => p.asset !== null);
}
