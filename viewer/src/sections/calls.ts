import { accountLink, accountText, motifClaim, movementsClaim, movementText, say } from '../claims.ts';
import { h, replaceChildren, type Child } from '../lib/dom.ts';
import {
  callText,
  foldReads,
  logText,
  readsText,
  type Call,
  type CallTree,
  type LogItem,
} from '../../../src/tools/wording/calls.ts';
import { countText, plural, words } from '../../../src/tools/wording/text.ts';
import type { View } from '../view.ts';

/** Deeper calls are folded at first, unless a movement or step is inside. */
const OPEN_DEPTH = 3;

/** The whole call tree of a transaction. */
export function callsView(view: View, tree: CallTree): readonly Child[] {
  return [
    h('p', { class: 'hint' }, `${plural(tree.calls, 'call')}; runs of calls that only read are folded.`),
    h('ul', { class: 'calls' }, callItem(view, tree.root, 0)),
    tree.omitted > 0 && h('p', { class: 'hint' }, `${plural(tree.omitted, 'call')} more are not shown.`),
  ];
}

const means = (item: Call | LogItem): boolean =>
  item.motifs.length > 0 ||
  item.movements.length > 0 ||
  (item.kind === 'call' && (item.failed !== null || item.items.some(means)));

function callItem(view: View, call: Call, depth: number): HTMLElement {
  // A line that folds its calls is a control itself: its accounts are text.
  const account = call.items.length === 0 ? accountLink : accountText;
  const line = [
    h('code', { class: 'call-path' }, call.path.length === 0 ? 'root' : call.path.join('.')),
    h('span', { class: call.undone ? 'bad' : '' }, say(view, callText(call, 60), account)),
    call.gas_used !== null && h('span', { class: 'hint' }, `${countText(call.gas_used)} gas`),
  ];
  const rest = [anchors(view, call), argumentList(call)];
  if (call.items.length === 0) return h('li', {}, h('div', { class: 'call' }, line), rest);
  const list = h('ul', { class: 'calls' });
  const details = h('details', {}, h('summary', { class: 'call' }, line), rest, list);
  // Built on demand: a large tree would delay the page.
  const fill = (): void => {
    if (details.open && list.childElementCount === 0)
      replaceChildren(
        list,
        foldReads(call.items).map((item) =>
          item.kind === 'call'
            ? callItem(view, item, depth + 1)
            : item.kind === 'log'
              ? logRow(view, item)
              : readsItem(view, item.calls, readsText(item), depth + 1),
        ),
      );
  };
  details.addEventListener('toggle', fill);
  details.open = depth < OPEN_DEPTH || call.items.some(means);
  fill();
  return h('li', {}, details);
}

function readsItem(view: View, calls: readonly Call[], text: string, depth: number): HTMLElement {
  const list = h('ul', { class: 'calls' });
  const details = h('details', {}, h('summary', { class: 'call hint' }, text), list);
  details.addEventListener('toggle', () => {
    if (details.open && list.childElementCount === 0)
      replaceChildren(
        list,
        calls.map((call) => callItem(view, call, depth)),
      );
  });
  return h('li', {}, details);
}

function logRow(view: View, log: LogItem): HTMLElement {
  return h(
    'li',
    {},
    h(
      'div',
      { class: 'call hint' },
      h('code', { class: 'call-path' }, `log ${log.log_index}`),
      h('span', {}, say(view, logText(log, 60))),
    ),
    anchors(view, log),
  );
}

/** All arguments in full, on demand. */
function argumentList({ function: called }: Call): Child {
  if (called === null || called.arguments.length === 0) return null;
  return h(
    'details',
    { class: 'call-arguments' },
    h('summary', { class: 'hint' }, plural(called.arguments.length, 'argument')),
    h(
      'dl',
      { class: 'rows' },
      called.arguments.map(({ name, value }) =>
        h('div', {}, h('dt', {}, name), h('dd', {}, h('code', {}, value ?? 'hashed'))),
      ),
    ),
  );
}

/** The steps and movements at a call or log, as controls. */
function anchors(view: View, { motifs, movements }: Pick<Call, 'motifs' | 'movements'>): Child {
  const steps = view.report.motifs.filter(({ id }) => motifs.includes(id));
  if (steps.length + movements.length === 0) return null;
  return h(
    'div',
    { class: 'call-means' },
    steps.map((m) =>
      h(
        'button',
        {
          type: 'button',
          class: 'chip',
          'data-motif': m.id,
          onclick: () => view.inspect(motifClaim(view, m)),
        },
        words(m.kind),
      ),
    ),
    movements.map((index) => movementLine(view, index)),
  );
}

function movementLine(view: View, index: number): Child {
  const m = view.report.movements?.[index];
  if (m === undefined) return null;
  const open = (): void =>
    view.inspect(movementsClaim(view, { kind: 'Movement', title: `Movement ${index + 1}` }, [index]));
  return h(
    'div',
    { class: 'call-move', 'data-movement': index },
    h(
      'button',
      { type: 'button', class: 'step', 'aria-label': `Movement ${index + 1}`, onclick: open },
      String(index + 1),
    ),
    ' ',
    movementText(view, m),
  );
}
