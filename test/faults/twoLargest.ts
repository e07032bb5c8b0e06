/**
 * Two of the largest transactions at once, beside small ones, with the settings of deploy/kubernetes: both have to be
 * answered, small ones meanwhile, and the service with its analysis process has to stay under the memory limit there.
 * usage: npx tsx test/faults/twoLargest.ts [--frames N]
 */
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startNode } from '../../bench/load/processes.ts';
import { synthetic } from '../../bench/synthetic.ts';
import { loadRecordings } from '../fuzz/recordedNode.ts';
import { ask } from '../soak/clients.ts';
import { build, startService } from '../soak/processes.ts';

const { values } = parseArgs({ options: { frames: { type: 'string', default: '40000' } } });
const FRAMES = Number(values.frames);
const DEPLOY = join(import.meta.dirname, '../../deploy/kubernetes');
const manifest = (file: string): string => readFileSync(join(DEPLOY, file), 'utf8');
const setting = (name: string): string =>
  new RegExp(`${name}: "(\\d+)"`).exec(manifest('configmap.yaml'))![1]!;
const limitMb = 1024 * Number(/limits:\s+memory: (\d+)Gi/.exec(manifest('deployment.yaml'))![1]);
const heapFlag = /--max-old-space-size=\d+/.exec(manifest('deployment.yaml'))![0];

/** Resident memory of a process and all its children, MiB. */
function residentMb(pid: number): number {
  try {
    const own = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
        .trim()
        .split(' ')
        .filter(Boolean)
        .map(Number),
    );
    return children.reduce((sum, child) => sum + residentMb(child), own);
  } catch {
    return 0;
  }
}

const folder = mkdtempSync(join(tmpdir(), 'txreport-largest-'));
const large = (['swap chain', 'wide fan-out'] as const).map((shape) => {
  const recorded = synthetic(shape, FRAMES);
  const file = join(folder, `${shape.replaceAll(' ', '-')}.json`);
  writeFileSync(file, JSON.stringify(recorded));
  return { shape, file, hash: recorded.hash };
});
const own = join(import.meta.dirname, '../recordings');
const node = await startNode([own, ...large.map(({ file }) => file)]);
const compiled = build();
const env = {
  NODE_OPTIONS: heapFlag,
  ANALYSIS_MEMORY_MB: setting('ANALYSIS_MEMORY_MB'),
  DEADLINE_MS: '600000',
  RPC_TIMEOUT_MS: '120000',
};
const service = await startService(compiled.main, node.url, env, false);

let peak = 0;
const sampler = setInterval(() => (peak = Math.max(peak, residentMb(service.pid))), 100);
const agent = new Agent({ keepAlive: true });
let running = true;
const small: { status: number; ms: number }[] = [];
const besides = (async () => {
  const hashes = loadRecordings().map(({ hash }) => hash);
  for (let i = 0; running; i++) {
    small.push(await ask(service.port, hashes[i % hashes.length]!, agent));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
})();
const answers = await Promise.all(large.map(({ hash }) => ask(service.port, hash, agent)));
running = false;
await besides;
clearInterval(sampler);

answers.forEach(({ status, error, ms }, i) =>
  console.log(`${large[i]!.shape} of ${FRAMES} frames: ${status} ${error} in ${(ms / 1000).toFixed(1)} s`),
);
const times = small.map(({ ms }) => ms).sort((a, b) => a - b);
const failed = small.filter(({ status }) => status !== 200).length;
console.log(
  `${small.length} small ones beside them: ${failed} failed, p50 ${times[times.length >> 1]?.toFixed(0)} ms, slowest ${times.at(-1)?.toFixed(0)} ms`,
);
console.log(
  `peak RSS of the service with its process: ${peak.toFixed(0)} MiB; the manifest gives ${limitMb} MiB`,
);
const held = answers.every(({ status }) => status === 200) && failed === 0 && peak > 0 && peak < limitMb;
console.log(held ? 'held' : 'did not hold');
service.signal('SIGTERM');
await service.ended;
await node.stop();
agent.destroy();
compiled.remove();
rmSync(folder, { recursive: true, force: true });
process.exit(held ? 0 : 1);
