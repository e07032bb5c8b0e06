import { findFact } from './facts/registry.ts';
import type { FactValue } from '../../model/intent.ts';
import type { SubjectView } from './facts/subjectView.ts';

/** The facts about one candidate, each computed when first asked for. */
export class FactSheet {
  readonly #view: SubjectView;
  readonly #values = new Map<string, FactValue>();
  constructor(view: SubjectView) {
    this.#view = view;
  }

  /** @throws Error for a name outside the registry; the loader refuses such rules, so this is a defect. */
  value(name: string): FactValue {
    let value = this.#values.get(name);
    if (value === undefined) {
      const fact = findFact(name);
      if (!fact) throw new Error(`unknown fact ${name}`);
      this.#values.set(name, (value = fact.compute(this.#view)));
    }
    return value;
  }

  /** The named facts, in the order of their names' first mention. */
  select(names: Iterable<string>): Map<string, FactValue> {
    return new Map([...names].map((name) => [name, this.value(name)]));
  }
}
