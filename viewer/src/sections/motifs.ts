import type { Motif } from '../../../src/model/generated/report.ts';
import { motifClaim } from '../claims.ts';
import { quantities } from '../lib/assets.ts';
import { h } from '../lib/dom.ts';
import { icon } from '../lib/icons.ts';
import { plural, title, words } from '../lib/text.ts';
import { badge, longList, section } from '../parts.ts';
import type { View } from '../view.ts';

/** The building blocks of the verdict, composites with their parts below them. */
export function motifsSection(view: View): HTMLElement | null {
  const { motifs } = view.report;
  if (motifs.length === 0) return null;
  const ids = new Set(motifs.map((m) => m.id));
  const top = motifs.filter((m) => m.parent_id === null || !ids.has(m.parent_id));
  return section(
    'motifs',
    'What it is made of',
    h('span', { class: 'hint' }, plural(motifs.length, 'motif')),
    longList(top, 12, (m) => withParts(view, m, new Set()), h('ul', { class: 'motif-list' }), 'motifs'),
  );
}

function withParts(view: View, m: Motif, above: ReadonlySet<string>): HTMLElement {
  const row = motifRow(view, m);
  // A report from elsewhere may name parents in a circle.
  const parts =
    above.size > 8 ? [] : view.report.motifs.filter((part) => part.parent_id === m.id && !above.has(part.id));
  if (parts.length > 0)
    row.append(
      ...([
        longList(
          parts,
          12,
          (part) => withParts(view, part, new Set([...above, m.id])),
          h('ul', { class: 'motif-list parts' }),
          'parts',
        ),
      ].flat() as Node[]),
    );
  return row;
}

/** Whether the mouse went there, rather than the row to the mouse when a panel opened beside it. */
const moved = (event: MouseEvent): boolean => event.movementX !== 0 || event.movementY !== 0;

/** One motif as a row that opens its proof; points its movements out in the graph on the way. */
export function motifRow(view: View, m: Motif): HTMLElement {
  const leg = (list: Motif['assets_in']): string =>
    quantities(
      list.map((l) => ({ asset: l.asset, raw: l.amount_raw })),
      2,
    );
  const [sent, received] = [leg(m.assets_out), leg(m.assets_in)];
  const failed = m.invariants.filter((i) => !i.holds).length;
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
      h('span', { class: 'motif-kind' }, words(m.kind)),
      m.protocol && h('span', { class: 'chip' }, title(m.protocol.slug)),
      (sent || received) &&
        h(
          'span',
          { class: 'motif-legs' },
          sent && h('bdi', {}, sent),
          sent && received && h('span', { class: 'arrow-text', 'aria-label': 'for' }, ' → '),
          received && h('bdi', {}, received),
        ),
      h(
        'span',
        { class: 'motif-end' },
        m.invariants.length > 0 &&
          h(
            'span',
            { class: `invariants ${failed > 0 ? 'fails' : 'holds'}` },
            icon(failed > 0 ? 'cross' : 'check'),
            failed > 0
              ? `${failed} of ${plural(m.invariants.length, 'check')} failed`
              : plural(m.invariants.length, 'check'),
          ),
        badge(m.status, m.confidence),
      ),
    ),
  );
}
