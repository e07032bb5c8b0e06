import { graphlib, layout as dagre } from '@dagrejs/dagre';
import { attach, roomForEdges } from './attach.ts';
import type { Flow, FlowEdge } from './flow.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}
export interface Point {
  readonly x: number;
  readonly y: number;
}
export interface Box extends Size, Point {}

export interface Drawing extends Size {
  /** Centres and sizes by node id. */
  readonly nodes: ReadonlyMap<string, Box>;
  /** Route and label by edge id, from giver to receiver. */
  readonly edges: ReadonlyMap<string, { readonly points: readonly Point[]; readonly label: Box }>;
}

export type Direction = 'LR' | 'TB';

export interface Measures {
  /** Size a node needs for its text; nodes that many edges meet are made larger. */
  readonly node: (id: string) => Size;
  readonly label: (edge: FlowEdge) => Size;
  readonly direction: Direction;
}

/** Beyond this many edges finding the tightest ranking takes too long to wait for. */
const MANY_EDGES = 80;

/**
 * Places nodes and routes edges so that value leaves the first node to the right (or downwards). Edges that lead back are
 * turned round for dagre: it would else break a cycle at any edge, and the actor could end up anywhere.
 */
export function layOut(flow: Flow, measures: Measures): Drawing {
  const order = discoveryOrder(flow);
  const many = flow.edges.length > MANY_EDGES;
  const narrow = measures.direction === 'TB';
  const graph = new graphlib.Graph({ multigraph: true });
  graph.setGraph({
    rankdir: measures.direction,
    nodesep: narrow ? 10 : 30,
    edgesep: narrow ? 6 : 14,
    ranksep: measures.direction === 'LR' ? 62 : 50,
    marginx: narrow ? 4 : 14,
    marginy: 14,
    ranker: many ? 'longest-path' : 'network-simplex',
  });
  const turned = new Map(flow.edges.map((edge) => [edge.id, order.get(edge.from)! > order.get(edge.to)!]));
  const room = roomForEdges(flow, turned, measures);
  for (const node of [...flow.nodes].sort((a, b) => order.get(a.id)! - order.get(b.id)!))
    graph.setNode(node.id, { ...room(node.id) });
  const endsOf = ({ id, from, to }: FlowEdge): [string, string] => (turned.get(id) ? [to, from] : [from, to]);
  for (const edge of flow.edges) {
    const weight = edge.direction === 'between' ? 1 : 2;
    graph.setEdge(...endsOf(edge), { ...measures.label(edge), labelpos: 'c', weight }, edge.id);
  }
  dagre(graph, { disableOptimalOrderHeuristic: many });
  const nodes = new Map(flow.nodes.map(({ id }) => [id, graph.node(id) as Box]));
  const edges = new Map(
    flow.edges.map((edge) => {
      const { points, x, y, width, height } = graph.edge(...endsOf(edge), edge.id) as Box & {
        points: Point[];
      };
      const path = turned.get(edge.id) ? [...points].reverse() : points;
      return [edge.id, { points: path, label: { x, y, width, height } }];
    }),
  );
  const { width = 0, height = 0 } = graph.graph() as Partial<Size>;
  return attach(
    flow,
    giftFirst(flow, { nodes, edges, width, height }, measures.direction),
    turned,
    measures.direction,
  );
}

/** Mirrors the drawing where dagre put received value above (or left of) sent value. */
function giftFirst(flow: Flow, drawing: Drawing, direction: Direction): Drawing {
  const across = (p: Point): number => (direction === 'LR' ? p.y : p.x);
  const mean = (side: FlowEdge['direction']): number | null => {
    const at = flow.edges
      .filter((edge) => edge.direction === side)
      .map((edge) => across(drawing.edges.get(edge.id)!.label));
    return at.length === 0 ? null : at.reduce((sum, y) => sum + y, 0) / at.length;
  };
  const [sent, received] = [mean('sent'), mean('received')];
  if (sent === null || received === null || sent <= received) return drawing;
  const mirrored = <P extends Point>(p: P): P =>
    direction === 'LR' ? { ...p, y: drawing.height - p.y } : { ...p, x: drawing.width - p.x };
  return {
    ...drawing,
    nodes: new Map([...drawing.nodes].map(([id, box]) => [id, mirrored(box)])),
    edges: new Map(
      [...drawing.edges].map(([id, edge]) => [
        id,
        { points: edge.points.map(mirrored), label: mirrored(edge.label) },
      ]),
    ),
  };
}

/** Numbers nodes as value reaches them from the first one, then as value would flow back to them. */
function discoveryOrder({ nodes, edges }: Flow): Map<string, number> {
  const next = new Map<string, string[]>();
  const add = (from: string, to: string): void => void (next.get(from)?.push(to) ?? next.set(from, [to]));
  for (const edge of edges) add(edge.from, edge.to);
  for (const edge of edges) add(edge.to, edge.from);
  const order = new Map<string, number>();
  for (const { id: root } of nodes) {
    const queue = order.has(root) ? [] : [root];
    for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
      if (order.has(id)) continue;
      order.set(id, order.size);
      queue.push(...(next.get(id) ?? []));
    }
  }
  return order;
}
