import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { startServer } from '../../src/service/main.ts';
import { createLog } from '../../src/lib/log.ts';
import { answer, loadRecordings, type Recorded } from '../fuzz/recordedNode.ts';
import { startFakeNode, type FakeCall } from '../support/fakeNode.ts';

// One client asks again and again for transactions that break the node, 45 others for ordinary ones.
const recordings = loadRecordings()
  .filter(({ name }) => /^swap|^transfer/.test(name))
  .slice(0, 5);
const INNOCENT = 45;
const PACE_MS = 60;
const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

type Misbehaviour = 'HTTP 503' | 'reset' | 'hang';

/** A node that fails for every hash it has no recording of, as providers do for transactions that are too heavy. */
async function startNode(misbehaviour: Misbehaviour): Promise<string> {
  const find = (hash: unknown): Recorded | undefined => recordings.find((one) => one.hash === hash);
  const node = await startFakeNode({
    intercept: ({ request, response, body }) => {
      const calls = [body].flat() as (FakeCall & { id: unknown })[];
      const byBlock = (block: unknown): Recorded | undefined =>
        recordings.find(({ rpc }) => [rpc.block['number'], rpc.block['hash']].includes(block));
      if (calls.some(({ method, params }) => /Transaction/.test(method) && !find(params[0]))) {
        if (misbehaviour === 'reset') request.socket.destroy();
        if (misbehaviour === 'HTTP 503') response.writeHead(503).end('busy');
        return true;
      }
      const answers = calls.map(({ id, method, params }) => ({
        jsonrpc: '2.0',
        id,
        ...answer(find, byBlock, 'geth', method, params as unknown[]),
      }));
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
      return true;
    },
  });
  open.push(node);
  return node.url;
}

async function analyze(url: string, hash: string): Promise<{ status: number; ms: number }> {
  const start = performance.now();
  const response = await fetch(`${url}/analyze`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tx_hash: hash }),
  });
  await response.arrayBuffer();
  return { status: response.status, ms: performance.now() - start };
}

/** Asks for ordinary transactions at a steady pace: how many were answered, and the median time. */
async function innocents(url: string): Promise<{ answered: number; p50: number }> {
  const running: Promise<{ status: number; ms: number }>[] = [];
  for (let i = 0; i < INNOCENT; i++) {
    running.push(analyze(url, recordings[i % recordings.length]!.hash));
    await sleep(PACE_MS);
  }
  const done = await Promise.all(running);
  const times = done.map(({ ms }) => ms).sort((a, b) => a - b);
  return { answered: done.filter(({ status }) => status === 200).length, p50: times[INNOCENT >> 1]! };
}

/** Requests of the attacker, one after the other, until stopped; `hashes` different transactions. */
function attack(url: string, hashes: number): () => Promise<number> {
  let stopped = false;
  const run = async (): Promise<number> => {
    let failed = 0;
    for (let i = 0; !stopped; i++) {
      const hash = `0x${(i % hashes).toString(16).padStart(64, 'b')}`;
      if ((await analyze(url, hash)).status === 502) failed++;
    }
    return failed;
  };
  const done = run();
  return () => ((stopped = true), done);
}

describe.each([1, 2])('one client with a transaction that breaks %i node(s)', (nodes) => {
  it.each([
    ['HTTP 503', 1],
    ['reset', 1],
    ['hang', 1],
    ['HTTP 503', 20],
    ['reset', 20],
  ] as const)(
    '%s, %i hashes: everybody else is answered, as fast as before',
    async (misbehaviour, hashes) => {
      const urls = await Promise.all(Array.from({ length: nodes }, () => startNode(misbehaviour)));
      const server = await startServer({
        rpcUrl: urls.join(','),
        port: 0,
        host: '127.0.0.1',
        rpcTimeoutMs: 300,
        deadlineMs: 3_000,
        rpcRetries: 3,
        log: createLog({ level: 'silent' }),
      });
      open.push(server);
      for (const { hash } of recordings) expect((await analyze(server.url, hash)).status).toBe(200);
      // Other processes may take the cores during one of the two: then both once more.
      for (let tries = 1; ; tries++) {
        const quiet = await innocents(server.url);
        const stop = attack(server.url, hashes);
        await sleep(1_500);
        const attacked = await innocents(server.url);
        const failed = await stop();
        expect([quiet.answered, attacked.answered]).toEqual([INNOCENT, INNOCENT]);
        expect(failed).toBeGreaterThan(0);
        // A few milliseconds more are the machine's.
        const limit = 2 * quiet.p50 + 10;
        if (attacked.p50 < limit) break;
        if (tries === 4) expect(attacked.p50).toBeLessThan(limit);
      }
    },
  );
});
