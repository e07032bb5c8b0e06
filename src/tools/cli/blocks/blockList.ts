import { readFile } from 'node:fs/promises';
import { CliError } from '../cliIo.ts';
import type { BlockRef } from '../../../stages/1-fetch/block/resolveBlocks.ts';
import type { Shard } from '../batch/hashLines.ts';
import type { Hash } from '../../../model/hex.ts';

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

/** More blocks than any chain has. */
const MOST = 10n ** 12n;

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
export const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '');

async function itemsOf(text: string): Promise<string[]> {
  if (wordsOf(text).every((item) => /^(?:latest|\d|0x[0-9a-f]{64}$)/i.test(item))) return wordsOf(text);
  let content: string;
  try {
    content = await readFile(text, 'utf8');
  } catch {
    throw new CliError(`--blocks: ${text} is neither a list of blocks nor a file`);
  }
  return content.split('\n').flatMap((line) => wordsOf(line.replace(/#.*/, '')));
}

function readSegment(item: string): Segment {
  if (/^0x[0-9a-f]{64}$/i.test(item)) return { hash: item.toLowerCase() as Hash };
  const match = /^(\d{1,12})(?:\.\.(\d{1,12}))?$/.exec(item);
  if (!match) throw new CliError(`--blocks: ${item} is no block number, range, hash or latest-N`);
  const from = BigInt(match[1]!);
  const to = BigInt(match[2] ?? match[1]!);
  if (to < from || to > MOST) throw new CliError(`--blocks: ${item} ends before it begins`);
  return { from, to };
}

/** A block listed twice would be reported twice. */
function refuseOverlap(segments: readonly Segment[]): void {
  const ranges = segments
    .filter((segment) => 'from' in segment)
    .sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));
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
