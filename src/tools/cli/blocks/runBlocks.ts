import { writeFile, rm } from 'node:fs/promises';
import { AnalysisError, ERROR_TEXT } from '../../../lib/errors.ts';
import { resolveBlocks, type BlockRef } from '../../../stages/1-fetch/block/resolveBlocks.ts';
import { duration, progressBar, startProgress } from '../batch/progress.ts';
import { blocksFrom, type BlockList } from './blockList.ts';
import { BLOCKS_PER_THREAD, type BlockPool, type BlockResult } from './blockPool.ts';
import { writeCheckpoint, type BlockBatchFailure, type Checkpoint } from './checkpoint.ts';
import type { BlockId } from '../../../traces/traceApi.ts';
import type { Upstream } from '../../../stages/1-fetch/rpc/upstream.ts';
import type { BlockSink } from './blockSinks.ts';

export interface BlockRun {
  readonly list: BlockList;
  /** Where an earlier run ended. */
  readonly state: Checkpoint;
  readonly sink: BlockSink;
  readonly pool: BlockPool;
  /** Resolves numbers to hashes. */
  readonly upstream: Upstream;
  /** Aborted: no further block is begun, those that run are finished. */
  readonly stop: AbortSignal;
  /** Milliseconds one block may take. */
  readonly blockMs: number;
  readonly threads: number;
  /** Failed blocks in a row after which the batch gives up; 0: never. */
  readonly giveUpAfter: number;
  /** Output path; null where there is none and nothing can be resumed. */
  readonly out: string | null;
  readonly quiet: boolean;
  readonly say: (text: string) => void;
}

export interface BlockCounts {
  blocks: number;
  transactions: number;
  reports: number;
  requests: number;
  /** Blocks and transactions that have no report yet. */
  failures: number;
  gaveUp: boolean;
}

/** Blocks resolved by one request. */
const RESOLVE = 50;
/** Blocks that may wait, finished, for one before them: the bound of the memory that order costs. */
const AHEAD = 2;

const NOTHING = { lines: new Uint8Array(), rows: null, reports: 0, transactions: 0, failures: [], notes: [] };

/** Analyzes the blocks of a list on a pool of threads and writes their reports in the order of the list. */
export async function runBlocks(run: BlockRun): Promise<BlockCounts> {
  return new Runner(run).run();
}

