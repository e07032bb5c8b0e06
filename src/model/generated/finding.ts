/* Generated from schemas/http/*.schema.json by scripts/generateTypes.ts. Do not edit: change the schema and run it again. */
/**
 * Checksummed (EIP-55).
 */
export type Address = string;
/**
 * Transaction hash.
 */
export type Hash = string;

/**
 * What several transactions of one block show together, as `txreport block --json` and `batch --findings` write it. It never changes a report.
 */
export interface Finding {
  /**
   * Version of this schema.
   */
  schema_version: 1;
  /**
   * `<block>-<n>`, in the order of the rules.
   */
  id: string;
  /**
   * What it is, for programs; open: rules add words. Shipped: sandwich, back_run, jit_liquidity, builder_income, address_poisoning.
   */
  finding: string;
  /**
   * The block.
   */
  block_number: number;
  /**
   * Proven: every claim it rests on is in traces or receipts. Suspected: `caveats` says what is missing.
   */
  status: 'Proven' | 'Suspected';
  /**
   * How sure the rule is.
   */
  confidence: 'High' | 'Medium' | 'Low';
  /**
   * Slug of the rule in rules/findings.
   */
  rule: string;
  /**
   * Its version.
   */
  rule_version: number;
  /**
   * Why it is not Proven; empty where it is.
   */
  caveats: {
    /**
     * Name of the fact whose test failed.
     */
    code: string;
    /**
     * In words.
     */
    text: string;
  }[];
  /**
   * Accounts that acted as one: signers and contracts.
   */
  entity: Address[];
  /**
   * Pools at which it happened.
   */
  venues: {
    venue: Address;
    /**
     * Pool inside a singleton.
     */
    pool_id: string | null;
    /**
     * Slug of its protocol.
     */
    protocol: string | null;
  }[];
  /**
   * Each transaction's part, in the order of the block.
   */
  transactions: Part[];
  /**
   * Amounts, exact and in dollars where priced.
   */
  amounts: Amount[];
}
/**
 * A transaction's part.
 */
export interface Part {
  /**
   * Step of the rule: front, victim, back, mover, run, add, trade, remove, payment, …
   */
  step: string;
  tx_hash: Hash;
  /**
   * Position of the transaction in its block.
   */
  index: number;
  account: Address;
  /**
   * Motifs of its report that are the step.
   */
  motif_ids: string[];
  /**
   * As in reports: frames and logs where it can be checked.
   */
  evidence: {
    kind: 'frame' | 'log' | 'transaction';
    frame_path: number[] | null;
    log_index: number | null;
    contract: Address;
  }[];
}
/**
 * An amount the finding states.
 */
export interface Amount {
  /**
   * profit: What the entity is left with of an asset over its transactions, tips counted as its own, gas left out. pool_result: What the entity's acts at one venue leave of an asset. gas: Gas it paid. tip: What it paid the fee recipient of the block. loss: What a victim got less than on the reserves without the first act; without an amount where `reason` says why. income: Priority fees and direct payments together. priority_fees: Fees above the base fee, of transactions not signed by the fee recipient. direct_payments: Ether sent to the fee recipient. paid_out: What the fee recipient sent on in transactions of its own.
   */
  role: 'profit' | 'pool_result' | 'gas' | 'tip' | 'loss' | 'income' | 'priority_fees' | 'direct_payments' | 'paid_out';
  /**
   * Whose it is.
   */
  account: Address | null;
  /**
   * Transaction it is about, where it is one.
   */
  tx_hash: Hash | null;
  /**
   * Venue it is about, where it is one.
   */
  venue: Address | null;
  /**
   * CAIP-19; null where nothing is computed.
   */
  asset_id: string | null;
  symbol: string | null;
  /**
   * Smallest units, signed; null where it is not computed.
   */
  amount_raw: string | null;
  /**
   * Exact decimal; null where the decimals are unknown.
   */
  amount: string | null;
  usd: {
    text: string;
    available: boolean;
    reason?: string | null;
  };
  /**
   * Dollars as an exact decimal, not rounded; null without a price.
   */
  usd_exact: string | null;
  /**
   * Why there is no amount; null where there is one.
   */
  reason: string | null;
}
