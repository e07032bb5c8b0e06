import type { Address } from '../../model/hex.ts';
import type { ProtocolRef } from '../../model/primitive.ts';
import type { MeaningSpec, ParamSpec, ProtocolSpec } from '../../model/rulebook.ts';

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
}

/** Tag of meanings that are mere hints. */
const HINT = 'hint';

/** By the list of meanings that an event or function has in the rulebook. */
const REPERTOIRES = new WeakMap<readonly MeaningSpec[], Repertoire>();

/** Found once per list of the rulebook. */
export function repertoireOf(meanings: readonly MeaningSpec[]): Repertoire {
  let repertoire = REPERTOIRES.get(meanings);
  if (!repertoire) {
    const isHint = ({ spec }: Meaning): boolean => spec.tags.includes(HINT);
    const all = meanings.map(prepare);
    REPERTOIRES.set(meanings, (repertoire = { provable: all.filter((m) => !isHint(m)), hints: all.filter(isHint) }));
  }
  return repertoire;
}

function prepare(spec: MeaningSpec): Meaning {
  const listed = new Map<Address, ProtocolRef>();
  for (const { slug, version, addresses } of spec.protocols) {
    for (const address of addresses) if (!listed.has(address)) listed.set(address, { slug, version, matchedBy: 'address' });
  }
  const creators = spec.protocols.filter(({ create2 }) => create2 !== null);
  return { spec, params: new Map(spec.params.map((p) => [p.name, p])), listed, creators, open: spec.anyEmitter || creators.length > 0 };
}
