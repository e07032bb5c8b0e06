import { ACTOR_FACTS } from './actorFacts.ts';
import { motifFacts, MOTIF_FACTS } from './motifFacts.ts';
import { SWAP_FACTS } from './swapFacts.ts';
import { FLOW_FACTS, TX_FACTS } from './txFacts.ts';
import type { FactSpec } from './factSpec.ts';

/** Every fact a rule may use besides those each motif kind has (`motifFacts`). Closed: rules can name nothing else. */
export const FACTS: readonly FactSpec[] = [...TX_FACTS, ...FLOW_FACTS, ...ACTOR_FACTS, ...SWAP_FACTS, ...MOTIF_FACTS];

const FIXED = new Map(FACTS.map((fact) => [fact.name, fact]));
const BY_KIND = new Map<string, ReadonlyMap<string, FactSpec>>();
/** Facts found once, by name. Rules name them, so there are as many as rules use. */
const FOUND = new Map<string, FactSpec>();
const MOTIF_FACT = /^motif\.([a-z0-9_]+)\.[a-z]+$/;

/** The fact of this name, or null. Motif kinds are open, so their facts are made when first asked for. */
export function findFact(name: string): FactSpec | null {
  const found = FOUND.get(name) ?? FIXED.get(name) ?? motifFact(name);
  if (found) FOUND.set(name, found);
  return found;
}

function motifFact(name: string): FactSpec | null {
  const kind = MOTIF_FACT.exec(name)?.[1];
  if (kind === undefined) return null;
  let family = BY_KIND.get(kind);
  if (!family) BY_KIND.set(kind, (family = new Map(motifFacts(kind).map((fact) => [fact.name, fact]))));
  return family.get(name) ?? null;
}

/** What the rulebook loader checks rules against. */
export const FACT_VOCABULARY = { facts: FACTS, motifFacts };
