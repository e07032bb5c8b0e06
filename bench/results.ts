import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const RESULTS = join(import.meta.dirname, '../bench-results');

/** Stores the figures of a run in `bench-results/`, under its time, and says where. */
export function writeResults(results: unknown): void {
  mkdirSync(RESULTS, { recursive: true });
  const name = `${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.json`;
  writeFileSync(join(RESULTS, name), `${JSON.stringify(results, null, 1)}\n`);
  console.log(`\nwritten to bench-results/${name}`);
}
