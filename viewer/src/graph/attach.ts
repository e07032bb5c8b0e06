import { inset } from './path.ts';
import type { Flow } from './flow.ts';
import type { Box, Direction, Drawing, Measures, Point, Size } from './layout.ts';

/** Room between two edges at the side of a node. */
const GAP = 15;
/** Kept free at both ends of a side, for rounded corners. */
const MARGIN = 12;
/** An edge leaves and reaches a node straight for this long. */
const STRAIGHT = 15;

/** Sizes with room for all edges that meet one side: value leaves on the far side, and comes from the near one. */
export function roomForEdges(
  flow: Flow,
  turned: ReadonlyMap<string, boolean>,
  { node, direction }: Measures,
): (id: string) => Size {
  const far = new Map<string, number>();
  const near = new Map<string, number>();
  for (const edge of flow.edges) {
    const [v, w] = turned.get(edge.id) ? [edge.to, edge.from] : [edge.from, edge.to];
    far.set(v, (far.get(v) ?? 0) + 1);
    near.set(w, (near.get(w) ?? 0) + 1);
  }
  return (id) => {
    const size = node(id);
    const needed = (Math.max(far.get(id) ?? 0, near.get(id) ?? 0) - 1) * GAP + 2 * MARGIN;
    return direction === 'LR'
      ? { ...size, height: Math.max(size.height, Math.min(needed, 520)) }
      : { ...size, width: Math.max(size.width, Math.min(needed, 520)) };
  };
}

interface End {
  readonly edgeId: string;
  readonly start: boolean;
  readonly toward: Point;
}

/** Spreads the edges that meet a side of a node along it, in the order in which they come in, so that none overlap. */
export function attach(
  flow: Flow,
  drawing: Drawing,
  turned: ReadonlyMap<string, boolean>,
  direction: Direction,
): Drawing {
  const sides = new Map<string, { box: Box; node: string; far: boolean; ends: End[] }>();
  for (const edge of flow.edges) {
    if (edge.from === edge.to) continue;
    const { points } = drawing.edges.get(edge.id)!;
    const back = turned.get(edge.id)!;
    for (const start of [true, false]) {
      const node = start ? edge.from : edge.to;
      // The far side belongs to the start of an edge as dagre has it.
      const far = start !== back;
      const key = `${far ? 'far' : 'near'} ${node}`;
      const side = sides.get(key) ?? { box: drawing.nodes.get(node)!, node, far, ends: [] };
      sides.set(key, side);
      side.ends.push({ edgeId: edge.id, start, toward: (start ? points[1] : points.at(-2)) ?? points[0]! });
    }
  }
  const roles = new Map(flow.nodes.map((node) => [node.id, node.role]));
  const routes = new Map(
    [...drawing.edges].map(([id, edge]) => [
      id,
      { points: throughLabel(edge.points, edge.label, direction), label: edge.label },
    ]),
  );
  const across = (p: Point): number => (direction === 'LR' ? p.y : p.x);
  for (const { box, node, far, ends } of sides.values()) {
    ends.sort((a, b) => across(a.toward) - across(b.toward));
    const length = direction === 'LR' ? box.height : box.width;
    const gap = ends.length > 1 ? Math.min(GAP * 1.4, (length - 2 * MARGIN) / (ends.length - 1)) : 0;
    ends.forEach((end, i) => {
      const off = (i - (ends.length - 1) / 2) * gap;
      const out = far ? 1 : -1;
      const cut = inset(roles.get(node)!, far ? 'right' : 'left', (2 * off) / box.height, box.height);
      const at = (by: number): Point =>
        direction === 'LR'
          ? { x: box.x + out * (box.width / 2 - cut + by), y: box.y + off }
          : { x: box.x + off, y: box.y + out * (box.height / 2 + by) };
      const [port, straight] = [at(0), at(STRAIGHT)];
      const { points } = routes.get(end.edgeId)!;
      if (end.start) points.splice(0, 1, port, straight);
      else points.splice(points.length - 1, 1, straight, port);
    });
  }
  return { ...drawing, edges: routes };
}

/** Leads the line straight through its own label, so that smoothing does not bend it into a neighbour's. */
function throughLabel(points: readonly Point[], label: Box, direction: Direction): Point[] {
  const at = points.findIndex((p) => Math.abs(p.x - label.x) < 1 && Math.abs(p.y - label.y) < 1);
  if (at <= 0 || at === points.length - 1) return [...points];
  const half = direction === 'LR' ? { x: label.width / 2, y: 0 } : { x: 0, y: label.height / 2 };
  const ends = [
    { x: label.x - half.x, y: label.y - half.y },
    { x: label.x + half.x, y: label.y + half.y },
  ];
  const forward = direction === 'LR' ? points[0]!.x < points.at(-1)!.x : points[0]!.y < points.at(-1)!.y;
  return [...points.slice(0, at), ...(forward ? ends : ends.reverse()), ...points.slice(at + 1)];
}
