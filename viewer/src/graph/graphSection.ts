import { movementPlain, movementText } from '../claims.ts';
import { h, replaceChildren } from '../lib/dom.ts';
import { icon, type IconName } from '../lib/icons.ts';
import { ROLE_NAMES, type Role } from '../lib/accounts.ts';
import { plural } from '../lib/text.ts';
import { longList, section } from '../parts.ts';
import { movementsClaim } from '../claims.ts';
import type { View } from '../view.ts';
import { drawGraph, type DrawnGraph } from './draw.ts';
import { foldFlow } from './fold.ts';
import { legend } from './legend.ts';

/** Below this width the story is drawn downwards. */
const NARROW = 620;
const SMALLEST = 0.55;
/** On a phone smaller than this cannot be read: it is scrolled instead. */
const SMALLEST_NARROW = 0.7;
/** A small graph may grow this much to fill its place. */
const GROWN = 1.2;
/** A tall one is scrolled rather than made smaller than this. */
const TALL = 0.8;
const LARGEST = 2.5;

/** More flows than this are not drawn at once, whatever is unfolded. */
const MOST_EDGES = 700;

/** The value-flow graph with its tools, its legend, and the same told step by step as a list. */
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
          ? 'This report does not list its movements: there is nothing to draw.'
          : view.report.execution.reverted
            ? 'The transaction reverted: nothing moved, only gas was paid.'
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

  const fitting = ({ width, height }: DrawnGraph): number => {
    const tallest = Math.max(TALL, (window.innerHeight * 0.76) / height);
    return Math.max(
      narrow ? SMALLEST_NARROW : SMALLEST,
      Math.min(GROWN, (canvas.clientWidth - 2) / width, tallest),
    );
  };
  const scale = (): void => {
    if (!graph) return;
    const k = zoom ?? fitting(graph);
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
    let folded = foldFlow(view.report, view.accounts, parts);
    const tooMany = parts !== null && folded.flow.edges.length > MOST_EDGES;
    if (tooMany) folded = foldFlow(view.report, view.accounts, (parts = null));
    narrow = canvas.clientWidth > 0 && canvas.clientWidth < NARROW;
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
    about.textContent = `${tooMany ? 'Unfolded it would be too much to draw: the list below has it all. ' : ''}${plural(folded.flow.nodes.length, 'node')}, ${plural(folded.flow.edges.length, 'flow')}, ${plural(movements.length, 'movement')}; numbers on the flows tell their order. Tab enters the graph, arrow keys follow the value, Enter shows the evidence.`;
    scale();
    // The story starts at the first node: a drawing larger than its place opens there.
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
  view.onHighlight((pointed) => graph?.highlight(pointed));
  // The first size comes once the section is in the page: nothing can be measured before.
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
  return section(
    'flow',
    'Who sent what to whom',
    [
      tool('minus', 'Zoom out', () => zoomBy(1 / 1.25)),
      tool('plus', 'Zoom in', () => zoomBy(1.25)),
      tool('fit', 'Fit to width', () => {
        zoom = null;
        scale();
      }),
    ],
    folds,
    figure,
    legend(view),
    about,
    stepList(view),
  );
}

/** The text alternative: every movement as a sentence, in execution order. */
function stepList(view: View): HTMLElement {
  const movements = view.report.movements ?? [];
  const list = h('ol', { class: 'steps' });
  const body = h('div', {});
  const details = h(
    'details',
    { class: 'step-list' },
    h('summary', {}, `The same as a list: ${plural(movements.length, 'movement')} in execution order`),
    body,
  );
  // Made when asked for: a long list would hold up the drawing.
  details.addEventListener('toggle', () => {
    if (!details.open || body.childElementCount > 0) return;
    replaceChildren(
      body,
      longList(
        movements,
        60,
        (m, index) =>
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
                  view.inspect(movementsClaim(view, 'Movement', `Movement ${index + 1}`, [index])),
              },
              'Evidence',
            ),
          ),
        list,
        'movements',
      ),
    );
  });
  return details;
}
