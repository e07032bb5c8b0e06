import type {
  MotifView,
  RuleView,
  TryAnswer,
  TryOutcome,
  VerdictView,
} from '../../../src/tools/playground/answers.ts';
import type { Confidence, Status, TxReport } from '../../../src/model/generated/report.ts';
import { h, type Child } from '../lib/dom.ts';
import { icon } from '../lib/icons.ts';
import { plural, shortHex, shown, title, lower, words } from '../../../src/tools/wording/text.ts';
import { badge } from '../parts.ts';
import { conditionTree } from './conditionTree.ts';

const FATES: Readonly<Record<RuleView['fate'], string>> = {
  wins: 'wins',
  outranked: 'matches, but is outranked',
  does_not_match: 'does not match',
  skipped: 'was not evaluated',
};

/** The outcome of a trial: problems, or verdicts before and after with their reasons. */
export function outcomeView(
  answer: TryAnswer,
  goTo: (line: number, column: number) => void,
  showReport: (report: TxReport) => void,
): readonly Child[] {
  if (answer.outcome === null) return [problems(answer, goTo)];
  const { outcome } = answer;
  return [
    verdicts(outcome),
    outcome.rules.map((rule) => ruleCard(rule)),
    outcome.signatures.length > 0 && signatures(outcome),
    outcome.protocols.map(({ slug, seen }) =>
      h(
        'p',
        { class: `fact-line ${seen.length > 0 ? 'holds' : 'fails'}` },
        icon(seen.length > 0 ? 'check' : 'cross'),
        seen.length > 0
          ? [`${title(slug)} takes part: `, seen.map((address) => [h('code', {}, shortHex(address)), ' '])]
          : `None of the addresses of ${title(slug)} appears in the transaction. Pools proven by CREATE2 show among the motifs.`,
      ),
    ),
    answer.kind !== 'intent' && motifs(outcome),
    nearMisses(outcome),
    h(
      'details',
      { class: 'facts-list' },
      h('summary', {}, plural(outcome.facts.length, 'fact')),
      h(
        'table',
        {},
        h(
          'tbody',
          {},
          outcome.facts.map(([name, value]) =>
            h(
              'tr',
              {},
              h('th', { scope: 'row' }, h('code', {}, name)),
              h('td', {}, h('code', {}, shown(value, 300))),
            ),
          ),
        ),
      ),
    ),
    h(
      'p',
      {},
      h(
        'button',
        { type: 'button', class: 'quiet', onclick: () => showReport(outcome.report) },
        icon('file'),
        'Show the report by these rules',
      ),
    ),
  ];
}

function problems({ problems: list }: TryAnswer, goTo: (line: number, column: number) => void): HTMLElement {
  const mine = list.filter((p) => p.file === 'your rule');
  const rest = list.filter((p) => p.file !== 'your rule');
  return h(
    'div',
    { class: 'problems' },
    h('h3', {}, plural(list.length, 'problem')),
    h(
      'ul',
      {},
      [...mine, ...rest]
        .slice(0, 60)
        .map((p) =>
          h(
            'li',
            {},
            icon('cross'),
            h(
              'div',
              {},
              p.file === 'your rule'
                ? h(
                    'button',
                    { type: 'button', class: 'inline', onclick: () => goTo(p.line, p.column) },
                    `line ${p.line}, column ${p.column}`,
                  )
                : h('code', {}, `${shown(p.file, 120)}:${p.line}`),
              ' ',
              h('strong', {}, words(p.code)),
              `: ${shown(p.message, 400)}`,
              h('div', { class: 'hint' }, shown(p.meaning, 300)),
              p.code === 'duplicate_slug' &&
                h(
                  'div',
                  { class: 'hint' },
                  'To change a rule in force, add the line ',
                  h('code', {}, 'override: true'),
                  '. For a new one choose another slug.',
                ),
            ),
          ),
        ),
    ),
  );
}

function verdicts({ before, after, name }: TryOutcome): HTMLElement {
  const same =
    before.kind === after.kind &&
    before.rule === after.rule &&
    before.label === after.label &&
    before.status === after.status &&
    before.confidence === after.confidence &&
    before.actor === after.actor;
  return h(
    'div',
    { class: 'verdicts' },
    h(
      'p',
      { class: 'hint' },
      `${shown(name, 80)}: ${same ? 'the verdict stays the same' : 'the verdict changes'}`,
    ),
    verdict('By the rules in force', before),
    h('span', { class: 'turn', 'aria-hidden': 'true' }, same ? '=' : '→'),
    verdict('With your rule', after, !same),
  );
}

