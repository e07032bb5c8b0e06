import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Diagnostic } from 'vscode-languageserver/node';
import { openRuleset, rulesetDirs } from '../cli/rules/rulesets.ts';
import { PROBLEMS, type Problem } from '../../rules/read/problems.ts';
import { SHIPPED_RULES } from '../../rules/read/shippedRules.ts';
import type { Ruleset } from '../../rules/compile/loadRulebook.ts';

const TOP_FILES = ['vocabulary.yaml', 'precedence.yaml', 'ruleset.yaml', 'lexicon.yaml'];
const FOLDERS = ['shapes', 'protocols', 'intents', 'entities'];

/** Rule files as an editor has them open, and the ruleset they are part of. */
export class Workspace {
  /** Texts by path. */
  readonly #open = new Map<string, string>();
  #last: { readonly dirs: string; readonly ruleset: Ruleset } | null = null;

  set(uri: string, text: string): void {
    this.#open.set(fileURLToPath(uri), text);
    this.#last = null;
  }

  close(uri: string): void {
    this.#open.delete(fileURLToPath(uri));
    this.#last = null;
  }

  /** The ruleset that a file is part of, with every open text in place of its file. */
  rulesetOf(uri: string): Ruleset {
    const dirs = directoriesOf(fileURLToPath(uri));
    const key = dirs.join('\n');
    if (this.#last?.dirs !== key) this.#last = { dirs: key, ruleset: openRuleset(dirs, this.#open) };
    return this.#last.ruleset;
  }

  /** Path of a file inside its rule directory, with forward slashes. */
  pathOf(uri: string): string {
    const path = fileURLToPath(uri);
    return relative(overlayOf(path), path).replaceAll('\\', '/');
  }

  /** Problems of the ruleset by open file; files without problems have an empty list. */
  diagnostics(uri: string): ReadonlyMap<string, readonly Diagnostic[]> {
    const { problems } = this.rulesetOf(uri);
    const lists = new Map<string, Diagnostic[]>([...this.#open.keys()].map((path) => [path, []]));
    for (const problem of problems) lists.get(problem.file)?.push(diagnosticOf(problem));
    return new Map([...lists].map(([path, list]) => [pathToFileURL(path).href, list]));
  }
}

function diagnosticOf({ line, column, code, message }: Problem): Diagnostic {
  const start = { line: line - 1, character: column - 1 };
  return {
    range: { start, end: { line: start.line, character: start.character + 1 } },
    severity: 1,
    code,
    source: 'txreport',
    message: `${message}\n${PROBLEMS[code]}`,
  };
}

/** Shipped rules, the overlays of `RULES_DIR`, and the directory of the file where it is none of these. */
function directoriesOf(path: string): string[] {
  const dirs = rulesetDirs();
  const own = overlayOf(path);
  return dirs.includes(own) || own === SHIPPED_RULES ? dirs : [...dirs, own];
}

/**
 * The rule directory around a file: above `shapes`, `intents`, …, or the one that holds
 * `vocabulary.yaml`.
 */
function overlayOf(path: string): string {
  for (let dir = dirname(path); dir !== dirname(dir); dir = dirname(dir)) {
    if (FOLDERS.some((folder) => path.startsWith(join(dir, folder, '/')))) return dir;
    if (TOP_FILES.some((name) => path === join(dir, name))) return dir;
    if (existsSync(join(dir, 'package.json'))) break;
  }
  return dirname(path);
}
