import { afterEach, describe, expect, it } from 'vitest';
import { fetchTransaction } from '../../../src/stages/1-fetch/fetchTransaction.ts';
import { Gathered, LargeAnswer, readUnread } from '../../../src/stages/1-fetch/rpc/largeAnswer.ts';
import { startFakeNode, type FakeNode } from '../../support/fakeNode.ts';
import { upstreamFor } from '../../support/fetchAnalyze.ts';
import { HASH, sampleHandlers, sampleTransaction } from '../../support/sampleTransaction.ts';
import type { RpcCall } from '../../../src/stages/1-fetch/rpc/rpcMessages.ts';
import type { UnreadAnswer, UpstreamCallEvent } from '../../../src/model/upstream.ts';

const signal = new AbortController().signal;
let node: FakeNode;
afterEach(() => node?.close());

async function unread(traces: 'both' | 'geth' | 'parity' = 'both'): Promise<UnreadAnswer> {
  node = await startFakeNode({ handlers: sampleHandlers(sampleTransaction(), traces) });
  const upstream = upstreamFor([node.url]);
  const error: unknown = await fetchTransaction(upstream.open({ signal, largeBytes: 500 }), HASH).catch(
    (e: unknown) => e,
  );
  await upstream.close();
  expect(error).toBeInstanceOf(LargeAnswer);
  return structuredClone((error as LargeAnswer).answer);
}

describe('a large answer', () => {
  it.each(['both', 'geth', 'parity'] as const)(
    'is gone on from elsewhere without asking the node (%s) again',
    async (traces) => {
      const resume = await unread(traces);
      const events: UpstreamCallEvent[] = [];
      const upstream = upstreamFor([node.url]);
      const raw = await fetchTransaction(
        upstream.open({ signal, resume, onCall: (event) => events.push(event) }),
        HASH,
      );
      expect(raw).toEqual(await fetchTransaction(upstream.open({ signal }), HASH));
      expect([node.requests.length, events]).toEqual([2, []]);
      await upstream.close();
    },
  );

  it('is asked for again where it does not hold what is wanted', async () => {
    const resume = await unread();
    for (const body of ['[]', '{', '[{"jsonrpc":"2.0","id":1,"result":null}]']) {
      const upstream = upstreamFor([node.url]);
      const raw = await fetchTransaction(
        upstream.open({ signal, resume: { ...resume, body: Buffer.from(body) } }),
        HASH,
      );
      expect(raw.hash).toBe(HASH);
      await upstream.close();
    }
  });

  it('takes over no answer to other requests, and no id that nobody asked under', () => {
    const answer: UnreadAnswer = {
      upstream: 'upstream-1',
      body: Buffer.from('[{"id":7,"result":1},{"id":9,"result":2}]'),
      requests: [
        { id: 7, method: 'eth_chainId' },
        { id: 8, method: 'eth_blockNumber' },
      ],
      capabilities: { batches: true, trace: null, unsupported: [], mainnet: true },
    };
    const asking = (...methods: RpcCall['method'][]) =>
      methods.map((method, i) => ({ jsonrpc: '2.0', id: 100 + i, method, params: [] }) as const);
    expect(readUnread(answer, asking('eth_chainId', 'eth_blockNumber'))).toEqual({
      data: [
        { id: 100, result: 1 },
        { id: 9, result: 2 },
      ],
    });
    expect(readUnread(answer, asking('eth_blockNumber', 'eth_chainId'))).toBeNull();
    expect(readUnread(answer, asking('eth_chainId'))).toBeNull();
    expect(
      readUnread({ ...answer, body: Buffer.from('[') }, asking('eth_chainId', 'eth_blockNumber')),
    ).toEqual({ data: undefined });
  });
});

describe('Gathered', () => {
  it.each([0, 5, 12, 100])('holds what was appended, expecting %i bytes', (expected) => {
    const gathered = new Gathered(expected);
    for (const text of ['one', '', 'two', 'three', 'four']) gathered.append(Buffer.from(text));
    expect(Buffer.from(gathered.take()).toString()).toBe('onetwothreefour');
  });
});
