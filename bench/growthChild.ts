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

const { readConfig } = await built<typeof import('../src/service/config.ts')>('service/config.js');
const { jsonBytes } = await built<typeof import('../src/lib/reportJson.ts')>('lib/reportJson.js');
const { loadRules } = await built<typeof import('../src/service/loadRules.ts')>('service/loadRules.js');
const { createLargeAnalyses } = await built<typeof import('../src/service/workers/largeAnalyses.ts')>(
  'service/workers/largeAnalyses.js',
);

/** Of the shapes all together, before anything is measured. */
const WARM_UPS = 10;
/** Longer than any of these takes. */
const PATIENCE_MS = 600_000;

const [folder, size, variants] = process.argv.slice(2) as [string, string, string];

/** The node's answer to a batch of the current analysis. */
let respond: (calls: readonly Call[]) => string;
const node = createServer((request, response) => {
  void text(request).then((body) => response.end(respond(JSON.parse(body) as Call[])));
}).listen(0, '127.0.0.1');
await once(node, 'listening');
const rulebook = loadRules();
// The service's own processes for transactions over `LARGE_BYTES`, here for every size.
const large = createLargeAnalyses(
  readConfig({
    RPC_URL: `http://127.0.0.1:${(node.address() as AddressInfo).port}`,
    // Over the standard limits: the largest sizes measured are larger than any transaction of a block.
    MAX_RESPONSE_BYTES: '1000000000',
    ANALYSIS_MEMORY_MB: '12000',
  }),
  () => rulebook,
);

/** Milliseconds without the wait for the node, and the report's size. */
async function analyze(hash: string): Promise<{ ms: number; bytes: number }> {
  let ms = 0;
  const { json } = await large.run(hash as `0x${string}`, {
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
    respond = (calls) => answers.respond(calls);
    for (let i = 0; i < WARM_UPS; i++) await analyze(recorded.hash);
  }
  const recordedAnswer = (variant: number, round: number): Buffer =>
    readFileSync(join(folder, `${variant}-${round}.json`));
  const run = (variant: number): ReturnType<typeof analyze> => {
    respond = (calls) =>
      withIds(recordedAnswer(variant, calls[0]!.method === 'eth_getBlockByNumber' ? 1 : 0), calls);
    return analyze(readFileSync(join(folder, `${variant}-hash`), 'utf8'));
  };
  const { bytes: reportBytes } = await run(0);
  const peakBytes = peakOfChildren();
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

/** Peak resident memory of this process's children, bytes (Linux). */
function peakOfChildren(): number {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ');
  return children.reduce((sum, pid) => {
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return sum + Number(peak?.[1] ?? 0) * 1_024;
  }, 0);
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
