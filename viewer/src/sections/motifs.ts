import type { Motif } from '../../../src/model/generated/report.ts';
import { motifClaim } from '../claims.ts';
import { protocolName } from '../../../src/tools/wording/accounts.ts';
import { quantities } from '../../../src/tools/wording/amounts.ts';
import { h, replaceChildren, type Child } from '../lib/dom.ts';
import { icon } from '../lib/icons.ts';
import { countText, plural, words } from '../../../src/tools/wording/text.ts';
import { badge, longList, section } from '../parts.ts';
import type { View } from '../view.ts';

/** Alike steps in a row are folded from this many on. */
const FOLD_FROM = 4;

/** The steps in order: composites with their parts below them, runs of alike steps folded. */
export function motifsSection(view: View): HTMLElement | null {
  const { motifs } = view.report;
  if (motifs.length === 0) return null;
  const ids = new Set(motifs.map((m) => m.id));
  const top = motifs.filter((m) => m.parent_id === null || !ids.has(m.parent_id));
  const list = h('ul', { class: 'motif-list' });
  return section(
    'motifs',
    'What happened, step by step',
    h('span', { class: 'hint' }, plural(motifs.length, 'step')),
    longList({ items: runsOf(view, top), first: 12, what: 'steps', list }, (run) => runRow(view, run)),
  );
}

/** Neighbours of one kind, protocol and status without parts of their own, as one run. */
function runsOf({ report }: View, motifs: readonly Motif[]): Motif[][] {
  const parents = new Set(report.motifs.map((m) => m.parent_id));
  const alike = (m: Motif): string =>
    parents.has(m.id) ? m.id : [m.kind, m.protocol?.slug, m.status, m.confidence].join(' ');
  const runs: Motif[][] = [];
  for (const m of motifs) {
    const last = runs.at(-1);
    if (last !== undefined && alike(last[0]!) === alike(m)) last.push(m);
    else runs.push([m]);
  }
  return runs.flatMap((run) => (run.length < FOLD_FROM ? run.map((m) => [m]) : [run]));
}

function runRow(view: View, run: readonly Motif[]): HTMLElement {
  const first = run[0]!;
  if (run.length === 1) return withParts(view, first, new Set());
  const body = h('div', {});
  const details = h(
    'details',
    { class: 'run' },
    h(
      'summary',
      { class: 'motif' },
      h('span', { class: 'motif-kind' }, `${words(first.kind)} × ${countText(run.length)}`),
      first.protocol && h('span', { class: 'chip' }, protocolName(view.report, first.protocol)),
      h('span', { class: 'motif-end' }, badge(first.status, first.confidence)),
    ),
    body,
  );
  details.addEventListener('toggle', () => {
    if (!details.open || body.childElementCount > 0) return;
    const list = h('ul', { class: 'motif-list parts' });
    replaceChildren(
      body,
      longList({ items: run, first: 40, what: 'steps', list }, (m) => motifRow(view, m)),
    );
  });
  return h('li', {}, details);
}

function withParts(view: View, m: Motif, above: ReadonlySet<string>): HTMLElement {
  const row = motifRow(view, m);
  // A report from elsewhere may name parents in a circle.
  const items =
    above.size > 8 ? [] : view.report.motifs.filter((part) => part.parent_id === m.id && !above.has(part.id));
  if (items.length === 0) return row;
  const list = h('ul', { class: 'motif-list parts' });
  const inner = new Set([...above, m.id]);
  const parts = longList({ items, first: 12, what: 'parts', list }, (part) => withParts(view, part, inner));
  row.append(...(parts as Node[]));
  return row;
}

/** Sender and receiver of a step that is one movement, else the contracts it created. */
function ends(view: View, m: Motif): Child {
  const movement = m.movements.length === 1 ? view.report.movements?.[m.movements[0]!] : undefined;
  const name = (address: string): string => view.accounts.of(address).name;
  if (movement === undefined) {
    const made = m.participants.filter(({ role }) => role === 'created').map(({ account }) => name(account));
    return made.length > 0 && h('span', { class: 'motif-ends' }, made.slice(0, 3).join(', '));
  }
  return h(
    'span',
    { class: 'motif-ends' },
    h('bdi', {}, name(movement.from)),
    ' to ',
    h('bdi', {}, name(movement.to)),
  );
}

/** False when the row moved below a resting mouse, as when the panel opens. */
const moved = (event: MouseEvent): boolean => event.movementX !== 0 || event.movementY !== 0;

/** `Transfer × 61` where like steps were joined. */
function counted({ kind, count }: Motif): string {
  return count === undefined ? words(kind) : `${words(kind)} × ${countText(count)}`;
}

function checks({ invariants }: Motif): HTMLElement {
  const failed = invariants.filter(({ holds }) => !holds).length;
  const all = plural(invariants.length, 'check');
  return failed > 0
    ? h('span', { class: 'invariants fails' }, icon('cross'), `${failed} of ${all} failed`)
    : h('span', { class: 'invariants holds' }, icon('check'), all);
}

/** One step as a row that opens its evidence, and highlights its movements in the graph on hover. */
export function motifRow(view: View, m: Motif): HTMLElement {
  const leg = (list: Motif['assets_in']): string =>
    quantities(
      list.map((l) => ({ asset: l.asset, raw: l.amount_raw })),
      2,
    );
  const [sent, received] = [leg(m.assets_out), leg(m.assets_in)];
  return h(
    'li',
    {},
    h(
      'button',
      {
        type: 'button',
        class: 'motif',
        onclick: () => view.inspect(motifClaim(view, m)),
        onmouseenter: (event: MouseEvent) => moved(event) && view.highlight(m.movements),
        onmouseleave: () => view.highlight(null),
      },
      h('span', { class: 'motif-kind' }, counted(m)),
      m.protocol && h('span', { class: 'chip' }, protocolName(view.report, m.protocol)),
      (sent || received) &&
        h(
          'span',
          { class: 'motif-legs' },
          sent && h('bdi', {}, sent),
          sent && received && h('span', { class: 'arrow-text', 'aria-label': 'for' }, ' → '),
          received && h('bdi', {}, received),
        ),
      ends(view, m),
      h('span', { class: 'motif-end' }, m.invariants.length > 0 && checks(m), badge(m.status, m.confidence)),
    ),
  );
}
