import { writeFileSync } from 'node:fs';
import {
  isCollection,
  isMap,
  isScalar,
  parseDocument,
  visit,
  type Document,
  type Pair,
  type YAMLMap,
} from 'yaml';
import { canonicalJson } from '../../../rules/compile/digest.ts';
import { readRuleFiles, type FileKind } from '../../../rules/read/readRuleFiles.ts';
import { parseYamlTree } from '../../../rules/read/yamlTree.ts';
import type { CliIo } from '../cliIo.ts';
import { rulesetDirs } from './rulesets.ts';

const HEAD = 'slug version status replaced_by override';
const words = (text: string): readonly string[] => `${HEAD} ${text}`.split(' ');

/** Longest line; a text without a space may be longer. */
const WIDTH = 140;
const LAYOUT = { lineWidth: 0, flowCollectionPadding: false, singleQuote: false, indent: 2, indentSeq: true };

/** Order of an item's own keys: identity, content, tests. Others keep their place behind these. */
const KEY_ORDER: Readonly<Partial<Record<FileKind, readonly string[]>>> = {
  shape: words('summary references source any_emitter family_confidence events calls'),
  protocol: words('name summary shapes addresses create2 references'),
  entity: words('kind summary references'),
  intent: words(
    'summary intent label label_fallback priority supersedes rests_on requires_any when proof confidence ' +
      'tags falsepositives references examples',
  ),
};

/** Writes rule files in the one layout, comments kept; `check` only lists those that differ (exit code 1). */
export function formatRules(named: readonly string[], options: { check: boolean }, io: CliIo): number {
  const { files, problems } = readRuleFiles(rulesetDirs(named), { examples: true });
  let changed = 0;
  let invalid = 0;
  for (const file of files) {
    const formatted = formatRuleText(file.text, file.kind);
    if (formatted === null) {
      invalid += 1;
      io.err(`${file.shownPath}: not valid YAML (txreport rules lint tells where)`);
    } else if (formatted !== file.text) {
      changed += 1;
      io.out(`${options.check ? 'would format' : 'formatted'} ${file.shownPath}`);
      if (!options.check) writeFileSync(file.shownPath, formatted);
    }
  }
  const missing = problems.filter((p) => p.code === 'missing_directory');
  for (const p of missing) io.err(`${p.file}: ${p.message}`);
  io.out(`${files.length} files, ${changed} ${options.check ? 'to format' : 'formatted'}`);
  const failures = invalid + missing.length + (options.check ? changed : 0);
  return failures > 0 ? 1 : 0;
}

/** The canonical text of a rule file, or null for invalid YAML. Formatting never changes its content. */
export function formatRuleText(text: string, kind: FileKind): string | null {
  const before = parseYamlTree(text);
  if (before.tree === null) return null;
  const doc = parseDocument(text, { schema: 'failsafe', prettyErrors: false });
  const order = KEY_ORDER[kind];
  if (order) sortDocument(doc, order);
  // Folded texts would not bear a line of another indent.
  visit(doc, { Scalar: (_, node) => void (node.type === 'BLOCK_FOLDED' && (node.type = 'PLAIN')) });
  const formatted = doc.toString(LAYOUT).split('\n').map(wrapped).join('\n');
  const after = parseYamlTree(formatted);
  return after.tree !== null && canonicalJson(after.tree) === canonicalJson(before.tree) ? formatted : text;
}

/** Breaks a line that is too long behind a comma, else at a space: both mean nothing in YAML. */
function wrapped(line: string): string {
  const bare = line.replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, (text) => '"'.repeat(text.length));
  const indent = ' '.repeat(line.search(/\S/) + (/^\s*- /.test(line) ? 4 : 2));
  return / #|^#/.test(bare) ? line : cut(line, bare, indent);
}

/** `bare`: the line with its quoted texts masked. */
function cut(line: string, bare: string, indent: string): string {
  const at = line.length > WIDTH ? breakOf(line, bare) : -1;
  if (at < WIDTH / 5) return line;
  return `${line.slice(0, at)}\n${cut(indent + line.slice(at + 1), indent + bare.slice(at + 1), indent)}`;
}

/** The last of the outermost commas, else the last space. */
function breakOf(line: string, bare: string): number {
  let [depth, least, comma] = [0, Infinity, -1];
  for (let i = 0; i <= WIDTH; i++) {
    if ('[{'.includes(bare[i]!)) depth++;
    else if (']}'.includes(bare[i]!)) depth--;
    else if (i > WIDTH / 5 && bare.slice(i - 1, i + 1) === ', ' && depth <= least)
      [comma, least] = [i, depth];
  }
  return comma < 0 ? line.lastIndexOf(' ', WIDTH) : comma;
}

/** Sorts the keys of the outermost map and of the maps directly inside. */
function sortDocument({ contents }: Document, order: readonly string[]): void {
  const items = isCollection(contents) ? contents.items : [];
  for (const item of [contents, ...items]) if (isMap(item)) sortKeys(item, order);
}

function sortKeys(map: YAMLMap, order: readonly string[]): void {
  const place = (pair: Pair): number => {
    const at = order.indexOf(isScalar(pair.key) ? String(pair.key.value) : '');
    return at < 0 ? order.length : at;
  };
  // A comment on top of an item speaks of the item, not of the key that happens to come first.
  const first = map.items[0]?.key;
  const head = isScalar(first) ? first.commentBefore : null;
  if (isScalar(first)) first.commentBefore = null;
  map.items.sort((a, b) => place(a) - place(b));
  const top = map.items[0]?.key;
  if (head && isScalar(top)) top.commentBefore = top.commentBefore ? `${head}\n${top.commentBefore}` : head;
}
