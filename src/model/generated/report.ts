/* Generated from schemas/http/*.schema.json by scripts/generateTypes.ts. Do not edit: change the schema and run it again. */
/**
 * Body of POST /analyze. Unknown keys are tolerated.
 */
export interface AnalyzeRequest {
  /**
   * Transaction hash: 0x and 64 lower-case hex digits.
   */
  tx_hash: string;
  /**
   * Network; all accepted values mean Ethereum mainnet.
   */
  chain?: 'ethereum' | 'mainnet' | 'eth' | '1';
}
/**
 * Body of every failure.
 */
export interface ErrorBody {
  /**
   * What went wrong.
   */
  error: string;
}
/**
 * A 32-byte hash, lower-case.
 */
export type Hash = string;
/**
 * An account, EIP-55 checksummed.
 */
export type Address = string;
/**
 * A non-negative integer in the smallest unit of its asset, as a decimal string.
 */
export type RawAmount = string;
/**
 * An intent category. The list is open, rule authors may add kinds. Headlines and fragments: NativeTransfer, TokenTransfer, NftTransfer, BatchTransfer, Approval, SelfTransaction, SpamTransfer, ContractDeployment, ContractCall, Reverted, Unknown, DirectSwap, AggregatedSwap, WrapNative, UnwrapNative, OrderPlacement, OrderCancellation, TokenMint, TokenBurn, NftMint, NftBurn, NftTrade, AddLiquidity, RemoveLiquidity, CollectFees, PoolCreation, Supply, Withdraw, Borrow, Repay, Liquidation, FlashLoan, Stake, Unstake, WithdrawalRequest, ClaimRewards, VaultDeposit, VaultWithdraw, PositionMigration, BridgeDeposit, BridgeWithdrawal, AtomicArbitrage, AccountDelegation, AccountAdministration, GovernanceAction, NameServiceAction. Fragments only: Refund, ProtocolFee, BuilderPayment, CollateralToggle, Attestation, OnchainMessage.
 */
export type IntentKind = string;
/**
 * Proven: the structure on chain fully supports the claim. Suspected: heuristic or partial evidence; show it with a caveat.
 */
export type Status = 'Proven' | 'Suspected';
/**
 * How far the claim can be relied on.
 */
export type Confidence = 'High' | 'Medium' | 'Low';
/**
 * A machine-readable name.
 */
export type Slug = string;
/**
 * Lane id of an asset: CAIP-19 with a lower-case address.
 */
export type AssetId = string;
/**
 * An integer in the smallest unit of its asset, as a decimal string; signed from the view of the subject.
 */
export type RawInteger = string;
/**
 * Id of an element of motifs.
 */
export type MotifId = string;
/**
 * A word of an open list. Later versions may write further words under the same schema_version, as they may add optional properties: treat a word you do not know as unknown.
 */
export type OpenWord = string;
/**
 * An exact decimal amount in whole units, trailing zeros cut.
 */
export type DecimalAmount = string;
/**
 * A kind of structural motif. The list is open, rule authors may add kinds. Known: swap, add_liquidity, remove_liquidity, collect_fees, pool_creation, supply, withdraw, borrow, repay, liquidation, flash_loan, collateral_toggle, stake, unstake, withdrawal_request, claim, vault_deposit, vault_withdraw, migration, bridge_deposit, bridge_withdrawal, order_placed, order_cancelled, order_settled, nft_trade, approval, wrap, unwrap, token_mint, token_burn, nft_mint, nft_burn, user_operation, account_execution, account_execution_failed, account_administration, account_delegation, governance, name_service, attestation, message, route, cycle, batch_transfer, refund, protocol_fee, builder_payment, transfer, deployment.
 */
export type MotifKind = string;

/**
 * The report of one Ethereum transaction. The schema is open: clients must tolerate unknown fields. Addresses are EIP-55 checksummed, hashes lower-case; *_raw fields are integers as decimal strings.
 */
export interface TxReport {
  /**
   * Version of this schema; additive changes do not raise it.
   */
  schema_version: 1;
  chain: Chain;
  tx: Transaction;
  execution: Execution;
  classification: Classification;
  economics: Economics;
  /**
   * Balance changes per subject and asset for every address involved.
   */
  inventory_deltas: InventoryDelta[];
  /**
   * DeFi position changes.
   */
  position_effects: PositionEffect[];
  /**
   * Structural motifs with their proof.
   */
  motifs: Motif[];
  attribution: Attribution;
  pipeline_stats: PipelineStats;
  /**
   * Every economic movement in execution order.
   */
  movements?: Movement[];
  /**
   * Permissions to take tokens that the transaction granted, changed or took back, in execution order.
   */
  allowances?: Allowance[];
  /**
   * Names of addresses in the report, by checksummed address; only those that have one.
   */
  accounts?: {
    [k: string]: AccountName;
  };
  engine?: Engine;
  names?: Names;
}
/**
 * Network identity.
 */
