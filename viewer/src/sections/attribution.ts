import type { Candidate } from '../../../src/model/generated/report.ts';
import { accountLink } from '../claims.ts';
import { h, type Child } from '../lib/dom.ts';
import { icon } from '../lib/icons.ts';
import { lower, plural, shortHex, shown, words } from '../../../src/tools/wording/text.ts';
import { longList, proofButton, section } from '../parts.ts';
import type { Claim, View } from '../view.ts';
import { modeSentence, reasonText, ruledOutText } from '../../../src/tools/wording/attribution.ts';

/** The actor, the reasons for it, and the rejected candidates. */
export function attributionSection(view: View): HTMLElement {
  const { attribution: a } = view.report;
  const parties: readonly (readonly [string, string | null])[] = [
    ['Signed by', a.signer],
    ['Acted', a.actor],
    ['Beneficiary', a.beneficiary],
    ['Gas paid by', a.fee_payer],
    ['Entry point', a.entry_point],
    ['Paymaster', a.paymaster],
    ['Settled by', a.settlement_contract],
  ];
  const own = a.mode === 'self' && a.candidates.length <= 1;
  return section(
    'attribution',
    'Who acted',
    proofButton('Evidence', a.evidence, () => view.inspect(whoClaim(view))),
    h(
      'p',
      {},
      modeSentence(a),
      a.submitter_role !== 'self' && ` The signer is a ${lower(a.submitter_role)}.`,
    ),
    a.ambiguous &&
      h('p', { class: 'caveat' }, icon('caution'), 'Several accounts have an equal claim, so none is named.'),
    !own &&
      h(
        'dl',
        { class: 'rows' },
        parties
          .filter(([name, account]) => account !== null && !(name === 'Beneficiary' && account === a.actor))
          .map(([name, account]) =>
            h('div', {}, h('dt', {}, name), h('dd', {}, accountLink(view, account!))),
          ),
      ),
    a.candidates.length > 0 && [
      h('h3', {}, `Considered: ${plural(a.candidates.length, 'account')}`),
      longList(
        { items: a.candidates, first: 6, what: 'accounts', list: h('ul', { class: 'candidates' }) },
        (c) => candidate(view, c),
      ),
    ],
    a.orders.length > 0 && [
      h('h3', {}, plural(a.orders.length, 'order')),
      longList({ items: a.orders, first: 6, what: 'orders', list: h('ul', { class: 'plain' }) }, (o) =>
        h(
          'li',
          {},
          accountLink(view, o.owner),
          o.receiver !== null && o.receiver !== o.owner && [' for ', accountLink(view, o.receiver)],
          o.order_hash !== null &&
            h('code', { title: shown(o.order_hash, 200) }, ` ${shortHex(shown(o.order_hash, 200))}`),
          ' ',
          proofButton('Evidence', o.evidence, () =>
            view.inspect({
              kind: 'Order',
              title: 'Settled order',
              body: [h('p', {}, accountLink(view, o.owner))],
              evidence: o.evidence,
              movements: [],
            }),
          ),
        ),
      ),
    ],
    a.delegations.length > 0 && [
      h('h3', {}, plural(a.delegations.length, 'delegation')),
      longList(
        { items: a.delegations, first: 6, what: 'delegations', list: h('ul', { class: 'plain' }) },
        (d) =>
          h(
            'li',
            {},
            d.authority === null ? 'unknown authority' : accountLink(view, d.authority),
            ' → ',
            accountLink(view, d.delegate),
            h('span', { class: 'tag' }, words(d.source)),
            d.took_effect === false && h('span', { class: 'tag' }, 'without effect'),
          ),
      ),
    ],
  );
}

export function whoClaim({ report: { attribution: a } }: View): Claim {
  const { evidence } = a;
  return { key: 'who', kind: 'Who acted', title: modeSentence(a), body: [], evidence, movements: [] };
}

function candidate(view: View, c: Candidate): HTMLElement {
  const why: Child =
    c.reasons.length > 0 &&
    h(
      'div',
      { class: 'hint' },
      c.reasons
        .slice(0, 8)
        .map((reason) => reasonText(reason))
        .join(' · '),
    );
  const ruledOut = ruledOutText(c, view.accounts.of(c.account).part);
  return h(
    'li',
    { class: c.elected ? 'elected' : 'rejected' },
    h(
      'span',
      { class: 'mark', title: c.elected ? 'Acted' : 'Ruled out' },
      icon(c.elected ? 'check' : 'cross'),
    ),
    h(
      'div',
      {},
      h('span', { class: 'sr' }, c.elected ? 'Acted: ' : ''),
      accountLink(view, c.account),
      why,
      ruledOut !== null && h('div', { class: 'why-not' }, ruledOut),
    ),
    (c.evidence ?? []).length > 0 &&
      proofButton('Evidence', c.evidence!, () =>
        view.inspect({
          kind: 'Who acted',
          title: c.elected ? 'The account that acted' : 'An account that was considered',
          body: [h('p', {}, accountLink(view, c.account)), why],
          evidence: c.evidence!,
          movements: [],
        }),
      ),
  );
}
