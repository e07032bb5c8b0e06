import { factAt, placeOf } from './facts/registry.ts';
import type { FactValue } from './facts/factSpec.ts';
import type { SubjectView } from './facts/subjectView.ts';

/** The facts about one candidate, each computed when first asked for. */
export class FactSheet {
  private readonly view: SubjectView;
  /** By the facts' places in the registry. */
  private readonly values: (FactValue | undefined)[] = [];
  constructor(view: SubjectView) {
    this.view = view;
  }

  /** The fact at a place of the registry. */
  at(place: number): FactValue {
    return (this.values[place] ??= factAt(place).compute(this.view));
  }

  /** @throws Error for a name outside the registry; the loader refuses such rules, so this is a defect. */
  value(name: string): FactValue {
    return this.at(placeOf(name));
  }

  /** The named facts, in the order of their names' first mention. */
  select(names: Iterable<string>): Map<string, FactValue> {
    return new Map([...names].map((name) => [name, this.value(name)]));
  }
}
