import { h } from './lib/dom.ts';

/** What is shown before there is a report. */
export function welcome(playground: boolean): HTMLElement {
  return h(
    'div',
    { class: 'welcome' },
    h('h1', {}, 'What did this transaction do?'),
    h(
      'p',
      {},
      'Paste a transaction hash above to ask the service, or open a report file: drop it anywhere on this page.',
    ),
    h(
      'ul',
      {},
      h('li', {}, 'Who sent what to whom, drawn from every movement of value.'),
      h('li', {}, 'Every claim leads to its evidence on chain: the call, the log, the contract.'),
      playground
        ? h('li', {}, 'In the rule playground a rule is tried on a recorded transaction as you write it.')
        : h('li', {}, 'A file never leaves this page.'),
    ),
  );
}
