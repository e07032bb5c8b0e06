// Reports of the recorded transactions, for ledgers of all of them.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { analyzeRaw } from '../../src/analyze.ts';
import type { TxReport } from '../../src/model/generated/report.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import { allRecordings } from '../../src/tools/cli/rules/recordings.ts';
import { corpus, REPLAY_AVAILABLE } from '../support/replayNode.ts';

export const rulebook = loadRules();
const FOLDER = join(import.meta.dirname, '../recordings');

export async function embeddedReports(): Promise<Map<string, TxReport>> {
  const reports = new Map<string, TxReport>();
  for (const name of readdirSync(FOLDER).filter((file) => file.endsWith('.json'))) {
    const { raw, context } = allRecordings([join(FOLDER, name)])[0]!;
    reports.set(name.replace('.json', ''), await analyzeRaw(raw, context, rulebook));
  }
  return reports;
}

/** Those of mainnet, where they lie beside the repository; each hash once. */
export async function mainnetReports(files: readonly string[]): Promise<Map<string, TxReport>> {
  const reports = new Map<string, TxReport>();
  if (!REPLAY_AVAILABLE) return reports;
  for (const { raw, context } of allRecordings(files.map((file) => corpus(`${file}.ndjson.gz`))))
    reports.set(raw.hash, await analyzeRaw(raw, context, rulebook));
  return reports;
}

/** Everybody a report speaks for: signers, and actors that gained or lost something. */
export function partiesOf(reports: Iterable<TxReport>): string[] {
  const found = new Set<string>();
  for (const { tx, classification, inventory_deltas: deltas } of reports) {
    found.add(tx.signer);
    const { actor } = classification;
    if (actor !== null && deltas.some(({ subject }) => subject === actor)) found.add(actor);
  }
  return [...found];
}
