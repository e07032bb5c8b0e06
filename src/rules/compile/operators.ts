import type { FactType } from './facts.ts';

/** Operators of rule conditions and the fact types each works on. The engine registers the same names. */
export const OPERATORS: Readonly<Record<string, readonly FactType[]>> = {
  eq: ['count', 'enum'],
  ne: ['count', 'enum'],
  gt: ['count'],
  gte: ['count'],
  lt: ['count'],
  lte: ['count'],
  in: ['count', 'enum'],
  not_in: ['count', 'enum'],
  includes: ['list'],
  includes_any: ['list'],
  includes_none: ['list'],
  subset_of: ['list'],
  is: ['boolean'],
};

/** Operators that take a list of values. */
export const LIST_OPERATORS: ReadonlySet<string> = new Set([
  'in',
  'not_in',
  'includes_any',
  'includes_none',
  'subset_of',
]);
