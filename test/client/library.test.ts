import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { analyze } from '../../src/tools/library.ts';
import {
  createClient,
  sumExact,
  unbalancedAssets,
  type IntentKind,
  type Money,
  type TxReport,
} from '../../src/tools/client/client.ts';
import { readTxHash, whyNoTxHash } from '../../src/tools/client/txHash.ts';
import { HASH_OF, startRecordedNode } from '../cli/recordedNode.ts';
import type { FakeNode } from '../support/fakeNode.ts';
import { reportOf } from '../viewer/support/reports.ts';

const SWAP = HASH_OF['swap-v2-eth-usdc']!;

describe('hashes as pasted', () => {
  it.each([
    SWAP,
    SWAP.toUpperCase(),
    SWAP.slice(2),
    ` "${SWAP}" \n`,
    `https://etherscan.io/tx/${SWAP}`,
    `https://etherscan.io/tx/${SWAP.toUpperCase().replace('0X', '0x')}?a=1#eventlog`,
  ])('reads %j', (text) => expect(readTxHash(text)).toBe(SWAP));

  it.each([
    ['', /paste/],
    ['0x12', /2 hexadecimal digits.*64/],
    [`${SWAP}00`, /66 hexadecimal digits/],
    [`0x${'ab'.repeat(20)}`, /address/],
    [`${SWAP} 0x${'ab'.repeat(32)}`, /several/],
    ['hello', /hash is 0x and 64/],
  ])('refuses %j in words', (text, why) => {
    expect(readTxHash(text)).toBeNull();
    expect(whyNoTxHash(text)).toMatch(why);
  });
});

describe('exact sums', () => {
  it('adds without floats', () => {
    expect(sumExact(['0.1', '0.2'])).toBe('0.3');
    expect(sumExact(['9007199254740993', '1'])).toBe('9007199254740994');
    expect(sumExact(['-1.50', '0.25'])).toBe('-1.25');
    expect(sumExact([])).toBe('0');
    expect(() => sumExact(['—'])).toThrow(RangeError);
  });

  it('finds assets that do not balance', async () => {
    const report = (await reportOf('swap-v2-eth-usdc')) as TxReport;
    expect(unbalancedAssets(report)).toEqual(new Map());
    const [first, ...rest] = report.inventory_deltas;
    const forged = {
      inventory_deltas: [{ ...first!, delta_raw: `${BigInt(first!.delta_raw) + 1n}` }, ...rest],
    };
    expect([...unbalancedAssets(forged)]).toEqual([[first!.asset.id, '1']]);
  });
});

describe('types', () => {
  it('know the kinds, accept others, and tell priced from unpriced money', () => {
    expectTypeOf<TxReport['classification']['intent_kind']>().toEqualTypeOf<IntentKind>();
    const own: IntentKind = 'MyOwnKind';
    expect(own).toBe('MyOwnKind');
    expectTypeOf<TxReport['economics']['inflow_usd']>().toEqualTypeOf<Money>();
    const why = (money: Money): string => (money.available ? money.text : money.reason);
    expect(why({ available: false, text: '—', reason: 'no_source' })).toBe('no_source');
  });
});

describe('a busy service', () => {
  const busy = (): Response =>
    Response.json({ error: 'analysis failed: overloaded' }, { status: 502, headers: { 'retry-after': '0' } });

  it('is asked again, then given up', async () => {
    let asked = 0;
    const answers =
      (after: number): typeof fetch =>
      () =>
        Promise.resolve(++asked > after ? Response.json({ schema_version: 1 }) : busy());
    await createClient({ baseUrl: 'http://x', fetch: answers(2) }).analyze(SWAP);
    expect(asked).toBe(3);
    asked = 0;
    const failed = createClient({ baseUrl: 'http://x', fetch: answers(9), retries: 1 }).analyze(SWAP);
    await expect(failed).rejects.toMatchObject({ kind: 'overloaded', status: 502 });
    expect(asked).toBe(2);
  });

  it('that is away says so', async () => {
    const away = createClient({
      baseUrl: 'http://x',
      fetch: () => Promise.reject(new TypeError('fetch failed')),
    });
    await expect(away.analyze(SWAP)).rejects.toMatchObject({ kind: 'unreachable', status: 0 });
  });
});

describe('the library', () => {
  let node: FakeNode;
  beforeAll(async () => {
    node = await startRecordedNode();
  });
  afterAll(() => node?.close());

  it('analyses in this process', async () => {
    const report = await analyze(`https://etherscan.io/tx/${SWAP}`, { rpcUrl: node.url });
    expect(report.tx.hash).toBe(SWAP);
    expect(report.classification.intent_kind).toBe('DirectSwap');
    await expect(analyze('0x12', { rpcUrl: node.url })).rejects.toThrow(RangeError);
  });
});
