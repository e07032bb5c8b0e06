import { SHARE_ROLES } from '../../../lib/roles.ts';
import { distinctEvidence, joinedDetail } from './mergeDuplicates.ts';
import type { OpenPortion } from '../bind/positionDetail.ts';
import type { OpenPrimitive } from '../structure/context.ts';

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
export function joinDetails(found: readonly OpenPrimitive[]): readonly OpenPrimitive[] {
  if (!found.some((item) => item.tags.includes(DETAIL))) return found;
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
