/* Generated from schemas/http/tx-report.schema.json by scripts/generateReportText.ts. Do not edit: change the schema and run it again. */
import { list, numbers, text, word, wordOrNull } from '../../lib/jsonText.ts';
import type * as wire from '../../model/report.ts';

function displayMoney(it: wire.DisplayMoney): string {
  return `{"text":"${it.text}","available":${it.available}`
    + `${it.reason === undefined ? '' : `,"reason":${text(it.reason)}`}}`;
}

function evidence(it: wire.Evidence): string {
  return `{"kind":"${it.kind}","frame_path":${it.frame_path && numbers(it.frame_path)},"log_index":${it.log_index}`
    + `,"contract":"${it.contract}"}`;
}

function asset(it: wire.Asset): string {
  return `{"id":"${it.id}","kind":"${it.kind}","address":${wordOrNull(it.address)},"token_id":${wordOrNull(it.token_id)}`
    + `,"symbol":${text(it.symbol)},"name":${text(it.name)},"decimals":${it.decimals}}`;
}

function protocolRef(it: wire.ProtocolRef): string {
  return `{"slug":"${it.slug}","version":${it.version},"contract":"${it.contract}"`
    + `${it.matched_by === undefined ? '' : `,"matched_by":"${it.matched_by}"`}}`;
}

function assetAmount(it: wire.AssetAmount): string {
  return `{"asset":${asset(it.asset)},"amount_raw":"${it.amount_raw}","amount":${wordOrNull(it.amount)}`
    + `,"role":"${it.role}"}`;
}

function chain(it: wire.Chain): string {
  return `{"id":${it.id},"name":${text(it.name)}}`;
}

function transaction(it: wire.Transaction): string {
  return `{"hash":"${it.hash}","block_number":${it.block_number},"signer":"${it.signer}","to":${wordOrNull(it.to)}`
    + `,"etherscan_url":"${it.etherscan_url}"}`;
}

function execution(it: wire.Execution): string {
  return `{"outcome":${text(it.outcome)},"reverted":${it.reverted},"gas_used":${it.gas_used}`
    + `,"base_fee_per_gas":${it.base_fee_per_gas},"priority_fee_per_gas":${it.priority_fee_per_gas}`
    + `,"gas_cost_native":"${it.gas_cost_native}","gas_cost_usd":${displayMoney(it.gas_cost_usd)}}`;
}

function fragment(it: wire.Fragment): string {
  return `{"kind":"${it.kind}","status":"${it.status}","confidence":"${it.confidence}"}`;
}

function classification(it: wire.Classification): string {
  return `{"intent_kind":"${it.intent_kind}","intent_label":${text(it.intent_label)},"status":"${it.status}"`
    + `,"confidence":"${it.confidence}","actor":${wordOrNull(it.actor)}`
    + `,"actor_matches_signer":${it.actor_matches_signer},"matched_rule":${wordOrNull(it.matched_rule)}`
    + `,"rule_version":${it.rule_version},"structural_proof":${it.structural_proof}`
    + `,"fragments":${list(it.fragments, fragment)}${it.category === undefined ? '' : `,"category":"${it.category}"`}`
    + `${it.tags === undefined ? '' : `,"tags":${list(it.tags, text)}`}}`;
}

function pnlCycle(it: wire.PnlCycle): string {
  return `{"motif_ids":${list(it.motif_ids, word)},"pools":${list(it.pools, word)},"closed":${it.closed}}`;
}

function pnlEntry(it: wire.PnlEntry): string {
  return `{"beneficiary":"${it.beneficiary}","asset":${asset(it.asset)},"cost_raw":"${it.cost_raw}"`
    + `,"proceeds_raw":"${it.proceeds_raw}","gross_raw":"${it.gross_raw}","gross_usd":${displayMoney(it.gross_usd)}`
    + `,"gas_usd":${displayMoney(it.gas_usd)},"builder_payment_raw":"${it.builder_payment_raw}"`
    + `${it.builder_payment_usd === undefined ? '' : `,"builder_payment_usd":${displayMoney(it.builder_payment_usd)}`}`
    + `,"net_usd":${displayMoney(it.net_usd)},"cycle":${pnlCycle(it.cycle)},"evidence":${list(it.evidence, evidence)}}`;
}

function realizedPnl(it: wire.RealizedPnl): string {
  return `{"supported":${it.supported}${it.basis === undefined ? '' : `,"basis":${wordOrNull(it.basis)}`}`
    + `${it.gross_usd === undefined ? '' : `,"gross_usd":${displayMoney(it.gross_usd)}`}`
    + `${it.net_usd === undefined ? '' : `,"net_usd":${displayMoney(it.net_usd)}`}`
    + `${it.reason === undefined ? '' : `,"reason":${text(it.reason)}`},"entries":${list(it.entries, pnlEntry)}}`;
}