export interface Chain {
  /**
   * EIP-155 chain id.
   */
  id: number;
  /**
   * Human-readable chain name.
   */
  name: string;
}
/**
 * Transaction identity.
 */
export interface Transaction {
  hash: Hash;
  /**
   * Block that included the transaction.
   */
  block_number: number;
  signer: Address;
  /**
   * Recipient or contract; null for a contract creation.
   */
  to: Address | null;
  /**
   * Block-explorer page of the transaction.
   */
  etherscan_url: string;
  /**
   * Time of the block, ISO 8601 in UTC; null when the header states one no calendar holds.
   */
  timestamp?: string | null;
  /**
   * Position in the block, from 0; null where the node does not say.
   */
  index?: number | null;
  /**
   * Nonce of the signer.
   */
  nonce?: number;
  /**
   * Type by EIP-2718: 0 legacy, 1 with access list, 2 with priority fee, 3 with blobs, 4 with authorisations.
   */
  type?: number;
  value_raw?: RawAmount;
  /**
   * Function called; null for plain payments and contract creations.
   */
  method?: Method | null;
  /**
   * Blobs it carries (EIP-4844); null where it carries none.
   */
  blobs?: Blobs | null;
}
/**
 * The function a call names. Names come from the rules and their dictionary; the contract may mean something else by them.
 */
export interface Method {
  /**
   * First four bytes of the calldata.
   */
  selector: string;
  /**
   * Name and types; null when the dictionary does not know the selector.
   */
  signature: string | null;
  /**
   * Name of the function; null when unknown.
   */
  name: string | null;
  /**
   * What the transaction's own call passed. Only in `tx.method`, and only where the whole calldata decodes.
   */
  arguments?: Argument[];
}
/**
 * One argument of a call.
 */
export interface Argument {
  /**
   * Its name in the dictionary, `arg0` without one.
   */
  name: string;
  /**
   * ABI type.
   */
  type: string;
  /**
   * Integers in decimal, addresses checksummed, bytes as hex, texts cleaned; lists and tuples as JSON of such texts.
   */
  value: string | null;
  /**
   * Present where the text was too long and ends in `…`.
   */
  truncated?: boolean;
}
/**
 * Blobs of a transaction, by the gas they cost.
 */
export interface Blobs {
  /**
   * How many.
   */
  count: number;
  /**
   * Blob gas; its cost is in gas_cost_native.
   */
  gas_used: number;
}
/**
 * Outcome and gas.
 */
export interface Execution {
  /**
   * Human-readable outcome: Success, or Reverted with the decoded reason.
   */
  outcome: string;
  /**
   * True when the transaction reverted on chain; nothing but the gas payment remains of it.
   */
  reverted: boolean;
  /**
   * Gas units consumed.
   */
  gas_used: number;
  /**
   * EIP-1559 base fee of the block in wei per gas; 0 before London. Beyond 2^53 the nearest double.
   */
  base_fee_per_gas: number;
  /**
   * Wei per gas above the base fee: effective gas price less base fee. Beyond 2^53 the nearest double; gas_cost_native is exact.
   */
  priority_fee_per_gas: number;
  /**
   * Total gas cost in the native token, blob gas included, exact.
   */
  gas_cost_native: string;
  gas_cost_usd: DisplayMoney;
  /**
   * Where it failed; null when it succeeded.
   */
  failure?: Failure | null;
  /**
   * Calls that failed inside a transaction that succeeded, outermost ones, in order; at most 16.
   *
   * @maxItems 16
   */
  attempts?: Attempt[];
  /**
   * How many more there are; left out where all are listed.
   */
  more_attempts?: number;
}
/**
 * An amount of US dollars, rounded once (half away from zero) for display.
 */
export interface DisplayMoney {
  /**
   * A dollar sign, then the signed decimal amount: two decimals, more only where two would show zero. The placeholder dash where available is false; it must not be parsed as a number.
   */
  text: string;
  /**
   * True when the value was computed.
   */
  available: boolean;
  /**
   * Why the value is unavailable; present only when available is false.
   */
  reason?: string;
}
/**
 * Where a reverted transaction failed.
 */
export interface Failure {
  /**
   * The innermost frame whose failure made the transaction fail.
   */
  frame_path: number[];
  /**
   * The contract that was called there; null for a creation.
   */
  contract: Address | null;
  /**
   * Function that failed.
   */
  method: Method | null;
  /**
   * Why, as far as the frame says; null when it says nothing.
   */
  reason: string | null;
  /**
   * What it failed on: the innermost of the last calls inside it that failed too, with other error data. Left out where its last call succeeded.
   */
  cause?: {
    /**
     * The frame.
     */
    frame_path: number[];
    /**
     * The contract that was called there; null for a creation.
     */
    contract: Address | null;
    /**
     * Function that failed.
     */
    method: Method | null;
    /**
     * Why, as far as the frame says; null when it says nothing.
     */
    reason: string | null;
  };
}
/**
 * A call that failed, and whose caller went on.
 */
