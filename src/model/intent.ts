import type { Address } from './hex.ts';
import type { Confidence, Status } from './motif.ts';

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

/** The outcome of the rules for one candidate actor. */
export interface Verdict {
  readonly candidate: Address;
  readonly kind: IntentKind;
  readonly label: string;
  readonly status: Status;
  readonly confidence: Confidence;
  /** Null when a fallback heuristic answered. */
  readonly rule: { readonly slug: string; readonly version: number } | null;
  readonly category: string;
  readonly tags: readonly string[];
  readonly motifs: readonly number[];
  /** In execution order. */
  readonly fragments: readonly Fragment[];
}
