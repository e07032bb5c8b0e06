import type { FactValue, FactType } from '../../model/intent.ts';

interface Operator {
  /** Fact types it works on. */
  readonly types: readonly FactType[];
  /** Whether it takes a list of values. */
  readonly takesList: boolean;
  readonly holds: (fact: FactValue, value: unknown) => boolean;
}

type List = readonly string[];

const shareAny = (words: List, others: List): boolean => words.some((word) => others.includes(word));
const COMPARED = ['count', 'enum'] as const;

/** Operators for one type of fact. The loader has checked the types of fact and value. */
function operator<F extends FactValue, V>(
  types: readonly FactType[],
  takesList: boolean,
  holds: (fact: F, value: V) => boolean,
): Operator {
  return { types, takesList, holds: holds as Operator['holds'] };
}

/**
 * The operators of rule conditions. They replace json-rules-engine's own, which compare strings as numbers
 * and text by substring.
 */
export const OPERATORS: Readonly<Record<string, Operator>> = {
  eq: operator(COMPARED, false, (fact, value) => fact === value),
  ne: operator(COMPARED, false, (fact, value) => fact !== value),
  gt: operator(['count'], false, (fact: number, value: number) => fact > value),
  gte: operator(['count'], false, (fact: number, value: number) => fact >= value),
  lt: operator(['count'], false, (fact: number, value: number) => fact < value),
  lte: operator(['count'], false, (fact: number, value: number) => fact <= value),
  in: operator(COMPARED, true, (fact, value: readonly FactValue[]) => value.includes(fact)),
  not_in: operator(COMPARED, true, (fact, value: readonly FactValue[]) => !value.includes(fact)),
  includes: operator(['list'], false, (fact: List, value: string) => fact.includes(value)),
  includes_any: operator(['list'], true, shareAny),
  includes_none: operator(['list'], true, (fact: List, value: List) => !shareAny(fact, value)),
  subset_of: operator(['list'], true, (fact: List, value: List) => fact.every((f) => value.includes(f))),
  is: operator(['boolean'], false, (fact, value) => fact === value),
};