class Runner {
  readonly #run: BlockRun;
  readonly #failures: BlockBatchFailure[] = [];
  readonly #noted = new Set<string>();
  readonly #counts: BlockCounts = {
    blocks: 0,
    transactions: 0,
    reports: 0,
    requests: 0,
    failures: 0,
    gaveUp: false,
  };
  #next: number;
  #failedInARow = 0;

  constructor(run: BlockRun) {
    this.#run = run;
    this.#next = run.state.next;
  }

  async run(): Promise<BlockCounts> {
    const { state, list, threads, stop } = this.#run;
    const progress = startProgress(
      (ms, bar) => progressLine(this.#counts, { next: this.#next, size: list.size, ms }, bar),
      process.stderr,
      this.#run.quiet,
    );
    const window = threads * BLOCKS_PER_THREAD + AHEAD;
    const running: { ref: BlockRef; result: Promise<BlockResult> }[] = [];
    const settle = async (): Promise<void> => {
      const { ref, result } = running.shift()!;
      await this.#take(ref, await result);
      this.#next++;
      await this.#checkpoint();
      progress.update();
    };
    try {
      await this.#retry(state.failures);
      for await (const [ref, id] of this.#resolved(blocksFrom(list, state.next))) {
        running.push({ ref, result: this.#analyze(id) });
        while (running.length >= window) await settle();
        if (stop.aborted || this.#counts.gaveUp) break;
      }
      while (running.length > 0) await settle();
    } finally {
      progress.end();
    }
    await this.#run.sink.flush();
    await this.#checkpoint();
    await this.#writeFailures();
    this.#counts.failures = this.#failures.length;
    return this.#counts;
  }

  /**
   * Blocks that failed in an earlier run, whole: their transactions that have a report already are left out.
   */
  async #retry(failures: readonly BlockBatchFailure[]): Promise<void> {
    const blocks = new Map<string, Set<string> | null>();
    for (const { block, tx_hash } of failures) {
      const known = blocks.get(block) ?? new Set<string>();
      blocks.set(block, tx_hash === null ? null : known.add(tx_hash));
    }
    this.#failures.push(...failures);
    for (const [block, wanted] of blocks) {
      const ref = refOf(block);
      const [id] = await this.#resolve([ref]);
      const result = await this.#analyze(id!);
      for (let i = this.#failures.length - 1; i >= 0; i--)
        if (this.#failures[i]!.block === block) this.#failures.splice(i, 1);
      await this.#take(ref, wanted === null ? result : onlyHashes(result, wanted));
      await this.#checkpoint();
    }
  }

  async *#resolved(refs: Iterable<BlockRef>): AsyncGenerator<[BlockRef, BlockId | null]> {
    let chunk: BlockRef[] = [];
    const size = Math.max(RESOLVE, this.#run.threads);
    for (const ref of refs) {
      if (chunk.push(ref) < size) continue;
      yield* pairs(chunk, await this.#resolve(chunk));
      chunk = [];
    }
    yield* pairs(chunk, await this.#resolve(chunk));
  }

  async #resolve(refs: readonly BlockRef[]): Promise<(BlockId | null)[]> {
    if (refs.length === 0) return [];
    const { upstream, stop, blockMs } = this.#run;
    const session = upstream.open({
      signal: stop,
      deadlineAt: performance.now() + blockMs,
      onCall: () => this.#counts.requests++,
    });
    return resolveBlocks(session, refs);
  }

  /** Never rejects: failures are part of the result. */
  async #analyze(id: BlockId | null): Promise<BlockResult> {
    const failed = (code: string, error: string): BlockResult => ({
      ...NOTHING,
      requests: 0,
      failed: { code, error },
    });
    if (id === null) return failed('block_not_found', 'the node does not have this block');
    try {
      return await this.#run.pool.run(id, this.#run.blockMs);
    } catch (error) {
      const memory = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (memory) return failed('upstream_too_large', 'the block takes more memory than ANALYSIS_MEMORY_MB');
      if (error instanceof AnalysisError) return failed(error.code, error.message);
      this.#run.say(`${id.hash}: internal error: ${(error as Error).message}`);
      return failed('internal', ERROR_TEXT.internal);
    }
  }

  async #take(ref: BlockRef, result: BlockResult): Promise<void> {
    const counts = this.#counts;
    const block = String(ref);
    for (const note of result.notes) this.#note(note);
    await this.#run.sink.take(result);
    counts.blocks++;
    counts.transactions += result.transactions;
    counts.reports += result.reports;
    counts.requests += result.requests;
    for (const failure of result.failures) this.#failures.push({ block, ...failure });
    if (result.failed) this.#failures.push({ block, tx_hash: null, ...result.failed });
    counts.failures = this.#failures.length;
    this.#failedInARow = result.failed ? this.#failedInARow + 1 : 0;
    const { giveUpAfter } = this.#run;
    if (giveUpAfter > 0 && this.#failedInARow >= giveUpAfter) counts.gaveUp = true;
  }

  #note(note: string): void {
    if (this.#noted.has(note)) return;
    this.#noted.add(note);
    this.#run.say(note);
  }

  async #checkpoint(): Promise<void> {
    const { out, sink, state } = this.#run;
    if (out === null || !sink.settled) return;
    await writeCheckpoint(out, {
      ...state,
      next: this.#next,
      written: sink.written,
      failures: this.#failures,
    });
  }

  /** The failures beside the output, for people; standard error where there is no output file. */
  async #writeFailures(): Promise<void> {
    const { out } = this.#run;
    const text = this.#failures.map((failure) => `${JSON.stringify(failure)}\n`).join('');
    if (out === null) process.stderr.write(text);
    else if (text === '') await rm(errorsPath(out), { force: true });
    else await writeFile(errorsPath(out), text);
  }
}

const errorsPath = (out: string): string => `${out.replace(/\.(ndjson|jsonl)$/, '')}.errors.ndjson`;

const refOf = (block: string): BlockRef =>
  block.startsWith('0x') ? (block as Extract<BlockRef, string>) : BigInt(block);

function* pairs(
  refs: readonly BlockRef[],
  ids: readonly (BlockId | null)[],
): Generator<[BlockRef, BlockId | null]> {
  for (const [i, ref] of refs.entries()) yield [ref, ids[i]!];
}

/** The reports and failures of some transactions of a block. */
function onlyHashes(result: BlockResult, wanted: ReadonlySet<string>): BlockResult {
  const lines = new TextDecoder()
    .decode(result.lines)
    .split('\n')
    .filter((line) => line !== '' && wanted.has((JSON.parse(line) as { tx: { hash: string } }).tx.hash));
  const rows =
    result.rows &&
    Object.fromEntries(
      Object.entries(result.rows).map(([table, list]) => [
        table,
        list.filter(([hash]) => wanted.has(hash as string)),
      ]),
    );
  return {
    ...result,
    lines: new TextEncoder().encode(lines.map((line) => `${line}\n`).join('')),
    rows: rows as BlockResult['rows'],
    reports: rows ? (rows['reports']?.length ?? 0) : lines.length,
    transactions: wanted.size,
    failures: result.failures.filter(({ tx_hash }) => wanted.has(tx_hash)),
  };
}

/** One line: blocks done, speed, time left. */
function progressLine(
  counts: BlockCounts,
  { next, size, ms }: { readonly next: number; readonly size: number; readonly ms: number },
  bar: boolean,
): string {
  const perSecond = (count: number): number => (count * 1000) / ms;
  const left = counts.blocks === 0 ? 0 : ((size - next) * ms) / counts.blocks;
  return [
    ...(bar ? [progressBar(next / size)] : []),
    `${next}/${size} blocks`,
    `${Math.floor((100 * next) / size)} %`,
    `${counts.reports} reports`,
    `${perSecond(counts.transactions).toFixed(1)} transactions/s`,
    `${perSecond(counts.blocks).toFixed(2)} blocks/s`,
    ...(left > 0 ? [`${duration(left)} left`] : []),
    ...(counts.failures > 0 ? [`${counts.failures} failed`] : []),
  ].join('  ');
}
