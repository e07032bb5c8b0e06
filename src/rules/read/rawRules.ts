import type { FindingRule } from '../../model/finding.ts';
import type { RuleStatus, WhenOperator } from '../../model/rulebook.ts';
import type { MotifTraits, VenueRole } from '../../model/vocabulary.ts';
import type { Hash } from '../../model/hex.ts';
import type { Confidence } from '../../model/motif.ts';
import type { PortionRole } from '../../model/primitive.ts';

/** Content of rule files after schema validation. Names are those of the YAML keys. */
export interface RawHead {
  readonly slug: string;
  readonly version: number;
  readonly status: RuleStatus;
  readonly replaced_by?: string;
  readonly override?: boolean;
}

export interface RawLeg {
  readonly role: string;
  readonly from?: string;
  readonly to?: string;
  readonly asset?: string;
  readonly asset_kind?: 'native' | 'erc20' | 'erc721' | 'erc1155';
  readonly movement?: 'mint' | 'burn';
  readonly amount?: string | readonly string[];
  readonly fees?: string | readonly string[];
  readonly total?: string;
  readonly match?: 'movement' | 'stated';
  readonly otherwise?: 'none' | 'direction';
  readonly pick?: 'one' | 'all';
  readonly required?: boolean;
}

export interface RawMeaning {
  readonly event?: string;
  /** First topic of an anonymous log, in place of the hash of `event`. */
  readonly topic0?: Hash;
  readonly call?: string;
  readonly depth?: 'root' | 'any';
  readonly kind: string;
  readonly venue?: string;
  readonly pool_id?: string;
  readonly roles?: Readonly<Record<string, string>>;
  readonly legs?: readonly RawLeg[];
  /** Why it may move nothing that a leg could name. */
  readonly legless?: string;
  readonly when?: readonly {
    readonly left: string;
    readonly is: WhenOperator;
    readonly right?: string;
  }[];
  readonly tags?: readonly string[];
  readonly about?: readonly string[];
  readonly position?: { readonly token: string; readonly id: string };
  readonly portions?: readonly {
    readonly role: PortionRole;
    readonly asset?: string;
    readonly amount: string;
  }[];
  /** Signature of the function an event is made in. */
  readonly within?: string;
}

export interface RawShape extends RawHead {
  /** Slug of the shape that this one differs from by its own entries. */
  readonly extends?: string;
  /** Signatures of that shape which this one leaves out. */
  readonly without?: readonly string[];
  readonly any_emitter: boolean;
  readonly family_confidence?: Confidence;
  readonly events?: readonly RawMeaning[];
  readonly calls?: readonly RawMeaning[];
  readonly examples?: readonly RawShapeExample[];
  /** Signatures that only one source has. */
  readonly unconfirmed?: readonly string[];
}

export interface RawShapeExample extends Required<Pick<RawExample, 'name' | 'transaction' | 'expect'>> {
  /** Where the signature was found besides the shape's own references. */
  readonly source?: string;
}

/** Examples of one shape, in a file of their own. */
export interface RawExamples {
  readonly shape: string;
  readonly examples: readonly RawShapeExample[];
}

export interface RawProtocol extends RawHead {
  readonly name: string;
  readonly shapes: readonly string[];
  readonly addresses?: readonly string[];
  readonly create2?: {
    readonly deployer: string;
    readonly init_code_hash: string;
    readonly salt: 'packed' | 'abi_fee';
    readonly fees?: readonly number[];
  };
  readonly created_by?: readonly {
    readonly deployer: string;
    readonly count: number;
    readonly shim_hash?: Hash;
    readonly salt?: Hash;
    readonly children?: number;
  }[];
  readonly tokens?: { readonly names?: readonly string[]; readonly symbols?: readonly string[] };
  readonly registries?: readonly {
    readonly address: string;
    readonly call: string;
    readonly since_block: number;
  }[];
  readonly payments?: { readonly kind: string; readonly assets: readonly string[] };
  readonly tags?: readonly string[];
  readonly swap_fee_ppm?: number;
}

export type RawCondition =
  | { readonly all: readonly RawCondition[] }
  | { readonly any: readonly RawCondition[] }
  | { readonly not: RawCondition }
  | { readonly fact: string; readonly is: string | boolean; readonly value?: unknown };

/** An argument: an account by its word, an amount, a text, or a list of arguments. */
export type ExampleValue = string | number | boolean | readonly ExampleValue[];

export type RawExampleStep =
  /** `move` is the amount; `asset` is `native` or the word of a token; `nft` and `id` are ids of ERC-721 and 1155. */
  | {
      readonly move: number | string;
      readonly asset: string;
      readonly from: string;
      readonly to: string;
      readonly nft?: number | string;
      readonly id?: number | string;
    }
  | { readonly event: string; readonly by: string; readonly args?: readonly ExampleValue[] }
  | {
      readonly call: string;
      readonly on: string;
      readonly by?: string;
      readonly value?: number | string;
      readonly args?: readonly ExampleValue[];
    };

/** A transaction made up for an example. */
export interface RawExampleTransaction {
  readonly from?: string;
  readonly to: string;
  readonly call?: string;
  readonly args?: readonly ExampleValue[];
  readonly value?: number | string;
  readonly tokens?: Readonly<Record<string, { readonly decimals: number }>>;
  readonly steps?: readonly RawExampleStep[];
}

