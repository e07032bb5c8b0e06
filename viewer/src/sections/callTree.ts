import type { Evidence, Motif, Movement } from '../../../src/model/generated/report.ts';
import { accountLink, motifClaim, movementsClaim, movementText } from '../claims.ts';
import { h, replaceChildren, type Child } from '../lib/dom.ts';
import { shown, words } from '../../../src/tools/wording/text.ts';
import { callsView } from './calls.ts';
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

/**
 * The call tree: whole where this page's server has the trace, else as far as the report's evidence reaches.
 * Built when it is opened.
 */
export function callTreeSection(view: View): HTMLElement | null {
  const { root, unplaced, count } = callTree(view);
  if (count < 2 && view.trace === null) return null;
  const body = h('div', {});
  const details = h(
    'details',
    { class: 'card call-tree' },
    h(
      'summary',
      {},
      h('h2', {}, 'Call tree'),
      h('span', { class: 'hint' }, 'every call, with what it means'),
    ),
    body,
  );
  const partly = (why: string): void =>
    replaceChildren(
      body,
      h('p', { class: 'hint' }, `${why} Shown are calls that moved value or that a step rests on.`),
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
  let built: Promise<void> | null = null;
  const build = async (): Promise<void> => {
    if (view.trace === null)
      return partly('A report alone holds no trace: txreport view with a hash has it.');
    replaceChildren(body, h('p', { class: 'hint' }, 'Reading the trace …'));
    try {
      replaceChildren(body, callsView(view, await view.trace()));
    } catch (error) {
      partly(`The trace cannot be read (${shown((error as Error).message, 200)}).`);
    }
  };
  details.addEventListener('toggle', () => {
    if (details.open) built ??= build();
  });
  view.onLocate((selector) => {
    details.open = true;
    void (built ??= build()).then(() => {
      const found = body.querySelector<HTMLElement>(selector) ?? details;
      for (let up: Element | null = found; up && up !== body; up = up.parentElement)
        if (up instanceof HTMLDetailsElement) up.open = true;
      found.scrollIntoView({ block: 'center' });
      found.classList.add('found');
      setTimeout(() => found.classList.remove('found'), 2_500);
    });
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
          {
            type: 'button',
            class: 'chip',
            'data-motif': m.id,
            onclick: () => view.inspect(motifClaim(view, m)),
          },
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
    { 'data-movement': index },
    h(
      'button',
      { type: 'button', class: 'step', 'aria-label': `Movement ${index + 1}`, onclick: open },
      String(index + 1),
    ),
    h('div', {}, movementText(view, m) as Child),
  );
}
