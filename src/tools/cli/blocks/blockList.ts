import { readFile } from 'node:fs/promises';
import { CliError } from '../cliIo.ts';
import { newestBlock, type BlockRef } from '../../../stages/1-fetch/block/resolveBlocks.ts';
import { WHOLE, type Shard } from '../batch/hashLines.ts';
import type { BatchOptions } from '../batch/runBatch.ts';
import type { Address, Hash } from '../../../model/hex.ts';
import { isHex } from '../../../evm/hex.ts';
import type { BlockFilter } from '../../../service/analyzeBlock.ts';
import type { Rulebook } from '../../../model/rulebook.ts';
import type { Upstream } from '../../../stages/1-fetch/rpc/upstream.ts';
import { parseJson } from '../../../lib/json.ts';
import { replaceFile, type Failure } from '../batch/guards.ts';

/** Consecutive block numbers, both ends included, or one block by its hash. */
export type Segment = { readonly from: bigint; readonly to: bigint } | { readonly hash: Hash };

/** The blocks of a batch, in the order in which they were listed. */
export interface BlockList {
  readonly segments: readonly Segment[];
  readonly size: number;
}

/** A `--blocks` value; `latest` counts from the newest block, known only to the node. */
export interface BlockRequest {
  readonly segments: readonly Segment[];
  /** How many of the newest blocks come after the segments; 0: none. */
  readonly latest: number;
}

/**
 * Reads `--blocks`: numbers, `from..to`, hashes and `latest-N`, with commas, or a file with one per line.
 * @throws CliError for anything else, and for ranges that overlap
 */
export async function readBlockRequest(text: string): Promise<BlockRequest> {
  const items = await itemsOf(text);
  const segments: Segment[] = [];
  let latest = 0;
  for (const item of items) {
    const newest = /^latest(?:-(\d{1,9}))?$/.exec(item);
    if (newest) latest = Math.max(latest, Number(newest[1] ?? 1));
    else segments.push(readSegment(item));
  }
  if (segments.length === 0 && latest === 0) throw new CliError('--blocks names no block');
  refuseOverlap(segments);
  return { segments, latest };
}

/** Separated by spaces or commas. */
const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '');

