import { formatAmount } from '../../value/amount.ts';
import { cleanText } from '../../value/display.ts';
import { displayMoney } from '../../value/money.ts';
import type { Attribution } from '../../model/attribution.ts';
import type { BlockHeader, CanonicalTx } from '../../model/canonicalTx.ts';
import type { Address } from '../../model/hex.ts';
import type { Economics } from '../../model/economics.ts';
import type { CaveatCode, Verdict } from '../../model/intent.ts';
import type { Motif } from '../../model/motif.ts';
import type * as wire from '../../model/generated/report.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { RawContext } from '../../model/upstream.ts';
import type { Suspects } from '../../value/suspectTokens.ts';
import type { ValueFlow } from '../../model/valueFlow.ts';
import { executionOutcome } from '../../value/frames.ts';
import { inventoryDeltas } from './inventoryDeltas.ts';
import { positionEffect } from './positionEffects.ts';
import { ReportWriter } from './reportWriter.ts';
import { writeAttribution, accountNames } from './writeAttribution.ts';
import { writeEconomics } from './writeEconomics.ts';
import { writeAllowance } from './writeAllowances.ts';
import { foldMotifs } from './foldMotifs.ts';
import { frontEnds } from './frontEnds.ts';
import { writeFailure, writeTransaction } from './writeTransaction.ts';
import { writeMotif } from './writeMotifs.ts';

const CHAIN: wire.Chain = { id: 1, name: 'Ethereum Mainnet' };
const MAX_LABEL = 300;

/**
 * Lists of a report that grow with its transaction, and the most entries of each part of a report:
 * subjects, motifs, movements.
 */
export const LISTS = ['inventory_deltas', 'position_effects', 'motifs', 'movements', 'allowances'] as const;
const PART = 1_000;

export interface ReportInput {
  readonly tx: CanonicalTx;
  readonly header: BlockHeader;
  readonly flow: ValueFlow;
  /** Left out: nothing is suspect. */
  readonly suspects?: Suspects;
  readonly context: RawContext;
  readonly motifs: readonly Motif[];
  readonly verdict: Verdict;
  readonly attribution: Attribution;
  readonly economics: Economics;
  readonly rulebook: Pick<
    Rulebook,
    | 'version'
    | 'digest'
    | 'entities'
    | 'protocols'
    | 'protocolAt'
    | 'prepared'
    | 'errors'
    | 'motifKinds'
    | 'intentKinds'
    | 'wrappedNative'
    | 'signatures'
    | 'addressBook'
  >;
  /** Counts of the recognising stages, for the statistics. */
  readonly counts: { readonly scopes: number; readonly primitives: number };
  /** Version of the service. */
  readonly engineVersion: string;
}

function writeExecution(
  { tx, rulebook, economics: { gas } }: ReportInput,
  writer: ReportWriter,
): wire.Execution {
  return {
    outcome: executionOutcome(tx, rulebook.errors),
    reverted: !tx.succeeded,
    // Quantities beyond 2^53 (wei per gas has passed it on mainnet) become the nearest double, as any JSON
    // reader would make of them; the cost in ether stays exact.
    gas_used: Number(tx.gasUsed),
    base_fee_per_gas: Number(gas.baseFee),
    priority_fee_per_gas: Number(gas.priorityFee),
    gas_cost_native: formatAmount(gas.cost, 18),
    gas_cost_usd: displayMoney(gas.usd),
    failure: writeFailure(tx, rulebook, writer),
  };
}

/** Caveats in words. */
const CAVEATS: Readonly<Record<CaveatCode, string>> = {
  heuristic_rule: 'The rule infers the purpose; nothing on chain states it.',
  experimental_rule: 'The rule is experimental.',
  no_single_actor: 'No single account can be named as the actor.',
  claimed_actor: 'The actor is elected by nothing but what an event or balances claim.',
  suspect_token:
    'A token takes the name of another, or left an account that no call here shows to have asked for it.',
  nothing_recognised: 'No recognised act supports the headline.',
  function_name_only: 'Only the name of a function says so, and anybody may name one so.',
  amounts_differ: 'More or less moved than an event states, and nothing shows where the rest went.',
  unproven_motif: 'An act it rests on is not proven.',
  low_confidence: 'Confidence is low.',
  unaccounted_value: 'The acts recognised do not account for all the actor sent or received.',
  unknown_protocol: 'A contract that took part is known by its behaviour only.',
  uncertain_motif: 'An act it rests on is itself less than certain.',
  rule_limit: 'The rule claims no more.',
  no_rule: 'No rule speaks for this transaction.',
};

function subcategoryOf(
  { kind }: Verdict,
  { intentKinds }: ReportInput['rulebook'],
): { subcategory?: string } {
  const subcategory = intentKinds.get(kind)?.subcategory;
  return subcategory === undefined ? {} : { subcategory };
}

