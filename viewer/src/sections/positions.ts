import type { PositionEffect } from '../../../src/model/generated/report.ts';
import { accountLink, motifClaim, say, sign, signed } from '../claims.ts';
import { quantity } from '../../../src/tools/wording/amounts.ts';
import { h } from '../lib/dom.ts';
import { positionSentence, positionTitle } from '../../../src/tools/wording/positions.ts';
import { lower, shortHex, shown, words } from '../../../src/tools/wording/text.ts';
import { badge, longList, money, proofButton, section } from '../parts.ts';
import type { View } from '../view.ts';

/** Positions that were opened, changed or closed. */
export function positionsSection(view: View): HTMLElement | null {
  const { position_effects: effects } = view.report;
  if (effects.length === 0) return null;
  return section(
    'positions',
    'Positions',
    null,
    longList(
      { items: effects, first: 8, what: 'positions', list: h('ul', { class: 'position-list' }) },
      (p) => position(view, p),
    ),
  );
}

function position(view: View, p: PositionEffect): HTMLElement {
  return h(
    'li',
    { class: 'position' },
    h(
      'div',
      { class: 'position-head' },
      h('strong', {}, positionTitle(p, view.report)),
      badge(p.status, p.confidence),
    ),
    h('div', {}, 'of ', accountLink(view, p.owner)),
    h(
      'ul',
      { class: 'nets' },
      p.underlying
        .slice(0, 8)
        .map((u) =>
          h(
            'li',
            { class: sign(u.delta_raw) },
            h(
              'bdi',
              { class: 'amount', title: quantity(BigInt(u.delta_raw), u.asset, u.asset.id).exact },
              signed(u.delta_raw),
              quantity(BigInt(u.delta_raw), u.asset, u.asset.id).short,
            ),
            h('span', { class: 'tag' }, lower(u.role)),
          ),
        ),
    ),
    proofButton('Evidence', p.evidence, () => view.inspect(claim(view, p))),
  );
}

function claim(view: View, p: PositionEffect) {
  const motifs = view.report.motifs.filter((m) => p.motif_ids.includes(m.id));
  const l = p.liquidation;
  const legs =
    l &&
    ([
      ['debt covered', l.debt_asset, l.debt_covered_raw],
      ['collateral seized', l.collateral_asset, l.collateral_seized_raw],
    ] as const);
  return {
    kind: 'Position',
    title: positionTitle(p, view.report),
    evidence: p.evidence,
    movements: motifs.flatMap((m) => m.movements),
    body: [
      h('p', {}, badge(p.status, p.confidence)),
      h('p', {}, say(view, positionSentence(p, view.report)), '.'),
      h(
        'dl',
        { class: 'rows' },
        h(
          'div',
          {},
          h('dt', {}, 'Market'),
          h('dd', {}, h('code', { title: shown(p.market, 100) }, shortHex(shown(p.market, 100)))),
        ),
        p.position_asset &&
          p.position_delta_raw !== null &&
          h(
            'div',
            {},
            h('dt', {}, 'Position token'),
            h(
              'dd',
              {},
              h(
                'bdi',
                {},
                signed(p.position_delta_raw),
                quantity(BigInt(p.position_delta_raw), p.position_asset, p.position_asset.id).exact,
              ),
            ),
          ),
        p.underlying.map((u) =>
          h(
            'div',
            {},
            h('dt', {}, words(u.role)),
            h(
              'dd',
              {},
              h('bdi', {}, signed(u.delta_raw), quantity(BigInt(u.delta_raw), u.asset, u.asset.id).exact),
              ' ',
              money(view, u.usd),
            ),
          ),
        ),
      ),
      l && [
        h('h3', {}, 'Liquidation'),
        h(
          'ul',
          { class: 'plain' },
          l.liquidator && h('li', {}, 'by ', accountLink(view, l.liquidator)),
          l.borrower && h('li', {}, 'of ', accountLink(view, l.borrower)),
          legs!.map(
            ([name, asset, raw]) =>
              asset &&
              raw !== null &&
              h('li', {}, `${name}: `, h('bdi', {}, quantity(BigInt(raw), asset, asset.id).exact)),
          ),
        ),
      ],
      motifs.length > 0 && [
        h('h3', {}, 'Follows from'),
        h(
          'ul',
          { class: 'plain' },
          motifs.map((m) =>
            h(
              'li',
              {},
              h(
                'button',
                { type: 'button', class: 'inline', onclick: () => view.inspect(motifClaim(view, m)) },
                `${m.id} ${words(m.kind)}`,
              ),
            ),
          ),
        ),
      ],
    ],
  };
}
