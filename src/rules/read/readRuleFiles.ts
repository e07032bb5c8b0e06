import { existsSync, readFileSync, statSync } from 'node:fs';
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
  const edited = [...edits.keys()].filter((path) => path.startsWith(join(dir, '/')));
  const listed = edited.length > 0 && !existsSync(dir) ? [] : listFiles(dir, complain);
  const added = edited.map((path) => path.slice(join(dir, '/').length));
  return {
    paths: [...new Set([...listed, ...added])].sort(),
    read: (path, limit) => {
      const text = edits.get(join(dir, path));
      return text === undefined
        ? readText(join(dir, path), limit, complain)
        : checkedText(text, join(dir, path), complain);
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

  dirs.forEach((dir, layer) => {
    const { paths, read } = openSource(dir, edits, complain);
    if (paths.length > MAX_FILES)
      complain(dir, 'too_many_files', `${paths.length} files, at most ${MAX_FILES}`);
    for (const path of paths.slice(0, MAX_FILES)) {
      const shownPath = join(dir, path);
      if (/\.(md|lock)$/.test(path) || isRecording(path)) {
        if (recordings && !isSoundRecording(path, read))
          complain(shownPath, 'broken_recording', 'no JSON: record it again with txreport rules record');
        continue;
      }
      const folder = tableFolder(path);
      if (folder) {
        const text = read(path, MAX_TABLE_BYTES);
        if (text !== null) tables.push({ folder, layer, path, shownPath, text });
        continue;
      }
      const kind = kindAt(path);
      if (kind === undefined) {
        complain(
          shownPath,
          'unknown_file',
          `${nearestPlace(path)}expected ${Object.keys(TOP).join(', ')}, ` +
            `<${Object.keys(FOLDERS).join('|')}>/*.yaml or <${TABLE_FOLDERS.join('|')}>/*.txt`,
        );
        continue;
      }
      // Below overlays the examples of the base are its own maintainers' business.
      const wanted =
        examples === true ? layer >= Math.min(1, dirs.length - 1) : path === `examples/${examples}.yaml`;
      if (APART.has(kind) && !wanted) continue;
      const text = read(path, MAX_FILE_BYTES);
      if (text === null) continue;
      const { tree, locate, faults, schemaFaults } = parseRuleFile(kind, text);
      for (const f of faults) complain(shownPath, f.code, f.message, f.place);
      files.push({ kind, layer, path, shownPath, text, tree, locate, schemaFaults });
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

/** The file or folder that a misplaced file's name is likely a slip of. */
function nearestPlace(path: string): string {
  const [first = '', ...rest] = path.split('/');
  const known = rest.length === 0 ? Object.keys(TOP) : [...Object.keys(FOLDERS), ...TABLE_FOLDERS];
  if (known.includes(first)) return path.endsWith('.yml') ? 'the ending is .yaml, not .yml; ' : '';
  const hint = hintFor(first.replace(/\.yml$/, '.yaml'), known);
  return hint === '' ? '' : `${first}${hint}; `;
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

/** Recorded transactions that examples of the directory name. */
function isRecording(path: string): boolean {
  return path.startsWith(`${RECORDINGS}/`) && path.endsWith('.json');
}

function isSoundRecording(path: string, read: RuleSource['read']): boolean {
  if (!isRecording(path)) return true;
  const text = read(path, MAX_TABLE_BYTES);
  return text === null || typeof parseJson(text) === 'object';
}

function readText(path: string, limit: number, complain: Complain): string | null {
  try {
    const stat = statSync(path);
    if (!stat.isFile()) {
      complain(path, 'unreadable_file', 'not a regular file');
      return null;
    }
    if (stat.size > limit) {
      complain(path, 'file_too_large', `${stat.size} bytes, at most ${limit}`);
      return null;
    }
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(readFileSync(path));
    return checkedText(text, path, complain);
  } catch (error) {
    if (error instanceof TypeError) complain(path, 'not_utf8', 'the bytes are not UTF-8');
    else complain(path, 'unreadable_file', 'cannot read the file');
    return null;
  }
}
