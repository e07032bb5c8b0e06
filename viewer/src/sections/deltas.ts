import type { InventoryDelta } from '../../../src/model/generated/report.ts';
import { accountLink, movementsClaim, sign, signed } from '../claims.ts';
import { ROLES } from '../lib/accounts.ts';
import { quantity } from '../lib/assets.ts';
import { h, type Child } from '../lib/dom.ts';
import { plural, lower } from '../lib/text.ts';
import { money, section } from '../parts.ts';
import type { View } from '../view.ts';

/** Accounts shown at first. */
const FIRST = 12;

/** Net changes per account; accounts that only forwarded value come last, hidden until asked for. */
export function deltasSection(view: View): HTMLElement | null {
  const bySubject = new Map<string, InventoryDelta[]>();
  for (const d of view.report.inventory_deltas)
    bySubject.set(d.subject, [...(bySubject.get(d.subject) ?? []), d]);
  if (bySubject.size === 0) return null;
  const rank = (subject: string): number => ROLES.indexOf(view.accounts.of(subject).role);
  const subjects = [...bySubject].sort(([a], [b]) => rank(a) - rank(b));
  const changed = subjects.filter(([, deltas]) => deltas.some((d) => sign(d.delta_raw) !== 'flat'));
  const passed = subjects.filter(([, deltas]) => deltas.every((d) => sign(d.delta_raw) === 'flat'));
  const table = h(
    'table',
    {},
    h('caption', { class: 'sr' }, 'Net change per account and asset, gas not included'),
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        h('th', { scope: 'col' }, 'Account'),
        h('th', { scope: 'col', class: 'number' }, 'Net change'),
        h('th', { scope: 'col', class: 'number usd' }, 'USD'),
        h('th', { scope: 'col', class: 'gross' }, 'Received and sent'),
      ),
    ),
  );
  let shownSoFar: readonly [string, InventoryDelta[]][] = [];
  const add = (list: readonly [string, InventoryDelta[]][]): void => {
    shownSoFar = [...shownSoFar, ...list];
    table.append(...list.map(([subject, deltas]) => group(view, subject, deltas)));
    // Empty columns are hidden.
    table.classList.toggle(
      'one-way',
      shownSoFar.every(([, deltas]) => deltas.every((d) => gross(d) === '')),
    );
    table.classList.toggle(
      'unpriced',
      shownSoFar.every(([, deltas]) => deltas.every((d) => !d.usd.available)),
    );
  };
  add(changed.slice(0, FIRST));
  const rest = [...changed.slice(FIRST), ...passed];
  const more =
    rest.length > 0 &&
    h(
      'button',
      {
        type: 'button',
        class: 'more',
        onclick: () => {
          const before = table.tBodies.length;
          add(rest);
          (more as HTMLElement).remove();
          table.tBodies[before]?.querySelector<HTMLElement>('button')?.focus();
        },
      },
      changed.length > FIRST
        ? `Show ${plural(rest.length, 'more account')}`
        : `Show ${plural(rest.length, 'account')} that only forwarded value`,
    );
  return section('deltas', 'Who ended up with what', null, h('div', { class: 'table-holder' }, table), more);
}

function group(view: View, subject: string, deltas: readonly InventoryDelta[]): HTMLElement {
  return h(
    'tbody',
    {},
    deltas.map((d, i) =>
      h(
        'tr',
        { class: sign(d.delta_raw) },
        i === 0 && h('th', { scope: 'rowgroup', rowspan: deltas.length }, accountLink(view, subject)),
        h(
          'td',
          { class: 'number' },
          h(
            'button',
            {
              type: 'button',
              class: 'inline amount',
              title: quantity(BigInt(d.delta_raw), d.asset, d.asset.id).exact,
              onclick: () => view.inspect(deltaClaim(view, d)),
            },
            signed(d.delta_raw),
            h('bdi', {}, quantity(BigInt(d.delta_raw), d.asset, d.asset.id).short),
          ),
          d.flags.length > 0 &&
            h(
              'span',
              { class: 'flags' },
              d.flags
                .slice(0, 6)
                .map((flag) =>
                  h('span', { class: `tag ${flag.startsWith('suspected') ? 'doubt' : ''}` }, lower(flag)),
                ),
            ),
        ),
        h('td', { class: 'number usd' }, money(view, d.usd)),
        h('td', { class: 'gross' }, gross(d)),
      ),
    ),
  );
}

function gross(d: InventoryDelta): string {
  const text = (raw: string): string => quantity(BigInt(raw), d.asset, d.asset.id).short;
  if (/^0+$/.test(d.inflow_raw) || /^0+$/.test(d.outflow_raw)) return '';
  return `+${text(d.inflow_raw)}, −${text(d.outflow_raw)}`;
}

function deltaClaim(view: View, d: InventoryDelta) {
  const exact = (raw: string): string => quantity(BigInt(raw), d.asset, d.asset.id).exact;
  const rows: readonly (readonly [string, Child])[] = [
    ['Received', exact(d.inflow_raw)],
    ['Sent', exact(d.outflow_raw)],
    ['Value', money(view, d.usd)],
    ['Asset', h('code', {}, d.asset.id)],
  ];
  const before = [
    h('p', {}, accountLink(view, d.subject)),
    h(
      'dl',
      { class: 'rows' },
      rows.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))),
    ),
    h('h3', {}, 'Movements'),
  ];
  const title = [signed(d.delta_raw), h('bdi', {}, exact(d.delta_raw))];
  return movementsClaim(view, { kind: 'Net change', title, before }, d.movements);
}
