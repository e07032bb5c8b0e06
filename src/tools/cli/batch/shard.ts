/** One part of a list: every hash belongs to exactly one of `count` shards, whatever list it stands in. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

export const WHOLE: Shard = { index: 0, count: 1 };

/** Reads `i/n` with 0 ≤ i < n; null when it is none. */
export function parseShard(text: string): Shard | null {
  const match = /^(\d{1,6})\/(\d{1,6})$/.exec(text);
  if (!match) return null;
  const index = Number(match[1]);
  const count = Number(match[2]);
  return index < count ? { index, count } : null;
}

/** Transaction hashes are evenly spread, so their leading 52 bits choose the shard. */
export function inShard(hash: string, { index, count }: Shard): boolean {
  return Number.parseInt(hash.slice(2, 15), 16) % count === index;
}
