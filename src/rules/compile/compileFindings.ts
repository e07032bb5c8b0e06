import { FINDING_FACTS, stepFact } from '../../lib/findingFacts.ts';
import type { FindingRule, FindingStep } from '../../model/finding.ts';
import { compileCondition } from './compileIntents.ts';
import { didYouMean } from './didYouMean.ts';
import { parseSignature } from './signature.ts';
import { Spot, type RuleItem } from './ruleItem.ts';
import { checkBuilds, examplesOf } from '../lint/checkExamples.ts';
import type { FindSignature } from '../exampleNames.ts';
import type { Vocabulary } from './compileVocabulary.ts';
import type { RawFinding } from '../../model/generated/rules.ts';

/** Compiles the finding rules in force, by slug. */
export function compileFindings(
  items: readonly RuleItem<RawFinding>[],
  words: Pick<Vocabulary, 'motifKinds' | 'intentKinds'>,
  find: FindSignature,
): FindingRule[] {
  return items.map((item) => {
    const spot = new Spot(item);
    const raw = item.value;
    const steps = spot.each('steps', raw.steps).map(([step, at]) => compileStep(at, step, words));
    const names = steps.map(({ name }) => name);
    const facts = new Map([...FINDING_FACTS, ...names.map(stepFact)].map((fact) => [fact.name, fact]));
    for (const [step, at] of spot.each('profit', raw.profit)) checkStep(at, step, names);
    if (raw.loss) checkStep(spot.at('loss', 'of'), raw.loss.of, names);
    checkBlocks(spot, raw, find);
    return {
      slug: raw.slug,
      version: raw.version,
      status: raw.status,
      finding: raw.finding,
      shared: raw.shared ?? 'venue',
      steps,
      when: compileCondition(spot.at('when'), raw.when, facts),
      proven: compileCondition(spot.at('proven'), raw.proven, facts),
      confidence: raw.confidence,
      outside: raw.outside ?? [],
      profit: raw.profit ?? [],
      loss: raw.loss
        ? {
            of: raw.loss.of,
            topic0: spot.at('loss', 'reserves').take(parseSignature('event', raw.loss.reserves))?.id ?? '',
          }
        : null,
      income: raw.income ?? false,
    };
  });
}

type RawStep = NonNullable<RawFinding['steps']>[number];

function compileStep(
  spot: Spot,
  raw: RawStep,
  { motifKinds, intentKinds }: Pick<Vocabulary, 'motifKinds' | 'intentKinds'>,
): FindingStep {
  const known = new Set([...motifKinds.keys(), ...intentKinds.keys()]);
  for (const [kind, at] of spot.each('kinds', raw.kinds)) at.known('unknown_motif_kind', kind, known);
  for (const [kind, at] of spot.each('within', raw.within)) at.known('unknown_motif_kind', kind, motifKinds);
  const defaults = { entity: 'any', direction: 'any', many: false, next: false } as const;
  return { ...defaults, ...raw, kinds: new Set(raw.kinds), within: new Set(raw.within) };
}

function checkStep(spot: Spot, step: string, names: readonly string[]): void {
  if (!names.includes(step)) spot.report('bad_value', `no step ${didYouMean(step, names)}`);
}

function checkBlocks(spot: Spot, raw: RawFinding, find: FindSignature): void {
  for (const [{ transactions }, at] of examplesOf(spot, raw))
    for (const [i, one] of transactions.entries()) checkBuilds(at.at('transactions', i), one, find, i);
}
