import type { Vocabulary } from '../compile/compileVocabulary.ts';
import { didYouMean } from '../compile/didYouMean.ts';
import { Spot, type ProblemSink, type RuleItem } from '../compile/ruleItem.ts';
import { buildExample } from '../example.ts';
import { ExampleError } from '../exampleArguments.ts';
import type { RawExample, RawExpectation, RawIntent, RawShape } from '../read/rawRules.ts';

/** Made-up transactions must be buildable, and expect only words of the vocabulary. */
export function checkExamples(
  shapes: readonly RuleItem<RawShape>[],
  intents: readonly RuleItem<RawIntent>[],
  words: Vocabulary,
  sink: ProblemSink,
): void {
  for (const item of shapes)
    for (const [i, example] of (item.value.examples ?? []).entries())
      checkExample(new Spot(item, sink, ['examples', i]), example, words);
  for (const item of intents)
    for (const side of ['match', 'near_miss'] as const)
      for (const [i, example] of (item.value.examples[side] ?? []).entries())
        checkExample(new Spot(item, sink, ['examples', side, i]), example, words);
}

function checkExample(spot: Spot, { transaction, expect }: RawExample, words: Vocabulary): void {
  if (transaction === undefined) return;
  try {
    buildExample(transaction);
  } catch (error) {
    if (!(error instanceof ExampleError)) throw error;
    spot.at('transaction', ...error.path).report('bad_example', error.message);
  }
  if (expect) checkExpectation(spot.at('expect'), expect, words);
}

function checkExpectation(spot: Spot, { intent, motifs }: RawExpectation, words: Vocabulary): void {
  if (intent !== undefined && !words.intentKinds.has(intent))
    spot.at('intent').report('unknown_intent_kind', didYouMean(intent, words.intentKinds.keys()));
  for (const [i, { kind }] of (motifs ?? []).entries())
    if (!words.motifKinds.has(kind))
      spot.at('motifs', i, 'kind').report('unknown_motif_kind', didYouMean(kind, words.motifKinds.keys()));
}
