import { didYouMean } from '../compile/didYouMean.ts';
import type { RawHead } from '../read/rawRules.ts';
import type { ProblemSink, RuleItem } from '../compile/ruleItem.ts';

/** Deprecated and superseding rules: the named ones must exist, and no rule supersedes itself indirectly. */
export function checkLifecycle(
  items: readonly RuleItem<RawHead & { readonly supersedes?: readonly string[] }>[],
  known: ReadonlySet<string>,
  sink: ProblemSink,
): void {
  const beats = new Map(items.map((item) => [item.value.slug, item.value.supersedes ?? []]));
  for (const item of items) {
    checkReplacement(item, known, sink);
    const { slug, supersedes } = item.value;
    for (const [i, other] of (supersedes ?? []).entries()) {
      if (!known.has(other))
        sink.add(item, ['supersedes', i], 'unknown_replacement', didYouMean(other, known));
      else if (reaches(other, slug, beats))
        sink.add(item, ['supersedes', i], 'supersedes_cycle', `${slug} and ${other}`);
    }
  }
}

function checkReplacement(item: RuleItem<RawHead>, known: ReadonlySet<string>, sink: ProblemSink): void {
  const { slug, status, replaced_by: replacedBy } = item.value;
  if (status === 'deprecated' && replacedBy === undefined)
    sink.add(item, ['status'], 'deprecated_without_replacement', slug);
  if (status !== 'deprecated' && replacedBy !== undefined)
    sink.add(item, ['replaced_by'], 'replacement_without_deprecation', slug);
  if (replacedBy !== undefined && (!known.has(replacedBy) || replacedBy === slug))
    sink.add(item, ['replaced_by'], 'unknown_replacement', didYouMean(replacedBy, known));
}

function reaches(from: string, goal: string, beats: ReadonlyMap<string, readonly string[]>): boolean {
  const seen = new Set<string>();
  const open = [from];
  for (let slug = open.pop(); slug !== undefined; slug = open.pop()) {
    if (slug === goal) return true;
    if (seen.has(slug)) continue;
    seen.add(slug);
    open.push(...(beats.get(slug) ?? []));
  }
  return false;
}
