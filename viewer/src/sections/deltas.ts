import type { InventoryDelta } from '../../../src/model/generated/report.ts';
import { accountLink, movementsClaim, sign, signed } from '../claims.ts';
import { ROLES } from '../../../src/tools/wording/accounts.ts';
import { isDebt, netRows, quantity, rowQuantity, type NetRow } from '../../../src/tools/wording/amounts.ts';
import { h, type Child } from '../lib/dom.ts';
import { plural, lower } from '../../../src/tools/wording/text.ts';
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
    netRows(deltas).map((row, i, rows) => {
      const [d] = row;
      const { short, exact } = rowQuantity(row);
      return h(
        'tr',
        { class: isDebt(view.report, d) ? 'owed' : sign(d.delta_raw) },
        i === 0 && h('th', { scope: 'rowgroup', rowspan: rows.length }, accountLink(view, subject)),
        h(
          'td',
          { class: 'number' },
          h(
            'button',
            {
              type: 'button',
              class: 'inline amount',
              title: exact,
              onclick: () => view.inspect(deltaClaim(view, row)),
            },
            signed(d.delta_raw),
            h('bdi', {}, short),
          ),
          (d.flags.length > 0 || isDebt(view.report, d)) &&
            h(
              'span',
              { class: 'flags' },
              isDebt(view.report, d) && h('span', { class: 'tag' }, 'owed'),
              d.flags
                .slice(0, 6)
                .map((flag) =>
                  h('span', { class: `tag ${flag.startsWith('suspected') ? 'doubt' : ''}` }, lower(flag)),
                ),
            ),
        ),
        h('td', { class: 'number usd' }, money(view, d.usd)),
        h('td', { class: 'gross' }, row.length === 1 && gross(d)),
      );
    }),
  );
}

function gross(d: InventoryDelta): string {
  const text = (raw: string): string => quantity(BigInt(raw), d.asset, d.asset.id).short;
  if (/^0+$/.test(d.inflow_raw) || /^0+$/.test(d.outflow_raw)) return '';
  return `+${text(d.inflow_raw)}, −${text(d.outflow_raw)}`;
}

function deltaClaim(view: View, row: NetRow) {
  const [d] = row;
  const exact = (raw: string): string => quantity(BigInt(raw), d.asset, d.asset.id).exact;
  const one: readonly (readonly [string, Child])[] = [
    ['Received', exact(d.inflow_raw)],
    ['Sent', exact(d.outflow_raw)],
    ['Value', money(view, d.usd)],
    ['Asset', h('code', {}, d.asset.id)],
  ];
  const many = row.map(({ asset }): readonly [string, Child] => ['Asset', h('code', {}, asset.id)]);
  const before = [
    h('p', {}, accountLink(view, d.subject)),
    h(
      'dl',
      { class: 'rows' },
      (row.length === 1 ? one : many.slice(0, 60)).map(([name, value]) =>
        h('div', {}, h('dt', {}, name), h('dd', {}, value)),
      ),
    ),
    h('h3', {}, 'Movements'),
  ];
  const title = [signed(d.delta_raw), h('bdi', {}, rowQuantity(row).exact)];
  const moves = [...new Set(row.flatMap(({ movements }) => movements))].sort((a, b) => a - b);
  return movementsClaim(view, { kind: 'Net change', title, before }, moves);
}
