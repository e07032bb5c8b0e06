import type { Confidence, Status } from './motif.ts';
import type { FactSource } from './intent.ts';
import type { Condition, RuleStatus } from './rulebook.ts';
import type { DisplayMoney, Evidence } from './generated/report.ts';

/** One step of a finding: which acts it takes, each measured against the first step. */
export interface FindingStep {
  readonly name: string;
  /** Motif kinds, or intent kinds for whole transactions. */
  readonly kinds: ReadonlySet<string>;
  /** Motif kinds of which the act must be a part; empty: any. */
  readonly within: ReadonlySet<string>;
  readonly entity: 'any' | 'same' | 'other';
  readonly direction: 'any' | 'same' | 'opposite';
  /** All acts that fit, at least one, in place of the nearest. */
  readonly many: boolean;
  /** In the transaction right after the step before. */
  readonly next: boolean;
}

/** A rule about several transactions of one block. */
export interface FindingRule {
  readonly slug: string;
  readonly version: number;
  readonly status: RuleStatus;
  readonly finding: string;
  readonly summary: string;
  /** What the acts of a candidate have in common. */
  readonly shared: 'venue' | 'signer' | 'block';
  readonly steps: readonly FindingStep[];
  readonly when: Condition;
  /** Proven where this holds too; each test that fails is a caveat. */
  readonly proven: Condition;
  readonly confidence: { readonly known: Confidence; readonly family: Confidence };
  /** Findings that explain these transactions better. */
  readonly outside: readonly string[];
  /** Steps whose transactions' gains, costs or losses are worked out. */
  readonly profit: readonly string[];
  readonly loss: { readonly of: string; readonly topic0: string } | null;
  readonly income: boolean;
}

/** A finding rule ready to decide. */
export interface PreparedFinding {
  readonly rule: FindingRule;
  /** Decisions of json-rules-engine: null where `when` fails, else the facts whose test in `proven` fails. */
  decide(source: FactSource): Promise<readonly string[] | null>;
}

/** A transaction's part in a finding. */
export interface FindingPart {
  readonly step: string;
  readonly tx_hash: string;
  /** Position of the transaction in its block. */
  readonly index: number;
  readonly account: string;
  readonly motif_ids: readonly string[];
  readonly evidence: readonly Evidence[];
}

/** An amount that a finding states, signed as its role says; `amount_raw` is null where it is not computed. */
export interface FindingAmount {
  readonly role:
    | 'profit'
    | 'pool_result'
    | 'gas'
    | 'tip'
    | 'loss'
    | 'income'
    | 'priority_fees'
    | 'direct_payments'
    | 'paid_out';
  readonly account: string | null;
  readonly tx_hash: string | null;
  readonly venue: string | null;
  readonly asset_id: string | null;
  readonly symbol: string | null;
  readonly amount_raw: string | null;
  readonly amount: string | null;
  readonly usd: DisplayMoney;
  /** Dollars as an exact decimal; null without a price. */
  readonly usd_exact: string | null;
  /** Why there is no amount; null where there is one. */
  readonly reason: string | null;
}

/** What several transactions of one block show together. */
export interface Finding {
  readonly schema_version: 1;
  /** `<block>-<n>`. */
  readonly id: string;
  readonly finding: string;
  readonly block_number: number;
  readonly status: Status;
  readonly confidence: Confidence;
  readonly rule: string;
  readonly rule_version: number;
  readonly caveats: readonly { readonly code: string; readonly text: string }[];
  /** Accounts that act as one: signer and called contract. */
  readonly entity: readonly string[];
  readonly venues: readonly {
    readonly venue: string;
    readonly pool_id: string | null;
    readonly protocol: string | null;
  }[];
  readonly transactions: readonly FindingPart[];
  readonly amounts: readonly FindingAmount[];
}