async function itemsOf(text: string): Promise<string[]> {
  if (wordsOf(text).every((item) => /^(?:latest|\d|0x[0-9a-f]{64}$)/i.test(item))) return wordsOf(text);
  const content = await readFile(text, 'utf8').catch(() => {
    throw new CliError(`--blocks: ${text} is neither a list of blocks nor a file`);
  });
  return content.split('\n').flatMap((line) => wordsOf(line.replace(/#.*/, '')));
}

function readSegment(item: string): Segment {
  if (/^0x[0-9a-f]{64}$/i.test(item)) return { hash: item.toLowerCase() as Hash };
  const match = /^(\d{1,12})(?:\.\.(\d{1,12}))?$/.exec(item);
  if (!match) throw new CliError(`--blocks: ${item} is no block number, range, hash or latest-N`);
  const [from, to] = [BigInt(match[1]!), BigInt(match[2] ?? match[1]!)];
  if (to < from) throw new CliError(`--blocks: ${item} ends before it begins`);
  return { from, to };
}

/** A block listed twice would be reported twice. */
function refuseOverlap(segments: readonly Segment[]): void {
  const ranges = segments.filter((segment) => 'from' in segment).sort((a, b) => (a.from < b.from ? -1 : 1));
  ranges.forEach(({ from }, i) => {
    if (i > 0 && from <= ranges[i - 1]!.to) throw new CliError(`--blocks lists block ${from} twice`);
  });
  const hashes = segments.flatMap((segment) => ('hash' in segment ? [segment.hash] : []));
  if (new Set(hashes).size < hashes.length) throw new CliError('--blocks lists a hash twice');
}

const sizeOf = (segment: Segment): number => ('hash' in segment ? 1 : Number(segment.to - segment.from) + 1);

export function blockList(segments: readonly Segment[]): BlockList {
  return { segments, size: segments.reduce((sum, segment) => sum + sizeOf(segment), 0) };
}

/** The i-th of n parts, each of consecutive blocks and as many as any other, give or take one. */
export function shardOf({ segments, size }: BlockList, { index, count }: Shard): BlockList {
  const start = Math.floor((size * index) / count);
  const end = Math.floor((size * (index + 1)) / count);
  return blockList(slice(segments, start, end));
}

function slice(segments: readonly Segment[], start: number, end: number): Segment[] {
  const part: Segment[] = [];
  let at = 0;
  for (const segment of segments) {
    const first = Math.max(start - at, 0);
    const last = Math.min(end - at, sizeOf(segment));
    at += sizeOf(segment);
    if (first >= last) continue;
    if ('hash' in segment) part.push(segment);
    else part.push({ from: segment.from + BigInt(first), to: segment.from + BigInt(last - 1) });
  }
  return part;
}

/** The blocks from a position on. */
export function* blocksFrom({ segments, size }: BlockList, start: number): Generator<BlockRef> {
  for (const segment of slice(segments, start, size)) {
    if ('hash' in segment) yield segment.hash;
    else for (let number = segment.from; number <= segment.to; number++) yield number;
  }
}

/** One text per list, for recognising the list of an earlier run. */
export function describeBlocks({ segments }: BlockList): string {
  return segments
    .map((segment) => ('hash' in segment ? segment.hash : `${segment.from}..${segment.to}`))
    .join(',');
}

/** A batch of whole blocks. */
export type BlockChoice = BatchOptions & { readonly blocks: string };

/** The blocks of this shard, and where an earlier run of the same batch ended. */
export async function startOf(request: BlockChoice, upstream: Upstream) {
  const { out, blocks, shard } = request;
  const batch = identity(request);
  const state = out === undefined ? null : await readCheckpoint(out);
  if (state === null) {
    const list = await listOf(blocks, shard, upstream);
    return { list, state: { batch, blocks: describeBlocks(list), next: 0, written: 0, failures: [] } };
  }
  if (state.batch !== batch)
    throw new CliError(`${out} is the output of a batch with other blocks, shard, filters or format`);
  // As listed by the earlier run, so that `latest` means the same.
  return { list: blockList((await readBlockRequest(state.blocks)).segments), state };
}

async function listOf(blocks: string, shard: Shard, upstream: Upstream): Promise<BlockList> {
  const { segments, latest } = await readBlockRequest(blocks);
  if (latest === 0) return shardOf(blockList(segments), shard);
  if (shard.count > WHOLE.count)
    throw new CliError('--shard needs blocks by number or hash: each shard would see another `latest`');
  const to = await newestBlock(upstream.open({ signal: new AbortController().signal }));
  const first = to - BigInt(latest) + 1n;
  return blockList([...segments, { from: first < 0n ? 0n : first, to }]);
}

/** Options that make two commands parts of one batch. */
function identity({ blocks, shard, only, involving, format, findings, partition }: BlockChoice): string {
  const parts = [blocks, shard.index, shard.count, only ?? null, involving ?? null, format];
  return JSON.stringify([...parts, ...(findings ? ['findings'] : []), ...(partition ? [partition] : [])]);
}

/** Reads `--only` and `--involving`. Throws `CliError` for an unknown intent or an invalid address. */
export function readFilter(
  { only, involving, findings = false }: BlockChoice,
  { intentKinds }: Pick<Rulebook, 'intentKinds'>,
): BlockFilter {
  const intents = only === undefined ? null : wordsOf(only);
  const unknown = intents?.find((kind) => !intentKinds.has(kind));
  if (unknown !== undefined) throw new CliError(`--only: the rules know no intent ${unknown}`);
  const addresses = involving === undefined ? null : wordsOf(involving);
  const wrong = addresses?.find((address) => address.length !== 42 || !isHex(address));
  if (wrong !== undefined) throw new CliError(`--involving: ${wrong} is no address`);
  return {
    intents,
    addresses: addresses?.map((address) => address.toLowerCase() as Address) ?? null,
    findings,
  };
}

/** A transaction without a report, or with a null `tx_hash` a whole block; the next run tries it again. */
export interface BlockBatchFailure extends Failure {
  readonly block: string;
}

/** How far a batch has come, written after each block: a killed batch repeats at most that block. */
export interface Checkpoint {
  /** List, shard and filters: another batch must not go on from here. */
  readonly batch: string;
  /** The blocks, with `latest` resolved. */
  readonly blocks: string;
  /** Position in the list of the next block. */
  readonly next: number;
  /** Bytes of the output that are complete, or its number of parts. */
  readonly written: number;
  /** Bytes of the findings that are complete. */
  readonly findings?: number;
  readonly failures: readonly BlockBatchFailure[];
}

const checkpointPath = (out: string): string => `${out}.state.json`;

/** The checkpoint of an earlier run; null where there is none. Throws `CliError` for a file that is none. */
async function readCheckpoint(out: string): Promise<Checkpoint | null> {
  const path = checkpointPath(out);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const state = parseJson(text) as Checkpoint | null | undefined;
  if (Number.isSafeInteger(state?.next) && Number.isSafeInteger(state?.written)) return state!;
  throw new CliError(`${path} is not the state of an earlier batch`);
}

export const writeCheckpoint = (out: string, state: Checkpoint): Promise<void> =>
  replaceFile(checkpointPath(out), `${JSON.stringify(state)}\n`);
