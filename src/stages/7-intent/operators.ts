import type { FactValue } from './facts/factSpec.ts';

type Test = (fact: never, value: never) => boolean;

/**
 * The comparison words of rules. Values arrive type-checked by the loader; the engine's own operators are not used,
 * because they compare strings as numbers and text by substring.
 */
export const OPERATORS: Readonly<Record<string, Test>> = {
  eq: (fact: FactValue, value: FactValue) => fact === value,
  ne: (fact: FactValue, value: FactValue) => fact !== value,
  gt: (fact: number, value: number) => fact > value,
  gte: (fact: number, value: number) => fact >= value,
  lt: (fact: number, value: number) => fact < value,
  lte: (fact: number, value: number) => fact <= value,
  in: (fact: FactValue, value: readonly FactValue[]) => value.includes(fact),
  not_in: (fact: FactValue, value: readonly FactValue[]) => !value.includes(fact),
  includes: (fact: readonly string[], value: string) => fact.includes(value),
  includes_any: (fact: readonly string[], value: readonly string[]) => shareAny(fact, value),
  includes_none: (fact: readonly string[], value: readonly string[]) => !shareAny(fact, value),
  subset_of: (fact: readonly string[], value: readonly string[]) => fact.every((f) => value.includes(f)),
  is: (fact: boolean, value: boolean) => fact === value,
};

function shareAny(words: readonly string[], others: readonly string[]): boolean {
  for (const word of words) if (others.includes(word)) return true;
  return false;
}
