// Work grows with the size of a transaction, never with its square: every shape of the bench at n and 4n.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { Answers, type Call } from '../../bench/answers.ts';
import { SHAPES, synthetic } from '../../bench/synthetic.ts';
import { createAnalyze } from '../../src/service/analyzer.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import { upstreamFor } from '../support/fetchAnalyze.ts';

const FEW = 2_000;
const RUNS = 3;
/** Times the CPU that four times the size may take: linear work and its noise. */
const MOST = 5;

const rulebook = loadRules();

/** Least CPU of some runs, in milliseconds. */
async function cpuOf(shape: (typeof SHAPES)[number], size: number): Promise<number> {
  const recorded = synthetic(shape, size);
  const answers = new Answers([recorded]);
  const node = createServer((request, response) => {
    void text(request).then((body) => response.end(answers.respond(JSON.parse(body) as Call[])));
  }).listen(0, '127.0.0.1');
  await once(node, 'listening');
  const upstream = upstreamFor([`http://127.0.0.1:${(node.address() as AddressInfo).port}`], {
    rpcTimeoutMs: 120_000,
    maxResponseBytes: 1_000_000_000,
  });
  const analyze = createAnalyze({ upstream, rulebook: () => rulebook, validate: () => {}, maxTokens: 2_000 });
  let least = Infinity;
  for (let run = 0; run < RUNS; run++) {
    const before = process.cpuUsage();
    await analyze(recorded.hash, {
      signal: new AbortController().signal,
      deadlineAt: performance.now() + 240_000,
    });
    least = Math.min(least, process.cpuUsage(before).user / 1_000);
  }
  await upstream.close();
  node.close();
  return least;
}

it.each(SHAPES)('%s', { timeout: 300_000 }, async (shape) => {
  await cpuOf(shape, FEW / 4);
  const few = await cpuOf(shape, FEW);
  const many = await cpuOf(shape, 4 * FEW);
  expect(many / few, `${many} ms of CPU after ${few} ms`).toBeLessThan(MOST);
});