function refusal(it: wire.Refusal): string {
  return `{"asset_id":"${it.asset_id}","code":"${it.code}","reason":${text(it.reason)},"observed":${text(it.observed)}`
    + `,"threshold":${text(it.threshold)}}`;
}

function price(it: wire.Price): string {
  return `{"asset_id":"${it.asset_id}","price_usd":${displayMoney(it.price_usd)}`
    + `${it.price_exact === undefined ? '' : `,"price_exact":"${it.price_exact}"`},"method":"${it.method}"`
    + `,"source":${text(it.source)},"block":${it.block},"as_of":${it.as_of},"age_s":${it.age_s},"stale":${it.stale}`
    + `${it.rests_on === undefined ? '' : `,"rests_on":${list(it.rests_on, word)}`}}`;
}

function valuation(it: wire.Valuation): string {
  return `{${it.snapshot_id === undefined ? '' : `"snapshot_id":${wordOrNull(it.snapshot_id)},`}`
    + `"priced_assets":${it.priced_assets},"total_assets":${it.total_assets}`
    + `,"unpriced_assets":${list(it.unpriced_assets, word)}`
    + `${it.price_warning === undefined ? '' : `,"price_warning":${text(it.price_warning)}`}`
    + `${it.refusals === undefined ? '' : `,"refusals":${list(it.refusals, refusal)}`}`
    + `${it.prices === undefined ? '' : `,"prices":${list(it.prices, price)}`}}`;
}

function economics(it: wire.Economics): string {
  return `{"subject":"${it.subject}","fee_usd":${displayMoney(it.fee_usd)},"inflow_usd":${displayMoney(it.inflow_usd)}`
    + `,"net_usd_before_gas":${displayMoney(it.net_usd_before_gas)}`
    + `,"net_usd_after_gas":${displayMoney(it.net_usd_after_gas)},"token_in":${text(it.token_in)}`
    + `,"token_out":${text(it.token_out)},"structural_profit_usd":${displayMoney(it.structural_profit_usd)}`
    + `,"realized_pnl":${realizedPnl(it.realized_pnl)},"valuation":${valuation(it.valuation)}`
    + `,"warnings":${list(it.warnings, word)}}`;
}

function inventoryDelta(it: wire.InventoryDelta): string {
  return `{"subject":"${it.subject}","subject_role":"${it.subject_role}","asset":${asset(it.asset)}`
    + `,"delta_raw":"${it.delta_raw}","delta":${wordOrNull(it.delta)},"inflow_raw":"${it.inflow_raw}"`
    + `,"outflow_raw":"${it.outflow_raw}","usd":${displayMoney(it.usd)},"flags":${list(it.flags, word)}`
    + `,"movements":${numbers(it.movements)}}`;
}

function underlying(it: wire.Underlying): string {
  return `{"asset":${asset(it.asset)},"delta_raw":"${it.delta_raw}","delta":${wordOrNull(it.delta)},"role":"${it.role}"`
    + `,"usd":${displayMoney(it.usd)}}`;
}

function liquidation(it: wire.Liquidation): string {
  return `{"liquidator":${wordOrNull(it.liquidator)},"borrower":${wordOrNull(it.borrower)}`
    + `,"debt_asset":${it.debt_asset && asset(it.debt_asset)},"debt_covered_raw":${wordOrNull(it.debt_covered_raw)}`
    + `,"collateral_asset":${it.collateral_asset && asset(it.collateral_asset)}`
    + `,"collateral_seized_raw":${wordOrNull(it.collateral_seized_raw)}}`;
}

function positionEffect(it: wire.PositionEffect): string {
  return `{"owner":"${it.owner}","category":"${it.category}","effect":"${it.effect}"`
    + `,"protocol":${it.protocol && protocolRef(it.protocol)},"market":${text(it.market)}`
    + `,"position_asset":${it.position_asset && asset(it.position_asset)}`
    + `,"position_delta_raw":${wordOrNull(it.position_delta_raw)},"underlying":${list(it.underlying, underlying)}`
    + `,"liquidation":${it.liquidation && liquidation(it.liquidation)},"status":"${it.status}"`
    + `,"confidence":"${it.confidence}","motif_ids":${list(it.motif_ids, word)}`
    + `,"evidence":${list(it.evidence, evidence)}}`;
}

function motifScope(it: wire.MotifScope): string {
  return `{"frame_path":${it.frame_path && numbers(it.frame_path)},"log_range":${it.log_range && numbers(it.log_range)}}`;
}

