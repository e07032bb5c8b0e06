import { ACTOR_FACTS } from './actorFacts.ts';
import { ALLOWANCE_FACTS, ASSET_FACTS } from './assetFacts.ts';
import { factsOfKind, MOTIF_FACTS } from './motifFacts.ts';
import { SWAP_FACTS } from './swapFacts.ts';
import { FLOW_FACTS, TX_FACTS } from './txFacts.ts';
import type { Facts, FactSpec } from './factSpec.ts';

/** Every fact a rule may use besides those of each motif kind (`motifFacts`): rules can name nothing else. */
const FACTS: readonly FactSpec[] = named({
  ...TX_FACTS,
  ...FLOW_FACTS,
  ...ACTOR_FACTS,
  ...ASSET_FACTS,
  ...ALLOWANCE_FACTS,
  ...SWAP_FACTS,
  ...MOTIF_FACTS,
});

function named(facts: Facts, prefix = ''): FactSpec[] {
  return Object.entries(facts).map(([name, fact]) => ({ name: `${prefix}${name}`, ...fact }));
}

const motifFacts = (kind: string): FactSpec[] => named(factsOfKind(kind), `motif.${kind}.`);

const KNOWN = new Map(FACTS.map((fact) => [fact.name, fact]));
const MOTIF_FACT = /^motif\.([a-z0-9_]+)\.[a-z_]+$/;

/** The fact of this name, or null. Motif kinds are open, so their facts are made when first asked for. */
export function findFact(name: string): FactSpec | null {
  const fixed = KNOWN.get(name);
  if (fixed) return fixed;
  const kind = MOTIF_FACT.exec(name)?.[1];
  const fact = kind === undefined ? undefined : motifFacts(kind).find((one) => one.name === name);
  if (fact) KNOWN.set(name, fact);
  return fact ?? null;
}

/** The facts against which the rulebook loader checks rules. */
export const FACT_VOCABULARY = { facts: FACTS, motifFacts };
