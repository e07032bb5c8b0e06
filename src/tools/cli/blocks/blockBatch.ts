import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { availableParallelism } from 'node:os';
import { AnalysisError, failureOf } from '../../../lib/errors.ts';
import { packRulebook } from '../../../service/cache/rulebookCache.ts';
import { configuredRules } from '../../../service/analyzer.ts';
import { resolveBlocks, type BlockRef } from '../../../stages/1-fetch/block/resolveBlocks.ts';
import { CliError, defectText } from '../cliIo.ts';
import { readCliConfig } from '../openAnalyzer.ts';
import { beside, countFailures, ndjson, replaceFailures, writing } from '../batch/guards.ts';
import { duration, runBatch, type BatchJob, type Failed, type Standing } from '../batch/runBatch.ts';
import {
  blocksFrom,
  readFilter,
  startOf,
  writeCheckpoint,
  type BlockBatchFailure,
  type BlockChoice,
  type Checkpoint,
} from './blockList.ts';
import {
  BLOCKS_PER_THREAD,
  failedBlock,
  onlyHashes,
  openBlockPool,
  retriesOf,
  type BlockPool,
  type BlockResult,
} from './blockResult.ts';
import { openLines, openTables, standardOutput, type BlockSink } from './blockSinks.ts';
import type { BlockId } from '../../../traces/traceApi.ts';
import type { Config } from '../../../service/config.ts';
import { createUpstream, type Upstream } from '../../../stages/1-fetch/rpc/upstream.ts';

/** A block to analyze; `id` is null where the node does not have it. */
interface BlockUnit {
  readonly ref: BlockRef;
  readonly id: BlockId | null;
  /** Of a block that failed in an earlier run: the transactions without a report; null: all. */
  readonly retry: ReadonlySet<string> | null | undefined;
}

/** Tracing and sending a whole block takes longer than one transaction's. */
const BLOCK_REQUEST_MS = 60_000;
export const BLOCK_DEADLINE_MS = 300_000;
/** Reads of a whole block per request, unless RPC_MAX_BATCH says otherwise; geth takes 1,000. */
const BLOCK_BATCH = 1_000;
const TOO_MUCH_MEMORY = 'the block takes more memory than ANALYSIS_MEMORY_MB';
/** Blocks resolved by one request. */
const RESOLVE = 50;
/** Blocks that may wait, finished, for one before them: the bound of the memory that order costs. */
const AHEAD = 2;

/** The configuration for whole blocks. Throws `CliError` where it is wrong. */
export function readBlockConfig(): Config {
  const config = readCliConfig();
  return {
    ...config,
    rpcTimeoutMs: Math.max(config.rpcTimeoutMs, BLOCK_REQUEST_MS),
    rpcMaxBatch: process.env['RPC_MAX_BATCH'] === undefined ? BLOCK_BATCH : config.rpcMaxBatch,
  };
}

/** Runs `txreport batch --blocks`; returns its exit status. */
export async function batchBlocks(request: BlockChoice): Promise<number> {
  if (request.format === 'parquet' && request.out === undefined)
    throw new CliError('--format parquet needs --out, the folder to write to');
  if (request.findings && request.out === undefined)
    throw new CliError('--findings needs --out: they are written beside the reports');
  if (request.findings && request.involving !== undefined)
    throw new CliError('--findings needs whole blocks: not with --involving');
  const config = readBlockConfig();
  return runBatch(request, await lockedFile(request), (stop, say) => openBlocks(request, config, stop, say));
}

/** The file to lock: the output itself, or for tables one in their folder. */
async function lockedFile({ out, format }: BlockChoice): Promise<string | undefined> {
  if (out === undefined || format === 'ndjson') return out;
  await writing(out, mkdir(out, { recursive: true }));
  return join(out, '.batch');
}

async function openBlocks(
  request: BlockChoice,
  config: Config,
  stop: AbortSignal,
  say: (text: string) => void,
): Promise<BatchJob<BlockUnit, BlockResult>> {
  const { threads = availableParallelism() } = request;
  const rulebook = await configuredRules(config);
  const filter = readFilter(request, rulebook);
  const upstream = createUpstream(config);
  try {
    const start = await startOf(request, upstream);
    if (start.state.next > 0) say(`${start.state.next} of ${start.list.size} blocks were done before`);
    const sink = await openSink(request, start.state);
    const tables = request.format === 'parquet';
    const pool = openBlockPool({ config, rulebook: packRulebook(rulebook), filter, tables }, threads);
    return new BlockJob({ ...start, out: request.out, sink, pool, upstream, stop, threads, say });
  } catch (error) {
    await upstream.close();
    throw error;
  }
}

function openSink(
  { out, format, findings, partition }: BlockChoice,
  { written, findings: writtenFindings = 0 }: Checkpoint,
): Promise<BlockSink> | BlockSink {
  if (out === undefined) return standardOutput();
  if (format === 'parquet') return openTables(out, written, partition === 'day');
  const ofFindings = findings ? { path: beside(out, 'findings'), written: writtenFindings } : null;
  return openLines(out, written, ofFindings);
}

interface BlockRun extends Awaited<ReturnType<typeof startOf>> {
  /** Without one nothing can be resumed. */
  readonly out: string | undefined;
  readonly sink: BlockSink;
  readonly pool: BlockPool;
  readonly upstream: Upstream;
  readonly stop: AbortSignal;
  readonly threads: number;
  readonly say: (text: string) => void;
}

