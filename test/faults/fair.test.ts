import { request, Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createLog } from '../../src/lib/log.ts';
import { startServer } from '../../src/service/main.ts';
import { answer, loadRecordings, type Recorded } from '../fuzz/recordedNode.ts';
import { startFakeNode, type FakeCall } from '../support/fakeNode.ts';

// One client asks on 24 connections for a transaction whose trace takes long; others, at addresses of their own, for others.
const recordings = loadRecordings()
  .filter(({ name }) => /^swap|^transfer|^wrap|^vault/.test(name))
  .slice(0, 9);
const [slow, ...ordinary] = recordings.map(({ hash }) => hash);
const CONNECTIONS = 24;
const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

/** A service before a node whose traces of `isSlow` take `ms`. */
async function start(isSlow: (hash: string) => boolean, ms: number): Promise<URL> {
  const find = (hash: unknown): Recorded | undefined =>
    recordings.find((one) => one.hash === hash) ?? (isSlow(String(hash)) ? recordings[0] : undefined);
  const byBlock = (block: unknown): Recorded | undefined =>
    recordings.find(({ rpc }) => [rpc.block['number'], rpc.block['hash']].includes(block));
  const node = await startFakeNode({
    intercept: ({ response, body }) => {
      const calls = [body].flat() as (FakeCall & { id: unknown })[];
      const wait = calls.some(
        ({ method, params }) => /^(debug|trace)_/.test(method) && isSlow(String(params[0])),
      );
      const answers = calls.map(({ id, method, params }) => ({
        jsonrpc: '2.0',
        id,
        ...answer(find, byBlock, 'geth', method, params as unknown[]),
      }));
      const text = JSON.stringify(Array.isArray(body) ? answers : answers[0]);
      const send = (): unknown => response.writeHead(200, { 'content-type': 'application/json' }).end(text);
      if (wait && ms < Infinity) setTimeout(send, ms);
      else if (!wait) send();
      return true;
    },
  });
  open.push(node);
  const log = createLog({ level: 'silent' });
  const server = await startServer({ rpcUrl: node.url, host: '127.0.0.1', port: 0, shutdownGraceMs: 0, log });
  open.push(server);
  return new URL(server.url);
}

/** One request from an address of this machine: its status and time. */
function ask(
  url: URL,
  agent: Agent,
  localAddress: string,
  hash: string,
): Promise<{ status: number; ms: number }> {
  const began = performance.now();
  return new Promise((resolve) => {
    const done = (status: number): void => resolve({ status, ms: performance.now() - began });
    request(
      {
        host: url.hostname,
        port: url.port,
        path: '/analyze',
        method: 'POST',
        agent,
        localAddress,
        headers: { 'content-type': 'application/json' },
      },
      (response) => response.resume().on('end', () => done(response.statusCode!)),
    )
      .on('error', () => done(0))
      .end(JSON.stringify({ tx_hash: hash }));
  });
}

/** `count` requests of others, one each `paceMs`: how many were answered, and the 95th percentile of their times. */
async function others(url: URL, count: number, paceMs: number): Promise<{ answered: number; p95: number }> {
  const agent = new Agent({ keepAlive: true });
  const running: Promise<{ status: number; ms: number }>[] = [];
  for (let i = 0; i < count; i++) {
    running.push(ask(url, agent, `127.0.0.${2 + (i % 8)}`, ordinary[i % ordinary.length]!));
    await sleep(paceMs);
  }
  const all = await Promise.all(running);
  agent.destroy();
  const times = all.map(({ ms }) => ms).sort((a, b) => a - b);
  return {
    answered: all.filter(({ status }) => status === 200).length,
    p95: times[Math.floor(0.95 * count)]!,
  };
}

/** Keeps all connections of one client busy; returns how to stop. */
function occupy(url: URL, hashOf: (i: number) => string): () => void {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let stopped = false;
  let asked = 0;
  const connection = async (): Promise<void> => {
    // A refused client asks again soon, though it was told to wait.
    while (!stopped)
      if ((await ask(url, agent, '127.0.0.1', hashOf(asked++))).status !== 200) await sleep(100);
  };
  for (let i = 0; i < CONNECTIONS; i++) void connection();
  return () => void ((stopped = true), agent.destroy());
}

const one = (hash: string): boolean => hash === slow;
const made = (hash: string): boolean => hash.startsWith('0xffff');
const many = (i: number): string => `0xffff${i.toString(16).padStart(60, '0')}`;

describe('others are answered while one client asks on 24 connections', () => {
  it.each([
    ['for one transaction whose trace hangs', one, Infinity, () => slow!, 65, 63],
    ['for one transaction whose trace takes 4 s', one, 4_000, () => slow!, 40, 38],
    ['for other transactions each, whose traces hang', made, Infinity, many, 65, 63],
  ])('%s', async (what, isSlow, ms, hashOf, count, least) => {
    const url = await start(isSlow, ms);
    await others(url, 30, 20);
    const alone = await others(url, count, 60);
    const stop = occupy(url, hashOf);
    await sleep(500);
    const beside = await others(url, count, 60);
    stop();
    console.info(
      `${what}: ${beside.answered} of ${count}, p95 ${beside.p95.toFixed(0)} ms, alone ${alone.p95.toFixed(0)} ms`,
    );
    expect(alone.answered).toBe(count);
    expect(beside.answered).toBeGreaterThanOrEqual(least);
    // Half a second: what a machine with other work adds to any request.
    expect(beside.p95).toBeLessThanOrEqual(Math.max(3 * alone.p95, 500));
  });
});
