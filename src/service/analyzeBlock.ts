import { checksumAddress } from '../evm/address.ts';
import { blockTx, type RawLog } from '../findings/blockFacts.ts';
import { findInBlock } from '../findings/findBlock.ts';
import { createFindingValidator } from '../findings/findingValidator.ts';
import { AnalysisError, failureOf } from '../lib/errors.ts';
import { jsonText } from '../lib/reportJson.ts';
import { blockUpstream } from '../stages/1-fetch/block/blockSession.ts';
import { createBlockFetcher, type OnNote, type RawBlock } from '../stages/1-fetch/block/fetchBlock.ts';
import { involves } from '../stages/1-fetch/block/involves.ts';
import { createAnalyze, type AnalyzerDeps } from './analyzer.ts';
import type { AnalyzeOptions } from './http/analyze.ts';
import type { BlockId } from '../traces/traceApi.ts';
import type { Session } from '../stages/1-fetch/rpc/session.ts';
import type { Address, Hash } from '../model/hex.ts';
import type { Finding } from '../model/generated/finding.ts';
import type { TxReport } from '../model/generated/report.ts';

/** Which reports of a block are wanted; null: all. */
export interface BlockFilter {
  readonly intents: readonly string[] | null;
  /** Lower-case. */
  readonly addresses: readonly Address[] | null;
  /** Whether findings over several transactions are wanted: then all of them are analyzed. */
  readonly findings?: boolean;
}

export type BlockOptions = Pick<AnalyzeOptions, 'signal' | 'deadlineAt' | 'onCall'>;

export interface BlockFailure {
  readonly tx_hash: Hash;
  readonly code: string;
  readonly error: string;
}

export interface BlockReports {
  /** Serialised, in block order. */
  readonly reports: readonly string[];
  /** Position in the block of each report's transaction. */
  readonly indexes: readonly number[];
  readonly failures: readonly BlockFailure[];
  readonly findings: readonly Finding[];
  /** Transactions of the block, wanted or not. */
  readonly transactions: number;
}

/**
 * Analyzes whole blocks, with the reports of single analyses. A transaction that cannot be answered out of
 * its block is analyzed by its hash. Rejects with the `AnalysisError` of the block itself.
 */
export function createAnalyzeBlock(
  deps: AnalyzerDeps,
  filter: BlockFilter,
  onNote: OnNote,
): (id: BlockId, options: BlockOptions) => Promise<BlockReports> {
  const { upstream } = deps;
  const fetchBlock = createBlockFetcher(onNote);
  const validateFinding = filter.findings ? createFindingValidator() : null;

  async function analyzeEach(
    session: Session,
    block: RawBlock,
    hashes: readonly Hash[],
    options: BlockOptions,
  ) {
    const joined = blockUpstream(upstream, session, block, hashes.length);
    const reports = new Map<string, TxReport>();
    const validate = (report: TxReport): void => {
      deps.validate(report);
      if (filter.findings) reports.set(report.tx.hash, report);
    };
    const analyze = createAnalyze({ ...deps, validate, upstream: joined.upstream });
    const analyzeAlone = createAnalyze({ ...deps, validate });
    const results = await Promise.all(
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
    return { results, reports };
  }

  /** Findings over the transactions; those without a report leave their place empty. */
  async function findIn(block: RawBlock, reports: ReadonlyMap<string, TxReport>): Promise<Finding[]> {
    const txs = block.hashes.flatMap((hash, index) => {
      const report = reports.get(hash);
      return report ? [blockTx(report, index)] : [];
    });
    const found = await findInBlock(
      {
        number: Number(block.number),
        coinbase: block.coinbase && checksumAddress(block.coinbase),
        txs,
        logsOf: (hash) => (block.receipts.get(hash as Hash) as { logs: readonly RawLog[] }).logs,
      },
      deps.rulebook(),
    );
    for (const finding of found) validateFinding!(finding);
    return found;
  }

  return async (id, options) => {
    const session = upstream.open({ ...options, subject: id.hash });
    const block = await fetchBlock(session, id);
    const { addresses, intents } = filter;
    const hashes = addresses ? block.hashes.filter((hash) => involves(block, hash, addresses)) : block.hashes;
    const reports: string[] = [];
    const indexes: number[] = [];
    const failures: BlockFailure[] = [];
    const analyzed = await analyzeEach(session, block, hashes, options);
    const places = new Map(block.hashes.map((hash, index) => [hash, index]));
    for (const [i, result] of analyzed.results.entries()) {
      if ('code' in result) failures.push(result);
      else if (intents === null || intents.includes(result.intentKind)) {
        reports.push(jsonText(result.json));
        indexes.push(places.get(hashes[i]!)!);
      }
    }
    const findings = filter.findings ? await findIn(block, analyzed.reports) : [];
    return { reports, indexes, failures, findings, transactions: block.hashes.length };
  };
}
