import { accountLink, movementsClaim, say } from '../claims.ts';
import { h, link, type Child } from '../lib/dom.ts';
import { icon } from '../lib/icons.ts';
import {
  argumentsOf,
  attemptSentences,
  caveatTexts,
  failureSentences,
  fragmentTexts,
  methodText,
  summaryLines,
  whoSentence,
} from '../../../src/tools/wording/sentences.ts';
import {
  countText,
  plural,
  shortDigest,
  shortHex,
  shown,
  timeText,
  title,
  words,
} from '../../../src/tools/wording/text.ts';
import { badge, copyButton, copyText, proofButton } from '../parts.ts';
import type { Claim, View } from '../view.ts';
import { motifRow } from './motifs.ts';

/** The verdict and its certainty. */
export function headline(view: View): HTMLElement {
  const { report } = view;
  const { classification: c, execution } = report;
  return h(
    'section',
    { class: 'card headline', 'aria-labelledby': 'headline-title' },
    h(
      'div',
      { class: 'headline-top' },
      execution.reverted
        ? h('span', { class: 'badge big reverted' }, icon('cross'), 'Failed')
        : badge(c.status, c.confidence, 'big'),
      c.category && !execution.reverted && h('span', { class: 'chip' }, words(c.category)),
      c.intent_kind !== 'Reverted' && h('span', { class: 'chip plain' }, words(c.intent_kind)),
    ),
    h('h1', { id: 'headline-title' }, h('bdi', {}, shown(c.intent_label, 300))),
    execution.reverted && failure(view),
    caveats(view),
  );
}

/** The actor, the parts, and the transaction itself: what comes after the amounts. */
export function transactionSection(view: View): HTMLElement {
  const { report } = view;
  const { classification: c } = report;
  return h(
    'section',
    { class: 'card transaction', 'aria-label': 'The transaction' },
    h('p', { class: 'who' }, say(view, whoSentence(report))),
    attempts(view),
    c.fragments.length > 1 &&
      h(
        'p',
        { class: 'fragments' },
        'Includes ',
        fragmentTexts(report)
          .slice(0, 12)
          .map(({ text, proven }) =>
            h(
              'span',
              { class: `chip ${proven ? '' : 'doubt'}` },
              text,
              !proven && h('span', { class: 'chip-note' }, 'Suspected'),
            ),
          ),
      ),
    seenBy(view),
    h(
      'div',
      { class: 'headline-foot' },
      facts(view),
      h(
        'div',
        { class: 'headline-actions' },
        proofButton('Why this label?', [], () => view.inspect(whyClaim(view))),
        copyText('Copy summary', () => summary(view)),
        copyText('Copy link', () => location.href),
      ),
    ),
  );
}

/** The attempt of a reverted transaction, and the reason of its failure. */
function failure(view: View): HTMLElement {
  const sentences = failureSentences(view.report);
  return h(
    'div',
    { class: 'failed' },
    sentences.map((sentence) => h('p', {}, say(view, sentence))),
  );
}

/** Calls that failed inside, where the transaction succeeded. */
function attempts(view: View): Child {
  const sentences = attemptSentences(view.report);
  if (sentences.length === 0) return null;
  return h(
    'details',
    { class: 'attempts' },
    h('summary', {}, plural(view.report.execution.attempts!.length, 'call'), ' inside failed and was caught'),
    h(
      'ul',
      { class: 'plain' },
      sentences.map((sentence) => h('li', {}, say(view, sentence))),
    ),
  );
}

/** From this width on the reasons are open; on a phone the amounts come first. */
const WIDE = 620;

/** Why the label needs caution. */
function caveats({ report }: View): Child {
  const [first, ...more] = caveatTexts(report);
  if (first === undefined) return null;
  return h(
    'div',
    { class: 'caveat' },
    icon('caution'),
    h(
      'div',
      {},
      h('p', {}, first),
      more.length > 0 &&
        h(
          'details',
          { open: window.innerWidth >= WIDE },
          h('summary', {}, plural(more.length, 'reason')),
          h(
            'ul',
            {},
            more.map((text) => h('li', {}, text)),
          ),
        ),
    ),
  );
}

/** Accounts in the choice, at most. */
const MOST_SIDES = 60;

