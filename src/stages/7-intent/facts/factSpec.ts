import type { FactValue } from '../../../model/intent.ts';
import type { SubjectView } from './subjectView.ts';

/**
 * `count`: a non-negative safe integer. `enum`: one of `values`. `list`: distinct strings, sorted. Never an
 * amount.
 */
type FactType = 'count' | 'boolean' | 'enum' | 'list';

export interface FactSpec {
  readonly name: string;
  readonly type: FactType;
  /** Closed for `enum`; the first is the default in examples. */
  readonly values?: readonly string[];
  /** What the words of a list are. */
  readonly of?: 'motif_kind' | 'protocol' | 'entity_tag' | 'motif_tag';
  readonly doc: string;
  readonly compute: (view: SubjectView) => FactValue;
}

export function count(name: string, doc: string, compute: (view: SubjectView) => number): FactSpec {
  return { name, type: 'count', doc, compute };
}

export function flag(name: string, doc: string, compute: (view: SubjectView) => boolean): FactSpec {
  return { name, type: 'boolean', doc, compute };
}

export function oneOf<const V extends readonly string[]>(
  name: string,
  values: V,
  doc: string,
  compute: (view: SubjectView) => V[number],
): FactSpec {
  return { name, type: 'enum', values, doc, compute };
}

/** Lists of one kind of words: duplicates removed and sorted, so that equal transactions give equal facts. */
function listOf(of: NonNullable<FactSpec['of']>) {
  return (name: string, doc: string, compute: (view: SubjectView) => readonly string[]): FactSpec => ({
    name,
    type: 'list',
    of,
    doc,
    compute: (view) => distinct(compute(view)),
  });
}

export const kinds = listOf('motif_kind');
export const protocols = listOf('protocol');
export const entityTags = listOf('entity_tag');
export const motifTags = listOf('motif_tag');

function distinct(words: readonly string[]): readonly string[] {
  if (words.length < 2) return words;
  return allEqual(words) ? [words[0]!] : [...new Set(words)].sort();
}

function allEqual(words: readonly string[]): boolean {
  for (const word of words) if (word !== words[0]) return false;
  return true;
}
