import { lowestCommonAncestor } from '../../lib/lowestCommonAncestor.ts';
import type { CanonicalTx } from '../../model/canonicalTx.ts';
import type { Evidence } from '../../model/evidence.ts';

/**
 * Index of the smallest frame that is certain to hold all of the evidence, or null where the trace does not show it. Where
 * exactly a log stands is known in one dialect only, so what its emitter's frames and the order of all logs leave possible counts.
 */
export function commonFrame(tx: CanonicalTx, evidence: readonly Evidence[]): number | null {
  let common: number | null = null;
  for (const { log, frame } of evidence) {
    const at = log === null ? frame : (tx.logs[log]?.within ?? null);
    if (at === null || !tx.frames[at]) return null;
    common = common === null ? at : lowestCommonAncestor(tx.frames, common, at);
  }
  return common;
}
