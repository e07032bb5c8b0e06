import type { Confidence } from './motif.ts';
import type { FactSource } from './intent.ts';
import type { Condition, RuleStatus } from './rulebook.ts';

/** One step of a finding: which acts it takes, each measured against the first step. */
export interface FindingStep {
  readonly name: string;
  /** Motif kinds, or intent kinds for whole transactions. */
  readonly kinds: ReadonlySet<string>;
  /** Motif kinds that must contain the act; empty: any. */
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
  /** Common properties of a candidate's acts. */
  readonly shared: 'venue' | 'signer' | 'block';
  readonly steps: readonly FindingStep[];
  readonly when: Condition;
  /** Proven where this holds too; each test that fails is a caveat. */
  readonly proven: Condition;
  readonly confidence: { readonly known: Confidence; readonly family: Confidence };
  /** Findings that explain these transactions better. */
  readonly outside: readonly string[];
  /** Steps with gains, costs or losses to work out. */
  readonly profit: readonly string[];
  readonly loss: { readonly of: string; readonly topic0: string } | null;
  readonly income: boolean;
}

/** A finding rule ready to decide. */
export interface PreparedFinding {
  readonly rule: FindingRule;
  /** Decisions of json-rules-engine: null where `when` fails, else the facts that fail in `proven`. */
  decide(source: FactSource): Promise<readonly string[] | null>;
}
