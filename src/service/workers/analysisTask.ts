import type { Config } from '../config.ts';
import type { ErrorCode } from '../../lib/errors.ts';
import type { Hash } from '../../model/hex.ts';
import type { UnreadAnswer, UpstreamCallEvent } from '../../model/upstream.ts';

/** What a thread that analyses is started with. */
export interface AnalysisThreadData {
  readonly config: Config;
  /** The rulebook in force, as `packRulebook` writes it. */
  readonly rulebook: Uint8Array;
}

/** One analysis for such a thread, begun elsewhere. */
export interface AnalysisTask {
  readonly hash: Hash;
  readonly answer: UnreadAnswer;
  /** When an answer is due, milliseconds of the clock that all threads share (since 1970): starting a thread takes time. */
  readonly due: number;
}

/** What it came to, and what logs and metrics want to know of it. */
export interface AnalysisOutcome {
  readonly done:
    | { readonly json: readonly Uint8Array[]; readonly intentKind: string }
    | { readonly code: ErrorCode; readonly detail: string | null; readonly cause: string | null };
  readonly stages: readonly (readonly [name: string, ms: number])[];
  readonly calls: readonly UpstreamCallEvent[];
}
