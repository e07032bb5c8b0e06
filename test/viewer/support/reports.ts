import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { analyzeRaw } from '../../../src/analyze.ts';
import { loadRules } from '../../../src/service/loadRules.ts';
import { findRecording } from '../../../src/tools/cli/rules/recordings.ts';
import { traceOf, type Traced } from '../../../src/tools/trace/openTraces.ts';
import type { TxReport } from '../../../src/model/generated/report.ts';

const RECORDINGS = join(import.meta.dirname, '../../recordings');
let rulebook: ReturnType<typeof loadRules> | null = null;

/** The report of a recorded transaction, as the service would send it. */
export async function reportOf(name: string): Promise<TxReport> {
  const { raw, context } = findRecording(name, [RECORDINGS]);
  return analyzeRaw(raw, context, (rulebook ??= loadRules()));
}

/** The same with the call tree. */
export const tracedOf = (name: string): Promise<Traced> =>
  traceOf(findRecording(name, [RECORDINGS]), (rulebook ??= loadRules()));

const folder = mkdtempSync(join(tmpdir(), 'txreport-viewer-'));

/** Writes something to a file that the page can be given. */
export function asFile(name: string, value: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
  return path;
}