export interface Attempt {
  /**
   * The call.
   */
  frame_path: number[];
  /**
   * The contract that was called; null for a creation.
   */
  contract: Address | null;
  /**
   * Function that was called.
   */
  method: Method | null;
  /**
   * Why it failed, as far as it says.
   */
  reason: string | null;
}
/**
 * Intent headline. Use intent_kind for program logic and intent_label for display.
 */
export interface Classification {
  intent_kind: IntentKind;
  /**
   * User-facing label, ready for display.
   */
  intent_label: string;
  status: Status;
  confidence: Confidence;
  /**
   * Elected economic actor; null when no single actor can be determined.
   */
  actor: Address | null;
  /**
   * True when actor equals tx.signer. When false, attribution explains the delegation.
   */
  actor_matches_signer: boolean;
  /**
   * Slug of the rule that produced the result; null when a fallback heuristic did.
   */
  matched_rule: Slug | null;
  /**
   * Version of the matched rule; null when matched_rule is null.
   */
  rule_version: number | null;
  /**
   * True when structural evidence supports the classification: status is Proven.
   */
  structural_proof: boolean;
  /**
   * Sub-intents in execution order; at least the headline itself.
   *
   * @minItems 1
   */
  fragments: Fragment[];
  /**
   * Own category of the rule set in force, narrower than `category`; absent where it has none.
   */
  subcategory?: string;
  /**
   * Coarse group of the intent.
   */
  category?:
    | 'transfer'
    | 'trade'
    | 'liquidity'
    | 'lending'
    | 'staking'
    | 'vault'
    | 'bridge'
    | 'nft'
    | 'governance'
    | 'account'
    | 'mev'
    | 'contract'
    | 'failed'
    | 'unknown';
  /**
   * Tags the matched rule adds.
   */
  tags?: string[];
  /**
   * Why the headline is not Proven, or its confidence not High; empty for Proven and High.
   */
  caveats?: Caveat[];
}
/**
 * A sub-intent of the transaction.
 */
export interface Fragment {
  kind: IntentKind;
  status: Status;
  confidence: Confidence;
}
/**
 * Why a headline is not Proven, or its confidence not High.
 */
export interface Caveat {
  /**
   * Stable code; the list may grow.
   */
  code: string;
  /**
   * The same for people.
   */
  text: string;
}
/**
 * Economic summary of the elected actor, not necessarily the signer.
 */
export interface Economics {
  subject: Address;
  fee_usd: DisplayMoney;
  inflow_usd: DisplayMoney;
  net_usd_before_gas: DisplayMoney;
  net_usd_after_gas: DisplayMoney;
  net_usd_after_own_gas?: DisplayMoney;
  net_usd_with_positions?: DisplayMoney;
  consideration_usd?: Consideration;
  /**
   * Assets received, net: comma-separated entries "<quantity> <symbol>", largest value first.
   */
  token_in: string;
  /**
   * Assets sent, net, in the same format.
   */
  token_out: string;
  structural_profit_usd: DisplayMoney;
  realized_pnl: RealizedPnl;
  valuation: Valuation;
  /**
   * True when the subject, or an account that acts as one with it, paid the gas: itself, from its deposit, or by repaying the one who submitted. fee_usd is the transaction's gas fee either way; the warning FeeInsideFlows says that the flows hold the subject's payment too, FeeNotPaidBySubject that another bore it.
   */
  fee_paid_by_subject?: boolean;
  /**
   * Warning codes; empty when there are no anomalies.
   */
  warnings: string[];
  /**
   * Each owner of a settlement or bundle that was sent for several, in the order found; left out where there is one actor. Receivers of an owner's orders count with it. Gas is not included.
   *
   * @minItems 1
   */
  by_owner?: OwnerEconomics[];
  /**
   * What each sale of an NFT at a marketplace came to; left out where none was sold.
   *
   * @minItems 1
   */
  nft_sales?: NftSale[];
}
/**
 * The price a trade itself states.
 */
export interface Consideration {
  /**
   * A dollar sign, then the signed decimal amount: two decimals, more only where two would show zero. The placeholder dash where available is false; it must not be parsed as a number.
   */
  text: string;
  /**
   * True when the value was computed.
   */
  available: boolean;
  /**
   * Why the value is unavailable; present only when available is false.
   */
  reason?: string;
  /**
   * How it was found.
   */
  method?: string;
}
/**
 * Realised profit and loss, where a single transaction can show it.
 */
