import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { availableParallelism, constants } from 'node:os';
import { packRulebook } from '../../../service/cache/rulebookCache.ts';
import { configuredRules, openUpstream } from '../../../service/analyzer.ts';
import { newestBlock } from '../../../stages/1-fetch/block/resolveBlocks.ts';
import { CliError } from '../cliIo.ts';
import { readCliConfig } from '../openAnalyzer.ts';
import { lock, stopOnSignals, type Stop } from '../batch/guards.ts';
import { WHOLE, type Shard } from '../batch/hashLines.ts';
import { duration } from '../batch/progress.ts';
import { blockList, describeBlocks, readBlockRequest, shardOf, type BlockList } from './blockList.ts';
import { openBlockPool } from './blockPool.ts';
import { openLines, openTables, standardOutput, type BlockSink } from './blockSinks.ts';
import { readCheckpoint, type Checkpoint } from './checkpoint.ts';
import { runBlocks, type BlockCounts } from './runBlocks.ts';
import type { Config } from '../../../service/config.ts';
import type { BlockFilter } from '../../../service/analyzeBlock.ts';
import { isHex } from '../../../evm/hex.ts';
import type { Address } from '../../../model/hex.ts';
import type { Rulebook } from '../../../model/rulebook.ts';
import type { Upstream } from '../../../stages/1-fetch/rpc/upstream.ts';

export interface BlockBatchRequest {
  readonly blocks: string;
  readonly out?: string;
  readonly format: 'ndjson' | 'parquet';
  readonly threads?: number;
  readonly shard: Shard;
  readonly giveUpAfter: number;
  readonly only?: string;
  readonly involving?: string;
  readonly rpc?: string;
  readonly quiet?: boolean;
}

/** Tracing and sending a whole block takes longer than one transaction's. */
const BLOCK_REQUEST_MS = 60_000;
const BLOCK_DEADLINE_MS = 300_000;
/** Reads of a whole block per request, unless RPC_MAX_BATCH says otherwise; geth takes 1,000. */
const BLOCK_BATCH = 1_000;

/** The file to lock: the output itself, or for tables one in their folder. */
async function lockedFile({ out, format }: BlockBatchRequest): Promise<string | undefined> {
  if (out === undefined || format === 'ndjson') return out;
  await mkdir(out, { recursive: true });
  return join(out, '.batch');
}

/** Runs `txreport batch --blocks`; returns its exit status. */
export async function batchBlocks(request: BlockBatchRequest): Promise<number> {
  if (request.format === 'parquet' && request.out === undefined)
    throw new CliError('--format parquet needs --out, the folder to write to');
  const read = readCliConfig(request.rpc);
  if (read === null) return 2;
  const config: Config = {
    ...read,
    rpcTimeoutMs: Math.max(read.rpcTimeoutMs, BLOCK_REQUEST_MS),
    rpcMaxBatch: process.env['RPC_MAX_BATCH'] === undefined ? BLOCK_BATCH : read.rpcMaxBatch,
  };
  const unlock = await lock(await lockedFile(request));
  if (unlock === null) {
    process.stderr.write(`${request.out} is being written by another batch\n`);
    return 1;
  }
  const stop = stopOnSignals();
  const upstream = openUpstream(config);
  try {
    return await run(request, config, upstream, stop);
  } finally {
    stop.end();
    await upstream.close();
    await unlock();
  }
}

async function run(
  request: BlockBatchRequest,
  config: Config,
  upstream: Upstream,
  stop: Stop,
): Promise<number> {
  const { out = null, quiet = false, threads = availableParallelism(), giveUpAfter } = request;
  const say = (text: string): void => {
    if (!quiet) process.stderr.write(`${text}\n`);
  };
  const rulebook = await configuredRules(config);
  const filter = readFilter(request, rulebook);
  const { list, state } = await startOf(request, upstream);
  if (state.next > 0) say(`${state.next} of ${list.size} blocks were done before`);
  const sink = await openSink(request, state.written);
  const tables = request.format === 'parquet';
  const pool = openBlockPool({ config, rulebook: packRulebook(rulebook), filter, tables }, threads);
  const began = performance.now();
  let counts: BlockCounts;
  try {
    counts = await runBlocks({
      list,
      state,
      sink,
      pool,
      upstream,
      stop: stop.signal,
      blockMs: BLOCK_DEADLINE_MS,
      threads,
      giveUpAfter,
      out,
      quiet,
      say,
    });
  } finally {
    await pool.close();
    await sink.close();
  }
  say(summaryOf(counts, performance.now() - began));
  return conclude(request, counts, stop, say);
}

