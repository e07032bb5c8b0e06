import type { Candidate } from '../../../src/model/generated/report.ts';
import { accountLink } from '../claims.ts';
import { h, type Child } from '../lib/dom.ts';
import { icon } from '../lib/icons.ts';
import { plural, shortHex, shown, lower, words } from '../lib/text.ts';
import { longList, proofButton, section } from '../parts.ts';
import type { View } from '../view.ts';
import { modeSentence } from './attributionWords.ts';

/** Whose transaction it was, and why nobody else's. */
export function attributionSection(view: View): HTMLElement {
  const { attribution: a } = view.report;
  const parties: readonly (readonly [string, string | null])[] = [
    ['Signer', a.signer],
    ['Actor', a.actor],
    ['Beneficiary', a.beneficiary],
    ['Gas paid by', a.fee_payer],
    ['Entry point', a.entry_point],
    ['Paymaster', a.paymaster],
    ['Settlement', a.settlement_contract],
  ];
  const own = a.mode === 'self' && a.candidates.length <= 1;
  return section(
    'attribution',
    'Whose transaction it was',
    proofButton('Evidence', a.evidence, () =>
      view.inspect({
        kind: 'Attribution',
        title: modeSentence(a),
        body: [],
        evidence: a.evidence,
        movements: [],
      }),
    ),
    h(
      'p',
      {},
      modeSentence(a),
      a.submitter_role !== 'self' && ` The signer is a ${lower(a.submitter_role)}.`,
    ),
    a.ambiguous &&
      h('p', { class: 'caveat' }, icon('caution'), 'Several accounts have an equal claim: none is elected.'),
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
      h('h3', {}, plural(a.candidates.length, 'candidate')),
      longList(a.candidates, 6, (c) => candidate(view, c), h('ul', { class: 'candidates' }), 'candidates'),
    ],
    a.orders.length > 0 && [
      h('h3', {}, plural(a.orders.length, 'order')),
      longList(
        a.orders,
        6,
        (o) =>
          h(
            'li',
            {},
            accountLink(view, o.owner),
            o.receiver !== null && o.receiver !== o.owner && [' for ', accountLink(view, o.receiver)],
            o.order_hash !== null &&
              h('code', { title: shown(o.order_hash, 200) }, ` ${shortHex(shown(o.order_hash, 200), 10, 4)}`),
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
        h('ul', { class: 'plain' }),
        'orders',
      ),
    ],
    a.delegations.length > 0 && [
      h('h3', {}, plural(a.delegations.length, 'delegation')),
      longList(
        a.delegations,
        6,
        (d) =>
          h(
            'li',
            {},
            d.authority === null ? 'unknown authority' : accountLink(view, d.authority),
            ' → ',
            accountLink(view, d.delegate),
            h('span', { class: 'tag' }, words(d.source)),
          ),
        h('ul', { class: 'plain' }),
        'delegations',
      ),
    ],
  );
}

function candidate(view: View, c: Candidate): HTMLElement {
  const why: Child =
    c.reasons.length > 0 &&
    h(
      'div',
      { class: 'hint' },
      c.reasons
        .slice(0, 8)
        .map((reason) => words(reason))
        .join(' · '),
    );
  return h(
    'li',
    { class: c.elected ? 'elected' : 'rejected' },
    h(
      'span',
      { class: 'mark', title: c.elected ? 'Elected' : 'Not elected' },
      icon(c.elected ? 'check' : 'cross'),
    ),
    h(
      'div',
      {},
      h('span', { class: 'sr' }, c.elected ? 'Elected: ' : 'Not elected: '),
      accountLink(view, c.account),
      why,
      c.rejected_because !== null &&
        h('div', { class: 'why-not' }, `Not elected: ${lower(c.rejected_because)}`),
    ),
    (c.evidence ?? []).length > 0 &&
      proofButton('Evidence', c.evidence!, () =>
        view.inspect({
          kind: 'Candidate',
          title: c.elected ? 'Elected actor' : 'Candidate',
          body: [h('p', {}, accountLink(view, c.account)), why],
          evidence: c.evidence!,
          movements: [],
        }),
      ),
  );
}
