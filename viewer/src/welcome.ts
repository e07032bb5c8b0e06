import { h } from './lib/dom.ts';

/** The start page. */
export function welcome(playground: boolean, showExample: () => void): HTMLElement {
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
