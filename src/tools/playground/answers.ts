import type { Problem } from '../../rules/read/problems.ts';
import { readConfig } from '../../service/config.ts';
import type { Recording } from '../cli/rules/recordings.ts';
import type { Hash } from '../../model/hex.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import { createUpstream } from '../../stages/1-fetch/rpc/upstream.ts';
import { fetchRecording } from '../cli/rules/loadTx.ts';
import type { tryRule } from './tryRule.ts';

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

export type Transactions = ReturnType<typeof openTransactions>;

/** Transactions to try rules on: recorded ones, by name or hash, and those of a node, by hash. */
export function openTransactions(recordings: readonly Recording[], rpcUrl: string | undefined) {
  const config = rpcUrl === undefined ? null : readConfig({ RPC_URL: rpcUrl });
  const upstream = config && createUpstream({ ...config, priceApiUrl: null });
  return {
    names: recordings.map(({ name, raw }) => ({ name, hash: raw.hash })),
    node: upstream !== null,
    /** Null when there is none. Names are looked up, never taken for paths. */
    byName: (name: string): Recording | null => recordings.find((r) => r.name === name) ?? null,
    /** Recorded, or asked of the node; null when it is neither. Throws `AnalysisError`. */
    async byHash(hash: Hash, rulebook: () => Rulebook): Promise<Recording | null> {
      const recorded = recordings.find((r) => r.raw.hash === hash) ?? null;
      if (recorded || !config || !upstream) return recorded;
      return fetchRecording(hash, { upstream, config, rulebook: rulebook() });
    },
    close: async () => upstream?.close(),
  };
}
