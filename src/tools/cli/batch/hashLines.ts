import { pastedHash } from '../../pasted.ts';

export type HashLine =
  | { readonly hash: string; readonly line: number }
  | { readonly invalid: string; readonly line: number };

/**
 * The hashes in the first column of a text; blank lines and `#` comments are skipped. A line without a hash
 * is yielded as invalid by the first shard only, so that shards do not repeat each other's errors.
 */
export async function* readHashLines(
  chunks: AsyncIterable<Buffer | string>,
  shard: Shard,
): AsyncGenerator<HashLine> {
  let line = 0;
  for await (const text of splitLines(chunks)) {
    line++;
    const trimmed = text.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const word = trimmed.split(/[\s,;]/, 1)[0]!.replaceAll('"', '');
    const hash = pastedHash(word);
    if (hash === null && shard.index === 0) yield { invalid: trimmed.slice(0, 100), line };
    if (hash !== null && inShard(hash, shard)) yield { hash, line };
  }
}

/**
 * Lines without their ends; of a longer one, no more than `most` characters and a chunk are kept: a hash must
 * be in the first column anyway.
 */
export async function* splitLines(
  chunks: AsyncIterable<Buffer | string>,
  most = 1_000,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    const parts = (rest + text).split('\n');
    rest = parts.pop()!.slice(0, most);
    yield* parts;
  }
  if (rest !== '') yield rest;
}

/** One part of a list. A hash belongs to the same one of `count` shards in every list. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

export const WHOLE: Shard = { index: 0, count: 1 };

/** Transaction hashes are evenly spread, so their leading 52 bits choose the shard. */
function inShard(hash: string, { index, count }: Shard): boolean {
  return Number.parseInt(hash.slice(2, 15), 16) % count === index;
}
