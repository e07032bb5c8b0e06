import type { FactDeclaration, FactIndex, FactValue } from '../../model/intent.ts';
import { hintFor } from './didYouMean.ts';

/**
 * The facts rules may use: a fixed list and a family per motif kind. Handed in, so that the rulebook knows no
 * stage.
 */
export interface FactVocabulary {
  readonly facts: readonly FactDeclaration[];
  readonly motifFacts: (kind: string) => readonly FactDeclaration[];
}

/** All facts by name, the families expanded over the motif kinds of the vocabulary. */
export function indexFacts(vocabulary: FactVocabulary, motifKinds: Iterable<string>): FactIndex {
  const all = [...vocabulary.facts];
  for (const kind of motifKinds) all.push(...vocabulary.motifFacts(kind));
  return new Map(all.map((fact) => [fact.name, fact]));
}

/** A fact's value as people read it. */
export function show(value: unknown): string {
  return Array.isArray(value) ? `[${value.join(', ')}]` : String(value);
}

/** Default of a fact that an example leaves out. */
export function defaultFact(fact: FactDeclaration): FactValue {
  if (fact.type === 'count') return 0;
  if (fact.type === 'boolean') return false;
  return fact.type === 'list' ? [] : (fact.values?.[0] ?? '');
}

/** Why a value cannot be a value of the fact; null when it can. */
export function factValueFault(fact: FactDeclaration, value: unknown): string | null {
  const oneOf = (text: unknown): string | null =>
    typeof text !== 'string'
      ? `${JSON.stringify(text)} should be text`
      : fact.values && !fact.values.includes(text)
        ? `"${text}"${hintFor(text, fact.values)} is not one of ${fact.values.join(', ')}`
        : fact.pattern !== undefined && !new RegExp(fact.pattern).test(text)
          ? `"${text}" does not have the form ${fact.pattern}`
          : null;
  if (fact.type === 'count')
    return Number.isSafeInteger(value) && (value as number) >= 0
      ? null
      : `${JSON.stringify(value)} should be a count (integer of at least 0)`;
  if (fact.type === 'boolean')
    return typeof value === 'boolean' ? null : `${JSON.stringify(value)} should be true or false`;
  if (fact.type === 'enum') return oneOf(value);
  if (!Array.isArray(value)) return `${JSON.stringify(value)} should be a list`;
  return value.map(oneOf).find((f) => f !== null) ?? null;
}
