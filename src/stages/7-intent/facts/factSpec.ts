import type { FactDeclaration, FactValue, WordKind } from '../../../model/intent.ts';
import type { SubjectView } from './subjectView.ts';

/** A fact with the way to compute it. */
export interface FactSpec extends FactDeclaration {
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

/** A text of any content but of one form; empty where there is none. */
export function text(
  name: string,
  pattern: string,
  doc: string,
  compute: (view: SubjectView) => string,
): FactSpec {
  return { name, type: 'enum', pattern, doc, compute };
}

/** Lists of one kind of words: duplicates removed and sorted, so that equal transactions give equal facts. */
function listOf(of: WordKind) {
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
export const accountRoles = listOf('account_role');
export const assetClasses = listOf('asset_class');
export const tokenSymbols = listOf('token_symbol');

function distinct(words: readonly string[]): readonly string[] {
  return words.length < 2 ? words : [...new Set(words)].sort();
}
