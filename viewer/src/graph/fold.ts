import type { Role } from '../../../src/tools/wording/accounts.ts';
import { flowOf, type Flow, type FlowSource, type NodeOf } from './flow.ts';

/** More than this does not read at a glance. */
const LEGIBLE = { nodes: 14, edges: 22 };
const LEGIBLE_NARROW = { nodes: 9, edges: 12 };
/** Fewer accounts than this are not worth a fold. */
const FEWEST = 3;
/** Never folded. */
const NEVER: ReadonlySet<Role> = new Set(['actor', 'signer', 'zero']);

export interface Folded {
  readonly flow: Flow;
  /** Parts that are drawn as one node now. */
  readonly folded: ReadonlySet<Role>;
  /** Parts with accounts enough to fold, and how many accounts. */
  readonly foldable: ReadonlyMap<Role, number>;
}

/**
 * The flow with accounts of the given parts drawn as one; null chooses: the largest groups first, until the drawing is
 * small enough to read.
 */
export function foldFlow(
  { report, accounts, subject }: FlowSource,
  parts: ReadonlySet<Role> | null,
  { asset = null, narrow = false }: { asset?: string | null; narrow?: boolean } = {},
): Folded {
  const most = narrow ? LEGIBLE_NARROW : LEGIBLE;
  const isLegible = ({ nodes, edges }: Flow): boolean =>
    nodes.length <= most.nodes && edges.length <= most.edges;
  const whole = flowOf(report, accounts, { subject, asset });
  const counts = new Map<Role, number>();
  for (const node of whole.nodes) counts.set(node.role, (counts.get(node.role) ?? 0) + 1);
  const foldable = new Map(
    [...counts].filter(([role, count]) => count >= FEWEST && !NEVER.has(role)).sort((a, b) => b[1] - a[1]),
  );
  const sent = new Set(whole.edges.map((edge) => edge.from));
  const received = new Set(whole.edges.map((edge) => edge.to));
  // Senders and receivers are folded apart while that stays readable: it keeps the direction of value.
  const flowWith = (folded: ReadonlySet<Role>, apart: boolean): Flow => {
    const nodeOf: NodeOf = (address) => {
      const { role } = accounts.of(address);
      const id = address.toLowerCase();
      return !folded.has(role) || address === subject
        ? id
        : apart
          ? `fold:${role}:${sent.has(id) ? 'sent' : ''}${received.has(id) ? 'received' : ''}`
          : `fold:${role}`;
    };
    return folded.size === 0 ? whole : flowOf(report, accounts, { subject, nodeOf, asset });
  };
  const folded = new Set<Role>();
  let flow = whole;
  for (const role of foldable.keys()) {
    if (parts === null ? isLegible(flow) : !parts.has(role)) continue;
    folded.add(role);
    flow = flowWith(folded, true);
  }
  if (folded.size > 0 && !isLegible(flow)) flow = flowWith(folded, false);
  return { flow, folded, foldable };
}