export interface RealizedPnl {
  /**
   * True when realised PnL was computed.
   */
  supported: boolean;
  /**
   * Accounting basis: position opened and closed within this transaction; null when supported is false.
   */
  basis?: 'self_closing_atomic_flow' | null;
  gross_usd?: DisplayMoney;
  net_usd?: DisplayMoney;
  /**
   * Machine-readable reason PnL is unsupported; null when supported is true.
   */
  reason?: string | null;
  /**
   * One entry per beneficiary and asset; empty when supported is false.
   */
  entries: PnlEntry[];
}
/**
 * Realised profit or loss of one beneficiary in one asset.
 */
export interface PnlEntry {
  beneficiary: Address;
  /**
   * The accounts whose result it is, the actor first: the signer, the contract it called, the contract that traded, contracts that paid the block builder for them.
   *
   * @minItems 1
   */
  entity?: Address[];
  asset: Asset;
  cost_raw: RawAmount;
  proceeds_raw: RawAmount;
  gross_raw: RawInteger;
  gross_usd: DisplayMoney;
  fees_raw?: RawAmount;
  fees_usd?: DisplayMoney;
  gas_usd: DisplayMoney;
  gas_raw?: RawAmount;
  builder_payment_raw: RawAmount;
  builder_payment_usd?: DisplayMoney;
  net_usd: DisplayMoney;
  cycle: PnlCycle;
  /**
   * Where to check it.
   *
   * @minItems 1
   */
  evidence: Evidence[];
}
/**
 * An asset. Texts come from the chain and are cleaned, never trusted.
 */
export interface Asset {
  id: AssetId;
  /**
   * Token standard, or native.
   */
  kind: 'native' | 'erc20' | 'erc721' | 'erc1155';
  /**
   * Token contract; null for the native asset.
   */
  address: Address | null;
  /**
   * Token id of an ERC-721 or ERC-1155, as a decimal string; null otherwise.
   */
  token_id: string | null;
  /**
   * Symbol as the contract states it, cleaned and capped; null when it states none.
   */
  symbol: string | null;
  /**
   * Name as the contract states it, cleaned and capped; null when it states none.
   */
  name: string | null;
  /**
   * Decimals; null when the contract does not state any. NFT amounts are counts (0).
   */
  decimals: number | null;
  /**
   * Warnings about the token; the list is open. `impersonates`: it carries a well-known symbol, look-alike letters included, that belongs to another address.
   */
  flags?: string[];
}
/**
 * The closed flow the profit was made in.
 */
export interface PnlCycle {
  /**
   * Motifs that make up the flow.
   */
  motif_ids: MotifId[];
  /**
   * Venues the flow went through, in order of first use.
   */
  pools: Address[];
  /**
   * True when the flow begins and ends in the same asset with nothing left over in any other.
   */
  closed: boolean;
}
/**
 * Where to look on chain to check the claim without trusting this service.
 */
export interface Evidence {
  /**
   * What kind of thing is pointed at.
   */
  kind: 'frame' | 'log' | 'transaction';
  /**
   * Call frame: positions among siblings from the root, value-less precompile calls not counted; [] is the root frame, null where the trace cannot tell.
   */
  frame_path: number[] | null;
  /**
   * The receipt's logIndex; null for evidence that is not a log.
   */
  log_index: number | null;
  contract: Address;
}
/**
 * What the US dollar figures rest on.
 */
export interface Valuation {
  /**
   * Digest of the prices used: equal prices, equal id; null when no price was used.
   */
  snapshot_id?: string | null;
  /**
   * Count of assets with a price.
   */
  priced_assets: number;
  /**
   * Count of distinct assets that moved in the transaction. A lending position's token without a price is none where the subject's figures count it at the asset exchanged for it: a supply is owed to the subject, a debt by it.
   */
  total_assets: number;
  /**
   * Those of these assets without a price. Every DisplayMoney that rests on one of them is unavailable.
   */
  unpriced_assets: AssetId[];
  /**
   * Usual price sources that the settings of the service leave out; only where there are any.
   */
  sources_left_out?: string[];
  /**
   * Free-text warning about the quality of the prices.
   */
  price_warning?: string | null;
  /**
   * Assets the pricing engine declined to price, and why.
   */
  refusals?: Refusal[];
  /**
   * The prices used, by asset id.
   */
  prices?: Price[];
}
/**
 * An asset the pricing engine declined to price.
 */
export interface Refusal {
  asset_id: AssetId;
  code: OpenWord;
  /**
   * Why, for people.
   */
  reason: string;
  /**
   * What was observed, where a threshold was missed.
   */
  observed: string | null;
  /**
   * The threshold that was missed.
   */
  threshold: string | null;
}
/**
 * A price that was used.
 */
export interface Price {
  asset_id: AssetId;
  price_usd: DisplayMoney;
  price_exact?: DecimalAmount;
  method: OpenWord;
  /**
   * What was asked: a feed, pool or vault address, or the name of a price service.
   */
  source: string;
  /**
   * Block the price was taken for.
   */
  block: number;
  /**
   * Unix seconds of the observation.
   */
  as_of: number;
  /**
   * Seconds between the observation and the block; negative when it was made after the block.
   */
  age_s: number;
  /**
   * True when the observation is outside its freshness threshold.
   */
  stale: boolean;
  /**
   * Assets from whose prices in this list it was computed; left out for a price that was observed.
   *
   * @minItems 1
   */
  rests_on?: AssetId[];
}
/**
 * What one of several owners sent and received.
 */
