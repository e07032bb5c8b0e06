import { ACTOR_FACTS } from './actorFacts.ts';
import { motifFacts, MOTIF_FACTS } from './motifFacts.ts';
import { SWAP_FACTS } from './swapFacts.ts';
import { FLOW_FACTS, TX_FACTS } from './txFacts.ts';
import type { FactSpec } from './factSpec.ts';

/** Every fact a rule may use besides those each motif kind has (`motifFacts`). Closed: rules can name nothing else. */
export const FACTS: readonly FactSpec[] = [
  ...TX_FACTS,
  ...FLOW_FACTS,
  ...ACTOR_FACTS,
  ...SWAP_FACTS,
  ...MOTIF_FACTS,
];

const FIXED = new Map(FACTS.map((fact) => [fact.name, fact]));
const MOTIF_FACT = /^motif\.([a-z0-9_]+)\.[a-z]+$/;

/** Facts asked for by name, in the order in which they first were, and their places. Rules name them, so there are as many as rules use. */
const FOUND: FactSpec[] = [];
const PLACES = new Map<string, number>();

/** The fact of this name, or null. Motif kinds are open, so their facts are made when first asked for. */
export function findFact(name: string): FactSpec | null {
  const place = PLACES.get(name);
  return place === undefined ? (FIXED.get(name) ?? motifFact(name)) : FOUND[place]!;
}

/**
 * A number for the fact of this name, which finds it quicker than its name does.
 * @throws Error where there is no such fact.
 */
export function placeOf(name: string): number {
  let place = PLACES.get(name);
  if (place === undefined) {
    const fact = findFact(name);
    if (!fact) throw new Error(`unknown fact ${name}`);
    PLACES.set(name, (place = FOUND.push(fact) - 1));
  }
  return place;
}

/** The fact to which `placeOf` sent this number. */
export function factAt(place: number): FactSpec {
  return FOUND[place]!;
}

function motifFact(name: string): FactSpec | null {
  const kind = MOTIF_FACT.exec(name)?.[1];
  return kind === undefined ? null : (motifFacts(kind).find((fact) => fact.name === name) ?? null);
}

/** What the rulebook loader checks rules against. */
export const FACT_VOCABULARY = { facts: FACTS, motifFacts };
