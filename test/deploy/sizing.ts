// npx tsx test/deploy/sizing.ts: measures the built service for docs/operator.md, over recorded mainnet blocks where they lie
// beside the repository and over the repository's own recordings elsewhere. Processor time is measured, not elapsed time, so
// that other work on the machine matters little.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { builtPackage } from '../cli/builtCli.ts';
import { RECORDINGS, startRecordedNode } from '../cli/recordedNode.ts';
import { REPLAY_AVAILABLE, recordings, startReplayNode } from '../support/replayNode.ts';

interface Node {
  readonly url: string;
  close(): Promise<void>;
}
interface Size {
  readonly frames: number;
  readonly logs: number;
  readonly sent: number;
  readonly received: number;
  readonly cpuMs: number;
}

const FILES = ['whole-blocks.ndjson.gz', 'labelled-defi.ndjson.gz', 'mev-blocks.ndjson.gz'];
const perBlock = Number(process.argv[2] ?? 600);

/** Passes everything on and counts the bytes. */
async function countingProxy(
  target: string,
): Promise<Node & { sent: number; received: number; requests: number }> {
  const counts = { sent: 0, received: 0, requests: 0 };
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    counts.requests++;
    const request = httpRequest(
      { hostname, port, path: incoming.url, method: incoming.method, headers: incoming.headers },
      (response) => {
        outgoing.writeHead(response.statusCode!, response.headers);
        response.on('data', (part: Buffer) => (counts.received += part.length));
        response.pipe(outgoing);
      },
    );
    incoming.on('data', (part: Buffer) => (counts.sent += part.length));
    incoming.pipe(request);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return Object.assign(counts, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  });
}

async function startService(rpcUrl: string, env: Record<string, string> = {}) {
  const program = join(builtPackage(), 'dist/tools/cli/cli.js');
  const began = performance.now();
  const child = spawn(process.execPath, [program, 'serve'], {
    env: {
      PATH: process.env['PATH'],
      RPC_URL: rpcUrl,
      PORT: '0',
      HOST: '127.0.0.1',
      ADMIN_PORT: '0',
      LOG_LEVEL: 'info',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let head = '';
  const line = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error(head)));
    child.stdout.on('data', (data: Buffer) => {
      if (head.length < 10_000) head += data.toString();
      const found = /\{[^\n]*"msg":"listening"[^\n]*\}/.exec(head);
      if (found) resolve(found[0]);
    });
  });
  const { url, admin_port: admin } = JSON.parse(line) as { url: string; admin_port: number };
  const metric = async (name: string): Promise<number> =>
    Number(
      new RegExp(`^${name} (\\S+)$`, 'm').exec(
        await (await fetch(`http://127.0.0.1:${admin}/metrics`)).text(),
      )![1],
    );
  // Clock ticks of a hundredth of a second, user and system (fields 14 and 15 of /proc/<pid>/stat): from the very start.
  const ticks = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
    .replace(/^.*\)/s, '')
    .trim()
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return {
    url,
    startCpuMs: (ticks[0]! + ticks[1]!) * 10,
    startMs: performance.now() - began,
    cpuMs: async () => (await metric('txreport_process_cpu_seconds_total')) * 1000,
    rssMb: async () => (await metric('txreport_process_resident_memory_bytes')) / 1e6,
    stop: () => (child.kill('SIGTERM'), new Promise<void>((resolve) => child.once('close', () => resolve()))),
  };
}

async function ask(url: string, hash: string): Promise<{ frames: number; logs: number }> {
  const response = await fetch(`${url}/analyze`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tx_hash: hash }),
  });
  const report = (await response.json()) as {
    error?: string;
    pipeline_stats: { frames: number; logs: number };
  };
  if (!response.ok) throw new Error(report.error);
  return report.pipeline_stats;
}

async function atOnce(url: string, hashes: readonly string[], n: number): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: n }, async () => {
      while (next < hashes.length) await ask(url, hashes[next++]!);
    }),
  );
}

const mean = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length;
const quantile = (list: readonly number[], q: number) =>
  [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(q * list.length))]!;
const show = (name: string, list: readonly number[], digits = 1) =>
  console.log(
    `  ${name.padEnd(26)} mean ${mean(list).toFixed(digits)}  median ${quantile(list, 0.5).toFixed(digits)}  p95 ${quantile(list, 0.95).toFixed(digits)}  max ${Math.max(...list).toFixed(digits)}`,
  );

