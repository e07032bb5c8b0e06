import type { FactSource } from './intent.ts';
import type { RawFinding } from './generated/rules.ts';
import type { Condition } from './rulebook.ts';

type RawStep = NonNullable<RawFinding['steps']>[number];

/** One step of a finding: which acts it takes, each measured against the first step. */
export interface FindingStep extends Required<Pick<RawStep, 'name' | 'many' | 'next'>> {
  /** Motif kinds, or intent kinds for whole transactions. */
  readonly kinds: ReadonlySet<string>;
  /** Motif kinds that must contain the act; empty: any. */
  readonly within: ReadonlySet<string>;
  readonly entity: NonNullable<RawStep['entity']> | 'any';
  readonly direction: NonNullable<RawStep['direction']> | 'any';
}

/** A rule about several transactions of one block. */
export interface FindingRule
  extends Required<
    Pick<RawFinding, 'slug' | 'version' | 'status' | 'finding' | 'shared' | 'confidence'> &
      Pick<RawFinding, 'outside' | 'profit' | 'income'>
  > {
  readonly steps: readonly FindingStep[];
  readonly when: Condition;
  /** Proven where this holds too; each test that fails is a caveat. */
  readonly proven: Condition;
  readonly loss: { readonly of: string; readonly topic0: string } | null;
}

/** A finding rule ready to decide. */
export interface PreparedFinding {
  readonly rule: FindingRule;
  /** Decisions of json-rules-engine: null where `when` fails, else the facts that fail in `proven`. */
  decide(source: FactSource): Promise<readonly string[] | null>;
}
