import { memoize } from '../../lib/memo.ts';
import { parseLabel, type LabelPart } from '../../lib/labelTemplate.ts';
import { fillPlaceholder, type LabelFormat, type LabelSubject } from './labelWords.ts';
import type { SubjectView } from './facts/subjectView.ts';
import type { Motif } from '../../model/motif.ts';
import type { IntentRule } from '../../model/rulebook.ts';

/** A label, and the placeholders that had no value for it. */
export interface RenderedLabel {
  readonly text: string;
  readonly unfilled: readonly string[];
}

/** Rules have a few hundred labels between them. */
const templateOf = memoize(
  (label: string): readonly LabelPart[] => parseLabel(label) ?? [{ text: label }],
  1_000,
);

/**
 * Fills a rule's label. An optional segment with a placeholder that has no value is left out; where another
 * one has none the fallback is filled instead, as where nothing is left before a segment that only adds to
 * it. No label shows a hole.
 */
export function renderLabel(
  rule: Pick<IntentRule, 'label' | 'labelFallback'>,
  view: SubjectView,
  motifs: readonly Motif[],
  format: LabelFormat,
): RenderedLabel {
  const subject: LabelSubject = { view, motifs, format };
  const unfilled: string[] = [];
  const full = render(templateOf(rule.label), subject, unfilled);
  const text =
    full === null || !/^\S/.test(full) ? render(templateOf(rule.labelFallback), subject, unfilled) : full;
  return { text: text ?? rule.labelFallback, unfilled: [...new Set(unfilled)] };
}

/** Null where a placeholder outside optional segments has no value. */
function render(parts: readonly LabelPart[], subject: LabelSubject, unfilled: string[]): string | null {
  let text = '';
  for (const part of parts) {
    if ('text' in part) text += part.text;
    else if ('optional' in part) text += render(part.optional, subject, unfilled) ?? '';
    else {
      const value = fillPlaceholder(part.placeholder, subject);
      if (value === null) {
        unfilled.push(part.placeholder);
        return null;
      }
      text += value;
    }
  }
  return text;
}
