/**
 * The pipeline, in the order in which it runs: start reading here.
 * Stage 1, the only one that does I/O, is called in `createAnalyze.ts`; all that stands here is a pure function of the
 * node's answers and the rulebook.
 */
import { labelFormat } from './value/labelFormat.ts';
import { canonicalize } from './stages/2-canonical/canonicalize.ts';
import { readBlockHeader } from './stages/2-canonical/readBlockHeader.ts';
import { buildValueFlow } from './stages/3-flow/buildValueFlow.ts';
import { findPrimitives } from './stages/4-primitives/findPrimitives.ts';
import { buildMotifs } from './stages/5-motifs/buildMotifs.ts';
import { findScopes } from './stages/5-motifs/scopes.ts';
import { subjectOf } from './stages/7-intent/intentInput.ts';
import { matchIntents } from './stages/7-intent/matchIntents.ts';
import { electActor } from './stages/6-actor/electActor.ts';
import { computeEconomics } from './stages/8-economics/computeEconomics.ts';
import { buildReport, type ReportInput } from './stages/9-report/buildReport.ts';
import type { Attribution } from './model/attribution.ts';
import type { BlockHeader, CanonicalTx } from './model/canonicalTx.ts';
import type { Motif } from './model/motif.ts';
import type { TxReport } from './model/generated/report.ts';
import type { Rulebook } from './model/rulebook.ts';
import type { RawContext, RawTransaction } from './model/upstream.ts';
import type { ValueFlow } from './model/valueFlow.ts';

/** Told after each stage. */
export type OnStage = (stage: string) => void;

/** Version of this service, reported as `engine.version`. */
export const ENGINE_VERSION = '1.0.0';

/** The node's answers in one shape, whatever dialect it spoke: all that later stages read of them. */
export interface Read {
  readonly tx: CanonicalTx;
  readonly header: BlockHeader;
}

/** What the stages up to attribution make of it: who did what, before any rule has spoken. */
export interface Examined extends Read {
  readonly flow: ValueFlow;
  readonly motifs: readonly Motif[];
  readonly attribution: Attribution;
  /** How many primitives the motifs were made of. */
  readonly primitives: number;
}

/** Stage 2. Throws `AnalysisError` when the answers are malformed or contradict each other. */
export function read(raw: RawTransaction, context: RawContext, onStage: OnStage = () => {}): Read {
  const tx = canonicalize(raw);
  const header = readBlockHeader(context.block, tx);
  onStage('canonical');
  return { tx, header };
}

/** Stages 3 to 5 and 7. */
export function examine(
  { tx, header }: Read,
  context: RawContext,
  rulebook: Rulebook,
  onStage: OnStage = () => {},
): Examined {
  const flow = buildValueFlow(tx, rulebook);
  onStage('flow');
  const primitives = findPrimitives(tx, flow, rulebook);
  onStage('primitives');
  const motifs = buildMotifs({ tx, flow, primitives, rulebook, coinbase: header.coinbase });
  onStage('motifs');
  const attribution = electActor({ tx, flow, motifs, rulebook, header, delegations: context.delegations });
  onStage('attribution');
  return { tx, header, flow, motifs, attribution, primitives: primitives.length };
}

/** Stages 3 to 8: all that the report is written from. */
export async function judge(
  answers: Read,
  context: RawContext,
  rulebook: Rulebook,
  onStage: OnStage = () => {},
): Promise<ReportInput> {
  const { tx, header, flow, motifs, attribution, primitives } = examine(answers, context, rulebook, onStage);
  const verdict = await matchIntents(
    { tx, flow, motifs, rulebook, subject: subjectOf(attribution) },
    labelFormat(context.tokens, rulebook),
  );
  onStage('intents');
  const economics = computeEconomics({ tx, header, flow, motifs, attribution, context, verdict, rulebook });
  onStage('economics');
  const counts = { scopes: findScopes(tx, motifs, flow, rulebook).length, primitives };
  return {
    tx,
    header,
    flow,
    motifs,
    attribution,
    context,
    verdict,
    economics,
    rulebook,
    counts,
    engineVersion: ENGINE_VERSION,
  };
}

/** From the node's answers to the report. Throws as `read` does. */
export async function analyzeRaw(
  raw: RawTransaction,
  context: RawContext,
  rulebook: Rulebook,
): Promise<TxReport> {
  return buildReport(await judge(read(raw, context), context, rulebook));
}
