import type { Shard } from './shard.ts';
import { readTxHash } from '../txHash.ts';
import { inShard } from './shard.ts';

export type HashLine =
  | { readonly hash: string; readonly line: number }
  | { readonly invalid: string; readonly line: number };

/** Longest line kept: whatever follows cannot make it a hash again. */
const MOST_CHARACTERS = 1_000;

/**
 * The hashes of a text, one a line: the first column, in any letter case; blank lines and those that begin with `#` are
 * left out. Lines that hold no hash come out as invalid, in the first shard alone so that no shard repeats another's.
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
    const hash = readTxHash(word);
    if (hash !== null) {
      if (inShard(hash, shard)) yield { hash, line };
    } else if (shard.index === 0) yield { invalid: trimmed.slice(0, 100), line };
  }
}

async function* splitLines(chunks: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const parts = (
      rest + (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }))
    ).split('\n');
    rest = parts.pop()!;
    yield* parts;
    if (rest.length > MOST_CHARACTERS) rest = rest.slice(0, MOST_CHARACTERS);
  }
  if (rest !== '') yield rest;
}
