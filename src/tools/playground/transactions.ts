import { readConfig } from '../../service/config.ts';
import { allRecordings, type Recording } from '../cli/rules/recordings.ts';
import type { Hash } from '../../model/hex.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import { fetchContext } from '../../stages/1-fetch/context/fetchContext.ts';
import { fetchTransaction } from '../../stages/1-fetch/fetchTransaction.ts';
import { planContext } from '../../stages/1-fetch/context/planContext.ts';
import { createUpstream } from '../../stages/1-fetch/rpc/upstream.ts';
import type { RecordingName } from './answers.ts';

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
  const upstream =
    config &&
    createUpstream({
      rpcUrls: config.rpcUrls,
      traceUrl: null,
      priceApiUrl: null,
      timeoutMs: config.rpcTimeoutMs,
      retries: config.rpcRetries,
      deadlineMs: config.deadlineMs,
      maxResponseBytes: config.maxResponseBytes,
      maxBatch: config.rpcMaxBatch,
    });
  return {
    names: recordings.map(({ name, raw }) => ({ name, hash: raw.hash })),
    node: upstream !== null,
    byName: (name) => recordings.find((r) => r.name === name) ?? null,
    async byHash(hash, rulebook) {
      const recorded = recordings.find((r) => r.raw.hash === hash);
      if (recorded || upstream === null) return recorded ?? null;
      const session = upstream.open({
        signal: AbortSignal.timeout(config!.deadlineMs),
        deadlineAt: performance.now() + config!.deadlineMs,
      });
      const raw = await fetchTransaction(session, hash);
      return {
        name: hash,
        raw,
        context: await fetchContext(session, planContext(raw, rulebook(), config!.maxTokens), {
          names: config!.priceSources,
        }),
      };
    },
    close: async () => upstream?.close(),
  };
}
