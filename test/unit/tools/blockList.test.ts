import { describe, expect, it } from 'vitest';
import {
  blockList,
  blocksFrom,
  describeBlocks,
  readBlockRequest,
  shardOf,
} from '../../../src/tools/cli/blocks/blockList.ts';

const HASH = `0x${'ab'.repeat(32)}` as const;
const read = async (text: string) => blockList((await readBlockRequest(text)).segments);

describe('a list of blocks', () => {
  it('keeps its order, whatever it is made of', async () => {
    const list = await read(`10..12, 3 ${HASH.toUpperCase().replace('0X', '0x')},20`);
    expect([...blocksFrom(list, 0)]).toEqual([10n, 11n, 12n, 3n, HASH, 20n]);
    expect([...blocksFrom(list, 2)]).toEqual([12n, 3n, HASH, 20n]);
    expect(list.size).toBe(6);
    expect(describeBlocks(await read(describeBlocks(list)))).toBe(describeBlocks(list));
  });

  it('counts the newest blocks apart', async () => {
    expect(await readBlockRequest('latest-100')).toEqual({ segments: [], latest: 100 });
    expect(await readBlockRequest('5,latest')).toEqual({ segments: [{ from: 5n, to: 5n }], latest: 1 });
  });

  it.each([1, 2, 3, 7, 10])('in %i shards is the whole, in consecutive parts of like size', async (count) => {
    const list = await read(`100..106,${HASH},3..4`);
    const shards = Array.from({ length: count }, (_, index) => shardOf(list, { index, count }));
    expect(shards.flatMap((shard) => [...blocksFrom(shard, 0)])).toEqual([...blocksFrom(list, 0)]);
    const sizes = shards.map(({ size }) => size);
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
  });

  it('does not unroll long ranges', async () => {
    const list = await read('0..24000000');
    expect(list.size).toBe(24_000_001);
    const last = shardOf(list, { index: 7, count: 8 });
    expect(last.segments).toEqual([{ from: 21_000_000n, to: 24_000_000n }]);
    expect(blocksFrom(last, 2_999_999).next().value).toBe(23_999_999n);
  });

  it.each(['', '5..', '-3', '0x12', '4..2', '1..3,3', `${HASH},${HASH}`, '1..9,5..12'])(
    'refuses %j',
    async (text) => {
      await expect(readBlockRequest(text)).rejects.toThrow('--blocks');
    },
  );
});
