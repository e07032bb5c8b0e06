import { formatAmount } from '../../value/amount.ts';
import { cleanText } from '../../value/cleanText.ts';
import { displayMoney } from '../../value/money.ts';
import type { Attribution } from '../../model/attribution.ts';
import type { BlockHeader } from '../../model/canonicalTx.ts';
import type { Economics } from '../../model/economics.ts';
import type { Verdict } from '../../model/intent.ts';
import type * as wire from '../../model/generated/report.ts';
import type { AccountNames, RawContext } from '../../model/upstream.ts';
import { checksumAddress, shortAddress } from '../../evm/address.ts';
import type { Suspects } from '../../value/suspectTokens.ts';
import type { Scene } from '../../model/scene.ts';
import { attemptsOf, executionOutcome } from '../../value/frames.ts';
import { inventoryDeltas } from './inventoryDeltas.ts';
import { positionEffect } from './positionEffects.ts';
import { ReportWriter } from './reportWriter.ts';
import { writeAttribution, accountNames } from './writeAttribution.ts';
import { writeEconomics } from './writeEconomics.ts';
import { writeAllowance } from './writeAllowances.ts';
import { audited } from './contradictions.ts';
import { writeCaveats } from './caveats.ts';
import { frontEnds } from './frontEnds.ts';
import { writeFailed, writeFailure, writeTransaction } from './writeTransaction.ts';
import { writeMotif } from './writeMotifs.ts';

const CHAIN: wire.Chain = { id: 1, name: 'Ethereum Mainnet' };
const MAX_LABEL = 300;
/** Calls of a report's `attempts`; the rest are counted. */
const MOST_ATTEMPTS = 16;

export interface ReportInput extends Scene {
  readonly header: BlockHeader;
  /** Left out: nothing is suspect. */
  readonly suspects?: Suspects;
  readonly context: RawContext;
  readonly verdict: Verdict;
  /** Two statements of the verdict that disagree; `audited` fills it. */
  readonly contradiction?: string;
  readonly attribution: Attribution;
  readonly economics: Economics;
  /** Counts of the recognising stages, for the statistics. */
  readonly counts: { readonly scopes: number; readonly primitives: number };
  /** Version of the service. */
  readonly engineVersion: string;
}

function writeExecution(
  { tx, rulebook, economics: { gas } }: ReportInput,
  writer: ReportWriter,
): wire.Execution {
  const failed = attemptsOf(tx);
  const execution: wire.Execution = {
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
    attempts: failed.slice(0, MOST_ATTEMPTS).map((frame) => writeFailed(frame, rulebook, writer)),
  };
  if (failed.length > MOST_ATTEMPTS) execution.more_attempts = failed.length - MOST_ATTEMPTS;
  return execution;
}

/** A stranger's statement about an account that did nothing here, written as its claim. */
function claimText({ strangerClaim: claim }: Attribution): string {
  return claim ? `; ${shortAddress(claim.by)} claims an act of ${shortAddress(claim.account)}` : '';
}

