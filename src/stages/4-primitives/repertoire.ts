import type { Address, Hex } from '../../model/hex.ts';
import type { ProtocolRef } from '../../model/primitive.ts';
import type { MeaningSpec, ParamSpec, ProtocolSpec, Rulebook } from '../../model/rulebook.ts';

/** A meaning, with what is worked out of it once per rulebook. */
export interface Meaning {
  readonly spec: MeaningSpec;
  readonly params: ReadonlyMap<string, ParamSpec>;
  /** The contracts that rules list as speaking it. */
  readonly listed: ReadonlyMap<Address, ProtocolRef>;
  /** Protocols that speak it whose pools prove who created them. */
  readonly creators: readonly ProtocolSpec[];
  /** Whether contracts that no rule lists may speak it: those of a family, or ones that prove their creator. */
  readonly open: boolean;
}

/** The meanings of one event or function. */
export interface Repertoire {
  /** Tried first. */
  readonly provable: readonly Meaning[];
  /** Those that rest on nothing but how the function is called. */
  readonly hints: readonly Meaning[];
  /** Said by the transaction's own call only. */
  readonly rootOnly: boolean;
}

/** What can be said: events by `<topic0>:<topic count>`, calls by selector. */
export interface Language {
  readonly events: ReadonlyMap<string, Repertoire>;
  readonly calls: ReadonlyMap<Hex, Repertoire>;
}

/** Tag of meanings that are mere hints. */
const HINT = 'hint';

const LANGUAGES = new WeakMap<Rulebook, Language>();

/** Prepared once per rulebook. */
export function languageOf(rulebook: Rulebook): Language {
  let language = LANGUAGES.get(rulebook);
  if (!language) {
    const events = new Map([...rulebook.events].map(([key, { meanings }]) => [key, repertoire(meanings, false)]));
    const calls = new Map([...rulebook.calls].map(([selector, { meanings, depth }]) => [selector, repertoire(meanings, depth === 'root')]));
    LANGUAGES.set(rulebook, (language = { events, calls }));
  }
  return language;
}

function repertoire(meanings: readonly MeaningSpec[], rootOnly: boolean): Repertoire {
  const isHint = ({ spec }: Meaning): boolean => spec.tags.includes(HINT);
  const all = meanings.map(prepare);
  return { provable: all.filter((m) => !isHint(m)), hints: all.filter(isHint), rootOnly };
}

function prepare(spec: MeaningSpec): Meaning {
  const listed = new Map<Address, ProtocolRef>();
  for (const { slug, version, addresses } of spec.protocols) {
    for (const address of addresses) if (!listed.has(address)) listed.set(address, { slug, version, matchedBy: 'address' });
  }
  const creators = spec.protocols.filter(({ create2 }) => create2 !== null);
  return {
    spec, params: new Map(spec.params.map((p) => [p.name, p])),
    listed: listed.size > 0 ? listed : NOBODY, creators: creators.length > 0 ? creators : NONE,
    open: spec.anyEmitter || creators.length > 0,
  };
}

/** One for all that have none. */
const NOBODY: ReadonlyMap<Address, ProtocolRef> = new Map();
const NONE: readonly ProtocolSpec[] = [];