export interface OwnerEconomics {
  owner: Address;
  /**
   * The owner, then the receivers of its orders: their balances are taken together.
   *
   * @minItems 1
   */
  accounts: Address[];
  inflow_usd: DisplayMoney;
  net_usd_before_gas: DisplayMoney;
  net_usd_with_positions?: DisplayMoney;
  /**
   * Assets received, net: comma-separated entries "<quantity> <symbol>", largest value first.
   */
  token_in: string;
  /**
   * Assets sent, net, in the same format.
   */
  token_out: string;
}
/**
 * The sale of NFTs of one id.
 */
export interface NftSale {
  motif_id: MotifId;
  asset: Asset;
  units_raw: RawAmount;
  buyer: Address;
  seller: Address;
  price_usd: DisplayMoney;
  proceeds_usd: DisplayMoney;
  fees_usd: DisplayMoney;
}
/**
 * Balance change of one subject in one asset, gas not included. Over all subjects the deltas of an asset sum to zero.
 */
export interface InventoryDelta {
  subject: Address;
  /**
   * Part the subject plays in this transaction.
   */
  subject_role:
    | 'signer'
    | 'actor'
    | 'counterparty'
    | 'pool'
    | 'router'
    | 'vault'
    | 'fee_recipient'
    | 'builder'
    | 'token_contract'
    | 'zero'
    | 'other';
  asset: Asset;
  delta_raw: RawInteger;
  /**
   * Net change in whole units; null when the decimals are unknown.
   */
  delta: DecimalAmount | null;
  inflow_raw: RawAmount;
  outflow_raw: RawAmount;
  usd: DisplayMoney;
  /**
   * Marks: mint, burn, wrap, unwrap, fee_on_transfer, rebasing, zero_value, suspected_spam, …
   */
  flags: string[];
  /**
   * Positions in the top-level movements list.
   *
   * @minItems 1
   */
  movements: number[];
}
/**
 * A change to a DeFi position.
 */
export interface PositionEffect {
  owner: Address;
  /**
   * Own kind of position of the rule set in force, narrower than `category`; absent where it has none.
   */
  subcategory?: string;
  /**
   * Kind of position.
   */
  category:
    | 'liquidity'
    | 'lending_supply'
    | 'lending_debt'
    | 'stake'
    | 'vault'
    | 'order'
    | 'withdrawal_request'
    | 'bridge_claim';
  /**
   * What happened to it.
   */
  effect: 'open' | 'increase' | 'decrease' | 'close' | 'transfer' | 'liquidate' | 'collect' | 'migrate';
  /**
   * Protocol; null when only the structure is known.
   */
  protocol: ProtocolRef | null;
  /**
   * The market: a pool id, or the address of the venue.
   */
  market: string;
  /**
   * Token that stands for the position (LP token, receipt token, share, position NFT); null when there is none.
   */
  position_asset: Asset | null;
  /**
   * Change of that token for the owner; null when there is none.
   */
  position_delta_raw: RawInteger | null;
  /**
   * Further tokens of the same position, where it has several: principal and yield tokens of one deposit.
   *
   * @minItems 1
   */
  more_shares?: {
    asset: Asset;
    delta_raw: RawInteger;
  }[];
  /**
   * Assets that went in or out.
   */
  underlying: Underlying[];
  /**
   * Terms when this is a liquidation; null otherwise.
   */
  liquidation: Liquidation | null;
  status: Status;
  confidence: Confidence;
  /**
   * Motifs it follows from.
   *
   * @minItems 1
   */
  motif_ids: MotifId[];
  /**
   * Where to check it.
   *
   * @minItems 1
   */
  evidence: Evidence[];
}
/**
 * The protocol that was recognised.
 */
export interface ProtocolRef {
  slug: Slug;
  /**
   * Version of the protocol rule.
   */
  version: number;
  contract: Address;
  /**
   * How the contract was recognised: by its address (listed, or that of a known deployer's contract), by a CREATE2 proof, or only by the behaviour of its family. Left out where only its token's name is known.
   */
  matched_by?: 'address' | 'create2' | 'family';
  /**
   * Set where neither list nor proof in the rules knows the contract: `registry`, a registry of the protocol lists it at this block; `token`, only its token calls itself so, which anyone may do; `creator`, its deployer made it, with any code it was given. Nothing rests on the last two.
   */
  named_by?: string;
}
/**
 * An asset that went into or came out of a position.
 */
