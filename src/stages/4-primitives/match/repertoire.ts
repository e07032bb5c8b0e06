import { prepareMeaning, type Meaning } from './meaning.ts';
import type { Hex } from '../../../model/hex.ts';
import type { EventMapping, Rulebook } from '../../../model/rulebook.ts';

/** Tag of meanings that are mere hints. */
const HINT = 'hint';

/** The meanings of one event or function. Most are never spoken: they are prepared when first asked for. */
export class Repertoire {
  /** Said by the transaction's own call only. */
  readonly rootOnly: boolean;
  readonly #specs: readonly EventMapping[];
  #provable: readonly Meaning[] | undefined;
  #hints: readonly Meaning[] | undefined;

  constructor(specs: readonly EventMapping[], rootOnly: boolean) {
    this.rootOnly = rootOnly;
    this.#specs = specs;
  }

  /** Tried first. */
  get provable(): readonly Meaning[] {
    return (this.#provable ??= this.#specs.filter(({ tags }) => !tags.includes(HINT)).map(prepareMeaning));
  }

  /** Those that rest on nothing but how the function is called. */
  get hints(): readonly Meaning[] {
    return (this.#hints ??= this.#specs.filter(({ tags }) => tags.includes(HINT)).map(prepareMeaning));
  }
}

/** What can be said: events by `<topic0>:<topic count>`, calls by selector. */
export interface Language {
  readonly events: ReadonlyMap<string, Repertoire>;
  readonly calls: ReadonlyMap<Hex, Repertoire>;
}

const LANGUAGES = new WeakMap<Rulebook, Language>();

/** Prepared once per rulebook. */
export function languageOf(rulebook: Rulebook): Language {
  let language = LANGUAGES.get(rulebook);
  if (!language) {
    const events = new Map(
      [...rulebook.events].map(([key, { meanings }]) => [key, new Repertoire(meanings, false)]),
    );
    const calls = new Map(
      [...rulebook.calls].map(([selector, { meanings, depth }]) => [
        selector,
        new Repertoire(meanings, depth === 'root'),
      ]),
    );
    LANGUAGES.set(rulebook, (language = { events, calls }));
  }
  return language;
}
