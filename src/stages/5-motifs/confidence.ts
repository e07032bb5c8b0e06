import type { Confidence } from '../../model/motif.ts';

const ORDER: readonly Confidence[] = ['Low', 'Medium', 'High'];

/** A composite is no better known than the least known of its parts. */
export function lowestConfidence(parts: readonly Confidence[]): Confidence {
  return ORDER.find((level) => parts.includes(level)) ?? 'Low';
}