function writeClassification(input: ReportInput, writer: ReportWriter): wire.Classification {
  const { tx, verdict, attribution, rulebook } = input;
  const told = verdict.fragments.length > 0 ? verdict.fragments : [verdict];
  const subcategory = rulebook.intentKinds.get(verdict.kind)?.subcategory;
  const classification: wire.Classification = {
    intent_kind: verdict.kind,
    intent_label: cleanText(verdict.label + claimText(attribution), MAX_LABEL) ?? verdict.kind,
    status: verdict.status,
    confidence: verdict.confidence,
    actor: writer.addressOrNull(attribution.actor),
    actor_matches_signer: attribution.actor === tx.from,
    matched_rule: verdict.rule?.slug ?? null,
    rule_version: verdict.rule?.version ?? null,
    structural_proof: verdict.status === 'Proven',
    fragments: told.map(({ kind, status, confidence }) => ({ kind, status, confidence })),
    category: verdict.category as NonNullable<wire.Classification['category']>,
  };
  // Key by key, here and in the other writers: a spread or `Object.assign` costs microseconds on Node 20.
  if (subcategory !== undefined) classification.subcategory = subcategory;
  classification.tags = [...verdict.tags];
  classification.caveats = writeCaveats(input);
  return classification;
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

/** Names of the addresses that the report holds. */
function writeAccounts(input: ReportInput, writer: ReportWriter): Record<string, wire.AccountName> {
  const nameOf = accountNames(input);
  const accounts: Record<string, wire.AccountName> = {};
  for (const [account, address] of writer.addresses()) {
    const name = nameOf(account);
    if (name) accounts[address] = name;
  }
  return accounts;
}

/** Names of those addresses that the report holds. */
function writeNames(found: AccountNames, writer: ReportWriter): wire.Names {
  const { asked, notAsked: not_asked, limits } = found;
  const contract = found.resolver && checksumAddress(found.resolver);
  const accounts: Record<string, string> = {};
  const refused: wire.Names['refused'] = [];
  for (const [account, address] of writer.addresses()) {
    const reason = found.refused.get(account);
    if (reason !== undefined) refused.push({ account: address, reason });
    if (found.names.has(account)) accounts[address] = found.names.get(account)!;
  }
  return { source: 'ens', contract, asked, not_asked, accounts, refused, limits: [...limits] };
}

function writeMovements(input: ReportInput, writer: ReportWriter): wire.Movement[] {
  const { payments } = input.attribution;
  return input.flow.movements.map((movement) => {
    const written: wire.Movement = {
      from: writer.address(movement.from),
      to: writer.address(movement.to),
      asset_id: movement.asset,
      amount_raw: movement.amount.toString(),
      kind: movement.kind,
      evidence: writer.evidence(movement.evidence),
    };
    if (input.suspects?.unverified.has(movement.index)) written.flags = ['unverified_source'];
    if (payments.has(movement.index)) written.flags = [...(written.flags ?? []), 'pays_execution'];
    return written;
  });
}

/**
 * The report, keys in the order the interface lists them; equal input gives an equal report, byte for byte
 * once serialised. Throws `AnalysisError('receipt_malformed')` where a count cannot be a JSON integer.
 */
export function buildReport(given: ReportInput): wire.TxReport {
  const input = audited(given);
  const { tx, flow, attribution, economics, rulebook } = input;
  const motifs = [...input.motifs, ...frontEnds(tx, input.motifs, flow, rulebook)];
  const writer = new ReportWriter(tx, flow, input.context);
  // Addresses are named in the order in which they are written first.
  const execution = writeExecution(input, writer);
  const classification = writeClassification(input, writer);
  const written = writeEconomics(economics, tx.blockNumber, writer);
  const attributed = writeAttribution(attribution, writer);
  const report: wire.TxReport = {
    schema_version: 1,
    chain: { id: CHAIN.id, name: CHAIN.name },
    tx: writeTransaction(tx, input.header, rulebook, writer),
    execution,
    classification,
    economics: written,
    inventory_deltas: inventoryDeltas(input, economics.book, writer),
    position_effects: economics.positions.map((change) => positionEffect(change, input, writer)),
    motifs: motifs.map((motif) => writeMotif(motif, writer, input)),
    attribution: attributed,
    pipeline_stats: writeStats(input),
    movements: writeMovements(input, writer),
    allowances: flow.allowances.map((one) => writeAllowance(one, input.context, input.suspects, writer)),
    accounts: writeAccounts(input, writer),
    engine: {
      version: input.engineVersion,
      ruleset_digest: rulebook.digest,
      trace_dialect: tx.dialect,
      ruleset_version: rulebook.version,
    },
  };
  const { names, sourcesLeftOut = [] } = input.context;
  if (sourcesLeftOut.length > 0) report.economics.valuation.sources_left_out = [...sourcesLeftOut];
  if (names) report.names = writeNames(names, writer);
  return report;
}
