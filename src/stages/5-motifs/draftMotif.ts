import type { Motif } from '../../model/motif.ts';
import type { Evidence } from '../../model/evidence.ts';

/** A motif before it has its place, which is -1 until then; `children` are drafts that it is made of. */
export interface MotifDraft extends Motif {
  index: number;
  parent: number | null;
  readonly children: readonly MotifDraft[];
}

/** Several motifs' evidence without repetition. */
export function joinEvidence(drafts: readonly MotifDraft[]): Evidence[] {
  return [
    ...new Map(
      drafts.flatMap((d) => d.evidence).map((e) => [`${e.log}|${e.log === null ? e.frame : ''}`, e]),
    ).values(),
  ];
}

/** Movements of several drafts or legs, each once, in order. */
export function joinMovements(
  parts: readonly { readonly movements: readonly number[] }[],
): readonly number[] {
  if (parts.length === 1 && parts[0]!.movements.length === 1) return parts[0]!.movements;
  const all: number[] = [];
  let sorted = true;
  for (const { movements } of parts)
    for (const m of movements) {
      sorted &&= all.length === 0 || m > all[all.length - 1]!;
      all.push(m);
    }
  return sorted ? all : [...new Set(all)].sort((a, b) => a - b);
}

export function firstSeq(drafts: readonly MotifDraft[]): number {
  return drafts.reduce((first, d) => (d.seq < first ? d.seq : first), Infinity);
}
