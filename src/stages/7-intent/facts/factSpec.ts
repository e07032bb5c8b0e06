import type { FactDeclaration, FactValue, WordKind } from '../../../model/intent.ts';
import type { SubjectView } from './subjectView.ts';

/** A fact with the way to compute it. */
export interface FactSpec extends FactDeclaration {
  readonly compute: (view: SubjectView) => FactValue;
}

/** Facts by name. */
export type Facts = Readonly<Record<string, Omit<FactSpec, 'name'>>>;
type Fact = Facts[string];

type Counted = number | { readonly length: number } | { readonly size: number };

/** A number, or how many there are of these. */
export function count(doc: string, compute: (view: SubjectView) => Counted): Fact {
  const sizeOf = (all: Counted): number =>
    typeof all === 'number' ? all : 'size' in all ? all.size : all.length;
  return { type: 'count', doc, compute: (view) => sizeOf(compute(view)) };
}

export function flag(doc: string, compute: (view: SubjectView) => boolean): Fact {
  return { type: 'boolean', doc, compute };
}

export function oneOf<const V extends readonly string[]>(
  values: V,
  doc: string,
  compute: (view: SubjectView) => V[number],
): Fact {
  return { type: 'enum', values, doc, compute };
}

/** A text of any content but of one form; empty where there is none. */
export function text(pattern: string, doc: string, compute: (view: SubjectView) => string): Fact {
  return { type: 'enum', pattern, doc, compute };
}

/** Lists of one kind of words: duplicates removed and sorted, so that equal transactions give equal facts. */
function listOf(of: WordKind) {
  return (doc: string, compute: (view: SubjectView) => readonly string[]): Fact => ({
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
