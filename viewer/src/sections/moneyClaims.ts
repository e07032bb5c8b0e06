import {
  quantity,
  symbolOf,
  whyUnavailable,
  netRows,
  rowQuantity,
  isDebt,
  gweiText,
  type NetRow,
} from '../../../src/tools/wording/amounts.ts';
import { countText, plural, shortDigest, shown, words } from '../../../src/tools/wording/text.ts';
import { movementsClaim, sign, signed } from '../claims.ts';
import { h, type Child } from '../lib/dom.ts';
import { addressLine, money } from '../parts.ts';
import type { Claim, View } from '../view.ts';

export type Side = 'Sent' | 'Received' | 'Owes';

/** What an account sent, received, or owes by a debt token. */
export function rowsOf({ report }: View, account: string, side: Side): NetRow[] {
  const mine = report.inventory_deltas.filter((d) => d.subject === account && sign(d.delta_raw) !== 'flat');
  const sideOf = ([first]: NetRow): Side =>
    isDebt(report, first) ? 'Owes' : sign(first.delta_raw) === 'out-of' ? 'Sent' : 'Received';
  return netRows(mine).filter((row) => sideOf(row) === side);
}

const HEADINGS: Readonly<Record<Side, string>> = {
  Sent: 'What was sent',
  Received: 'What was received',
  Owes: 'What changed of its debts',
};

export function legsClaim(view: View, account: string, side: Side, rows: readonly NetRow[]): Claim {
  const mine = rows.flat();
  const moves = [...new Set(mine.flatMap((d) => d.movements))].sort((a, b) => a - b);
  const before = [
    h('p', {}, 'Net over the whole transaction, gas not included.'),
    h(
      'ul',
      { class: 'nets' },
      rows.map((row) =>
        h(
          'li',
          { class: sign(row[0].delta_raw) },
          h('bdi', { class: 'amount' }, signed(row[0].delta_raw), rowQuantity(row).exact),
          ' ',
          money(view, row[0].usd),
        ),
      ),
    ),
    h('h3', {}, 'Movements'),
  ];
  const key = account === view.subject ? { key: side.toLowerCase() } : {};
  return { ...movementsClaim(view, { kind: 'Net', title: HEADINGS[side], before }, moves), ...key };
}

/** The claims behind the tiles, by their keys in the page's address. */
export function moneyClaim(view: View, key: string): Claim | null {
  const side = (['Sent', 'Received', 'Owes'] as const).find((one) => one.toLowerCase() === key);
  if (side !== undefined) return legsClaim(view, view.subject, side, rowsOf(view, view.subject, side));
  return TILES.get(key)?.(view) ?? null;
}

