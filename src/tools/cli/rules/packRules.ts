import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { ARCHIVE_ENDING, packArchive, readArchive } from '../../../rules/read/archive.ts';
import { listFiles, SHIPPED_RULES } from '../../../rules/read/listFiles.ts';
import { CliError, type CliIo } from '../cliIo.ts';
import { lockRules } from './lockRules.ts';
import { openSoundRuleset } from './rulesets.ts';

function writeArchive(path: string, bytes: Buffer): void {
  if (!path.endsWith(ARCHIVE_ENDING)) throw new CliError(`${path} must end in ${ARCHIVE_ENDING}`);
  if (existsSync(path) && !readFileSync(path).equals(bytes))
    throw new CliError(`${path} exists with other content: raise the version in ruleset.yaml`);
  writeFileSync(path, bytes);
}

/**
 * Packs an overlay into one file, `<name>-<version>.txrules`, after linting it over the shipped rules and
 * checking its lock. Exit code 1 where either fails.
 */
export function packRules(dir: string, options: { readonly out?: string }, io: CliIo): number {
  const ruleset = openSoundRuleset([SHIPPED_RULES, dir], io);
  if (ruleset === null) return 1;
  const head = ruleset.files.find((f) => f.layer === 1 && f.kind === 'ruleset')?.tree as
    | { readonly name: string; readonly version: string }
    | undefined;
  if (!head) throw new CliError(`${dir} has no ruleset.yaml: it needs name, version and engine: 1`);
  if (!existsSync(join(dir, 'ruleset.lock'))) throw new CliError(`${dir} is not locked: txreport rules lock`);
  if (lockRules([SHIPPED_RULES, dir], { check: true, force: false }, { ...io, out: () => {} }) !== 0)
    return 1;
  const files: Record<string, string> = {};
  for (const path of listFiles(dir, (file, _code, message) => io.err(`${file}: ${message}`)))
    if (!path.endsWith(ARCHIVE_ENDING)) files[path] = readFileSync(join(dir, path), 'utf8');
  const path = options.out ?? `${head.name}-${head.version}${ARCHIVE_ENDING}`;
  writeArchive(path, packArchive(head.name, head.version, files));
  const count = Object.keys(files).length;
  io.out(`wrote ${path}: ${count} files, ${readArchive(path).digest}`);
  io.out(`use it: RULES_DIR=${basename(resolve(path))}`);
  return 0;
}
