import { existsSync, readFileSync, type BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '../../lib/json.ts';
import { hintFor } from '../compile/didYouMean.ts';
import { isArchive, readArchive } from './archive.ts';
import { listFiles, type Complain } from './listFiles.ts';
import type { Problem } from './problems.ts';
import { parseRuleFile } from './parsedFiles.ts';
import type { SchemaFault } from './schemaCheck.ts';
import type { Place, Tree } from './yamlTree.ts';

const TOP = {
  'ruleset.yaml': 'ruleset',
  'vocabulary.yaml': 'vocabulary',
  'precedence.yaml': 'precedence',
  'lexicon.yaml': 'lexicon',
} as const;
const FOLDERS = {
  shapes: 'shape',
  protocols: 'protocol',
  entities: 'entity',
  intents: 'intent',
  findings: 'finding',
  examples: 'example',
  ledgers: 'ledger',
} as const;
const KIND_AT: Readonly<Record<string, FileKind>> = { ...TOP, ...FOLDERS };
export const FILE_KINDS = Object.values(KIND_AT);
/** The file or folder of a kind. */
export const placeOf = (kind: FileKind): string =>
  Object.keys(KIND_AT).find((place) => KIND_AT[place] === kind)!;
export type FileKind = (typeof TOP)[keyof typeof TOP] | (typeof FOLDERS)[keyof typeof FOLDERS];

interface TextFile {
  /** 0 for the base ruleset, then overlays in the order given. */
  readonly layer: number;
  /** Relative to its ruleset directory, with forward slashes. */
  readonly path: string;
  /** As shown to people. */
  readonly shownPath: string;
  readonly text: string;
}

/** One YAML file of a ruleset directory. */
export interface RuleFile extends TextFile {
  readonly kind: FileKind;
  readonly tree: Tree | null;
  readonly locate: (pointer: string, part?: 'key' | 'value') => Place;
  readonly schemaFaults: readonly SchemaFault[];
}

/** Files that no analysis needs: tests, lint and the ledger read them. */
export const APART: ReadonlySet<FileKind> = new Set(['example', 'ledger']);

/** Folders of plain text tables, `*.txt`: thousands of lines, looked up and never searched for rules. */
const TABLE_FOLDERS = ['signatures', 'address-book', 'created'] as const;
type TableFolder = (typeof TABLE_FOLDERS)[number];

/** One text table of a ruleset directory. */
export interface TableFile extends TextFile {
  readonly folder: TableFolder;
}

/** Folder of an overlay's own recordings. */
export const RECORDINGS = 'recordings';

const MAX_FILE_BYTES = 256 * 1024;
const MAX_TABLE_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 5000;
/** Controls except tab, line feed and carriage return; bidirectional marks and isolates; stray BOM. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufeff]/;

/** Texts that are not, or not yet, on disk: by path, as `join(dir, path)`. */
export type EditedTexts = ReadonlyMap<string, string>;

const NO_EDITS: EditedTexts = new Map();

/** The files of one directory or archive. */
interface RuleSource {
  readonly paths: readonly string[];
  readonly read: (path: string, limit: number) => string | null;
}

function openSource(dir: string, edits: EditedTexts, complain: Complain): RuleSource {
  if (isArchive(dir)) return openArchive(dir, complain);
  const prefix = join(dir, '/');
  const edited = [...edits.keys()].filter((path) => path.startsWith(prefix));
  const listed = new Map(edited.length > 0 && !existsSync(dir) ? [] : listFiles(dir, complain));
  return {
    paths: [...new Set([...listed.keys(), ...edited.map((path) => path.slice(prefix.length))])].sort(),
    read: (path, limit) => {
      const shownPath = join(dir, path);
      const text = edits.get(shownPath) ?? readText(shownPath, listed.get(path)!, limit, complain);
      return text === null ? null : checkedText(text, shownPath, complain);
    },
  };
}

function openArchive(path: string, complain: Complain): RuleSource {
  try {
    const { files } = readArchive(path);
    return {
      paths: Object.keys(files).sort(),
      read: (inner) => checkedText(files[inner]!, join(path, inner), complain),
    };
  } catch (error) {
    complain(path, 'bad_archive', (error as Error).message);
    return { paths: [], read: () => null };
  }
}

export interface ReadOptions {
  readonly edits?: EditedTexts | undefined;
  /** Files of examples too: all, or those of one shape. Only tests and lint need them. */
  readonly examples?: boolean | string | undefined;
  /** Whether recordings beside the rules are read as well. */
  readonly recordings?: boolean;
}

/** Reads every rule file of the directories, in a stable order. Never throws: see `problems`. */
export function readRuleFiles(
  dirs: readonly string[],
  { edits = NO_EDITS, examples = false, recordings = false }: ReadOptions = {},
): {
  files: RuleFile[];
  tables: TableFile[];
  problems: Problem[];
} {
  const files: RuleFile[] = [];
  const tables: TableFile[] = [];
  const problems: Problem[] = [];
  const complain: Complain = (file, code, message, place = { line: 1, column: 1 }) =>
    void problems.push({ file, ...place, code, message });

  const addRules = (kind: FileKind, place: Omit<TextFile, 'text'>, read: RuleSource['read']): void => {
    const text = read(place.path, MAX_FILE_BYTES);
    if (text === null) return;
    const { faults, ...parsed } = parseRuleFile(kind, text);
    for (const f of faults) complain(place.shownPath, f.code, f.message, f.place);
    files.push({ kind, ...place, text, ...parsed });
  };
  dirs.forEach((dir, layer) => {
    const { paths, read } = openSource(dir, edits, complain);
    if (paths.length > MAX_FILES)
      complain(dir, 'too_many_files', `${paths.length} files, at most ${MAX_FILES}`);
    // Below overlays the examples of the base are its own maintainers' business.
    const isWanted = (path: string): boolean =>
      examples === true ? layer >= Math.min(1, dirs.length - 1) : path === `examples/${examples}.yaml`;
    for (const path of paths.slice(0, MAX_FILES)) {
      const shownPath = join(dir, path);
      const [folder, kind] = [tableFolder(path), kindAt(path)];
      if (/\.(md|lock)$/.test(path)) continue;
      if (path.startsWith(`${RECORDINGS}/`) && path.endsWith('.json')) {
        const text = recordings ? read(path, MAX_TABLE_BYTES) : null;
        if (text !== null && typeof parseJson(text) !== 'object')
          complain(shownPath, 'broken_recording', 'no JSON: record it again with txreport rules record');
      } else if (folder) {
        const text = read(path, MAX_TABLE_BYTES);
        if (text !== null) tables.push({ folder, layer, path, shownPath, text });
      } else if (kind === undefined) complain(shownPath, 'unknown_file', misplaced(path));
      else if (!APART.has(kind) || isWanted(path)) addRules(kind, { layer, path, shownPath }, read);
    }
  });
  return { files, tables, problems };
}

/** The kind of rule file that a path relative to its directory is for. */
export function kindAt(path: string): FileKind | undefined {
  return path.endsWith('.yaml') ? KIND_AT[topFolder(path) || path] : undefined;
}

function tableFolder(path: string): TableFolder | undefined {
  return path.endsWith('.txt') ? TABLE_FOLDERS.find((name) => name === topFolder(path)) : undefined;
}

function topFolder(path: string): string {
  return path.slice(0, Math.max(0, path.indexOf('/')));
}

/** Where files are expected, and the place that a misplaced file's name is likely a slip of. */
function misplaced(path: string): string {
  const [first = '', ...rest] = path.split('/');
  const known = rest.length === 0 ? Object.keys(TOP) : [...Object.keys(FOLDERS), ...TABLE_FOLDERS];
  const hint = hintFor(first.replace(/\.yml$/, '.yaml'), known);
  const ending = path.endsWith('.yml') ? 'the ending is .yaml, not .yml; ' : '';
  const near = known.includes(first) ? ending : hint && `${first}${hint}; `;
  return (
    `${near}expected ${Object.keys(TOP).join(', ')}, ` +
    `<${Object.keys(FOLDERS).join('|')}>/*.yaml or <${TABLE_FOLDERS.join('|')}>/*.txt`
  );
}

/** The text, or null after complaining of characters that a reviewer does not see. */
function checkedText(text: string, path: string, complain: Complain): string | null {
  const at = text.search(CONTROL);
  if (at < 0) return text;
  const before = text.slice(0, at).split('\n');
  const place = { line: before.length, column: before.at(-1)!.length + 1 };
  complain(path, 'control_character', `U+${text.charCodeAt(at).toString(16).padStart(4, '0')}`, place);
  return null;
}

/** The text of a file, or null after complaining. */
function readText(path: string, facts: BigIntStats, limit: number, complain: Complain): string | null {
  if (!facts.isFile()) complain(path, 'unreadable_file', 'not a regular file');
  else if (facts.size > limit) complain(path, 'file_too_large', `${facts.size} bytes, at most ${limit}`);
  else
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(readFileSync(path));
    } catch (error) {
      if (error instanceof TypeError) complain(path, 'not_utf8', 'the bytes are not UTF-8');
      else complain(path, 'unreadable_file', 'cannot read the file');
    }
  return null;
}