function participant(it: wire.Participant): string {
  return `{"role":"${it.role}","account":"${it.account}"}`;
}

function invariant(it: wire.Invariant): string {
  return `{"name":"${it.name}","holds":${it.holds}}`;
}

function motif(it: wire.Motif): string {
  return `{"id":"${it.id}","kind":"${it.kind}","protocol":${it.protocol && protocolRef(it.protocol)}`
    + `,"scope":${motifScope(it.scope)},"parent_id":${wordOrNull(it.parent_id)}`
    + `,"participants":${list(it.participants, participant)},"assets_in":${list(it.assets_in, assetAmount)}`
    + `,"assets_out":${list(it.assets_out, assetAmount)},"invariants":${list(it.invariants, invariant)}`
    + `,"status":"${it.status}","confidence":"${it.confidence}","movements":${numbers(it.movements)}`
    + `,"evidence":${list(it.evidence, evidence)}${it.tags === undefined ? '' : `,"tags":${list(it.tags, text)}`}}`;
}

function settledOrder(it: wire.SettledOrder): string {
  return `{"owner":"${it.owner}","receiver":${wordOrNull(it.receiver)},"protocol":${wordOrNull(it.protocol)}`
    + `,"order_hash":${wordOrNull(it.order_hash)},"evidence":${list(it.evidence, evidence)}}`;
}

function delegation(it: wire.Delegation): string {
  return `{"authority":${wordOrNull(it.authority)},"delegate":"${it.delegate}","source":"${it.source}"}`;
}

function candidate(it: wire.Candidate): string {
  return `{"account":"${it.account}","elected":${it.elected},"reasons":${list(it.reasons, text)}`
    + `,"rejected_because":${text(it.rejected_because)}`
    + `${it.evidence === undefined ? '' : `,"evidence":${list(it.evidence, evidence)}`}}`;
}

function attribution(it: wire.Attribution): string {
  return `{"signer":"${it.signer}","actor":${wordOrNull(it.actor)},"beneficiary":${wordOrNull(it.beneficiary)}`
    + `,"fee_payer":"${it.fee_payer}","mode":"${it.mode}","submitter_role":"${it.submitter_role}"`
    + `,"entry_point":${wordOrNull(it.entry_point)},"paymaster":${wordOrNull(it.paymaster)}`
    + `,"settlement_contract":${wordOrNull(it.settlement_contract)},"orders":${list(it.orders, settledOrder)}`
    + `,"delegations":${list(it.delegations, delegation)},"candidates":${list(it.candidates, candidate)}`
    + `,"ambiguous":${it.ambiguous},"evidence":${list(it.evidence, evidence)}}`;
}

function pipelineStats(it: wire.PipelineStats): string {
  return `{"economic_movements":${it.economic_movements},"non_economic_movements":${it.non_economic_movements}`
    + `,"frames":${it.frames},"logs":${it.logs},"tvfg_nodes":${it.tvfg_nodes},"tvfg_edges":${it.tvfg_edges}`
    + `,"scopes":${it.scopes},"primitives":${it.primitives}}`;
}

function movement(it: wire.Movement): string {
  return `{"from":"${it.from}","to":"${it.to}","asset_id":"${it.asset_id}","amount_raw":"${it.amount_raw}"`
    + `,"kind":"${it.kind}","evidence":${evidence(it.evidence)}}`;
}

function engine(it: wire.Engine): string {
  return `{"version":${text(it.version)},"ruleset_digest":${text(it.ruleset_digest)}`
    + `,"trace_dialect":"${it.trace_dialect}"`
    + `${it.ruleset_version === undefined ? '' : `,"ruleset_version":${text(it.ruleset_version)}`}}`;
}

/** The report as `JSON.stringify` writes it, in half the time. It must conform to its schema. */
export function reportText(it: wire.TxReport): string {
  return `{"schema_version":${it.schema_version},"chain":${chain(it.chain)},"tx":${transaction(it.tx)}`
    + `,"execution":${execution(it.execution)},"classification":${classification(it.classification)}`
    + `,"economics":${economics(it.economics)},"inventory_deltas":${list(it.inventory_deltas, inventoryDelta)}`
    + `,"position_effects":${list(it.position_effects, positionEffect)},"motifs":${list(it.motifs, motif)}`
    + `,"attribution":${attribution(it.attribution)},"pipeline_stats":${pipelineStats(it.pipeline_stats)}`
    + `${it.movements === undefined ? '' : `,"movements":${list(it.movements, movement)}`}`
    + `${it.engine === undefined ? '' : `,"engine":${engine(it.engine)}`}}`;
}
