import type { BlockResult } from './blockPool.ts';
import type { BlockBatchFailure } from './checkpoint.ts';

/** Blocks with failures, and their transactions without a report; null: all of them. */
export function retriesOf(
  failures: readonly BlockBatchFailure[],
): ReadonlyMap<string, ReadonlySet<string> | null> {
  const blocks = new Map<string, Set<string> | null>();
  for (const { block, tx_hash } of failures) {
    const known = blocks.get(block);
    if (known === null) continue;
    blocks.set(block, tx_hash === null ? null : (known ?? new Set()).add(tx_hash));
  }
  return blocks;
}

/** The result of a block that failed as a whole. */
export function failedBlock(failed: NonNullable<BlockResult['failed']>): BlockResult {
  const none = { reports: 0, transactions: 0, requests: 0, failures: [], findings: [], notes: [] };
  return { lines: new Uint8Array(), rows: null, ...none, failed };
}

/** The reports and failures of some transactions of a block. */
export function onlyHashes(result: BlockResult, wanted: ReadonlySet<string>): BlockResult {
  const lines = new TextDecoder()
    .decode(result.lines)
    .split('\n')
    .filter((line) => line !== '' && wanted.has((JSON.parse(line) as { tx: { hash: string } }).tx.hash));
  const rows =
    result.rows &&
    Object.fromEntries(
      Object.entries(result.rows).map(([table, list]) => [
        table,
        list.filter(([hash]) => wanted.has(hash as string)),
      ]),
    );
  return {
    ...result,
    lines: new TextEncoder().encode(lines.map((line) => `${line}\n`).join('')),
    rows: rows as BlockResult['rows'],
    reports: rows ? (rows['transactions']?.length ?? 0) : lines.length,
    transactions: wanted.size,
    failures: result.failures.filter(({ tx_hash }) => wanted.has(tx_hash)),
    findings: [],
  };
}
