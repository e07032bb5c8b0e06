import type { Allowance } from '../../../src/model/generated/report.ts';
import { say } from '../claims.ts';
import { h } from '../lib/dom.ts';
import { icon } from '../lib/icons.ts';
import { allowanceSentence } from '../../../src/tools/wording/sentences.ts';
import { lower } from '../../../src/tools/wording/text.ts';
import { longList, proofButton, section } from '../parts.ts';
import type { View } from '../view.ts';

/** Allowances granted, changed or revoked. */
export function allowancesSection(view: View): HTMLElement | null {
  const { allowances = [] } = view.report;
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
  const sentence = say(view, allowanceSentence(a));
  return h(
    'li',
    { class: 'position' },
    h(
      'div',
      { class: 'position-head' },
      h('p', {}, sentence),
      a.unlimited && !revoked && h('span', { class: 'chip doubt' }, icon('caution'), 'Unlimited'),
    ),
    proofButton('Evidence', a.evidence, () =>
      view.inspect({
        kind: 'Allowance',
        title: revoked ? 'Allowance revoked' : `Allowance ${lower(a.kind)}`,
        body: [
          h('p', {}, say(view, allowanceSentence(a))),
          a.amount !== null && h('p', {}, 'Exact amount: ', h('code', {}, a.amount)),
        ],
        evidence: a.evidence,
        movements: [],
      }),
    ),
  );
}
