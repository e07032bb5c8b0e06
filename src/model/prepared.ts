import type { Address } from './hex.ts';
import type { PreparedIntent } from './intent.ts';
import type { Confidence } from './motif.ts';
import type { MotifKind } from './primitive.ts';
import type { Rulebook } from './rulebook.ts';

/** Derived from the rules once, at load, for all transactions. */
export interface PreparedRules {
  /** Intent rules in force, best first. */
  readonly intents: readonly PreparedIntent[];
  /** Slug of the protocol an address belongs to: listed, or made by one of its deployers. */
  protocolOf(contract: Address): string | undefined;
  /** Motif kinds that the protocol of a contract has shapes for; undefined for other contracts. */
  kindsOf(contract: Address): ReadonlySet<MotifKind> | undefined;
  /** Highest confidence of a shape without a known protocol. */
  readonly familyConfidence: ReadonlyMap<string, Confidence>;
  /** A stage's own view of the rules: made on first use, then kept. */
  derive<T>(make: (rulebook: Rulebook) => T): T;
}
