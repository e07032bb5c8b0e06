/**
 * Prints one hash over the reports of all transactions at hand, `engine` masked: a refactoring leaves it equal.
 * usage: npm run reports:digest -- [--out FILE] [--against FILE] [corpus file names…]
 * `--out` writes a line per report; `--against` lists the reports that differ from an earlier `--out` file.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { analyzeRaw } from '../src/analyze.ts';
import { allRecordings, type Recording } from '../src/tools/cli/rules/recordings.ts';
import { createAnalyze } from '../src/service/analyzer.ts';
import { AnalysisError } from '../src/lib/errors.ts';
import { loadRules } from '../src/service/loadRules.ts';
import type { Hash } from '../src/model/hex.ts';
import { createUpstream } from '../src/stages/1-fetch/rpc/upstream.ts';
import { createReportValidator } from '../src/stages/9-report/reportValidator.ts';
import {
  CORPUS,
  REPLAY_AVAILABLE,
  recordedHashes,
  startReplayNode,
  warnIfAbsent,
} from '../test/support/replayNode.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string' }, against: { type: 'string' } },
});
const OWN = join(import.meta.dirname, '../test/recordings');
const rulebook = loadRules();
const validate = createReportValidator();
const lines: string[] = [];

function add(name: string, json: string): void {
  const { engine: _, ...report } = JSON.parse(json) as Record<string, unknown>;
  lines.push(`${name} ${createHash('sha256').update(JSON.stringify(report)).digest('hex').slice(0, 32)}`);
}

async function ownReports(): Promise<void> {
  for (const file of readdirSync(OWN)
    .filter((name) => name.endsWith('.json'))
    .sort()) {
    const recording = allRecordings([join(OWN, file)])[0]!;
    const { rpc } = JSON.parse(readFileSync(join(OWN, file), 'utf8')) as {
      rpc: { callTracer?: unknown; trace?: unknown };
    };
    const traces: Recording['raw']['trace'][] = [];
    if (rpc.callTracer) traces.push({ dialect: 'call_tracer', result: rpc.callTracer });
    if (rpc.trace) traces.push({ dialect: 'parity', result: rpc.trace });
    for (const trace of traces) {
      const report = await analyzeRaw({ ...recording.raw, trace }, recording.context, rulebook);
      validate(report);
      add(`${recording.name} ${trace.dialect}`, JSON.stringify(report));
    }
  }
}

async function corpusReports(dialect: 'geth' | 'parity', files: readonly string[]): Promise<void> {
  const node = await startReplayNode({ dialect, files });
  const upstream = createUpstream({
    rpcUrls: [node.url],
    traceUrl: null,
    priceApiUrl: null,
    rpcTimeoutMs: 60_000,
    rpcRetries: 0,
    deadlineMs: 600_000,
    maxResponseBytes: 1 << 30,
    rpcMaxBatch: 1_000,
  });
  const analyze = createAnalyze({ upstream, rulebook: () => rulebook, validate, maxTokens: 2_000 });
  const pending = [...recordedHashes(files)];
  const worker = async (): Promise<void> => {
    for (let hash = pending.pop(); hash !== undefined; hash = pending.pop()) {
      const options = { signal: new AbortController().signal, deadlineAt: performance.now() + 600_000 };
      const name = `${hash} ${dialect}`;
      try {
        const { json } = await analyze(hash as Hash, options);
        add(name, typeof json === 'string' ? json : [...json].join(''));
      } catch (error) {
        if (!(error instanceof AnalysisError)) throw error;
        lines.push(`${name} ${error.message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: 6 }, worker));
  await upstream.close();
  await node.close();
}

await ownReports();
const files = positionals.length > 0 ? positionals : CORPUS;
if (REPLAY_AVAILABLE) for (const dialect of ['geth', 'parity'] as const) await corpusReports(dialect, files);
else warnIfAbsent('the digest of recorded mainnet transactions');

lines.sort();
if (values.out) writeFileSync(values.out, `${lines.join('\n')}\n`);
if (values.against) {
  const before = new Map(
    readFileSync(values.against, 'utf8')
      .trim()
      .split('\n')
      .map((line) => [line.split(' ').slice(0, 2).join(' '), line]),
  );
  const changed = lines.filter((line) => before.get(line.split(' ').slice(0, 2).join(' ')) !== line);
  for (const line of changed) console.log(`differs: ${line}`);
}
console.log(`${createHash('sha256').update(lines.join('\n')).digest('hex')}  ${lines.length} reports`);
