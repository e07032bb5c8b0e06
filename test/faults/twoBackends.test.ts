import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { createLog } from '../../src/lib/log.ts';
import { startServer } from '../../src/service/main.ts';
import { answer, loadRecordings, type Recorded } from '../fuzz/recordedNode.ts';
import { startFakeNode, type FakeCall } from '../support/fakeNode.ts';

// Two nodes, of which one is behind: it knows neither transaction nor block, or has pruned the state of old ones.
const recordings = loadRecordings()
  .filter(({ name }) => /^(swap|add|remove|vault|aave|wrap|stake)/.test(name))
  .slice(0, 24);
const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

/** A node of which some requests are answered by one that is behind. */
interface Behind {
  /** Whether the nth request about a transaction or block is. */
  readonly answers: (about: string, nth: number) => boolean;
  /** How long it stays behind, from the first request on. */
  readonly ms: number;
  readonly ignores: RegExp;
}

const CHAIN = /Transaction|Block|call|Code|Count/;
const STATE = /call|Code|Count/;

async function startNode(behind: Behind): Promise<string> {
  const find = (hash: unknown): Recorded | undefined => recordings.find((one) => one.hash === hash);
  const byBlock = (block: unknown): Recorded | undefined =>
    recordings.find(({ rpc }) => [rpc.block['number'], rpc.block['hash']].includes(block));
  const asked = new Map<string, number>();
  let until = 0;
  const node = await startFakeNode({
    intercept: ({ response, body }) => {
      until ||= performance.now() + behind.ms;
      const { params } = [body].flat()[0] as FakeCall;
      const about = String(params.flat().find((param) => typeof param === 'string'));
      const nth = (asked.get(about) ?? 0) + 1;
      asked.set(about, nth);
      const ignorant = behind.answers(about, nth) && performance.now() < until;
      const reply = (call: FakeCall & { id: unknown }): object => {
        const { id, method, params } = call;
        if (!ignorant || !behind.ignores.test(method) || method === 'eth_chainId')
          return { jsonrpc: '2.0', id, ...answer(find, byBlock, 'geth', method, params as unknown[]) };
        if (/^eth_get(Tran|Block)/.test(method) && !/Count/.test(method))
          return { jsonrpc: '2.0', id, result: null };
        const message = /Transaction$/.test(method) ? 'transaction not found' : 'missing trie node';
        return { jsonrpc: '2.0', id, error: { code: -32000, message } };
      };
      const replies = Array.isArray(body) ? body.map(reply) : reply(body as never);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(replies));
      return true;
    },
  });
  open.push(node);
  return node.url;
}

async function start(rpcUrl: string): Promise<string> {
  const log = createLog({ level: 'silent' });
  const server = await startServer({ rpcUrl, host: '127.0.0.1', port: 0, shutdownGraceMs: 0, log });
  open.push(server);
  return server.url;
}

async function ask(url: string, hash: string): Promise<{ report: string; status: number; ms: number }> {
  const began = performance.now();
  const response = await fetch(`${url}/analyze`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tx_hash: hash }),
  });
  const report = await response.text();
  return { report, status: response.status, ms: performance.now() - began };
}

/** Reports of a node that is never behind. */
async function rightReports(): Promise<string[]> {
  const url = await start(await startNode({ answers: () => false, ms: 0, ignores: CHAIN }));
  const reports: string[] = [];
  for (const { hash } of recordings) reports.push((await ask(url, hash)).report);
  return reports;
}

/** As of a balancer that takes either: the same in each run, whatever the order of the requests. */
const either = (about: string, nth: number): boolean =>
  createHash('sha256').update(`${about} ${nth}`).digest()[0]! % 2 === 0;

describe('with one node that is behind', () => {
  const NEVER = Infinity;
  it.each([
    ['by two seconds, alone', [{ answers: () => true, ms: 2_000, ignores: CHAIN }], 24],
    ['by two seconds, behind one URL with a sound one', [{ answers: either, ms: 2_000, ignores: CHAIN }], 24],
    ['for ever, behind one URL with a sound one', [{ answers: either, ms: NEVER, ignores: CHAIN }], 20],
    ['for ever, in its state alone', [{ answers: either, ms: NEVER, ignores: STATE }], 20],
    [
      'for ever, at a URL of its own',
      [
        { answers: () => true, ms: NEVER, ignores: CHAIN },
        { answers: () => false, ms: 0, ignores: CHAIN },
      ],
      24,
    ],
  ] as const)('%s: reports are right', async (what, nodes, least) => {
    const right = await rightReports();
    let count = 0;
    const url = await start((await Promise.all(nodes.map((node) => startNode(node)))).join());
    const answers = await Promise.all(recordings.map(({ hash }) => ask(url, hash)));
    for (const [i, { report }] of answers.entries()) if (report === right[i]) count++;
    const slowest = Math.max(...answers.map(({ ms }) => ms));
    console.info(`${what}: ${count} of ${recordings.length} right, the slowest in ${slowest.toFixed(0)} ms`);
    expect(count).toBeGreaterThanOrEqual(least);
  });

  it('a hash that no node knows is answered within three seconds', async () => {
    const url = await start(await startNode({ answers: () => false, ms: 0, ignores: CHAIN }));
    const { status, report, ms } = await ask(url, `0x${'ab'.repeat(32)}`);
    expect([status, report]).toEqual([502, '{"error":"analysis failed: transaction not found"}']);
    expect(ms).toBeGreaterThan(2_000);
    expect(ms).toBeLessThan(3_000);
  });
});