function writeClassification(
  { tx, verdict, attribution, rulebook }: ReportInput,
  writer: ReportWriter,
): wire.Classification {
  const told = verdict.fragments.length > 0 ? verdict.fragments : [verdict];
  return {
    intent_kind: verdict.kind,
    intent_label: cleanText(verdict.label, MAX_LABEL) ?? verdict.kind,
    status: verdict.status,
    confidence: verdict.confidence,
    actor: writer.addressOrNull(attribution.actor),
    actor_matches_signer: attribution.actor === tx.from,
    matched_rule: verdict.rule?.slug ?? null,
    rule_version: verdict.rule?.version ?? null,
    structural_proof: verdict.status === 'Proven',
    fragments: told.map(({ kind, status, confidence }) => ({ kind, status, confidence })),
    category: verdict.category as NonNullable<wire.Classification['category']>,
    ...subcategoryOf(verdict, rulebook),
    tags: [...verdict.tags],
    caveats: verdict.caveats.map((code) => ({ code, text: CAVEATS[code] })),
  };
}

function writeStats({ tx, flow, counts }: ReportInput): wire.PipelineStats {
  return {
    economic_movements: flow.movements.length,
    non_economic_movements: flow.nonEconomic.length,
    frames: tx.frames.length,
    logs: tx.logs.length,
    // Every account that value touched is a node, every movement an edge.
    tvfg_nodes: flow.ledgers.size,
    tvfg_edges: flow.movements.length,
    scopes: counts.scopes,
    primitives: counts.primitives,
  };
}

/** Names of the addresses written since the last call. */
function writeAccounts(
  writer: ReportWriter,
  nameOf: (account: Address) => wire.AccountName | null,
): Record<string, wire.AccountName> {
  const accounts: Record<string, wire.AccountName> = {};
  for (const [account, address] of writer.newAddresses()) {
    const name = nameOf(account);
    if (name) accounts[address] = name;
  }
  return accounts;
}

/**
 * The report, keys in the order the interface lists them; equal input gives an equal report, byte for byte
 * once serialised. Throws `AnalysisError('receipt_malformed')` where a count cannot be a JSON integer.
 */
export function buildReport(input: ReportInput): wire.TxReport {
  return reportParts(input, Infinity).next().value as wire.TxReport;
}

/**
 * Splits a report into parts, at least one, each valid against the published schema. The items of `LISTS`
 * appear in the parts in turn, everything else in the first; the others hold only the required rest.
 */
export function* reportParts(input: ReportInput, size = PART): Generator<wire.TxReport, void> {
  const { tx, flow, attribution, economics, rulebook } = input;
  const folded = foldMotifs(input.motifs, { frames: tx.frames, flow, rulebook });
  const motifs = [...folded.motifs, ...frontEnds(tx, folded.motifs, flow, rulebook)];
  const writer = new ReportWriter(tx, flow, input.context, folded.places);
  const nameOf = accountNames(input);
  const deltas = inventoryDeltas(input, economics.book, writer);
  let summary: Pick<wire.TxReport, 'execution' | 'classification' | 'economics' | 'attribution'> = {
    execution: writeExecution(input, writer),
    classification: writeClassification(input, writer),
    economics: writeEconomics(economics, tx.blockNumber, writer),
    attribution: writeAttribution(attribution, writer),
  };
  const items = Math.max(deltas.subjects, motifs.length, flow.movements.length, flow.allowances.length);
  for (let from = 0, to = size; from === 0 || from < items; from = to, to += size) {
    const told = motifs.slice(from, to);
    const part: wire.TxReport = {
      schema_version: 1,
      chain: { ...CHAIN },
      tx: writeTransaction(tx, input.header, rulebook.signatures, writer),
      execution: summary.execution,
      classification: summary.classification,
      economics: summary.economics,
      inventory_deltas: deltas.write(from, to),
      position_effects: economics.positions
        .filter(({ motif: { index } }) => folded.places[index]! >= from && folded.places[index]! < to)
        .map((change) => positionEffect(change, economics.book, writer)),
      motifs: told.map((motif) => writeMotif(motif, writer)),
      attribution: summary.attribution,
      pipeline_stats: writeStats(input),
      movements: flow.movements.slice(from, to).map((movement) => ({
        from: writer.address(movement.from),
        to: writer.address(movement.to),
        asset_id: movement.asset,
        amount_raw: movement.amount.toString(),
        kind: movement.kind,
        evidence: writer.evidence(movement.evidence),
        ...(input.suspects?.unverified.has(movement.index) ? { flags: ['unverified_source'] } : {}),
      })),
      allowances: flow.allowances
        .slice(from, to)
        .map((allowance) => writeAllowance(allowance, input.context.tokens, writer)),
      accounts: writeAccounts(writer, nameOf),
      engine: {
        version: input.engineVersion,
        ruleset_digest: rulebook.digest,
        trace_dialect: tx.dialect,
        ruleset_version: rulebook.version,
      },
    };
    yield part;
    if (from === 0 && to < items) summary = brief(summary);
  }
}

/**
 * With one item in lists of several, in depth: every part of a report is checked, and that must not take
 * longer with each.
 */
function brief<T>(value: T): T {
  if (Array.isArray(value)) return value.slice(0, 1).map(brief) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, brief(inner)])) as T;
}

/** The report as sent: keys in the order they were written, no white space. */
export function serialiseReport(report: wire.TxReport): string {
  return JSON.stringify(report);
}
