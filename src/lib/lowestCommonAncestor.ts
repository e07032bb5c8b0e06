import type { Frame } from '../model/canonicalTx.ts';

/** The smallest frame that holds both. Frames are in pre-order, so a subtree is a range of indexes. */
export function lowestCommonAncestor(frames: readonly Frame[], a: number, b: number): number {
  let at = a;
  while (b < at || b >= frames[at]!.end) {
    const { parent } = frames[at]!;
    if (parent === null) return at;
    at = parent;
  }
  return at;
}
