import type { Allowance } from '../../../src/model/generated/report.ts';
import { accountLink } from '../claims.ts';
import { shownAmount } from '../../../src/value/amount.ts';
import { symbolOf } from '../lib/assets.ts';
import { h, type Child } from '../lib/dom.ts';
import { timeText } from '../lib/glance.ts';
import { icon } from '../lib/icons.ts';
import { lower } from '../lib/text.ts';
import { longList, proofButton, section } from '../parts.ts';
import type { View } from '../view.ts';

/** Allowances granted, changed or revoked. */
export function allowancesSection(view: View): HTMLElement | null {
  const { allowances } = view.glance;
  if (allowances.length === 0) return null;
  const list = h('ul', { class: 'position-list' });
  return section(
    'allowances',
    'Allowances',
    null,
    longList({ items: allowances, first: 8, what: 'allowances', list }, (a) => row(view, a)),
  );
}

function row(view: View, a: Allowance): HTMLElement {
  const revoked = a.kind === 'revoked';
  return h(
    'li',
    { class: 'position' },
    h(
      'div',
      { class: 'position-head' },
      accountLink(view, a.spender),
      revoked ? ' may no longer spend ' : ' may spend ',
      h('strong', {}, h('bdi', {}, amountText(a))),
      a.unlimited && !revoked && h('span', { class: 'chip doubt' }, icon('caution'), 'Unlimited'),
    ),
    h('div', {}, 'of ', accountLink(view, a.owner)),
    a.expires_at !== null && h('div', { class: 'hint' }, `until ${timeText(a.expires_at)}`),
    proofButton('Evidence', a.evidence, () =>
      view.inspect({
        kind: 'Allowance',
        title: revoked ? 'Allowance revoked' : `Allowance ${lower(a.kind)}`,
        body: [h('p', {}, accountLink(view, a.owner), ' → ', accountLink(view, a.spender)), exact(a)],
        evidence: a.evidence,
        movements: [],
      }),
    ),
  );
}

function amountText(a: Allowance): string {
  const symbol = symbolOf({ ...a.asset, id: a.asset.id ?? '' }, a.asset.address);
  if (a.kind === 'operator') return `all ${symbol}`;
  if (a.kind === 'revoked' || a.unlimited || a.amount === null) return symbol;
  return /^\d+(\.\d+)?$/.test(a.amount) ? `${shownAmount(a.amount)} ${symbol}` : `${a.amount} ${symbol}`;
}

const exact = (a: Allowance): Child =>
  a.amount !== null && h('p', {}, 'Exact amount: ', h('code', {}, a.amount));