/** Prints the remaining work; returns the exit status. */
function conclude(
  { out, giveUpAfter }: BlockBatchRequest,
  counts: BlockCounts,
  stop: Stop,
  say: (text: string) => void,
): number {
  const { aborted } = stop.signal;
  if (counts.gaveUp) say(`gave up: ${giveUpAfter} blocks failed in a row`);
  if (aborted) say('stopped before the end of the list');
  const incomplete = counts.failures > 0 || counts.gaveUp;
  if (out !== undefined && (incomplete || aborted)) say('run the same command again to continue');
  if (aborted) return 128 + constants.signals[stop.by()];
  return incomplete ? 1 : 0;
}

/** The blocks of this shard and where an earlier run of the same batch ended. */
async function startOf(
  request: BlockBatchRequest,
  upstream: Upstream,
): Promise<{ list: BlockList; state: Checkpoint }> {
  const before = request.out === undefined ? null : await readCheckpoint(request.out);
  const list = await listOf(request, before, upstream);
  const fresh = { batch: identity(request), blocks: describeBlocks(list), next: 0, written: 0, failures: [] };
  return { list, state: before ?? fresh };
}

/**
 * The blocks of this shard; those of the earlier run where there was one, so that `latest` means the same.
 */
async function listOf(
  request: BlockBatchRequest,
  before: Checkpoint | null,
  upstream: Upstream,
): Promise<BlockList> {
  if (before !== null) {
    if (before.batch !== identity(request))
      throw new CliError(
        `${request.out} is the output of a batch with other blocks, shard, filters or format`,
      );
    return blockList((await readBlockRequest(before.blocks)).segments);
  }
  const { segments, latest } = await readBlockRequest(request.blocks);
  if (latest === 0) return shardOf(blockList(segments), request.shard);
  if (request.shard.count > WHOLE.count)
    throw new CliError('--shard needs blocks by number or hash: each shard would see another `latest`');
  const to = await newestBlock(upstream.open({ signal: new AbortController().signal }));
  const first = to - BigInt(latest) + 1n;
  return blockList([...segments, { from: first < 0n ? 0n : first, to }]);
}

/** Options that make two commands parts of one batch. */
function identity({ blocks, shard, only, involving, format }: BlockBatchRequest): string {
  return JSON.stringify([blocks, shard.index, shard.count, only ?? null, involving ?? null, format]);
}

function openSink({ out, format }: BlockBatchRequest, written: number): Promise<BlockSink> | BlockSink {
  if (out === undefined) return standardOutput();
  return format === 'parquet' ? openTables(out, written) : openLines(out, written);
}

function summaryOf(counts: BlockCounts, ms: number): string {
  const perSecond = (count: number): string => ((count * 1000) / ms).toFixed(1);
  return [
    `${counts.reports} reports of ${counts.transactions} transactions in ${counts.blocks} ` +
      `blocks in ${duration(ms)}`,
    `${perSecond(counts.transactions)} transactions/s, ${perSecond(counts.blocks)} blocks/s`,
    `${counts.requests} requests`,
    ...(counts.failures > 0 ? [`${counts.failures} failed`] : []),
  ].join('; ');
}

/**
 * Reads `--only` and `--involving`. Throws `CliError` for an intent unknown to the rules and for anything
 * but an address.
 */
function readFilter(
  { only, involving }: BlockBatchRequest,
  { intentKinds }: Pick<Rulebook, 'intentKinds'>,
): BlockFilter {
  const intents = only === undefined ? null : items(only);
  const unknown = intents?.find((kind) => !intentKinds.has(kind));
  if (unknown !== undefined) throw new CliError(`--only: the rules know no intent ${unknown}`);
  const addresses = involving === undefined ? null : items(involving);
  const wrong = addresses?.find((address) => address.length !== 42 || !isHex(address));
  if (wrong !== undefined) throw new CliError(`--involving: ${wrong} is no address`);
  return { intents, addresses: addresses?.map((address) => address.toLowerCase() as Address) ?? null };
}

const items = (text: string): string[] => text.split(/[\s,]+/).filter((item) => item !== '');
