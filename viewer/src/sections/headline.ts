import type { TxReport } from '../../../src/model/generated/report.ts';
import { accountLink, movementsClaim } from '../claims.ts';
import { h, link, type Child } from '../lib/dom.ts';
import { icon } from '../lib/icons.ts';
import { grouped } from '../lib/amount.ts';
import { shortHex, shown, title, words } from '../lib/text.ts';
import { badge, copyButton, proofButton } from '../parts.ts';
import type { Claim, View } from '../view.ts';
import { modeSentence } from './attributionWords.ts';
import { motifRow } from './motifs.ts';

/** What the transaction was, how far that can be trusted, for whom, and which transaction it is. */
export function headline(view: View): HTMLElement {
  const { report } = view;
  const { classification: c, execution } = report;
  return h(
    'section',
    { class: 'card headline', 'aria-labelledby': 'headline-title' },
    h(
      'div',
      { class: 'headline-top' },
      badge(c.status, c.confidence, 'big'),
      c.category && h('span', { class: 'chip' }, words(c.category)),
      h('span', { class: 'chip plain' }, words(c.intent_kind)),
      execution.reverted && c.intent_kind !== 'Reverted' && h('span', { class: 'chip bad' }, 'Reverted'),
    ),
    h('h1', { id: 'headline-title' }, h('bdi', {}, shown(c.intent_label, 300))),
    caveat(report) && h('p', { class: 'caveat' }, icon('caution'), caveat(report)),
    h('p', { class: 'who' }, who(view)),
    c.fragments.length > 1 &&
      h(
        'p',
        { class: 'fragments' },
        'Made up of ',
        c.fragments
          .slice(0, 12)
          .map((f) =>
            h(
              'span',
              { class: `chip ${f.status === 'Proven' ? '' : 'doubt'}` },
              words(f.kind),
              f.status !== 'Proven' && h('span', { class: 'chip-note' }, shown(f.status, 20)),
            ),
          ),
      ),
    h(
      'div',
      { class: 'headline-foot' },
      facts(view),
      proofButton('Why this label?', [], () => view.inspect(whyClaim(view))),
    ),
  );
}

/** What a reader must be told before relying on the label; null where nothing stands against it. */
function caveat({ classification: c }: TxReport): string | null {
  const low = c.confidence === 'Low' ? 'The service is not sure of this. ' : '';
  if (c.status !== 'Proven')
    return `${low}Suspected, not proven: the evidence is partial or heuristic. Check it before relying on it.`;
  return low === '' ? null : `${low}What happened is proven, what it was for is uncertain.`;
}

function who(view: View): readonly Child[] {
  const { classification: c, tx } = view.report;
  if (c.actor === null)
    return [
      'No single account stands out as the one it was done for. Signed by ',
      accountLink(view, tx.signer),
      '; the money below is the signer’s.',
    ];
  if (c.actor_matches_signer) return ['Done by ', accountLink(view, c.actor), ', who signed it.'];
  return [
    'Done for ',
    accountLink(view, c.actor),
    ', signed by ',
    accountLink(view, tx.signer),
    '. ',
    modeSentence(view.report.attribution),
  ];
}

function facts({ report, explorer }: View): HTMLElement {
  const { tx, execution, chain } = report;
  const block = grouped(String(tx.block_number));
  return h(
    'dl',
    { class: 'facts' },
    h(
      'div',
      {},
      h('dt', {}, 'Transaction'),
      h(
        'dd',
        {},
        h('code', { title: tx.hash }, shortHex(tx.hash, 10, 6)),
        copyButton(tx.hash, 'Copy'),
        explorer && link(explorer.tx, { class: 'out' }, explorer.host, icon('out')),
      ),
    ),
    h(
      'div',
      {},
      h('dt', {}, 'Block'),
      h(
        'dd',
        {},
        explorer ? link(explorer.block(tx.block_number), {}, block) : block,
        h('span', { class: 'hint' }, ` ${shown(chain.name, 40)}`),
      ),
    ),
    h(
      'div',
      {},
      h('dt', {}, 'Outcome'),
      h('dd', { class: execution.reverted ? 'bad' : '' }, h('bdi', {}, shown(execution.outcome, 160))),
    ),
  );
}

function whyClaim(view: View): Claim {
  const { classification: c, motifs } = view.report;
  const top = motifs.filter((m) => m.parent_id === null);
  const moved = [...new Set(top.flatMap((m) => m.movements))].sort((a, b) => a - b);
  const told = top.flatMap((m) => m.evidence).slice(0, 60);
  return {
    ...movementsClaim(view, 'Verdict', words(c.intent_kind), moved),
    evidence: told,
    body: [
      h('p', {}, badge(c.status, c.confidence)),
      h(
        'p',
        {},
        c.matched_rule === null
          ? 'No rule matched: a heuristic chose the label.'
          : [
              'Rule ',
              h('code', {}, shown(c.matched_rule, 80)),
              ` version ${c.rule_version ?? '?'} matched`,
              c.structural_proof ? ', and it rests on a structural proof.' : ', without a structural proof.',
            ],
      ),
      (c.tags ?? []).length > 0 &&
        h(
          'p',
          {},
          (c.tags ?? []).slice(0, 20).map((tag) => h('span', { class: 'tag' }, shown(tag, 40))),
        ),
      h('h3', {}, 'What it rests on'),
      top.length === 0
        ? h('p', { class: 'hint' }, 'No known structure was found in the transaction.')
        : h(
            'ul',
            { class: 'motif-list' },
            top.slice(0, 20).map((m) => motifRow(view, m)),
          ),
      top.length > 20 && h('p', { class: 'hint' }, `and ${top.length - 20} more`),
      report_engine(view),
    ],
  };
}

function report_engine({ report: { engine } }: View): Child {
  return (
    engine &&
    h(
      'p',
      { class: 'hint' },
      `Engine ${shown(engine.version, 40)}, rules ${shown(engine.ruleset_version, 60) || 'unversioned'}, ${title(shown(engine.trace_dialect, 40))} trace. `,
      h('code', {}, shortHex(shown(engine.ruleset_digest, 100), 19, 6)),
    )
  );
}
