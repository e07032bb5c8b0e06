import type { Address } from './hex.ts';
import type { Confidence, Status } from './motif.ts';
import type { PreparedFinding } from './finding.ts';
import type { IntentRule, Rulebook } from './rulebook.ts';
import type { MotifKind } from './primitive.ts';
import type { AssetId } from './valueFlow.ts';

/** An `intent_kind` declared in `rules/vocabulary.yaml`. */
export type IntentKind = string;

export interface Fragment {
  readonly kind: IntentKind;
  readonly status: Status;
  readonly confidence: Confidence;
  /** Motif indexes it rests on. */
  readonly motifs: readonly number[];
  readonly seq: number;
}

/** Never an amount. */
export type FactValue = number | boolean | string | readonly string[];

/** Where rules find facts about one candidate. Throws for a name that is no fact. */
export type FactSource = (name: string) => FactValue;

/** A condition with its actual value and its result. */
export type CheckedCondition =
  | { readonly all: readonly CheckedCondition[]; readonly result: boolean }
  | { readonly any: readonly CheckedCondition[]; readonly result: boolean }
  | { readonly not: CheckedCondition; readonly result: boolean }
  | {
      readonly fact: string;
      readonly operator: string;
      readonly expected: unknown;
      readonly actual: FactValue;
      readonly result: boolean;
    };

/** The rule engine's result for one rule; every condition is evaluated, also when the rule does not match. */
export interface RuleOutcome {
  readonly rule: IntentRule;
  readonly matched: boolean;
  readonly conditions: CheckedCondition;
}

/** A rule in force, ready to be evaluated on many transactions. */
export interface PreparedIntent {
  readonly rule: IntentRule;
  /** Names of the facts it asks for. */
  readonly facts: ReadonlySet<string>;
  /** Whether its tests hold: rules out most rules before the engine, which decides, runs. */
  mayMatch(source: FactSource): boolean;
  /** Decision of json-rules-engine. Throws as the source does. */
  matches(source: FactSource): Promise<boolean>;
  /** As `matches`, with the outcome of every condition. */
  evaluate(source: FactSource): Promise<RuleOutcome>;
}

/** Reasons against a Proven verdict, or against High confidence. */
export type CaveatCode =
  | 'heuristic_rule'
  | 'experimental_rule'
  | 'no_single_actor'
  | 'claimed_actor'
  | 'stale_delegation'
  | 'suspect_token'
  | 'state_unread'
  | 'unasked_pull'
  | 'nothing_recognised'
  | 'function_name_only'
  | 'amounts_differ'
  | 'unproven_motif'
  | 'low_confidence'
  | 'unaccounted_value'
  | 'unknown_protocol'
  | 'uncertain_motif'
  | 'rule_limit'
  | 'contradiction'
  | 'no_rule';

/** An amount that the subject gave or got, as a label states it. */
export interface StatedAmount {
  /** The native asset for wrapped native too. */
  readonly asset: AssetId;
  readonly amount: bigint;
  readonly side: 'sent' | 'received';
}

/** The outcome of the rules for one candidate actor. */
export interface Verdict extends Omit<Fragment, 'seq'> {
  readonly label: string;
  /** Placeholders of the rule's label that had no value. */
  readonly unfilled: readonly string[];
  readonly stated: readonly StatedAmount[];
  /** The owner of the position that the label is about; null for other labels. */
  readonly owner: Address | null;
  /** Null when a fallback heuristic answered. */
  readonly rule: { readonly slug: string; readonly version: number } | null;
  readonly category: string;
  readonly tags: readonly string[];
  readonly caveats: readonly CaveatCode[];
  /** In execution order. */
  readonly fragments: readonly Fragment[];
}

/** Derived from the rules once, at load, for all transactions. */
export interface PreparedRules {
  /** Intent rules in force, best first. */
  readonly intents: readonly PreparedIntent[];
  /** Finding rules in force, by slug. */
  readonly findings: readonly PreparedFinding[];
  /** Slug of the protocol an address belongs to: listed, or made by one of its deployers. */
  protocolOf(contract: Address): string | undefined;
  /** Motif kinds that the protocol of a contract has shapes for; undefined for other contracts. */
  kindsOf(contract: Address): ReadonlySet<MotifKind> | undefined;
  /** Highest confidence of a shape without a known protocol. */
  readonly familyConfidence: ReadonlyMap<string, Confidence>;
  /** A stage's own view of the rules: made on first use, then kept. */
  derive<T>(make: (rulebook: Rulebook) => T): T;
}

/**
 * `count`: a safe integer ≥ 0. `enum`: one of `values`. `list`: distinct strings, of `values` if given. Never
 * an amount.
 */
export type FactType = 'count' | 'boolean' | 'enum' | 'list';

export type WordKind =
  | 'motif_kind'
  | 'protocol'
  | 'entity_tag'
  | 'motif_tag'
  | 'account_role'
  | 'asset_class'
  | 'token_symbol';

export interface FactDeclaration {
  readonly name: string;
  readonly type: FactType;
  /** Closed for `enum`; optional for `list`. The first is the default of an `enum`. */
  readonly values?: readonly string[];
  /** The possible words of a list, where the ruleset knows them all. */
  readonly of?: WordKind;
  /** Form of the text of an `enum` that has no `values`. */
  readonly pattern?: string;
  readonly doc: string;
}

/** By name. */
export type FactIndex = ReadonlyMap<string, FactDeclaration>;
