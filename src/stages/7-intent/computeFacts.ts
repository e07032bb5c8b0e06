import { FactSheet } from './factSheet.ts';
import type { FactValue } from './facts/factSpec.ts';
import type { SubjectView } from './facts/subjectView.ts';

/** The wanted facts about one candidate, and no others. Throws as `FactSheet.value`. */
export function computeFacts(view: SubjectView, wanted: Iterable<string>): Map<string, FactValue> {
  return new FactSheet(view).select(wanted);
}