/** Analyzes the blocks of a list on a pool of threads and writes their reports in the order of the list. */
class BlockJob implements BatchJob<BlockUnit, BlockResult> {
  readonly ordered = true;
  readonly atOnce: number;
  readonly units = this.#units();
  #failures: BlockBatchFailure[];
  readonly #noted = new Set<string>();
  readonly #counts = { blocks: 0, transactions: 0, reports: 0, requests: 0 };
  #next: number;

  constructor(private readonly run: BlockRun) {
    this.#next = run.state.next;
    this.#failures = [...run.state.failures];
    this.atOnce = run.threads * BLOCKS_PER_THREAD + AHEAD;
  }

  /** First the blocks that failed in an earlier run, then those from where it ended. */
  async *#units(): AsyncGenerator<BlockUnit> {
    const { list, state, threads } = this.run;
    for (const [block, retry] of retriesOf(state.failures)) {
      const ref = block.startsWith('0x') ? (block as Extract<BlockRef, string>) : BigInt(block);
      yield* this.#resolve([ref], retry);
    }
    let chunk: BlockRef[] = [];
    for (const ref of blocksFrom(list, state.next)) {
      if (chunk.push(ref) < Math.max(RESOLVE, threads)) continue;
      yield* this.#resolve(chunk);
      chunk = [];
    }
    yield* this.#resolve(chunk);
  }

  async *#resolve(refs: readonly BlockRef[], retry?: BlockUnit['retry']): AsyncGenerator<BlockUnit> {
    if (refs.length === 0) return;
    const session = this.run.upstream.open({
      signal: this.run.stop,
      deadlineAt: performance.now() + BLOCK_DEADLINE_MS,
      onCall: () => this.#counts.requests++,
    });
    const ids = await resolveBlocks(session, refs);
    for (const [i, ref] of refs.entries()) yield { ref, id: ids[i]!, retry };
  }

  async analyze({ id }: BlockUnit): Promise<BlockResult> {
    if (id === null)
      return failedBlock({ code: 'block_not_found', error: 'the node does not have this block' });
    try {
      return await this.run.pool.run(id, BLOCK_DEADLINE_MS);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY')
        return failedBlock({ code: 'upstream_too_large', error: TOO_MUCH_MEMORY });
      if (!(error instanceof AnalysisError)) this.run.say(`${id.hash}: ${defectText(error as Error)}`);
      return failedBlock(failureOf(error));
    }
  }

  async take({ ref, retry }: BlockUnit, found: BlockResult): Promise<boolean> {
    const counts = this.#counts;
    const block = String(ref);
    // Of a block seen again for some transactions the findings are written already.
    const result = retry ? onlyHashes(found, retry) : found;
    for (const note of result.notes) {
      if (!this.#noted.has(note)) this.run.say(note);
      this.#noted.add(note);
    }
    await this.run.sink.take(result);
    counts.blocks++;
    for (const count of ['transactions', 'reports', 'requests'] as const) counts[count] += result[count];
    if (retry === undefined) this.#next++;
    else this.#failures = this.#failures.filter((failure) => failure.block !== block);
    for (const failure of result.failures) this.#failures.push({ block, ...failure });
    if (result.failed) this.#failures.push({ block, tx_hash: null, ...result.failed });
    await this.#checkpoint();
    return result.failed !== null;
  }

  async #checkpoint(): Promise<void> {
    const { out, sink, state } = this.run;
    const place = sink.place();
    if (out === undefined || place === null) return;
    await writeCheckpoint(out, { ...state, ...place, next: this.#next, failures: this.#failures });
  }

  async finish(): Promise<void> {
    const { out, sink } = this.run;
    await sink.flush?.();
    await this.#checkpoint();
    // Beside the output, for people; standard error where there is no output file.
    if (out === undefined) process.stderr.write(ndjson(this.#failures));
    else await replaceFailures(beside(out, 'errors'), this.#failures);
  }

  async close(): Promise<Failed> {
    await this.run.pool.close();
    await this.run.sink.close?.();
    await this.run.upstream.close();
    return countFailures(this.#failures);
  }

  progress(ms: number): Standing {
    const { blocks, transactions, reports } = this.#counts;
    const { size } = this.run.list;
    const speed = [`${rate(transactions, ms)} transactions/s`, `${rate(blocks, ms, 2)} blocks/s`];
    return {
      done: this.#next,
      total: size,
      unit: ' blocks',
      figures: [`${reports} reports`, ...speed],
      leftMs: blocks === 0 ? 0 : ((size - this.#next) * ms) / blocks,
      failed: this.#failures.length,
    };
  }

  summary(ms: number, { open, refused }: Failed): string {
    const { blocks, transactions, reports, requests } = this.#counts;
    return [
      `${reports} reports of ${transactions} transactions in ${blocks} blocks in ${duration(ms)}`,
      `${rate(transactions, ms)} transactions/s, ${rate(blocks, ms)} blocks/s`,
      `${requests} requests`,
      ...(open > 0 ? [`${open} failed`] : []),
      ...(refused > 0 ? [`${refused} refused`] : []),
    ].join('; ');
  }
}

const rate = (count: number, ms: number, digits = 1): string => ((count * 1000) / ms).toFixed(digits);