export interface Underlying {
  asset: Asset;
  delta_raw: RawInteger;
  /**
   * The same in whole units; null when the decimals are unknown.
   */
  delta: DecimalAmount | null;
  /**
   * Part the asset plays in the position. fee: all beyond the principal of this transaction.
   */
  role: 'principal' | 'fee' | 'reward' | 'interest' | 'penalty' | 'collateral' | 'debt';
  usd: DisplayMoney;
}
/**
 * Terms of a liquidation.
 */
export interface Liquidation {
  /**
   * Who liquidated; null when the event does not say.
   */
  liquidator: Address | null;
  /**
   * Whose position was liquidated; null when the event names nobody.
   */
  borrower: Address | null;
  /**
   * Asset of the debt; null when not observed.
   */
  debt_asset: Asset | null;
  /**
   * Debt repaid by the liquidator; null when not observed.
   */
  debt_covered_raw: RawAmount | null;
  /**
   * Asset of the collateral; null when not observed.
   */
  collateral_asset: Asset | null;
  /**
   * Collateral seized; null when not observed.
   */
  collateral_seized_raw: RawAmount | null;
}
/**
 * A structural motif: a building block of intents, with its proof.
 */
export interface Motif {
  id: MotifId;
  kind: MotifKind;
  /**
   * Protocol; null when only the structure is known.
   */
  protocol: ProtocolRef | null;
  scope: MotifScope;
  /**
   * The motif that this one is a part of, because it is composed of it or because this one only carried its value on; null for none.
   */
  parent_id: MotifId | null;
  /**
   * Accounts and the parts they play.
   */
  participants: Participant[];
  /**
   * What the counterparty of the venue received.
   */
  assets_in: AssetAmount[];
  /**
   * What the counterparty of the venue sent.
   */
  assets_out: AssetAmount[];
  /**
   * Machine checks.
   */
  invariants: Invariant[];
  /**
   * What the checks compare, so that a reader can repeat them.
   */
  claims?: Claim[];
  status: Status;
  confidence: Confidence;
  /**
   * Positions in the top-level movements list.
   */
  movements: number[];
  /**
   * Where to check it.
   *
   * @minItems 1
   */
  evidence: Evidence[];
  /**
   * Tags its shape or protocol adds.
   */
  tags?: string[];
  /**
   * How many like transfers or deployments this motif stands for: the same kind, tokens, proof and parent, with accounts, movements and evidence joined and amounts summed. Left out for one.
   */
  count?: number;
  /**
   * The pool inside a contract that holds several; left out for other motifs.
   */
  pool_id?: string;
}
/**
 * The coherent part of the trace the motif lies in.
 */
export interface MotifScope {
  /**
   * Smallest call frame that holds it; null where the trace cannot tell.
   */
  frame_path: number[] | null;
  /**
   * First and last logIndex of its logs in the receipt; null when it has none.
   *
   * @minItems 2
   * @maxItems 2
   */
  log_range: number[] | null;
}
/**
 * An account and the part it plays.
 */
export interface Participant {
  /**
   * Part it plays: owner, recipient, caller, liquidator, borrower, maker, …
   */
  role: string;
  account: Address;
}
/**
 * An amount of one asset and the part it played.
 */
export interface AssetAmount {
  asset: Asset;
  amount_raw: RawAmount;
  /**
   * Amount in whole units; null when the decimals are unknown.
   */
  amount: DecimalAmount | null;
  /**
   * Part the amount played: in, out, share_in, share_out, fee, reward, collateral, debt, …
   */
  role: string;
}
/**
 * A check the service made by machine.
 */
export interface Invariant {
  /**
   * What was checked.
   */
  name: string;
  /**
   * Whether it holds.
   */
  holds: boolean;
}
/**
 * What a motif rests on: a predicate over places of the chain and amounts of the motif. docs/qa.md describes them.
 */
export interface Claim {
  /**
   * Name of the predicate.
   */
  predicate: string;
  /**
   * What is compared: `movement:<index>`, `in<n>` and `out<n>` (amounts of the motif), an address, `m-<n>` (a part), `log:<log_index>`, `frame:<path>`, `value:<path>` (ether of a call), or an amount at a byte: `log:<log_index>:<byte>`, `log:<log_index>:t<topic>`, `call:<path>:<byte>`, `output:<path>:<byte>`, with `:-` for a negative one, `:16` and `:-16` for 16 bytes.
   */
  operands: string[];
  /**
   * The other side, where the predicate has two.
   */
  against?: string[];
  /**
   * Whether it holds.
   */
  holds: boolean;
}
/**
 * Relationship between the signing account and the economic actor.
 */
