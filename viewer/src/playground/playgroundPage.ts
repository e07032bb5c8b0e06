import type { RecordingsAnswer, TryRequest } from '../../../src/tools/playground/answers.ts';
import type { TxReport } from '../../../src/model/generated/report.ts';
import { h, replaceChildren } from '../lib/dom.ts';
import { words } from '../../../src/tools/wording/text.ts';
import { pastedHash } from '../../../src/tools/pasted.ts';
import { createEditor } from './editor.ts';
import { endpoint } from './endpoint.ts';
import { outcomeView } from './outcome.ts';
import { TEMPLATES } from './templates.ts';

export interface PlaygroundPage {
  readonly element: HTMLElement;
  /** Puts a transaction's hash into the form. */
  readonly choose: (hash: string) => void;
}

/** A rule on the left, its outcome for a transaction on the right. */
export function playgroundPage(showReport: (report: TxReport) => void): PlaygroundPage {
  const editor = createEditor(() => void run());
  editor.text = TEMPLATES['intent']!;
  const names = h('datalist', { id: 'recordings' });
  const transaction = h('input', {
    type: 'text',
    id: 'transaction',
    list: 'recordings',
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'recording name, hash or explorer link',
  });
  const start = h(
    'select',
    { id: 'start', 'aria-label': 'Start from' },
    h('option', { value: '' }, 'Start from …'),
    h(
      'optgroup',
      { label: 'An empty' },
      Object.keys(TEMPLATES).map((kind) => h('option', { value: `new ${kind}` }, `New ${kind}`)),
    ),
  );
  const button = h('button', { type: 'button', class: 'primary', onclick: () => void run() }, 'Try it');
  const result = h(
    'div',
    { class: 'result', 'aria-live': 'polite' },
    h(
      'p',
      { class: 'hint' },
      'Choose a transaction and try the rule. You see what matches, what nearly matches, and every condition with its actual value.',
    ),
  );
  const complain = (error: unknown): void =>
    replaceChildren(result, h('p', { class: 'caveat', role: 'alert' }, (error as Error).message));

  function chosen(): Omit<TryRequest, 'rule'> | null {
    const text = transaction.value.trim();
    if (text === '') return null;
    const hash = pastedHash(text);
    return hash === null ? { recording: text } : { tx_hash: hash };
  }
  async function run(): Promise<void> {
    const tx = chosen();
    if (tx === null) {
      complain(new Error('Choose a transaction first.'));
      return transaction.focus();
    }
    button.disabled = true;
    button.textContent = 'Trying …';
    try {
      const answer = await endpoint.try({ rule: editor.text, ...tx });
      editor.mark(answer.problems.filter((p) => p.file === 'your rule').map((p) => p.line));
      replaceChildren(result, outcomeView(answer, editor.goTo, showReport));
    } catch (error) {
      complain(error);
    } finally {
      button.disabled = false;
      button.textContent = 'Try it';
    }
  }
  async function draft(): Promise<void> {
    const tx = chosen();
    if (tx === null) return complain(new Error('Choose a transaction to draft a rule from.'));
    try {
      editor.text = (await endpoint.draft(tx)).text;
    } catch (error) {
      complain(error);
    }
  }
  start.addEventListener('change', () => {
    const [kind, slug] = start.value.split(' ');
    start.value = '';
    if (kind === 'new') editor.text = TEMPLATES[slug!]!;
    else if (kind && slug)
      endpoint.rule(kind, slug).then(({ text }) => {
        editor.text = text;
      }, complain);
  });
  endpoint.recordings().then(({ recordings, node }: RecordingsAnswer) => {
    replaceChildren(
      names,
      recordings.map(({ name }) => h('option', { value: name })),
    );
    if (transaction.value === '')
      transaction.value =
        recordings.find(({ name }) => name.startsWith('swap'))?.name ?? recordings[0]?.name ?? '';
    about.textContent = `${recordings.length} recorded transactions${node ? '; any other by its hash' : ''}. Ctrl+Enter tries the rule. Nothing is saved.`;
  }, complain);
  endpoint.rules().then(
    ({ rules }) => {
      for (const kind of ['intent', 'shape', 'protocol', 'entity'] as const)
        start.append(
          h(
            'optgroup',
            { label: `${words(kind)} in force` },
            rules
              .filter((r) => r.kind === kind)
              .map((r) => h('option', { value: `${kind} ${r.slug}` }, r.slug)),
          ),
        );
    },
    () => {},
  );
  const about = h('p', { class: 'hint', id: 'rule-help' }, 'Ctrl+Enter tries the rule.');

  const element = h(
    'div',
    { class: 'playground' },
    h('h1', {}, 'Rule playground'),
    h(
      'div',
      { class: 'bench' },
      h(
        'section',
        { class: 'card', 'aria-label': 'Rule' },
        h(
          'div',
          { class: 'bench-tools' },
          start,
          h(
            'button',
            { type: 'button', class: 'quiet', onclick: () => void draft() },
            'Draft from the transaction',
          ),
        ),
        editor.element,
        h(
          'div',
          { class: 'bench-run' },
          h('label', { for: 'transaction' }, 'Transaction'),
          transaction,
          names,
          button,
        ),
        about,
      ),
      h(
        'section',
        { class: 'card outcome', 'aria-labelledby': 'outcome-title' },
        h('h2', { class: 'sr', id: 'outcome-title' }, 'Outcome'),
        result,
      ),
    ),
  );
  const choose = (hash: string): void => {
    transaction.value = hash;
  };
  return { element, choose };
}
