// Measures the analysis whose answers lie in a folder: growthChild.ts FOLDER SIZE VARIANTS
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Answers, type Call } from './answers.ts';
import { built } from './product.ts';
import { median } from './stats.ts';
import { SHAPES, synthetic } from './synthetic.ts';
import type { Measured } from './growth.ts';
import type { UnreadAnswer } from '../src/model/upstream.ts';

const { readConfig } = await built<typeof import('../src/service/config.ts')>('service/config.js');
const { jsonBytes } = await built<typeof import('../src/lib/reportJson.ts')>('lib/reportJson.js');
const { loadRules } = await built<typeof import('../src/service/loadRules.ts')>('service/loadRules.js');
const { createLargeAnalyses } = await built<typeof import('../src/service/workers/largeAnalyses.ts')>(
  'service/workers/largeAnalyses.js',
);

/** Of the shapes all together, before anything is measured. */
const WARM_UPS = 10;
/** What is asked first, of a node that was asked before. */
const FIRST = ['eth_getTransactionByHash', 'eth_getTransactionReceipt', 'debug_traceTransaction'];
const ABILITIES: UnreadAnswer['capabilities'] = {
  batches: true,
  trace: 'call_tracer_with_log',
  unsupported: [],
  mainnet: true,
};
/** Longer than any of these takes. */
const PATIENCE_MS = 600_000;

const [folder, size, variants] = process.argv.slice(2) as [string, string, string];

/** What the node says to the second round trip of the analysis at hand. */
let second: (calls: readonly Call[]) => string;
const node = createServer((request, response) => {
  void text(request).then((body) => response.end(second(JSON.parse(body) as Call[])));
}).listen(0, '127.0.0.1');
await once(node, 'listening');
const rulebook = loadRules();
// The service's own threads, which every transaction of more than `LARGE_BYTES` goes to, whatever its size here.
const large = createLargeAnalyses(
  readConfig({ RPC_URL: `http://127.0.0.1:${(node.address() as AddressInfo).port}` }),
  () => rulebook,
);

/** From the bytes of the first answer to the report's: milliseconds without the wait for the second, and the report's size. */
async function analyze(hash: string, first: Uint8Array): Promise<{ ms: number; bytes: number }> {
  let ms = 0;
  const answer: UnreadAnswer = {
    upstream: 'upstream-1',
    body: first,
    requests: FIRST.map((method, id) => ({ id, method })),
    capabilities: ABILITIES,
  };
  const { json } = await large.run(hash as `0x${string}`, answer, {
    signal: new AbortController().signal,
    deadlineAt: performance.now() + PATIENCE_MS,
    onStage: (_stage, took) => (ms += took),
    onCall: (call) => (ms -= call.ms),
  });
  return { ms, bytes: jsonBytes(json) };
}

async function measure(): Promise<Measured> {
  for (const shape of SHAPES) {
    const recorded = synthetic(shape, 300);
    const answers = new Answers([recorded]);
    second = (calls) => answers.respond(calls);
    for (let i = 0; i < WARM_UPS; i++)
      await analyze(
        recorded.hash,
        new TextEncoder().encode(
          answers.respond(FIRST.map((method, id) => ({ id, method, params: [recorded.hash] }))),
        ),
      );
  }
  const recordedAnswer = (variant: number, round: number): Buffer =>
    readFileSync(join(folder, `${variant}-${round}.json`));
  const run = (variant: number): ReturnType<typeof analyze> => {
    second = (calls) => withIds(recordedAnswer(variant, 1), calls);
    // Bytes from outside, as a service gets them: nothing of them is in memory before, and they are handed over.
    return analyze(readFileSync(join(folder, `${variant}-hash`), 'utf8'), recordedAnswer(variant, 0));
  };
  const before = process.memoryUsage.rss();
  const { bytes: reportBytes } = await run(0);
  const peakBytes = process.resourceUsage().maxRSS * 1_024 - before;
  const [times, parses]: [number[], number[]] = [[], []];
  for (let left = Math.max(3, Math.min(30, Math.round(100_000 / Number(size)))); left > 0; left--) {
    const variant = left % Number(variants);
    times.push((await run(variant)).ms);
    const content = recordedAnswer(variant, 0).toString('utf8');
    const start = performance.now();
    JSON.parse(content);
    parses.push(performance.now() - start);
  }
  return {
    reportBytes,
    peakBytes,
    usPerUnit: (median(times) * 1_000) / Number(size),
    parseUsPerUnit: (median(parses) * 1_000) / Number(size),
  };
}

/** A batch's recorded answers, in the order asked, under the ids they were asked with now. */
function withIds(recorded: Buffer, calls: readonly Call[]): string {
  const answers = JSON.parse(recorded.toString('utf8')) as object[];
  return JSON.stringify(answers.map((answer, i) => ({ ...answer, id: calls[i]!.id })));
}

measure()
  .then(
    (measured) => process.send!(measured),
    (error: Error) => process.send!({ error: error.message }),
  )
  .finally(() => {
    node.close();
    void large.close();
    process.disconnect();
  });
