import type { CheckedCondition } from '../../../src/model/intent.ts';
import { h } from '../lib/dom.ts';
import { icon } from '../lib/icons.ts';
import { lower, shown } from '../../../src/tools/wording/text.ts';

const text = (value: unknown): string =>
  shown(Array.isArray(value) ? `[${value.join(', ')}]` : String(value), 300);
const OPERATORS: Readonly<Record<string, string>> = {
  eq: '=',
  neq: '≠',
  gte: '≥',
  lte: '≤',
  gt: '>',
  lt: '<',
};

/** A checked condition as nested lists: every test with its expected and actual value. */
export function conditionTree(node: CheckedCondition): HTMLElement {
  return h('ul', { class: 'conditions' }, branch(node));
}

function branch(node: CheckedCondition): HTMLElement {
  const mark = [
    icon(node.result ? 'check' : 'cross'),
    h('span', { class: 'sr' }, node.result ? 'holds: ' : 'fails: '),
  ];
  const group = (name: string, nodes: readonly CheckedCondition[]): HTMLElement =>
    h(
      'li',
      { class: node.result ? 'holds' : 'fails' },
      mark,
      h('span', { class: 'group-name' }, name),
      h('ul', {}, nodes.map(branch)),
    );
  if ('all' in node) return group('all of', node.all);
  if ('any' in node) return group('any of', node.any);
  if ('not' in node) return group('not', [node.not]);
  return h(
    'li',
    { class: node.result ? 'holds' : 'fails' },
    mark,
    h(
      'code',
      {},
      `${shown(node.fact, 100)} ${OPERATORS[node.operator] ?? lower(node.operator)} ${text(node.expected)}`,
    ),
    h('span', { class: 'actual' }, 'is ', h('code', {}, text(node.actual))),
  );
}