/** Required results of an example's transaction; missing keys are not checked. */
export interface RawExpectation {
  readonly intent?: string;
  readonly label?: string;
  readonly actor?: string;
  readonly status?: 'Proven' | 'Suspected';
  /** Each of them must be found. An empty list: the shape must recognise nothing. */
  readonly motifs?: readonly RawExpectedMotif[];
  /** `<category> <effect>` of each position of the report, in order. */
  readonly positions?: readonly string[];
}

export interface RawExpectedMotif {
  readonly kind: string;
  readonly venue?: string;
  readonly status?: 'Proven' | 'Suspected';
  readonly roles?: Readonly<Record<string, string>>;
  /** `<role> <amount> <asset>` each, in any order. */
  readonly legs?: readonly string[];
}

export interface RawExample {
  readonly name?: string;
  readonly transaction?: RawExampleTransaction;
  readonly expect?: RawExpectation;
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly recording?: string;
  readonly actor?: string;
}

export interface RawIntent extends RawHead {
  readonly intent: string;
  readonly label: string;
  readonly label_fallback?: string;
  readonly priority?: number;
  readonly supersedes?: readonly string[];
  readonly rests_on?: readonly string[];
  readonly requires_any?: readonly string[];
  readonly when: RawCondition;
  readonly proof: 'structural' | 'heuristic';
  readonly confidence: { readonly known: Confidence; readonly family: Confidence };
  readonly tags?: readonly string[];
  readonly examples: { readonly match?: readonly RawExample[]; readonly near_miss?: readonly RawExample[] };
}

export interface RawFindingExample {
  readonly name?: string;
  readonly transactions: readonly RawExampleTransaction[];
  /** Required results; missing keys are not checked. */
  readonly expect?: {
    readonly status?: 'Proven' | 'Suspected';
    /** Positions of each step's transactions, from 0. */
    readonly steps?: Readonly<Record<string, readonly number[]>>;
    /** `<role> <amount> <asset>` each; they must be among the finding's amounts. */
    readonly amounts?: readonly string[];
  };
}

export interface RawFinding extends RawHead {
  readonly summary: string;
  readonly finding: string;
  readonly shared?: FindingRule['shared'];
  readonly steps?: readonly {
    readonly name: string;
    readonly kinds: readonly string[];
    readonly within?: readonly string[];
    readonly entity?: 'same' | 'other';
    readonly direction?: 'same' | 'opposite';
    readonly many?: boolean;
    readonly next?: boolean;
  }[];
  readonly when: RawCondition;
  readonly proven: RawCondition;
  readonly confidence: { readonly known: Confidence; readonly family: Confidence };
  readonly outside?: readonly string[];
  readonly profit?: readonly string[];
  readonly loss?: { readonly of: string; readonly reserves: string };
  readonly income?: boolean;
  readonly examples: {
    readonly match?: readonly RawFindingExample[];
    readonly near_miss?: readonly RawFindingExample[];
  };
}

export interface RawMotifKind {
  readonly title: string;
  readonly fragment?: string;
  readonly position?: { readonly category: string; readonly effect: string };
  readonly venue?: VenueRole;
  readonly composite?: boolean;
  readonly trade?: NonNullable<MotifTraits['trade']>;
  readonly executes?: NonNullable<MotifTraits['executes']>;
  readonly allowance?: boolean;
  readonly carries?: boolean;
  readonly serves?: NonNullable<MotifTraits['serves']>;
  readonly dependent?: boolean;
  readonly fee?: boolean;
  readonly destroys?: boolean;
  readonly completed_by?: NonNullable<MotifTraits['completedBy']>;
  readonly closed_flow?: NonNullable<MotifTraits['closedFlow']>;
  readonly submitter?: boolean;
  readonly claims?: readonly string[];
}

export interface RawVocabulary {
  readonly override?: boolean;
  readonly motifs?: Readonly<Record<string, RawMotifKind>>;
  readonly intents?: Readonly<
    Record<
      string,
      {
        readonly category: string;
        readonly headline?: boolean;
        readonly ledger?: string;
        readonly tags?: readonly string[];
      }
    >
  >;
  readonly leg_roles?: Readonly<Record<string, 'sent' | 'received'>>;
  readonly account_roles?: Readonly<Record<string, string>>;
  /** Categories of one's own: the published category each is shown as. */
  readonly intent_categories?: Readonly<Record<string, string>>;
  readonly position_categories?: Readonly<Record<string, string>>;
  /** Lists of words that rules name as `$name`. */
  readonly lists?: Readonly<Record<string, readonly (string | number)[]>>;
}

export interface RawPrecedence {
  readonly override?: boolean;
  readonly order?: readonly string[];
  readonly insert?: readonly { readonly intent: string; readonly before?: string; readonly after?: string }[];
}

export interface RawLexiconEntry {
  readonly kind: string;
  readonly flow: 'sent' | 'received' | 'exchanged' | 'none' | 'any';
  readonly names?: readonly string[];
  readonly args?: readonly string[];
  readonly messages?: readonly string[];
  readonly without?: readonly string[];
  readonly sign?: 'hash_path' | 'custody' | 'exit';
  readonly assets?: 'fungible' | 'erc20' | 'nft';
  readonly leg?: string;
  readonly amount?: 'exact' | 'any';
  readonly anyone?: boolean;
}
