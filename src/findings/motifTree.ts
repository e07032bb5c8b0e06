import type { Motif } from '../model/generated/report.ts';

/** The motifs that a motif is a part of, from the nearest to the outermost. */
export function rootOf(motif: Motif, motifs: readonly Motif[]): Motif[] {
  const above: Motif[] = [];
  for (let id = motif.parent_id; id !== null && above.length < motifs.length; ) {
    const parent = motifs.find((one) => one.id === id);
    if (parent === undefined) break;
    above.push(parent);
    id = parent.parent_id;
  }
  return above;
}