function verdict(heading: string, v: VerdictView, changed = false): HTMLElement {
  return h(
    'div',
    { class: `verdict ${changed ? 'changed' : ''}` },
    h('h3', {}, heading),
    h('p', { class: 'verdict-kind' }, words(v.kind)),
    h('p', {}, h('bdi', {}, shown(v.label, 200))),
    h(
      'p',
      {},
      badge(v.status as Status, v.confidence as Confidence),
      ' ',
      v.rule === null ? h('span', { class: 'hint' }, 'no rule matched') : h('code', {}, shown(v.rule, 100)),
    ),
  );
}

function ruleCard(rule: RuleView): HTMLElement {
  const good = rule.fate === 'wins';
  const body = [
    rule.why.length > 0 &&
      h(
        'ul',
        { class: 'why' },
        rule.why.slice(0, 20).map((line) => h('li', {}, shown(line, 300))),
      ),
    rule.conditions && h('div', { class: 'tree' }, conditionTree(rule.conditions)),
  ];
  const heading = [
    icon(good ? 'check' : rule.fate === 'outranked' ? 'caution' : 'cross'),
    h(
      'span',
      {},
      h('strong', {}, shown(rule.slug, 80)),
      ` v${rule.version} ${FATES[rule.fate]}`,
      rule.subject ? '' : ` as ${shortHex(rule.account)}`,
    ),
  ];
  return rule.subject
    ? h('div', { class: `rule-card ${rule.fate}` }, h('h3', {}, heading), body)
    : h('details', { class: `rule-card ${rule.fate}` }, h('summary', {}, heading), body);
}

function signatures({ signatures: list }: TryOutcome): HTMLElement {
  return h(
    'div',
    {},
    h('h3', {}, 'Events and calls of the shape'),
    h(
      'ul',
      { class: 'plain' },
      list.map((s) => {
        const sign = s.recognised > 0 ? 'check' : 'cross';
        const told =
          s.seen === 0
            ? 'not in this transaction'
            : s.recognised === s.seen
              ? s.seen === 1
                ? 'recognised, once'
                : `recognised, all ${s.seen} times`
              : `${s.recognised} of ${s.seen} recognised`;
        return h(
          'li',
          { class: `fact-line ${s.recognised > 0 ? 'holds' : 'fails'}` },
          icon(sign),
          h(
            'span',
            {},
            h('code', {}, shown(s.signature, 300)),
            ` ${told}`,
            s.why.length === 0
              ? null
              : h(
                  'ul',
                  {},
                  s.why.slice(0, 8).map((text) => h('li', {}, shown(text, 500))),
                ),
          ),
        );
      }),
    ),
  );
}

function motifs({ motifs: { before, after } }: TryOutcome): HTMLElement {
  const text = (m: MotifView): string => `${m.kind} ${m.protocol ?? ''} ${m.status}`;
  const left = new Map<string, number>();
  for (const m of before) left.set(text(m), (left.get(text(m)) ?? 0) + 1);
  const rows = after.map((m) => {
    const known = left.get(text(m)) ?? 0;
    left.set(text(m), known - 1);
    return h(
      'li',
      { class: m.edited ? 'edited' : '' },
      h('code', {}, m.id),
      ' ',
      h('strong', {}, words(m.kind)),
      m.protocol && ` ${title(m.protocol)}`,
      ` ${m.status}`,
      known <= 0 && h('span', { class: 'chip' }, 'new'),
      m.edited && h('span', { class: 'tag' }, 'by your rule'),
      m.failed.length > 0 && h('span', { class: 'bad' }, ` fails ${m.failed.map(lower).join(', ')}`),
    );
  });
  const gone = [...left]
    .filter(([, count]) => count > 0)
    .map(([what, count]) => h('li', { class: 'gone' }, h('s', {}, what), count > 1 && ` × ${count}`));
  return h('div', {}, h('h3', {}, 'Motifs with your rule'), h('ul', { class: 'plain' }, rows, gone));
}

function nearMisses({ near }: TryOutcome): HTMLElement | false {
  return (
    near.length > 0 &&
    h(
      'details',
      { class: 'near', open: true },
      h('summary', {}, 'Rules that came near'),
      h(
        'ul',
        { class: 'plain' },
        near.map((n) =>
          h(
            'li',
            {},
            h('strong', {}, n.slug),
            h('span', { class: 'hint' }, ` ${words(n.intent)} · ${n.met} met, ${n.unmet.length} unmet`),
            h(
              'ul',
              { class: 'why' },
              n.unmet.slice(0, 6).map((line) => h('li', {}, shown(line, 300))),
            ),
          ),
        ),
      ),
    )
  );
}
