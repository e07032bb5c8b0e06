import type { Evidence, Motif, Movement } from '../../../src/model/generated/report.ts';
import { accountLink, motifClaim, movementsClaim, movementText } from '../claims.ts';
import { h, replaceChildren, type Child } from '../lib/dom.ts';
import { plural, words } from '../../../src/tools/wording/text.ts';
import { longList } from '../parts.ts';
import type { View } from '../view.ts';

/** A call that is evidence in the report, with its movements and motifs. */
interface Call {
  readonly path: readonly number[];
  contract: string | null;
  readonly movements: number[];
  readonly motifs: Motif[];
  readonly children: Call[];
}

/** Calls shown at most: a report can rest on thousands. */
const MOST_CALLS = 400;

/** The call tree, as far as the report's evidence reaches, with the movements and steps in their calls. */
export function callTreeSection(view: View): HTMLElement | null {
  const { root, unplaced, count } = callTree(view);
  if (count < 2) return null;
  const body = h('div', {});
  const details = h(
    'details',
    { class: 'card call-tree' },
    h('summary', {}, h('h2', {}, 'Call tree'), h('span', { class: 'hint' }, plural(count, 'call'))),
    body,
  );
  details.addEventListener('toggle', () => {
    if (!details.open || body.childElementCount > 0) return;
    replaceChildren(
      body,
      h('p', { class: 'hint' }, 'Calls that moved value or that a step rests on; other calls are left out.'),
      h('ul', { class: 'calls' }, callRow(view, root)),
      unplaced.length > 0 && [
        h('h3', {}, 'In a call that the trace does not name'),
        h(
          'ul',
          { class: 'plain' },
          unplaced.map((index) => movementRow(view, index)),
        ),
      ],
    );
  });
  return details;
}

function callTree(view: View): { root: Call; unplaced: number[]; count: number } {
  const calls = new Map<string, Call>();
  const unplaced: number[] = [];
  const callAt = (path: readonly number[]): Call => {
    const key = path.join('.');
    const known = calls.get(key);
    if (known) return known;
    const made: Call = { path, contract: null, movements: [], motifs: [], children: [] };
    calls.set(key, made);
    if (path.length > 0) callAt(path.slice(0, -1)).children.push(made);
    return made;
  };
  const place = (e: Evidence): Call | null => {
    if (e.frame_path === null || e.frame_path.length > 64) return null;
    const known = calls.has(e.frame_path.join('.'));
    if (!known && calls.size >= MOST_CALLS) return null;
    const call = callAt(e.frame_path);
    call.contract ??= e.contract;
    return call;
  };
  const root = callAt([]);
  root.contract = view.report.tx.to;
  (view.report.movements ?? []).forEach((m, index) => (place(m.evidence)?.movements ?? unplaced).push(index));
  for (const m of view.report.motifs) {
    const first = m.evidence.find((e) => e.frame_path !== null);
    if (first) place(first)?.motifs.push(m);
  }
  for (const call of calls.values()) call.children.sort((a, b) => a.path.at(-1)! - b.path.at(-1)!);
  return { root, unplaced, count: calls.size };
}

function callRow(view: View, call: Call): HTMLElement {
  const place = call.path.length === 0 ? 'root' : call.path.join('.');
  return h(
    'li',
    {},
    h(
      'div',
      { class: 'call' },
      h('code', { class: 'call-path' }, place),
      call.contract === null
        ? h('span', { class: 'hint' }, 'a call in between')
        : accountLink(view, call.contract),
      call.motifs.map((m) =>
        h(
          'button',
          { type: 'button', class: 'chip', onclick: () => view.inspect(motifClaim(view, m)) },
          words(m.kind),
        ),
      ),
    ),
    call.movements.length > 0 &&
      longList(
        { items: call.movements, first: 8, what: 'movements', list: h('ul', { class: 'call-moves' }) },
        (index) => movementRow(view, index),
      ),
    call.children.length > 0 &&
      h(
        'ul',
        { class: 'calls' },
        call.children.map((child) => callRow(view, child)),
      ),
  );
}

function movementRow(view: View, index: number): HTMLElement {
  const m: Movement = view.report.movements![index]!;
  const open = (): void =>
    view.inspect(movementsClaim(view, { kind: 'Movement', title: `Movement ${index + 1}` }, [index]));
  return h(
    'li',
    {},
    h(
      'button',
      { type: 'button', class: 'step', 'aria-label': `Movement ${index + 1}`, onclick: open },
      String(index + 1),
    ),
    h('div', {}, movementText(view, m) as Child),
  );
}
