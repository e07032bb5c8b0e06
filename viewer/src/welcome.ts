import { h } from './lib/dom.ts';
import { shown, words } from '../../src/tools/wording/text.ts';

/** A transaction to choose: its hash and label, and where the label's category and certainty. */
export type Example = readonly [hash: string, label: string, category?: string, status?: string];

export interface WelcomeOptions {
  readonly playground: boolean;
  /** Transactions of this server to choose from. */
  readonly examples: readonly Example[];
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
      exampleList(examples, analyze),
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

/** The examples folded, for the page of one of them. */
export function otherExamples(examples: readonly Example[], analyze: (hash: string) => void): HTMLElement {
  const summary = h('summary', {}, `${examples.length} example transactions`);
  return h('details', { class: 'other-examples' }, summary, exampleList(examples, analyze));
}

/** The examples by category, with a search over their labels. */
function exampleList(examples: readonly Example[], analyze: (hash: string) => void): HTMLElement {
  const groups = new Map<string, HTMLElement[]>();
  for (const [hash, label, category = '', status] of examples) {
    const button = h(
      'button',
      { type: 'button', class: 'quiet', title: hash, onclick: () => analyze(hash) },
      shown(label, 120),
      status === 'Suspected' && h('span', { class: 'tag doubt' }, 'Suspected'),
    );
    groups.set(category, [...(groups.get(category) ?? []), button]);
  }
  const search = h('input', { type: 'search', placeholder: 'Search', 'aria-label': 'Search the examples' });
  const sections = [...groups].map(([category, buttons]) =>
    h(
      'section',
      {},
      category !== '' && h('h3', {}, words(category), h('span', { class: 'tag' }, buttons.length)),
      h('div', { class: 'examples' }, buttons),
    ),
  );
  search.addEventListener('input', () => {
    const wanted = search.value.trim().toLowerCase();
    for (const button of [...groups.values()].flat())
      button.hidden = !button.textContent.toLowerCase().includes(wanted) && !button.title.includes(wanted);
    for (const section of sections)
      section.hidden = section.querySelector('.examples button:not([hidden])') === null;
  });
  return h('div', { class: 'example-groups' }, examples.length > 8 && search, sections);
}
