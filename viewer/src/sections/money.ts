import type { DisplayMoney } from '../../../src/model/generated/report.ts';
import { plural } from '../../../src/tools/wording/text.ts';
import { h, type Child } from '../lib/dom.ts';
import { icon } from '../lib/icons.ts';
import {
  etherText,
  moneyText,
  rowQuantity,
  whyUnavailable,
  type NetRow,
} from '../../../src/tools/wording/amounts.ts';
import { figures, warningTexts } from '../../../src/tools/wording/sentences.ts';
import { accountLink, signed } from '../claims.ts';
import type { TxReport as ClientReport } from '../../../src/tools/client/report.ts';
import { seenBy } from '../../../src/tools/client/seenBy.ts';
import { money } from '../parts.ts';
import type { View } from '../view.ts';
import { gasClaim, legsClaim, pricesClaim, profitClaim, rowsOf, type Side } from './moneyClaims.ts';

/** Owners of a batch with tiles of their own, at most. */
const MOST_OWNERS = 6;

/**
 * Assets the chosen account sent and received; dollar figures only for the report's subject. A batch of several
 * owners has a row of tiles for each.
 */
export function moneySection(view: View): HTMLElement {
  const { economics: e, execution } = view.report;
  const owners = ownersOf(view);
  if (owners.length > 1 && view.subject === e.subject)
    return h(
      'section',
      { class: 'money-strip', 'aria-label': 'Money' },
      owners.slice(0, MOST_OWNERS).map((owner) => ownerRow(view, owner)),
      owners.length > MOST_OWNERS &&
        h('p', { class: 'hint owner' }, `and ${plural(owners.length - MOST_OWNERS, 'more owner')}`),
      gasTile(view),
      warnings(view),
    );
  if (execution.reverted)
    return h('section', { class: 'money-strip', 'aria-label': 'Money' }, gasTile(view), warnings(view));
  const sides = sideTiles(view, view.subject);
  if (view.subject !== e.subject)
    return h(
      'section',
      { class: 'money-strip', 'aria-label': 'Money' },
      sides,
      tile('Net before gas', '', figure(view, sideNet(view)), () => view.inspect(pricesClaim(view))),
      h('p', { class: 'hint' }, `Seen by ${view.accounts.text(view.subject)}, gas not counted.`),
    );
  return h(
    'section',
    { class: 'money-strip', 'aria-label': 'Money' },
    sides,
    figures(view.report).map(([name, value]) =>
      tile(name, '', figure(view, value), () =>
        view.inspect(name.endsWith('profit') ? profitClaim(view) : pricesClaim(view)),
      ),
    ),
    gasTile(view),
    warnings(view),
  );
}

/** The owners of a batch that nobody acted for alone: of its orders, else the equal candidates. */
function ownersOf({ report }: View): string[] {
  const { actor, orders, candidates } = report.attribution;
  if (actor !== null) return [];
  const equal = candidates.filter(({ rejected_because: why }) => why === 'equal_claims');
  return [...new Set(orders.length > 0 ? orders.map(({ owner }) => owner) : equal.map((c) => c.account))];
}

function ownerRow(view: View, owner: string): HTMLElement {
  return h('div', { class: 'owner' }, accountLink(view, owner), h('div', {}, sideTiles(view, owner)));
}

function sideTiles(view: View, account: string): HTMLElement[] {
  return (['Sent', 'Received', 'Owes'] as const)
    .map((side) => ({ side, rows: rowsOf(view, account, side) }))
    .filter(({ side, rows }) => side !== 'Owes' || rows.length > 0)
    .map(({ side, rows }) =>
      tile(side, KINDS[side], legs(rows), () => view.inspect(legsClaim(view, account, side, rows))),
    );
}

function gasTile(view: View): HTMLElement {
  const { execution } = view.report;
  const cost = [
    h('span', { class: 'money' }, etherText(execution.gas_cost_native)),
    execution.gas_cost_usd.available && h('span', { class: 'money-sub' }, moneyText(execution.gas_cost_usd)),
  ];
  return tile('Gas', '', cost, () => view.inspect(gasClaim(view)));
}

function warnings({ report }: View): Child {
  if (report.economics.warnings.length === 0) return null;
  const items = warningTexts(report).map((text) => h('li', {}, icon('caution'), h('span', {}, text)));
  return h('ul', { class: 'warnings' }, items);
}

function sideNet({ report, subject }: View): DisplayMoney {
  return (
    seenBy(report as ClientReport, subject)?.net_usd ?? {
      text: '—',
      available: false,
      reason: 'no_movements',
    }
  );
}

/** An amount, or a dash with the reason below it. */
function figure(view: View, value: DisplayMoney): readonly Child[] {
  return [
    money(view, value),
    !value.available &&
      h('span', { class: 'money-sub', 'aria-hidden': 'true' }, whyUnavailable(view.assets, value.reason)),
  ];
}

function tile(name: string, kind: string, value: Child, act: () => void): HTMLElement {
  return h(
    'button',
    { type: 'button', class: `tile ${kind}`, onclick: act },
    h('span', { class: 'tile-name' }, name),
    h('span', { class: 'tile-value' }, value),
  );
}

const KINDS: Readonly<Record<Side, string>> = { Sent: 'out-of', Received: 'into', Owes: 'owed' };

function legs(rows: readonly NetRow[]): readonly Child[] {
  if (rows.length === 0) return [h('span', { class: 'money none' }, 'nothing')];
  return [
    ...rows
      .slice(0, 3)
      .map((row) => [
        h('span', { class: 'money' }, signed(row[0].delta_raw), h('bdi', {}, rowQuantity(row).short)),
        row.length === 1 &&
          row[0].usd.available &&
          h('span', { class: 'money-sub' }, moneyText(row[0].usd).replace('−', '')),
      ]),
    rows.length > 3 && h('span', { class: 'money-sub' }, `and ${plural(rows.length - 3, 'more asset')}`),
  ];
}
