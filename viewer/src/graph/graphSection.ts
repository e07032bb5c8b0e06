import { movementPlain, movementsClaim, movementText } from '../claims.ts';
import { h, replaceChildren } from '../lib/dom.ts';
import { icon, type IconName } from '../lib/icons.ts';
import { ROLE_NAMES, type Role } from '../../../src/tools/wording/accounts.ts';
import { plural } from '../../../src/tools/wording/text.ts';
import { longList, section } from '../parts.ts';
import { symbolOf } from '../../../src/tools/wording/amounts.ts';
import type { View } from '../view.ts';
import { drawGraph, type DrawnGraph } from './draw.ts';
import { savePng, saveSvg } from './exportGraph.ts';
import { foldFlow } from './fold.ts';
import { legend } from './legend.ts';

/** Below this width value flows downwards. */
const NARROW = 620;
const SMALLEST = 0.55;
/** On a phone all ends show, however small; fingers zoom. */
const SMALLEST_NARROW = 0.2;
/** Pixels across a printed page. */
const PAPER = 680;
/** A small graph may grow this much. */
const GROWN = 1.2;
/** A tall one is scrolled rather than made smaller than this. */
const TALL = 0.8;
const LARGEST = 2.5;

/** On a phone more movements than this are shown as a list first. */
const MOST_NARROW = 6;
/** More flows than this are never drawn at once. */
const MOST_EDGES = 700;

