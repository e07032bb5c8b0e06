import { describe, expect, it } from 'vitest';
import { analyzeRaw } from '../../src/analyze.ts';
import { buildExample } from '../../src/rules/example.ts';
import { SHIPPED_RULES } from '../../src/rules/read/listFiles.ts';
import { drawnExamples } from '../../src/tools/cli/rules/draw/drawnExamples.ts';
import { forgedTwin } from '../../src/tools/cli/rules/madeUp.ts';
import { openSoundRuleset } from '../../src/tools/cli/rules/rulesets.ts';

const ruleset = openSoundRuleset([SHIPPED_RULES], true);
const { rulebook } = ruleset;
/** Categories of intents by which somebody's holdings change. */
const ECONOMIC = new Set(['trade', 'liquidity', 'lending', 'staking', 'vault', 'bridge', 'nft', 'mev']);
/** A request may be no more than a word. */
const REQUEST = 'WithdrawalRequest';
const MOVING = new Set(['increase', 'decrease', 'liquidate', 'collect', 'migrate']);

const stored = ruleset.examples.flatMap(({ value }) =>
  value.examples.map((example) => ({ shape: value.shape, example })),
);
const drawn = ruleset.shapes.flatMap((item) =>
  drawnExamples(item, ruleset).map(({ example }) => ({ shape: item.value.slug, example })),
);
const examples = [...stored, ...drawn].filter(({ example }) => (example.expect.motifs ?? []).length > 0);
const moving = examples.filter(({ example }) =>
  example.expect.motifs!.some(({ kind }) => {
    const spec = rulebook.motifKinds.get(kind);
    return spec?.trade !== null || MOVING.has(spec.position?.effect ?? '');
  }),
);

describe('every event and call that says value moved, said by a stranger while nothing moves', () => {
  it('are most of the examples', () => expect(moving.length).toBeGreaterThan(650));

  it('makes no economic headline and no position', async () => {
    const believed: string[] = [];
    for (const { shape, example } of moving) {
      const find = ruleset.signatureNames(shape);
      const { raw, context } = buildExample(forgedTwin(example).transaction!, find);
      const { classification, position_effects: positions } = await analyzeRaw(raw, context, rulebook);
      const told = positions.flatMap(({ category, effect }) =>
        MOVING.has(effect) ? [`${category} ${effect}`] : [],
      );
      if (
        (ECONOMIC.has(classification.category ?? '') && classification.intent_kind !== REQUEST) ||
        told.length > 0
      )
        believed.push(`${shape}, ${example.name}: ${classification.intent_kind} ${told.join(', ')}`);
    }
    expect(believed).toEqual([]);
  });
});