/** A choice of the account that money and graph are about. */
function seenBy(view: View): Child {
  const { report, accounts } = view;
  const involved = new Set(
    report.inventory_deltas.filter((d) => !/^-?0+$/.test(d.delta_raw)).map((d) => d.subject),
  );
  const sides = [...new Set([report.economics.subject, view.subject, ...involved])].slice(0, MOST_SIDES);
  if (sides.length < 2) return null;
  const select = h(
    'select',
    { id: 'seen-by', onchange: () => view.seeAs(select.value) },
    sides.map((account) =>
      h('option', { value: account, selected: account === view.subject }, accounts.text(account)),
    ),
  );
  return h('p', { class: 'seen-by' }, h('label', { for: 'seen-by' }, 'Seen by '), select);
}

/** The report as plain text with full addresses. */
function summary({ report, accounts }: View): string {
  const account = (address: string): string => {
    const { name, named } = accounts.of(address);
    return named ? `${name} (${address})` : address;
  };
  return summaryLines(report, { account }).join('\n');
}

function facts(view: View): HTMLElement {
  const { report, explorer } = view;
  const { tx, execution, chain } = report;
  const block = countText(tx.block_number);
  const fact = (name: string, value: Child): HTMLElement =>
    h('div', {}, h('dt', {}, name), h('dd', {}, value));
  return h(
    'dl',
    { class: 'facts' },
    tx.timestamp && fact('Time', timeText(tx.timestamp)),
    fact('To', tx.to === null ? 'a new contract' : accountLink(view, tx.to)),
    tx.method &&
      fact('Method', [
        h('code', { title: tx.method.signature ?? tx.method.selector }, methodText(tx.method)),
        argumentsOf(report).length > 0 &&
          h(
            'button',
            { type: 'button', class: 'inline', onclick: () => view.inspect(callClaim(view)) },
            plural(argumentsOf(report).length, 'argument'),
          ),
      ]),
    h(
      'div',
      {},
      h('dt', {}, 'Transaction'),
      h(
        'dd',
        {},
        h('code', { title: tx.hash }, shortHex(tx.hash)),
        copyButton(tx.hash, 'Copy'),
        explorer && link(explorer.tx, { class: 'out' }, explorer.host, icon('out')),
      ),
    ),
    tx.nonce !== undefined && fact('Nonce', String(tx.nonce)),
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
      h(
        'dd',
        { class: execution.reverted ? 'bad' : '' },
        h('bdi', {}, execution.reverted ? 'Failed' : shown(execution.outcome, 160)),
      ),
    ),
  );
}

export function callClaim({ report }: View): Claim {
  const { tx } = report;
  return {
    key: 'call',
    kind: 'Call',
    title: methodText(tx.method!),
    movements: [],
    evidence: [{ kind: 'frame', frame_path: [], log_index: null, contract: tx.to ?? tx.signer }],
    body: [
      h(
        'dl',
        { class: 'rows' },
        argumentsOf(report)
          .slice(0, 60)
          .map(({ name, value }) =>
            h('div', {}, h('dt', {}, shown(name, 60)), h('dd', {}, h('code', {}, value ?? ''))),
          ),
      ),
    ],
  };
}

export function whyClaim(view: View): Claim {
  const { classification: c, motifs } = view.report;
  const top = motifs.filter((m) => m.parent_id === null);
  const moved = [...new Set(top.flatMap((m) => m.movements))].sort((a, b) => a - b);
  const evidence = top.flatMap((m) => m.evidence).slice(0, 60);
  return {
    ...movementsClaim(view, { kind: 'Verdict', title: words(c.intent_kind) }, moved),
    key: 'why',
    evidence,
    body: [
      h('p', {}, badge(c.status, c.confidence)),
      h(
        'p',
        {},
        c.matched_rule === null
          ? 'No rule matched; a heuristic chose the label.'
          : [
              'Rule ',
              h('code', {}, shown(c.matched_rule, 80)),
              ` version ${c.rule_version ?? '?'} matched`,
              c.structural_proof ? ', with a structural proof.' : ', without a structural proof.',
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
        ? h('p', { class: 'hint' }, 'No known step was found in the transaction.')
        : h(
            'ul',
            { class: 'motif-list' },
            top.slice(0, 20).map((m) => motifRow(view, m)),
          ),
      top.length > 20 && h('p', { class: 'hint' }, `and ${top.length - 20} more`),
      engineLine(view),
    ],
  };
}

function engineLine({ report: { engine } }: View): Child {
  return (
    engine &&
    h(
      'p',
      { class: 'hint' },
      `Engine ${shown(engine.version, 40)}, rules ${shown(engine.ruleset_version, 60) || 'unversioned'}, ${title(shown(engine.trace_dialect, 40))} trace. `,
      h('code', {}, shortDigest(engine.ruleset_digest)),
    )
  );
}