/** The value-flow graph with its tools, its legend, and the same as a list. */
export function graphSection(view: View): HTMLElement {
  const movements = view.report.movements ?? [];
  if (movements.length === 0) {
    return section(
      'flow',
      'Who sent what to whom',
      null,
      h(
        'p',
        { class: 'empty' },
        view.report.movements === undefined
          ? 'This report does not list its movements, so there is nothing to draw.'
          : view.report.execution.reverted
            ? 'The transaction failed: nothing moved, only gas was paid.'
            : 'No value moved in this transaction.',
      ),
    );
  }
  const canvas = h('div', { class: 'canvas' });
  const folds = h('div', { class: 'folds', role: 'group', 'aria-label': 'Folded accounts' });
  const about = h('p', { class: 'hint', id: 'graph-help' });
  let graph: DrawnGraph | null = null;
  let parts: ReadonlySet<Role> | null = null;
  let narrow = false;
  let zoom: number | null = null;
  let asset: string | null = null;

  const fitting = ({ width, height }: DrawnGraph): number => {
    const tallest = Math.max(TALL, (window.innerHeight * 0.76) / height);
    return Math.max(
      narrow ? SMALLEST_NARROW : SMALLEST,
      Math.min(GROWN, (canvas.clientWidth - 2) / width, tallest),
    );
  };
  const scale = (fixed?: number): void => {
    if (!graph) return;
    const k = fixed ?? zoom ?? fitting(graph);
    graph.element.style.transform = `scale(${k})`;
    graph.element.style.width = `${graph.width}px`;
    graph.element.style.height = `${graph.height}px`;
    const holder = graph.element.parentElement!;
    holder.style.width = `${graph.width * k}px`;
    holder.style.height = `${graph.height * k}px`;
  };
  const draw = (): void => {
    const refocus =
      canvas.contains(document.activeElement) || folds.contains(document.activeElement)
        ? (document.activeElement?.getAttribute('data-fold') ?? 'graph')
        : null;
    narrow = canvas.clientWidth > 0 && canvas.clientWidth < NARROW;
    let folded = foldFlow(view, parts, { asset, narrow });
    const tooMany = parts !== null && folded.flow.edges.length > MOST_EDGES;
    if (tooMany) folded = foldFlow(view, (parts = null), { asset, narrow });
    const toggle = (role: Role): void => {
      const next = new Set(folded.folded);
      if (!next.delete(role)) next.add(role);
      parts = next;
      zoom = null;
      draw();
    };
    graph = drawGraph(view, folded, narrow, toggle);
    canvas.replaceChildren(h('div', { class: 'holder' }, graph.element));
    replaceChildren(
      folds,
      [...folded.foldable].map(([role, count]) =>
        h(
          'button',
          {
            type: 'button',
            class: `fold role-${role}`,
            'aria-pressed': folded.folded.has(role) ? 'true' : 'false',
            'data-fold': role,
            onclick: () => toggle(role),
          },
          icon('fold'),
          `${folded.folded.has(role) ? 'Folded: ' : 'Fold '}${count} ${ROLE_NAMES[role][1]}`,
        ),
      ),
    );
    folds.hidden = folded.foldable.size === 0;
    about.textContent = [
      ...(tooMany ? ['Too large to draw unfolded; the list below is complete.'] : []),
      `${plural(folded.flow.nodes.length, 'account')}, ${plural(folded.flow.edges.length, 'flow')},`,
      `${plural(movements.length, 'movement')}, numbered in order. Drag to move the drawing; with the keyboard, Tab enters`,
      'the graph, arrow keys follow the value, Enter shows the evidence.',
    ].join(' ');
    scale();
    // A drawing larger than its frame opens at its first node.
    const first = canvas.querySelector<HTMLElement>('[tabindex="0"]');
    if (first) {
      canvas.scrollTop =
        (first.offsetTop + first.offsetHeight / 2) * fitting(graph) - canvas.clientHeight / 2;
      canvas.scrollLeft =
        (first.offsetLeft + first.offsetWidth / 2) * fitting(graph) - canvas.clientWidth / 2;
    }
    if (refocus !== null)
      (
        folds.querySelector<HTMLElement>(`[data-fold="${refocus}"]`) ??
        canvas.querySelector<HTMLElement>('[tabindex="0"]')
      )?.focus();
  };
  const zoomBy = (factor: number): void => {
    if (!graph) return;
    const now = zoom ?? fitting(graph);
    zoom = Math.min(LARGEST, Math.max(0.2, now * factor));
    scale();
  };
  const tool = (name: IconName, label: string, act: () => void): HTMLElement =>
    h(
      'button',
      { type: 'button', class: 'tool', 'aria-label': label, title: label, onclick: act },
      icon(name),
    );

  canvas.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoomBy(event.deltaY < 0 ? 1.1 : 1 / 1.1);
    },
    { passive: false },
  );
  dragToScroll(canvas);
  view.onHighlight((pointed) => graph?.highlight(pointed));
  // Sizes can be measured only once the section is in the page.
  window.addEventListener('beforeprint', () => graph && scale(Math.min(1, PAPER / graph.width)));
  window.addEventListener('afterprint', () => scale());
  new ResizeObserver(() => {
    if (canvas.clientWidth === 0) return;
    if (graph === null || narrow !== canvas.clientWidth < NARROW) draw();
    else scale();
  }).observe(canvas);

  const figure = h(
    'div',
    { class: 'figure', role: 'group', 'aria-label': 'Value-flow graph', 'aria-describedby': 'graph-help' },
    canvas,
  );
  const steps = stepList(view);
  const listFirst = window.innerWidth < NARROW && movements.length > MOST_NARROW;
  steps.open = listFirst;
  return section(
    'flow',
    'Who sent what to whom',
    [
      assetFilter(view, (chosen) => {
        asset = chosen;
        zoom = null;
        draw();
      }),
      saveMenu(view, () => graph),
      tool('minus', 'Zoom out', () => zoomBy(1 / 1.25)),
      tool('plus', 'Zoom in', () => zoomBy(1.25)),
      tool('fit', 'Fit to width', () => {
        zoom = null;
        scale();
      }),
    ],
    ...(listFirst
      ? [
          steps,
          h(
            'details',
            { class: 'drawing' },
            h('summary', {}, 'The drawing'),
            folds,
            figure,
            legend(view),
            about,
          ),
        ]
      : [folds, figure, legend(view), about, steps]),
  );
}

/** Offered as a choice at most. */
const MOST_ASSETS = 40;

