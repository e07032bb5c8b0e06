// What a fuzzed analysis may end in, and what an accepted report must still be.
import { AnalysisError } from '../../src/lib/errors.ts';
import type { TxReport } from '../../src/model/generated/report.ts';

/** Why a failure is no honest refusal; null for one that is. */
export function improperFailure(error: unknown): string | null {
  if (!(error instanceof AnalysisError))
    return error instanceof Error ? `${error.stack ?? error.message}` : `threw ${String(error)}`;
  if (error.code === 'internal')
    return `internal: ${error.detail ?? ''} ${(error.cause as Error | undefined)?.stack ?? error.stack ?? ''}`;
  if (error.code === 'internal_validation') return `internal_validation: ${JSON.stringify(error.cause)}`;
  return null;
}

/** What no report may get wrong, whatever it was made from: the text is JSON in UTF-8, and every asset balances. */
export function brokenReport(json: string): string | null {
  // Lone surrogates would not survive the way over the wire.
  if (/\p{Cs}/u.test(json)) return 'a lone surrogate in the report';
  const report = JSON.parse(json) as TxReport;
  const sums = new Map<string, bigint>();
  for (const { asset, delta_raw } of report.inventory_deltas)
    sums.set(asset.id, (sums.get(asset.id) ?? 0n) + BigInt(delta_raw));
  for (const [asset, sum] of sums) if (sum !== 0n) return `${asset} sums to ${sum}`;
  for (const list of [report.economics.token_in, report.economics.token_out])
    if (!list.split(', ').every((entry) => list === '' || /^\d+(\.\d+)? [^\s,]+$/.test(entry)))
      return `not a list: ${list}`;
  if (/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/.test(visible(report)))
    return 'control or bidirectional characters in the report';
  return null;
}

/** Every string value of the report, joined. */
function visible(value: unknown): string {
  const texts: string[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') texts.push(next);
    else if (typeof next === 'object' && next !== null) open.push(...Object.values(next));
  }
  return texts.join('');
}

export interface Failure {
  readonly index: number;
  readonly what: string;
  readonly why: string;
}

/** Tally of one kind of hostile input. */
export interface Tally {
  readonly name: string;
  tried: number;
  /** Cases that ended in an answer of the service rather than a refusal. */
  accepted: number;
  slowestMs: number;
  readonly failures: Failure[];
}

export const newTally = (name: string): Tally => ({
  name,
  tried: 0,
  accepted: 0,
  slowestMs: 0,
  failures: [],
});

/** One line per kind, then the first failures in full. */
export function printTallies(tallies: readonly Tally[]): void {
  console.log(
    `${'hostile input'.padEnd(34)}  ${'tried'.padStart(7)}  ${'failed'.padStart(6)}  ${'accepted'.padStart(8)}  ${'slowest'.padStart(9)}`,
  );
  for (const { name, tried, failures, accepted, slowestMs } of tallies)
    console.log(
      `${name.padEnd(34)}  ${String(tried).padStart(7)}  ${String(failures.length).padStart(6)}  ${String(accepted).padStart(8)}  ${`${slowestMs.toFixed(0)} ms`.padStart(9)}`,
    );
  for (const { name, failures } of tallies)
    for (const { index, what, why } of failures.slice(0, 8))
      console.log(`\n${name} #${index} (${what}):\n  ${why.split('\n').slice(0, 8).join('\n  ')}`);
}
