import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { listFiles } from '../../rules/read/listFiles.ts';
import { prepare } from '../../rules/prepare.ts';
import type { CompiledRules, Rulebook } from '../../model/rulebook.ts';

/** Where the build keeps the shipped rules in compiled form, beside this folder; the sources have none. */
export const RULEBOOK_CACHE = new URL('../../compiled/rulebook.bin', import.meta.url);

interface Cached {
  readonly files: string;
  readonly rulebook: CompiledRules;
}

/** A compiled rulebook as bytes: for the cache, and for the threads that analyse. */
export function packRulebook(rulebook: Rulebook): Buffer {
  return serialize(compiledPart(rulebook));
}

/** The storable parts: functions cannot be stored and are made again. */
function compiledPart({ prepared: _, ...compiled }: Rulebook): CompiledRules {
  return compiled;
}

/** The rulebook again. */
export function unpackRulebook(bytes: Uint8Array): Rulebook {
  return prepare(deserialize(bytes) as CompiledRules);
}

/**
 * The cache's content for a rulebook compiled from `dir`. Sharing equal parts halves the time of reading it.
 */
export function packCache(dir: string, rulebook: Rulebook): Buffer {
  return serialize({
    files: fingerprint(dir),
    rulebook: shareEqual(compiledPart(rulebook)),
  } satisfies Cached);
}

/**
 * The rulebook compiled at build; null where a rule file changed. Comparing takes a hundredth of compiling.
 */
export function cachedRulebook(dir: string): Rulebook | null {
  try {
    const { files, rulebook } = deserialize(readFileSync(RULEBOOK_CACHE)) as Cached;
    return files === fingerprint(dir) ? prepare(rulebook) : null;
  } catch {
    // No cache, or one of another version of Node.js.
    return null;
  }
}

/** Changes with any path and byte of the rules but examples; the build makes code and cache together. */
function fingerprint(dir: string): string {
  const hash = createHash('sha256');
  for (const [path] of listFiles(dir, () => {})) {
    if (path.startsWith('examples/')) continue;
    hash
      .update(`${path}\n`)
      .update(readFileSync(join(dir, path)))
      .update('\n');
  }
  return hash.digest('hex');
}

/** Makes equal objects and arrays one, which cuts rules to a third. Sets are kept; Maps are rebuilt. */
export function shareEqual<T>(value: T): T {
  const done = new Map<object, object>();
  const byContent = new Map<string, object>();
  const numbers = new Map<unknown, number>();
  const share = (item: unknown): unknown => {
    if (typeof item !== 'object' || item === null) return item;
    let shared = done.get(item);
    if (!shared) {
      shared = sharedOf(item);
      if (!numbers.has(shared)) numbers.set(shared, numbers.size);
      done.set(item, shared);
    }
    return shared;
  };
  /** Parts are already shared: equal ones have one number. */
  const contentOf = (item: object): string =>
    `${Array.isArray(item)} ${Object.entries(item)
      .map(([key, part]) => `${key} ${numbers.get(part) ?? `${typeof part} ${JSON.stringify(String(part))}`}`)
      .join()}`;
  const sharedOf = (item: object): object => {
    if (item instanceof Set) return item;
    if (item instanceof Map) return new Map([...item].map(([key, part]) => [key, share(part)] as const));
    const copy = (Array.isArray(item) ? [...item] : { ...item }) as Record<string, unknown>;
    for (const key of Object.keys(copy)) copy[key] = share(copy[key]);
    const content = contentOf(copy);
    const known = byContent.get(content);
    if (!known) byContent.set(content, copy);
    return known ?? copy;
  };
  return share(value) as T;
}
