import { accountClaim, edgeClaim } from '../claims.ts';
import { h, s } from '../lib/dom.ts';
import { plural, shown } from '../../../src/tools/wording/text.ts';
import type { Role } from '../../../src/tools/wording/accounts.ts';
import type { View } from '../view.ts';
import type { FlowEdge, FlowNode } from './flow.ts';
import type { Folded } from './fold.ts';
import { layOut, type Box, type Direction, type Drawing } from './layout.ts';
import { edgeText, isOwed, labelSize, nodeSize, nodeText, type TextWidth } from './measure.ts';
import { curve, outline } from './path.ts';
import { roving } from './roving.ts';

export interface DrawnGraph extends Pick<Drawing, 'width' | 'height'> {
  readonly element: HTMLElement;
  readonly highlight: (movements: ReadonlySet<number> | null) => void;
}

/** Wider than this, a drawing from top to bottom is too small to read on a phone. */
const WIDE = 800;

/**
 * Draws the flow: lines and outlines in SVG, hidden from assistive technology, and every node and edge as a button with
 * its text on top. One tab stop; the arrow keys follow the value.
 */
export function drawGraph(
  view: View,
  { flow }: Folded,
  narrow: boolean,
  unfold: (role: Role) => void,
): DrawnGraph {
  const actor = view.subject.toLowerCase();
  const texts = new Map(
    flow.nodes.map((node) => [node.id, nodeText(node, view, { isActor: node.id === actor, narrow })]),
  );
  const labels = new Map(flow.edges.map((edge) => [edge.id, edgeText(edge, view)]));
  const byId = new Map(flow.nodes.map((node) => [node.id, node]));
  const towards = (direction: Direction): Drawing =>
    layOut(flow, {
      direction,
      node: (id) =>
        nodeSize(texts.get(id)!, byId.get(id)!, { isActor: id === actor, narrow, width: textWidth }),
      label: (edge) => labelSize(labels.get(edge.id)!, edge.kinds, narrow, textWidth),
    });
  let drawing = towards(narrow ? 'TB' : 'LR');
  // A wide fan fits a phone better from left to right.
  if (narrow && drawing.width > WIDE) {
    const across = towards('LR');
    if (across.width < drawing.width) drawing = across;
  }
  const nameOf = (id: string): string => {
    const node = byId.get(id)!;
    return node.members.length > 1 ? texts.get(id)!.name : view.accounts.text(node.members[0]!);
  };

  const svg = s(
    'svg',
    {
      class: 'lines',
      width: drawing.width,
      height: drawing.height,
      'aria-hidden': 'true',
      focusable: 'false',
    },
    arrowHeads(),
  );
  const stage = h('div', { class: 'stage' }, svg);
  const buttons: { button: HTMLElement; from?: string; to?: string; id: string }[] = [];
  const drawn: { element: Element; movements: readonly number[] }[] = [];

  for (const edge of flow.edges) {
    const { points, label } = drawing.edges.get(edge.id)!;
    const text = labels.get(edge.id)!;
    const line = curve(points);
    const act = (): void => view.inspect(edgeClaim(view, edge, nameOf));
    const direction = isOwed(edge, view) ? 'between' : edge.direction;
    const path = s(
      'g',
      { class: `edge ${direction}${edge.kinds.length > 0 ? ' minted' : ''}`, onclick: act },
      s('path', { class: 'reach', d: line }),
      s('path', { class: 'line', d: line, 'marker-end': `url(#arrow-${direction})` }),
    );
    const button = h(
      'button',
      { type: 'button', class: `edge-label ${direction}`, title: text.exact, onclick: act },
      h('span', { class: 'step' }, h('span', { class: 'sr' }, 'Step '), String(edge.step)),
      ' ',
      h(
        'span',
        { class: 'edge-lines' },
        text.lines.map((part) => h('bdi', {}, part)),
      ),
      edge.kinds.length > 0 && h('span', { class: 'mark' }, ' ', edge.kinds.join(', ')),
      h('span', { class: 'sr' }, edgeSentence(edge, text.exact, nameOf)),
    );
    svg.append(path);
    put(stage, button, label);
    buttons.push({ button, id: edge.id, from: edge.from, to: edge.to });
    drawn.push({ element: path, movements: edge.movements }, { element: button, movements: edge.movements });
    hover(button, path);
  }
  for (const node of flow.nodes) {
    const box = drawing.nodes.get(node.id)!;
    const shape = s('path', {
      class: `node role-${node.role}${node.members.length > 1 ? ' folded' : ''}`,
      d: outline(node.role, box),
    });
    if (node.members.length > 1)
      svg.append(
        s('path', {
          class: `node behind role-${node.role}`,
          d: outline(node.role, { ...box, x: box.x + 4, y: box.y + 4 }),
        }),
      );
    svg.append(shape);
    const folded = node.members.length > 1;
    const open = (): void =>
      folded ? unfold(node.role) : view.inspect(accountClaim(view, node.members[0]!));
    const button = nodeButton(node, texts.get(node.id)!, node.id === actor, open);
    put(stage, button, box);
    buttons.push({ button, id: node.id });
    const touching = flow.edges
      .filter((edge) => edge.from === node.id || edge.to === node.id)
      .flatMap((edge) => edge.movements);
    const all = [...touching, ...node.inside];
    drawn.push({ element: shape, movements: all }, { element: button, movements: all });
  }
  roving(stage, buttons, flow.nodes[0]?.id ?? null);
  return {
    element: stage,
    width: drawing.width,
    height: drawing.height,
    highlight(movements) {
      stage.classList.toggle('pointing', movements !== null);
      for (const { element, movements: own } of drawn)
        element.classList.toggle('pointed', movements !== null && own.some((index) => movements.has(index)));
    },
  };
}

