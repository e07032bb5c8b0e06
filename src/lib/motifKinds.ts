import type { Rulebook } from '../model/rulebook.ts';
import type { MotifKindSpec, MotifTraits } from '../model/vocabulary.ts';

/** The traits of a kind that declares none. */
export const NO_TRAITS: MotifTraits = {
  venue: 'venue',
  plain: false,
  actsOnVenue: false,
  composite: false,
  trade: null,
  executes: null,
  allowance: false,
  carries: false,
  serves: null,
  dependent: false,
  fee: false,
  destroys: false,
  completedBy: null,
  closedFlow: null,
  submitter: false,
};

/** What the vocabulary declares of a motif kind, its traits included; a kind it does not have has none. */
export function kindOf({ motifKinds }: Pick<Rulebook, 'motifKinds'>, kind: string): MotifKindSpec {
  return motifKinds.get(kind) ?? { kind, title: kind, fragment: null, position: null, ...NO_TRAITS };
}