/** A choice of the token to draw; null where there is only one. */
function assetFilter(view: View, choose: (asset: string | null) => void): HTMLElement | null {
  const counts = new Map<string, number>();
  for (const m of view.report.movements ?? []) counts.set(m.asset_id, (counts.get(m.asset_id) ?? 0) + 1);
  if (counts.size < 2) return null;
  const options = [...counts].sort((a, b) => b[1] - a[1]).slice(0, MOST_ASSETS);
  const select = h(
    'select',
    { class: 'asset-filter', 'aria-label': 'Token', onchange: () => choose(select.value || null) },
    h('option', { value: '' }, `All ${plural(counts.size, 'token')}`),
    options.map(([id, count]) =>
      h('option', { value: id }, `${symbolOf(view.assets.get(id), id)} (${count})`),
    ),
  );
  return select;
}

/** Saves the drawing as SVG or PNG. */
function saveMenu(view: View, drawn: () => DrawnGraph | null): HTMLElement {
  const name = `txreport-${view.report.tx.hash.slice(0, 10)}`;
  const button = (label: string, act: (graph: DrawnGraph) => unknown): HTMLElement =>
    h(
      'button',
      {
        type: 'button',
        class: 'tool text',
        'aria-label': `Save the graph as ${label}`,
        onclick: () => {
          const graph = drawn();
          if (graph) void act(graph);
        },
      },
      label,
    );
  return h(
    'span',
    { class: 'save-graph' },
    button('SVG', (graph) => saveSvg(graph, name)),
    button('PNG', (graph) => savePng(graph, name)),
  );
}

/** Pixels that a press may move and still be a click. */
const STILL = 4;

/** Lets a mouse drag the drawing; touch screens scroll by themselves. */
function dragToScroll(canvas: HTMLElement): void {
  let from: { x: number; y: number; left: number; top: number } | null = null;
  let dragged = false;
  canvas.addEventListener('pointerdown', (event) => {
    if (event.pointerType !== 'mouse' || event.button !== 0) return;
    dragged = false;
    from = { x: event.clientX, y: event.clientY, left: canvas.scrollLeft, top: canvas.scrollTop };
  });
  canvas.addEventListener('pointermove', (event) => {
    if (from === null) return;
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    if (!dragged && Math.hypot(dx, dy) < STILL) return;
    dragged = true;
    canvas.classList.add('dragged');
    canvas.scrollTo(from.left - dx, from.top - dy);
  });
  for (const end of ['pointerup', 'pointerleave'])
    canvas.addEventListener(end, () => {
      from = null;
      canvas.classList.remove('dragged');
    });
  canvas.addEventListener(
    'click',
    (event) => {
      if (dragged) event.stopPropagation();
      dragged = false;
    },
    { capture: true },
  );
}

/** The text alternative: every movement as a sentence, in order. */
function stepList(view: View): HTMLDetailsElement {
  const movements = view.report.movements ?? [];
  const list = h('ol', { class: 'steps' });
  const body = h('div', {});
  const details = h(
    'details',
    { class: 'step-list' },
    h('summary', {}, `The same as a list: ${plural(movements.length, 'movement')} in order`),
    body,
  );
  // Built on demand: a long list would delay the drawing.
  details.addEventListener('toggle', () => {
    if (!details.open || body.childElementCount > 0) return;
    replaceChildren(
      body,
      longList({ items: movements, first: 60, what: 'movements', list }, (m, index) =>
        h(
          'li',
          {},
          h('span', { class: 'step' }, String(index + 1)),
          h('div', {}, movementText(view, m)),
          h(
            'button',
            {
              type: 'button',
              class: 'inline',
              'aria-label': `Evidence: ${movementPlain(view, m)}`,
              onclick: () =>
                view.inspect(
                  movementsClaim(view, { kind: 'Movement', title: `Movement ${index + 1}` }, [index]),
                ),
            },
            'Evidence',
          ),
        ),
      ),
    );
  });
  return details;
}
