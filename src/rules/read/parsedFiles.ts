import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { lazy } from '../../lib/lazy.ts';
import { FILE_KINDS, placeOf, type FileKind } from './readRuleFiles.ts';
import { SCHEMA_DIR, checkSchema, type SchemaFault } from './schemaCheck.ts';
import { parseYamlTree, type Tree, type YamlTree } from './yamlTree.ts';

/** A file's content, and the faults its schema finds. */
export interface ParsedFile extends YamlTree {
  readonly schemaFaults: readonly SchemaFault[];
}

/** Where the build keeps the shipped files in parsed form; the sources have none. */
export const PARSED_FILES = new URL('../../compiled/ruleFiles.bin', import.meta.url);

/** Texts that changed since: editors send one per keystroke. */
const MOST_KEPT = 4_000;
const kept = new Map<string, ParsedFile>();
let built: ReadonlyMap<string, Tree> | null = null;

/** Parses and checks a file. Texts seen before in this process, and by the build, are not parsed again. */
export function parseRuleFile(kind: FileKind, text: string): ParsedFile {
  const key = keyOf(kind, text);
  const known = kept.get(key);
  if (known) return known;
  const tree = (built ??= readBuilt()).get(key);
  const parsed = tree === undefined ? parseAndCheck(kind, text) : soundFile(text, tree);
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(key, parsed);
  return parsed;
}

function parseAndCheck(kind: FileKind, text: string): ParsedFile {
  const yaml = parseYamlTree(text);
  const { tree } = yaml;
  const schemaFaults = tree === null ? [] : checkSchema(kind, tree);
  const fits = (one: FileKind): boolean => tree !== null && checkSchema(one, tree).length === 0;
  const other = schemaFaults.length > 0 && Object.keys(tree!).length > 0 ? FILE_KINDS.find(fits) : undefined;
  if (other === undefined) return { ...yaml, schemaFaults };
  const message = `its content belongs in ${placeOf(other)}`;
  const fault = { code: 'unknown_file', message, place: { line: 1, column: 1 } } as const;
  return { ...yaml, tree: null, faults: [fault], schemaFaults: [] };
}

/** A file without faults: its text is parsed only where a place in it is asked for. */
function soundFile(text: string, tree: Tree): ParsedFile {
  const parsed = lazy(() => parseYamlTree(text));
  return { tree, faults: [], schemaFaults: [], locate: (pointer, part) => parsed().locate(pointer, part) };
}

function keyOf(kind: FileKind, text: string): string {
  return `${kind} ${createHash('sha1').update(text).digest('base64')}`;
}

interface Built {
  readonly schemas: string;
  readonly trees: ReadonlyMap<string, Tree>;
}

function readBuilt(): ReadonlyMap<string, Tree> {
  try {
    const { schemas, trees } = deserialize(readFileSync(PARSED_FILES)) as Built;
    return schemas === schemaDigest() ? trees : new Map();
  } catch {
    // No build, or one of another version of Node.js.
    return new Map();
  }
}

/** The build's content: the trees of files without faults, valid as long as the schemas are the same. */
export function packParsedFiles(
  files: readonly { readonly kind: FileKind; readonly text: string }[],
): Buffer {
  const trees = new Map<string, Tree>();
  for (const { kind, text } of files) {
    const { tree, faults, schemaFaults } = parseAndCheck(kind, text);
    if (tree !== null && faults.length + schemaFaults.length === 0) trees.set(keyOf(kind, text), tree);
  }
  return serialize({ schemas: schemaDigest(), trees } satisfies Built);
}

function schemaDigest(): string {
  const hash = createHash('sha1');
  for (const name of readdirSync(SCHEMA_DIR).sort()) hash.update(readFileSync(join(SCHEMA_DIR, name)));
  return hash.digest('base64');
}