export interface Attribution {
  signer: Address;
  /**
   * Whose economics this is; null when ambiguous.
   */
  actor: Address | null;
  /**
   * Who gets the result where that is another account than the actor; null when unknown.
   */
  beneficiary: Address | null;
  fee_payer: Address;
  /**
   * How the signer acts for the actor.
   */
  mode:
    | 'self'
    | 'smart_account_4337'
    | 'safe'
    | 'solver_settlement'
    | 'meta_transaction'
    | 'delegated_7702'
    | 'permit_pull'
    | 'bot_contract'
    | 'own_contract'
    | 'none';
  /**
   * What the signer is.
   */
  submitter_role:
    'self' | 'bundler' | 'relayer' | 'solver' | 'resolver' | 'safe_executor' | 'keeper' | 'mev_bot' | 'operator';
  /**
   * What elected the actor: it signed the transaction; a signature of it was recovered; a contract listed in the rules called it or settled its order; it was called and acted itself; or only an event or balances claim so, which caps the verdict at Suspected. Null when nobody was elected.
   */
  ground?: 'signed' | 'authorised' | 'listed' | 'own_contract' | 'claimed' | null;
  /**
   * ERC-4337 entry point; null when none is involved.
   */
  entry_point: Address | null;
  /**
   * ERC-4337 paymaster; null when none is involved.
   */
  paymaster: Address | null;
  /**
   * Contract that settles orders; null when none is involved.
   */
  settlement_contract: Address | null;
  /**
   * Orders settled.
   */
  orders: SettledOrder[];
  /**
   * EIP-7702 delegations.
   */
  delegations: Delegation[];
  /**
   * Accounts considered and why.
   */
  candidates: Candidate[];
  /**
   * True when two accounts have an equal claim; actor is then null.
   */
  ambiguous: boolean;
  /**
   * Where to check it.
   *
   * @minItems 1
   */
  evidence: Evidence[];
}
/**
 * An order that this transaction settled.
 */
export interface SettledOrder {
  owner: Address;
  /**
   * Who gets the proceeds; null when not stated.
   */
  receiver: Address | null;
  /**
   * Protocol that settled it; null when unknown.
   */
  protocol: Slug | null;
  /**
   * The order's own id as the protocol states it, lower-case hex; null when it states none.
   */
  order_hash: string | null;
  /**
   * Where to check it.
   *
   * @minItems 1
   */
  evidence: Evidence[];
}
/**
 * An EIP-7702 delegation of an account to code.
 */
export interface Delegation {
  /**
   * The account that delegates; null when the node did not recover it.
   */
  authority: Address | null;
  delegate: Address;
  /**
   * Seen in the transaction's authorisation list, or as code of the account.
   */
  source: 'authorization_list' | 'code';
  /**
   * Whether the authorisation took effect in this transaction; null where the chain does not show it, and for delegations seen as code.
   */
  took_effect?: boolean | null;
}
/**
 * An account considered as the economic actor.
 */
export interface Candidate {
  account: Address;
  /**
   * True for the elected actor.
   */
  elected: boolean;
  /**
   * Machine-readable reasons for it, best first.
   */
  reasons: string[];
  /**
   * Why it was not elected; null when it was.
   */
  rejected_because: string | null;
  /**
   * Where to check it.
   *
   * @minItems 1
   */
  evidence?: Evidence[];
}
/**
 * Analysis counts.
 */
export interface PipelineStats {
  /**
   * Value movements reconstructed from the trace.
   */
  economic_movements: number;
  /**
   * Actions without value: approvals, zero transfers, plain events.
   */
  non_economic_movements: number;
  /**
   * Call frames inspected; value-less precompile calls are not frames.
   */
  frames: number;
  /**
   * Log entries inspected.
   */
  logs: number;
  /**
   * Nodes of the token-value flow graph.
   */
  tvfg_nodes: number;
  /**
   * Directed edges of that graph.
   */
  tvfg_edges: number;
  /**
   * Structural scopes discovered.
   */
  scopes: number;
  /**
   * Structural primitives discovered.
   */
  primitives: number;
}
/**
 * Value that changed hands: an edge of the value-flow graph.
 */
export interface Movement {
  from: Address;
  to: Address;
  asset_id: AssetId;
  amount_raw: RawAmount;
  /**
   * Kind of movement.
   */
  kind: 'transfer' | 'mint' | 'burn' | 'wrap' | 'unwrap';
  evidence: Evidence;
  /**
   * Warnings about the movement; the list is open. `unverified_source`: an unlisted token reports that it left an account that no call here shows to have asked for it. `pays_execution`: the accounts of the report's subject pay for the execution of their act by another's transaction, or get back what they prepaid.
   */
  flags?: string[];
}
/**
 * A permission to take tokens, granted, changed or taken back.
 */
