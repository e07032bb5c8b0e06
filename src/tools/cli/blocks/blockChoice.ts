import { newestBlock } from '../../../stages/1-fetch/block/resolveBlocks.ts';
import { isHex } from '../../../evm/hex.ts';
import { CliError } from '../cliIo.ts';
import { WHOLE, type Shard } from '../batch/hashLines.ts';
import {
  blockList,
  describeBlocks,
  readBlockRequest,
  shardOf,
  wordsOf,
  type BlockList,
} from './blockList.ts';
import { readCheckpoint, type Checkpoint } from './checkpoint.ts';
import type { BlockFilter } from '../../../service/analyzeBlock.ts';
import type { Address } from '../../../model/hex.ts';
import type { Rulebook } from '../../../model/rulebook.ts';
import type { Upstream } from '../../../stages/1-fetch/rpc/upstream.ts';

/** Which blocks and reports a batch is of. */
export interface BlockChoice {
  readonly blocks: string;
  readonly out?: string;
  readonly format: 'ndjson' | 'parquet';
  readonly shard: Shard;
  readonly only?: string;
  readonly involving?: string;
  readonly findings?: boolean;
  readonly partition?: 'day';
}

/** The blocks of this shard and where an earlier run of the same batch ended. */
export interface Start {
  readonly list: BlockList;
  readonly state: Checkpoint;
}

export async function startOf(request: BlockChoice, upstream: Upstream): Promise<Start> {
  const before = request.out === undefined ? null : await readCheckpoint(request.out);
  const list = await listOf(request, before, upstream);
  const fresh = { batch: identity(request), blocks: describeBlocks(list), next: 0, written: 0, failures: [] };
  return { list, state: before ?? fresh };
}

/** The blocks of this shard, or of the earlier run, so that `latest` means the same. */
async function listOf(
  request: BlockChoice,
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
function identity({ blocks, shard, only, involving, format, ...more }: BlockChoice): string {
  const parts = [blocks, shard.index, shard.count, only ?? null, involving ?? null, format];
  const { findings, partition } = more;
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
