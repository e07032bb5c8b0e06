import { AnalysisError } from '../../lib/errors.ts';

/** How long a transaction that ran out of time is remembered, and how many are. */
const REMEMBERED_MS = 60_000;
const MOST = 1_000;
const OUT_OF_TIME: ReadonlySet<string> = new Set(['deadline', 'upstream_timeout']);

/** Transactions that just ran out of time, oldest first. */
export function createSlowHashes() {
  const until = new Map<string, number>();
  return {
    has(hash: string): boolean {
      return (until.get(hash) ?? 0) > performance.now();
    },
    /** Remembers the transaction where the failure means that time ran out. */
    note(hash: string, error: unknown): void {
      if (!(error instanceof AnalysisError) || !OUT_OF_TIME.has(error.code)) return;
      until.delete(hash);
      until.set(hash, performance.now() + REMEMBERED_MS);
      const [oldest] = until.keys();
      if (until.size > MOST) until.delete(oldest!);
    },
  };
}
