/** The pipeline, in order: start reading here. Only stage 1 does I/O; `service/analyzer.ts` calls it. */
import { labelFormat } from './value/labelFormat.ts';
import { findSuspects, nameTokens, type Suspects } from './value/suspectTokens.ts';
import { canonicalize } from './stages/2-canonical/canonicalize.ts';
import { readBlockHeader } from './evm/blockHeader.ts';
import { buildValueFlow } from './stages/3-flow/buildValueFlow.ts';
import { findPrimitives } from './stages/4-primitives/findPrimitives.ts';
import { buildMotifs } from './stages/5-motifs/buildMotifs.ts';
import { nameVenues } from './stages/5-motifs/nameVenues.ts';
import { findScopes } from './stages/5-motifs/scopes.ts';
import { electActor } from './stages/6-actor/electActor.ts';
import { subjectOf, type Subject } from './stages/7-intent/intentInput.ts';
import { matchIntents } from './stages/7-intent/matchIntents.ts';
import { computeEconomics } from './stages/8-economics/computeEconomics.ts';
import { buildReport, type ReportInput } from './stages/9-report/buildReport.ts';
import type { Attribution } from './model/attribution.ts';
import type { BlockHeader, CanonicalTx } from './model/canonicalTx.ts';
import type { Motif } from './model/motif.ts';
import type { Primitive } from './model/primitive.ts';
import type { TxReport } from './model/generated/report.ts';
import type { Rulebook } from './model/rulebook.ts';
import type { RawContext, RawTransaction } from './model/upstream.ts';
import type { ValueFlow } from './model/valueFlow.ts';

/** Called after each stage. */
export type OnStage = (stage: string) => void;

/** Version of this service, reported as `engine.version`. */
export const ENGINE_VERSION = '2.23.0';

/** Stage 2: puts the node's answers in one shape, for every trace dialect. */
export interface Read {
  readonly tx: CanonicalTx;
  readonly header: BlockHeader;
}

/** Stages 3 to 6: motifs and actor, before any intent rule. */
export interface Examined extends Read {
  /** With the symbols of the rules, and the tokens marked that impersonate them. */
  readonly context: RawContext;
  readonly flow: ValueFlow;
  readonly suspects: Suspects;
  readonly primitives: readonly Primitive[];
  readonly motifs: readonly Motif[];
  readonly attribution: Attribution;
  /** The account that intent rules look at the transaction from. */
  readonly subject: Subject;
}

/** Every stage's output, from which the report is written. */
export type Analysis = Examined & ReportInput;

/** Throws `AnalysisError` when the answers are malformed or contradict each other. */
export function read(raw: RawTransaction, context: RawContext, onStage: OnStage = () => {}): Read {
  const tx = canonicalize(raw, context.authorities);
  const header = readBlockHeader(context.block, tx);
  onStage('canonical');
  return { tx, header };
}

export function examine(
  { tx, header }: Read,
  raw: RawContext,
  rulebook: Rulebook,
  onStage: OnStage = () => {},
): Examined {
  const tokens = nameTokens(raw.tokens, rulebook);
  const context = tokens === raw.tokens ? raw : { ...raw, tokens };
  const flow = buildValueFlow(tx, rulebook);
  const suspects = findSuspects(tx, flow, context, rulebook);
  onStage('flow');
  const primitives = findPrimitives(tx, flow, rulebook, context);
  onStage('primitives');
  const built = buildMotifs({ tx, flow, primitives, rulebook, coinbase: header.coinbase, suspects });
  const motifs = nameVenues(built, flow, context, rulebook);
  onStage('motifs');
  const { delegations, redelegated, nonces } = context;
  const input = { tx, flow, motifs, rulebook, header, delegations, redelegated, nonces, tokens, suspects };
  const attribution = electActor(input);
  onStage('attribution');
  const subject = subjectOf(attribution);
  return { tx, header, context, flow, suspects, primitives, motifs, attribution, subject };
}

/**
 * Stages 3 to 8. The raw answers may be let go of before: of a large transaction they are most of the memory.
 */
export async function judge(
  answers: Read,
  raw: RawContext,
  rulebook: Rulebook,
  onStage: OnStage = () => {},
): Promise<Analysis> {
  const examined = examine(answers, raw, rulebook, onStage);
  const { tx, header, context, flow, suspects, primitives, motifs, attribution, subject } = examined;
  const format = labelFormat(context.tokens, rulebook, suspects.mentioned, context.prices);
  const { stateless = false } = context;
  const asked = { tx, flow, motifs, rulebook, subject, header, suspects, stateless };
  const verdict = await matchIntents(asked, format);
  onStage('intents');
  const input = { tx, header, flow, context, attribution, motifs, verdict, suspects, rulebook };
  const economics = computeEconomics(input);
  onStage('economics');
  const counts = { scopes: findScopes(tx, motifs).length, primitives: primitives.length };
  // Not a spread: one that adds keys costs microseconds on Node 20.
  return Object.assign(examined, { verdict, economics, rulebook, counts, engineVersion: ENGINE_VERSION });
}

/** From the node's answers to the report. Throws as `read` does. */
export async function analyzeRaw(
  raw: RawTransaction,
  context: RawContext,
  rulebook: Rulebook,
): Promise<TxReport> {
  return buildReport(await judge(read(raw, context), context, rulebook));
}
