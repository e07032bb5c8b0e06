import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ProblemCode } from './problems.ts';
import type { Place } from './yamlTree.ts';

const MAX_FOLDER_DEPTH = 4;

/** Called with a problem of a file. */
export type Complain = (file: string, code: ProblemCode, message: string, place?: Place) => void;

/** Paths of all files below a directory, sorted; reports entries that cannot be listed. */
export function listFiles(dir: string, complain: Complain, under = '', depth = 0): string[] {
  let names: string[];
  try {
    names = readdirSync(join(dir, under)).sort();
  } catch {
    complain(join(dir, under), 'missing_directory', 'cannot list the directory');
    return [];
  }
  const found: string[] = [];
  for (const name of names) {
    // Dot files: editors' swap files and the ..data links of mounted Kubernetes volumes.
    if (name.startsWith('.')) continue;
    const path = under === '' ? name : `${under}/${name}`;
    // Following symbolic links is wanted (mounted volumes are made of them); the depth limit ends loops.
    const stat = statSync(join(dir, path), { throwIfNoEntry: false });
    if (stat === undefined) complain(join(dir, path), 'unreadable_file', 'a dangling symbolic link');
    else if (!stat.isDirectory()) found.push(path);
    else if (depth < MAX_FOLDER_DEPTH) found.push(...listFiles(dir, complain, path, depth + 1));
    else complain(join(dir, path), 'unknown_file', `folders are at most ${MAX_FOLDER_DEPTH} deep`);
  }
  return found;
}