function nodeButton(
  node: FlowNode,
  text: ReturnType<typeof nodeText>,
  isActor: boolean,
  open: () => void,
): HTMLElement {
  const folded = node.members.length > 1;
  return h(
    'button',
    {
      type: 'button',
      class: `node-card role-${node.role}${isActor ? ' is-actor' : ''}`,
      title: folded ? text.name : node.members[0]!,
      onclick: open,
    },
    h('span', { class: 'node-part' }, text.part),
    ' ',
    h('bdi', { class: 'node-name' }, text.name),
    folded && [' ', h('span', { class: 'node-more' }, 'Unfold')],
    text.nets.map((net) => [
      ' ',
      h('bdi', { class: `node-net ${net.gain ? 'into' : 'out-of'}`, title: net.exact }, net.text),
    ]),
  );
}

/** The edge in words for screen readers: sender, receiver, exact amount. */
function edgeSentence(edge: FlowEdge, exact: string, nameOf: (id: string) => string): string {
  const times = edge.movements.length > 1 ? `, in ${plural(edge.movements.length, 'movement')}` : '';
  return `: ${nameOf(edge.from)} sent ${shown(exact, 300)} to ${nameOf(edge.to)}${times}`;
}

function put(stage: HTMLElement, button: HTMLElement, box: Box): void {
  button.style.left = `${box.x - box.width / 2}px`;
  button.style.top = `${box.y - box.height / 2}px`;
  button.style.width = `${box.width}px`;
  button.style.height = `${box.height}px`;
  stage.append(button);
}

function hover(button: HTMLElement, path: Element): void {
  for (const type of ['mouseenter', 'focus']) button.addEventListener(type, () => path.classList.add('hot'));
  for (const type of ['mouseleave', 'blur'])
    button.addEventListener(type, () => path.classList.remove('hot'));
  path.addEventListener('mouseenter', () => button.classList.add('hot'));
  path.addEventListener('mouseleave', () => button.classList.remove('hot'));
}

function arrowHeads(): SVGElement {
  return s(
    'defs',
    {},
    (['sent', 'received', 'between'] as const).map((direction) =>
      s(
        'marker',
        {
          id: `arrow-${direction}`,
          class: `arrow ${direction}`,
          viewBox: '0 0 10 10',
          refX: 9,
          refY: 5,
          markerWidth: 13,
          markerHeight: 13,
          markerUnits: 'userSpaceOnUse',
          orient: 'auto',
        },
        s('path', { d: 'M0 0.8 L9.5 5 L0 9.2 L2.4 5 Z' }),
      ),
    ),
  );
}

const FONTS = { label: '600 12.5px', name: '650 14px', part: '600 11px' } as const;
let measuring: { readonly canvas: CanvasRenderingContext2D; readonly family: string } | null = null;
const textWidth: TextWidth = (text, font) => {
  if (measuring === null) {
    const canvas = document.createElement('canvas').getContext('2d');
    if (canvas === null) return text.length * 7.5;
    // Asked once: every look at a computed style makes the browser lay out the page.
    measuring = { canvas, family: getComputedStyle(document.body).fontFamily };
  }
  measuring.canvas.font = `${FONTS[font]} ${measuring.family}`;
  return measuring.canvas.measureText(text).width;
};
