import { h } from './lib/dom.ts';
import { shown } from '../../src/tools/wording/text.ts';

export interface WelcomeOptions {
  readonly playground: boolean;
  /** Transactions of this server to choose from: hash and label. */
  readonly examples: readonly (readonly [hash: string, label: string])[];
  readonly showExample: () => void;
  readonly analyze: (hash: string) => void;
}

/** The start page. */
export function welcome({ playground, examples, showExample, analyze }: WelcomeOptions): HTMLElement {
  return h(
    'div',
    { class: 'welcome' },
    h('h1', {}, 'What did this transaction do?'),
    h(
      'p',
      {},
      'Paste a transaction hash or an explorer link above, or drop a report file anywhere on this page.',
    ),
    h(
      'p',
      { class: 'actions' },
      h('button', { type: 'button', class: 'primary', onclick: showExample }, 'Show an example'),
    ),
    examples.length > 0 && [
      h('h2', {}, `Or one of ${examples.length} transactions`),
      h(
        'div',
        { class: 'examples' },
        examples.map(([hash, label]) =>
          h(
            'button',
            { type: 'button', class: 'quiet', title: hash, onclick: () => analyze(hash) },
            shown(label, 120),
          ),
        ),
      ),
    ],
    h(
      'ul',
      {},
      h('li', {}, 'See who sent what to whom, drawn from every movement of value.'),
      h('li', {}, 'Click any amount, account or step to see its evidence on chain.'),
      playground
        ? h('li', {}, 'Try a rule on a recorded transaction as you write it, in the rule playground.')
        : h('li', {}, 'A report file never leaves this page.'),
    ),
  );
}
