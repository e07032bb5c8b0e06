import { join } from 'node:path';
import { readdirSync, statSync, type BigIntStats } from 'node:fs';
import type { ProblemCode } from './problems.ts';
import type { Place } from './yamlTree.ts';

/** The shipped rules: three levels up from `src/rules/read` and from `dist/rules/read` alike. */
export const SHIPPED_RULES = join(import.meta.dirname, '../../../rules');

const MAX_FOLDER_DEPTH = 4;

/** Called with a problem of a file. */
export type Complain = (file: string, code: ProblemCode, message: string, place?: Place) => void;

/** All files below a directory by path, sorted, with their facts; reports entries that cannot be listed. */
export function listFiles(
  dir: string,
  complain: Complain,
  under = '',
  depth = 0,
): (readonly [path: string, facts: BigIntStats])[] {
  let names: string[];
  try {
    names = readdirSync(join(dir, under)).sort();
  } catch {
    complain(join(dir, under), 'missing_directory', 'cannot list the directory');
    return [];
  }
  // Dot files: editors' swap files and the ..data links of mounted Kubernetes volumes.
  const shown = names.filter((name) => !name.startsWith('.'));
  return shown.flatMap((name) => {
    const path = under === '' ? name : `${under}/${name}`;
    // Mounted volumes are made of symbolic links, so they are followed; the depth limit ends loops of
    // folders.
    const facts = factsOf(join(dir, path));
    if (typeof facts === 'string') complain(join(dir, path), 'unreadable_file', facts);
    else if (!facts.isDirectory()) return [[path, facts] as const];
    else if (depth < MAX_FOLDER_DEPTH) return listFiles(dir, complain, path, depth + 1);
    else complain(join(dir, path), 'unknown_file', `folders are at most ${MAX_FOLDER_DEPTH} deep`);
    return [];
  });
}

/** The entry's facts, or why there are none: a dangling link, a loop of links (ELOOP), EACCES, EIO. */
export function factsOf(path: string): BigIntStats | string {
  try {
    return statSync(path, { throwIfNoEntry: false, bigint: true }) ?? 'a dangling symbolic link';
  } catch (error) {
    return `cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`;
  }
}
