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

/** Traits the vocabulary declares for a motif kind; all off for an unknown kind. */
export function kindOf({ motifKinds }: Pick<Rulebook, 'motifKinds'>, kind: string): MotifKindSpec {
  return motifKinds.get(kind) ?? { kind, title: kind, fragment: null, position: null, ...NO_TRAITS };
}

/** Whether motifs of the kind trade one asset for another at one venue. */
export function isSwap({ trade }: MotifTraits): boolean {
  return trade === 'swap';
}
