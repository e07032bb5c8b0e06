import type { Problem } from '../../rules/read/problems.ts';
import type { TxReport } from '../../model/generated/report.ts';
import type { CheckedCondition } from '../../model/intent.ts';
import { readConfig } from '../../service/config.ts';
import { allRecordings, type Recording } from '../cli/rules/recordings.ts';
import type { Hash } from '../../model/hex.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import { openUpstream } from '../../service/analyzer.ts';
import { fetchRecording } from '../cli/rules/loadTx.ts';

/** Messages between the playground's endpoint and its page. */

export const RULE_KINDS = ['intent', 'shape', 'protocol', 'entity'] as const;
export type RuleKind = (typeof RULE_KINDS)[number];

interface RecordingName {
  readonly name: string;
  readonly hash: string;
}

/** GET /playground/recordings */
export interface RecordingsAnswer {
  readonly recordings: readonly RecordingName[];
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

export interface VerdictView {
  readonly kind: string;
  readonly label: string;
  readonly status: string;
  readonly confidence: string;
  readonly rule: string | null;
  readonly actor: string | null;
}

/** One edited intent rule, seen from one candidate's place. */
export interface RuleView {
  readonly slug: string;
  readonly version: number;
  readonly intent: string;
  readonly account: string;
  /** The verdict is this account's. */
  readonly subject: boolean;
  readonly fate: 'wins' | 'outranked' | 'does_not_match' | 'skipped';
  /** The unmet conditions; for a winner, the rules it outranked. */
  readonly why: readonly string[];
  /** Null when it was not evaluated. */
  readonly conditions: CheckedCondition | null;
}

export interface NearMiss {
  readonly slug: string;
  readonly intent: string;
  readonly unmet: readonly string[];
  readonly met: number;
}

/** One event or call of an edited shape, and how many of its uses were recognised. */
export interface SignatureView {
  readonly shape: string;
  readonly signature: string;
  /** Logs (or calls) of the transaction with this signature. */
  readonly seen: number;
  /** Of those, how many became a building block by this shape. */
  readonly recognised: number;
  /** Why the shape made nothing of the others. */
  readonly why: readonly string[];
}

export interface MotifView {
  readonly id: string;
  readonly kind: string;
  readonly protocol: string | null;
  readonly status: string;
  readonly failed: readonly string[];
  /** By an edited shape or protocol. */
  readonly edited: boolean;
}

export interface TryOutcome {
  readonly name: string;
  readonly hash: string;
  readonly before: VerdictView;
  readonly after: VerdictView;
  readonly rules: readonly RuleView[];
  readonly near: readonly NearMiss[];
  readonly signatures: readonly SignatureView[];
  /** Accounts of edited protocols that appear in the transaction's calls or logs. */
  readonly protocols: readonly { readonly slug: string; readonly seen: readonly string[] }[];
  readonly motifs: { readonly before: readonly MotifView[]; readonly after: readonly MotifView[] };
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly report: TxReport;
}

/** POST /playground/try */
export interface TryAnswer {
  readonly kind: RuleKind | null;
  readonly slugs: readonly string[];
  /** With any, nothing is run. `file` is `your rule`, or a shipped file. */
  readonly problems: readonly (Problem & { readonly meaning: string })[];
  readonly outcome: TryOutcome | null;
}

/** Transactions to try rules on: those of one folder, by name or hash, and those of a node, by hash. */
export interface Transactions {
  readonly names: readonly RecordingName[];
  readonly node: boolean;
  /** By the name of a recording; null when there is none. Names are looked up, never taken for paths. */
  byName(name: string): Recording | null;
  /** Recorded, or asked of the node; null when it is neither. Throws `AnalysisError`. */
  byHash(hash: Hash, rulebook: () => Rulebook): Promise<Recording | null>;
  close(): Promise<void>;
}

export function openTransactions(folder: string, rpcUrl: string | undefined): Transactions {
  const recordings = allRecordings([folder]);
  const config = rpcUrl === undefined ? null : readConfig({ RPC_URL: rpcUrl });
  const upstream = config && openUpstream({ ...config, priceApiUrl: null });
  return {
    names: recordings.map(({ name, raw }) => ({ name, hash: raw.hash })),
    node: upstream !== null,
    byName: (name) => recordings.find((r) => r.name === name) ?? null,
    async byHash(hash, rulebook) {
      const recorded = recordings.find((r) => r.raw.hash === hash) ?? null;
      if (recorded || !config || !upstream) return recorded;
      return fetchRecording(hash, { upstream, config, rulebook: rulebook() });
    },
    close: async () => upstream?.close(),
  };
}
