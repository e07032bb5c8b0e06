import type { Problem } from '../../rules/read/problems.ts';
import type { tryRule } from './tryRule.ts';

/** Messages between the playground's endpoint and its page. */

export const RULE_KINDS = ['intent', 'shape', 'protocol', 'entity'] as const;
export type RuleKind = (typeof RULE_KINDS)[number];

/** GET /playground/recordings */
export interface RecordingsAnswer {
  readonly recordings: readonly { readonly name: string; readonly hash: string }[];
  /** Whether a hash that is not recorded can be asked of a node. */
  readonly node: boolean;
}

/** GET /playground/rules: rules in force by kind, to start from. */
export interface RulesAnswer {
  readonly rules: readonly { readonly kind: RuleKind; readonly slug: string }[];
}

/** POST /playground/rule, /playground/draft */
export interface TextAnswer {
  readonly text: string;
}

/** Body of POST /playground/try; exactly one of `recording` and `tx_hash`. */
export interface TryRequest {
  readonly rule: string;
  readonly recording?: string;
  readonly tx_hash?: string;
}

export type TryOutcome = Awaited<ReturnType<typeof tryRule>>;
export type VerdictView = TryOutcome['after'];
export type RuleView = TryOutcome['rules'][number];
export type MotifView = TryOutcome['motifs']['after'][number];

/** POST /playground/try */
export interface TryAnswer {
  readonly kind: RuleKind | null;
  readonly slugs: readonly string[];
  /** With any, nothing is run. `file` is `your rule`, or a shipped file. */
  readonly problems: readonly (Problem & { readonly meaning: string })[];
  readonly outcome: TryOutcome | null;
}