export interface Allowance {
  asset: AllowanceAsset;
  owner: Address;
  spender: Address;
  /**
   * What happened to the allowance. decreased: also where a transfer used some of it; operator: all tokens of a collection.
   */
  kind: 'granted' | 'increased' | 'decreased' | 'revoked' | 'operator';
  /**
   * The allowance that stands afterwards, in smallest units; null for NFTs.
   */
  amount_raw: RawAmount | null;
  /**
   * The same in whole units; null when the decimals are unknown.
   */
  amount: DecimalAmount | null;
  /**
   * At least half of the range of the amount, or all tokens of a collection.
   */
  unlimited: boolean;
  /**
   * ISO 8601 in UTC; null when the allowance does not expire.
   */
  expires_at: string | null;
  /**
   * Where to check it.
   *
   * @minItems 1
   */
  evidence: Evidence[];
  status?: Status;
  /**
   * Marks; the list is open. unasked: the owner neither called nor signed for it. credit: the spender may borrow in the owner's name; the asset is the token of the debt.
   */
  flags?: string[];
}
/**
 * What may be taken. Texts come from the chain and are cleaned, never trusted.
 */
export interface AllowanceAsset {
  /**
   * Lane id; null for a whole collection.
   */
  id: AssetId | null;
  /**
   * Token standard.
   */
  kind: 'erc20' | 'erc721' | 'erc1155';
  address: Address;
  /**
   * A single NFT; null otherwise.
   */
  token_id: string | null;
  /**
   * Symbol as the contract states it, cleaned.
   */
  symbol: string | null;
  /**
   * Name as the contract states it, cleaned.
   */
  name: string | null;
  /**
   * Decimals; null when the contract states none.
   */
  decimals: number | null;
}
/**
 * What an address is called. For people: names decide nothing in a report.
 *
 * This interface was referenced by `undefined`'s JSON-Schema definition
 * via the `patternProperty` "^0x[0-9a-fA-F]{40}$".
 */
export interface AccountName {
  /**
   * Name, cleaned.
   */
  name: string;
  /**
   * What it is, e.g. exchange, bridge, router, protocol, pool, token.
   */
  kind: string;
  /**
   * Who says so: the rules, the address book, or the contract itself.
   */
  source: 'rules' | 'address_book' | 'contract';
}
/**
 * What produced the report.
 */
export interface Engine {
  /**
   * Version of the service.
   */
  version: string;
  /**
   * Digest over every rule file: equal digest and equal transaction, equal report.
   */
  ruleset_digest: string;
  trace_dialect: OpenWord;
  /**
   * Semantic version of the rules.
   */
  ruleset_version?: string;
}
/**
 * Names that accounts chose for themselves, each confirmed to point back at its account at the end of the transaction's block. For people: they decide nothing in a report, and their owner can change them.
 */
export interface Names {
  /**
   * The service asked; the list is open.
   */
  source: string;
  /**
   * Resolver that was asked; null where it did not exist at the block.
   */
  contract: Address | null;
  /**
   * Accounts it was asked about.
   */
  asked: number;
  /**
   * Accounts beyond the limit of one transaction.
   */
  not_asked: number;
  /**
   * Names by checksummed address, normalised (ENSIP-15).
   */
  accounts: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^0x[0-9a-fA-F]{40}$".
     */
    [k: string]: string;
  };
  /**
   * Accounts with a name that is not shown.
   */
  refused: {
    account: Address;
    /**
     * Why; the list is open: unreadable, too_long, not_normalised, like_an_address, like_a_listed_name.
     */
    reason: string;
  }[];
  /**
   * What kept accounts from being asked; the list is open: no_resolver_at_block, state_unread, too_many_accounts.
   */
  limits: string[];
}
/** Intent kinds of this version of the schema. */
export type KnownIntentKind =
  | 'NativeTransfer'
  | 'TokenTransfer'
  | 'NftTransfer'
  | 'BatchTransfer'
  | 'Approval'
  | 'SelfTransaction'
  | 'SpamTransfer'
  | 'ContractDeployment'
  | 'ContractCall'
  | 'Reverted'
  | 'Unknown'
  | 'DirectSwap'
  | 'AggregatedSwap'
  | 'WrapNative'
  | 'UnwrapNative'
  | 'OrderPlacement'
  | 'OrderCancellation'
  | 'TokenMint'
  | 'TokenBurn'
  | 'NftMint'
  | 'NftBurn'
  | 'NftTrade'
  | 'AddLiquidity'
  | 'RemoveLiquidity'
  | 'CollectFees'
  | 'PoolCreation'
  | 'Supply'
  | 'Withdraw'
  | 'Borrow'
  | 'Repay'
  | 'Liquidation'
  | 'FlashLoan'
  | 'Stake'
  | 'Unstake'
  | 'WithdrawalRequest'
  | 'ClaimRewards'
  | 'VaultDeposit'
  | 'VaultWithdraw'
  | 'PositionMigration'
  | 'BridgeDeposit'
  | 'BridgeWithdrawal'
  | 'AtomicArbitrage'
  | 'AccountDelegation'
  | 'AccountAdministration'
  | 'GovernanceAction'
  | 'NameServiceAction'
  | 'Refund'
  | 'ProtocolFee'
  | 'BuilderPayment'
  | 'CollateralToggle'
  | 'Attestation'
  | 'OnchainMessage';