/** Least squares of cpu = a + b·frames + c·logs. */
function fit(sizes: readonly Size[]): [number, number, number] {
  const m = [
    [0, 0, 0, 0],
    [0, 0, 0, 0],
    [0, 0, 0, 0],
  ];
  for (const { frames, logs, cpuMs } of sizes) {
    const x = [1, frames, logs];
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) m[i]![j]! += x[i]! * x[j]!;
      m[i]![3]! += x[i]! * cpuMs;
    }
  }
  for (let i = 0; i < 3; i++) {
    for (let k = 0; k < 3; k++)
      if (k !== i) {
        const f = m[k]![i]! / m[i]![i]!;
        for (let j = i; j < 4; j++) m[k]![j]! -= f * m[i]![j]!;
      }
  }
  return [0, 1, 2].map((i) => m[i]![3]! / m[i]![i]!) as [number, number, number];
}

const node: Node = REPLAY_AVAILABLE ? await startReplayNode({ files: FILES }) : await startRecordedNode();
const sets: [string, string[]][] = REPLAY_AVAILABLE
  ? FILES.map((file) => [
      file,
      recordings([file])
        .map(({ hash }) => hash)
        .slice(0, perBlock),
    ])
  : [['test/recordings', RECORDINGS.map(({ hash }) => hash)]];
const proxy = await countingProxy(node.url);

let service = await startService(proxy.url);
console.log(
  `start: ${service.startMs.toFixed(0)} ms until listening, ${service.startCpuMs} ms of processor, ${(await service.rssMb()).toFixed(0)} MB resident`,
);
// The first analyses run before the compiler of the runtime has warmed up.
const cold: number[] = [];
for (const hash of sets[0]![1].slice(0, 10)) {
  const before = await service.cpuMs();
  await ask(service.url, hash);
  cold.push((await service.cpuMs()) - before);
}
console.log(
  `first analysis ${cold[0]!.toFixed(0)} ms of processor, the next nine ${mean(cold.slice(1)).toFixed(0)} ms each`,
);
for (const [, hashes] of sets) await atOnce(service.url, hashes.slice(0, 300), 4);

const idle: number[] = [];
for (let i = 0; i < 50; i++) {
  const before = await service.cpuMs();
  idle.push((await service.cpuMs()) - before);
}
const overhead = mean(idle);
const all: Size[] = [];
for (const [name, hashes] of sets) {
  const sizes: Size[] = [];
  const requests = proxy.requests;
  for (const hash of hashes) {
    const [cpu, sent, received] = [await service.cpuMs(), proxy.sent, proxy.received];
    const { frames, logs } = await ask(service.url, hash);
    sizes.push({
      frames,
      logs,
      sent: proxy.sent - sent,
      received: proxy.received - received,
      cpuMs: (await service.cpuMs()) - cpu - overhead,
    });
  }
  all.push(...sizes);
  console.log(
    `\n${name}: ${sizes.length} transactions one after another, ${((proxy.requests - requests) / sizes.length).toFixed(2)} requests upstream each`,
  );
  show(
    'processor, ms',
    sizes.map((s) => s.cpuMs),
  );
  show(
    'frames',
    sizes.map((s) => s.frames),
    0,
  );
  show(
    'logs',
    sizes.map((s) => s.logs),
    0,
  );
  show(
    'from upstream, kB',
    sizes.map((s) => s.received / 1000),
  );
  show(
    'to upstream, kB',
    sizes.map((s) => s.sent / 1000),
  );
}
const [a, b, c] = fit(all);
console.log(`\nprocessor ms ≈ ${a.toFixed(2)} + ${b.toFixed(3)} × frames + ${c.toFixed(3)} × logs`);
console.log(`resident after ${all.length} analyses: ${(await service.rssMb()).toFixed(0)} MB`);
await service.stop();

const mixed = sets.flatMap(([, hashes]) => hashes).slice(0, 1_200);
for (const n of [1, 4, 16, 64]) {
  service = await startService(node.url, { MAX_CONCURRENCY: String(n) });
  await atOnce(service.url, mixed.slice(0, 300), n);
  const [cpu, began] = [await service.cpuMs(), performance.now()];
  await atOnce(service.url, mixed, n);
  const used = (await service.cpuMs()) - cpu;
  console.log(
    `${String(n).padStart(2)} at once: ${(used / mixed.length).toFixed(1)} ms of processor each, so ${(1000 / (used / mixed.length)).toFixed(0)} a second at most on one core (here ${((mixed.length * 1000) / (performance.now() - began)).toFixed(0)} with the processor shared), ${(await service.rssMb()).toFixed(0)} MB resident`,
  );
  await service.stop();
}
await proxy.close();
await node.close();