export function pricesClaim(view: View): Claim {
  const { economics: e } = view.report;
  const { valuation: v } = e;
  const rows: readonly [string, Child][] = [
    ['Received, gross', money(view, e.inflow_usd)],
    ['Net before gas', money(view, e.net_usd_before_gas)],
    ['Gas', money(view, e.fee_usd)],
    ['Net after gas', money(view, e.net_usd_after_gas)],
  ];
  const asset = (id: string): string =>
    id === 'eip155:1/slip44:60' ? 'ETH' : symbolOf(view.assets.get(id), id);
  return {
    key: 'prices',
    kind: 'Valuation',
    title: 'How the dollar values were computed',
    evidence: [],
    movements: [],
    body: [
      h(
        'dl',
        { class: 'rows' },
        rows.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))),
      ),
      h(
        'p',
        {},
        `${v.priced_assets} of ${plural(v.total_assets, 'asset')} have a price.`,
        v.price_warning && ` ${shown(v.price_warning, 300)}`,
      ),
      (v.prices ?? []).length > 0 && [
        h('h3', {}, 'Prices used'),
        h(
          'ul',
          { class: 'plain' },
          (v.prices ?? [])
            .slice(0, 40)
            .map((p) =>
              h(
                'li',
                {},
                h('strong', {}, asset(p.asset_id)),
                ' ',
                money(view, p.price_usd),
                h('span', { class: 'tag' }, words(p.method)),
                p.stale && h('span', { class: 'chip doubt' }, 'stale'),
                h(
                  'div',
                  { class: 'hint' },
                  `${p.age_s} s before the block, from `,
                  /^0x[0-9a-fA-F]{40}$/.test(p.source) ? addressLine(view, p.source) : shown(p.source, 60),
                ),
              ),
            ),
        ),
      ],
      (v.refusals ?? []).length > 0 && [
        h('h3', {}, 'Not priced'),
        h(
          'ul',
          { class: 'plain' },
          (v.refusals ?? [])
            .slice(0, 40)
            .map((r) =>
              h(
                'li',
                {},
                h('strong', {}, h('bdi', {}, asset(r.asset_id))),
                ` ${shown(r.reason, 200)}`,
                h('span', { class: 'tag' }, words(r.code)),
                r.observed !== null &&
                  h(
                    'div',
                    { class: 'hint' },
                    `observed ${shown(r.observed, 60)}, threshold ${shown(r.threshold, 60)}`,
                  ),
              ),
            ),
        ),
      ],
      v.snapshot_id &&
        h('p', { class: 'hint' }, 'Price snapshot ', h('code', {}, shortDigest(v.snapshot_id))),
    ],
  };
}

export function gasClaim(view: View): Claim {
  const { execution: x, attribution: a, economics: e, tx } = view.report;
  const gwei = (wei: number): string => gweiText(BigInt(Math.round(wei)));
  const rows: readonly [string, Child][] = [
    ['Gas used', countText(x.gas_used)],
    ['Base fee', gwei(x.base_fee_per_gas)],
    ['Priority fee', gwei(x.priority_fee_per_gas)],
    ['Total', [h('span', { class: 'amount' }, `${x.gas_cost_native} ETH`), ' ', money(view, e.fee_usd)]],
    ['Paid by', addressLine(view, a.fee_payer)],
  ];
  return {
    key: 'gas',
    kind: 'Gas',
    title: 'What the transaction cost',
    movements: [],
    evidence: [{ kind: 'transaction', frame_path: null, log_index: null, contract: tx.to ?? tx.signer }],
    body: [
      h(
        'dl',
        { class: 'rows' },
        rows.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))),
      ),
    ],
  };
}

export function profitClaim(view: View): Claim {
  const { realized_pnl: p, structural_profit_usd: s } = view.report.economics;
  return {
    key: 'profit',
    kind: 'Profit',
    title: 'Profit within this transaction',
    movements: [],
    evidence: p.entries.flatMap((entry) => entry.evidence),
    body: [
      h('p', {}, 'Structural profit: ', money(view, s)),
      !p.supported &&
        h(
          'p',
          { class: 'hint' },
          `Realised profit is not computed: ${whyUnavailable(view.assets, p.reason ?? undefined)}.`,
        ),
      p.entries.map((entry) =>
        h(
          'dl',
          { class: 'rows' },
          (
            [
              ['Asset', symbolOf(entry.asset, entry.asset.id)],
              ['Cost', quantity(BigInt(entry.cost_raw), entry.asset, entry.asset.id).exact],
              ['Proceeds', quantity(BigInt(entry.proceeds_raw), entry.asset, entry.asset.id).exact],
              ['Gross', money(view, entry.gross_usd)],
              ['Gas', money(view, entry.gas_usd)],
              ['Net', money(view, entry.net_usd)],
              ['For', addressLine(view, entry.beneficiary)],
              [
                'Cycle',
                `${plural(entry.cycle.pools.length, 'venue')}, ${entry.cycle.closed ? 'closed' : 'not closed'}`,
              ],
            ] as const
          ).map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))),
        ),
      ),
    ],
  };
}

const TILES = new Map([
  ['prices', pricesClaim],
  ['gas', gasClaim],
  ['profit', profitClaim],
]);
