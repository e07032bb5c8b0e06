import type { Evidence, Frame, Log } from '../model/canonicalTx.ts';
import type { Address } from '../model/hex.ts';

/** Each log and each frame once, in order of first occurrence. */
export function distinctEvidence(list: readonly Evidence[]): readonly Evidence[] {
  if (list.length < 2 || (list.length === 2 && keyOf(list[0]!) !== keyOf(list[1]!))) return list;
  const places = new Map<number, Evidence>();
  for (const e of list) places.set(keyOf(e), e);
  return places.size === list.length ? list : [...places.values()];
}

export function logEvidence({ frame, index, address }: Log): Evidence {
  return { kind: 'log', frame, log: index, contract: address };
}

/** A frame, as evidence of the contract that ran in it. */
export function frameEvidence({ index }: Frame, contract: Address): Evidence {
  return { kind: 'frame', frame: index, log: null, contract };
}

/** The place of evidence. Logs map to 0 and up, frames to -2 and down; evidence without either is one key. */
export function keyOf({ log, frame }: Evidence): number {
  return log ?? -2 - (frame ?? -1);
}
