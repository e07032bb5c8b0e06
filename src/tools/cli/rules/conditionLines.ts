import type { CheckedCondition } from '../../../model/intent.ts';
import { show } from '../../../rules/compile/facts.ts';

/** A checked condition as an indented tree: a mark per line, the actual value beside the expected one. */
export function conditionLines(node: CheckedCondition, indent = ''): string[] {
  const mark = node.result ? '✓' : '✗';
  const inner = `${indent}  `;
  if ('all' in node) return [`${indent}${mark} all of`, ...node.all.flatMap((c) => conditionLines(c, inner))];
  if ('any' in node) return [`${indent}${mark} any of`, ...node.any.flatMap((c) => conditionLines(c, inner))];
  if ('not' in node) return [`${indent}${mark} not`, ...conditionLines(node.not, inner)];
  return [`${indent}${mark} ${testText(node)}   (is ${show(node.actual)})`];
}

export type CheckedTest = Extract<CheckedCondition, { fact: string }>;

/** The text of a single test. */
export const testText = ({ fact, operator, expected }: CheckedTest): string =>
  `${fact} ${operator} ${show(expected)}`;

/** Conditions between a rule and a match. */
export function blockers(node: CheckedCondition, wanted = true): string[] {
  if (node.result === wanted) return [];
  if ('all' in node) return node.all.flatMap((c) => blockers(c, wanted));
  if ('any' in node) return node.any.flatMap((c) => blockers(c, wanted));
  if ('not' in node) return blockers(node.not, !wanted);
  return [`${wanted ? '' : 'not '}${testText(node)}, but it is ${show(node.actual)}`];
}

/** Number of single tests that hold. */
export function countMet(node: CheckedCondition): number {
  if ('all' in node) return node.all.reduce((n, c) => n + countMet(c), 0);
  if ('any' in node) return node.any.reduce((n, c) => n + countMet(c), 0);
  return node.result ? 1 : 0;
}
