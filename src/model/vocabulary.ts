import type { Camel } from './camel.ts';
import type { IntentKind } from './intent.ts';
import type { MotifKind } from './primitive.ts';
import type { RawLexiconEntry, RawMotifKind } from './generated/rules.ts';
import type { Hash } from './hex.ts';

type Declared = Required<Camel<Omit<RawMotifKind, 'title' | 'fragment' | 'position' | 'venue'>>>;

/** A flag is off, a list empty and a word null where a kind does not declare it. */
type Trait<T> = T extends boolean ? boolean : T extends readonly string[] ? readonly string[] : T | null;

/** How the engine treats motifs of a kind; declared in `rules/vocabulary.yaml`, where the meanings are. */
export interface MotifTraits extends Readonly<{ [K in keyof Declared]: Trait<Declared[K]> }> {
  readonly venue: NonNullable<RawMotifKind['venue']>;
  /** It only says that value moved: `venue: none`. */
  readonly plain: boolean;
  /** The venue is the acting or changed account, or the created contract: not a counterparty of the actor. */
  readonly actsOnVenue: boolean;
}

export interface MotifKindSpec extends MotifTraits {
  readonly kind: MotifKind;
  readonly title: string;
  /** Intent kind shown among the fragments for a motif that is not part of another; null = none. */
  readonly fragment: IntentKind | null;
  /** Its effect on a position. `subcategory`: the ruleset's own name for it; `owner`: its owner's role. */
  readonly position: {
    readonly category: string;
    readonly subcategory?: string;
    readonly effect: string;
    readonly owner?: string;
  } | null;
}

export interface IntentKindSpec {
  readonly kind: IntentKind;
  readonly category: string;
  /** The ruleset's own category, shown to clients as `category`. */
  readonly subcategory?: string;
  /** Lower outranks higher. */
  readonly rank: number;
  readonly headline: boolean;
  /** Label of such an event in a tax ledger (`reward`, `swap`); null for ordinary trades and transfers. */
  readonly ledgerLabel: string | null;
  /** Words for grouping (`dex`, `lending`), written into `classification.tags` beside the rule's own. */
  readonly tags: readonly string[];
}

/**
 * Words that hint at the act of an unknown contract. An entry applies to an event or call with all stems of
 * one of `names` in its name and all stems of one of `args` in an argument (if given), or with `sign`.
 */
export interface LexiconEntry
  extends Required<Pick<RawLexiconEntry, 'kind' | 'flow' | 'without' | 'leg' | 'anyone'>> {
  readonly names: readonly ReadonlySet<string>[];
  readonly args: readonly ReadonlySet<string>[];
  /** First topics of events of message buses; such an entry has no words. */
  readonly messages: ReadonlySet<Hash>;
  readonly sign: NonNullable<RawLexiconEntry['sign']> | null;
  /** Null: any. */
  readonly assets: NonNullable<RawLexiconEntry['assets']> | null;
  /** Applies only where no token was minted to the account, or burnt from it. */
  readonly unreceipted: boolean;
  /** Applies only where the event or call states the amount of a movement. */
  readonly exact: boolean;
}
