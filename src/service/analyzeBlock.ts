import { AnalysisError, failureOf } from '../lib/errors.ts';
import { jsonText } from '../lib/reportJson.ts';
import { blockUpstream } from '../stages/1-fetch/block/blockSession.ts';
import { createBlockFetcher, type OnNote, type RawBlock } from '../stages/1-fetch/block/fetchBlock.ts';
import { involves } from '../stages/1-fetch/block/involves.ts';
import { createAnalyze, type AnalyzerDeps } from './analyzer.ts';
import type { BlockId } from '../traces/traceApi.ts';
import type { Session } from '../stages/1-fetch/rpc/session.ts';
import type { Address, Hash } from '../model/hex.ts';
import type { UpstreamCallEvent } from '../model/upstream.ts';

/** Which reports of a block are wanted; null: all. */
export interface BlockFilter {
  readonly intents: readonly string[] | null;
  /** Lower-case. */
  readonly addresses: readonly Address[] | null;
}

export interface BlockOptions {
  readonly signal: AbortSignal;
  /** `performance.now()` by which the block is due. */
  readonly deadlineAt: number;
  readonly onCall?: (event: UpstreamCallEvent) => void;
}

export interface BlockFailure {
  readonly tx_hash: Hash;
  readonly code: string;
  readonly error: string;
}

export interface BlockReports {
  /** Serialised, in block order. */
  readonly reports: readonly string[];
  readonly failures: readonly BlockFailure[];
  /** Transactions of the block, wanted or not. */
  readonly transactions: number;
}

/**
 * Analyzes whole blocks: two requests each, and reports that are byte for byte those of single analyses. A
 * transaction that cannot be answered out of its block is analyzed by its hash. Rejects with the
 * `AnalysisError` of the block itself.
 */
export function createAnalyzeBlock(
  deps: AnalyzerDeps,
  filter: BlockFilter,
  onNote: OnNote,
): (id: BlockId, options: BlockOptions) => Promise<BlockReports> {
  const { upstream } = deps;
  const fetchBlock = createBlockFetcher(onNote);
  const analyzeAlone = createAnalyze(deps);

  async function analyzeEach(
    session: Session,
    block: RawBlock,
    hashes: readonly Hash[],
    options: BlockOptions,
  ) {
    const joined = blockUpstream(upstream, session, block, hashes.length);
    const analyze = createAnalyze({ ...deps, upstream: joined.upstream });
    return Promise.all(
      hashes.map(async (hash) => {
        try {
          return await analyze(hash, options);
        } catch (error) {
          if (!(error instanceof AnalysisError) || options.signal.aborted) throw error;
          onNote(`some transactions are analyzed by hash: ${error.message}`);
        } finally {
          joined.leave();
        }
        try {
          return await analyzeAlone(hash, options);
        } catch (error) {
          if (options.signal.aborted) throw error;
          return { tx_hash: hash, ...failureOf(error) };
        }
      }),
    );
  }

  return async (id, options) => {
    const session = upstream.open({ ...options, subject: id.hash });
    const block = await fetchBlock(session, id);
    const { addresses, intents } = filter;
    const hashes = addresses ? block.hashes.filter((hash) => involves(block, hash, addresses)) : block.hashes;
    const reports: string[] = [];
    const failures: BlockFailure[] = [];
    for (const result of await analyzeEach(session, block, hashes, options)) {
      if ('code' in result) failures.push(result);
      else if (intents === null || intents.includes(result.intentKind)) reports.push(jsonText(result.json));
    }
    return { reports, failures, transactions: block.hashes.length };
  };
}
