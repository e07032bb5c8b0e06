import { isMap, isPair, parseDocument, visit, type Node, type Scalar, type YAMLMap } from 'yaml';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { ErrorCodes, ResponseError, type Location, type WorkspaceEdit } from 'vscode-languageserver/node';
import type { FactDeclaration, FactIndex } from '../../model/intent.ts';
import type { RuleFile } from '../../rules/read/readRuleFiles.ts';
import type { Ruleset } from '../../rules/compile/loadRulebook.ts';
import { SHIPPED_RULES } from '../../rules/read/listFiles.ts';

/** Sorts of words that rule files declare and use. */
type Sort = 'motif' | 'intent' | 'leg role' | 'account role' | 'list' | 'fact' | Slugged;
type Slugged = 'shape' | 'protocol' | 'intent rule' | 'entity' | 'finding';

/** A word at its place in a rule file. */
interface Occurrence {
  readonly sort: Sort;
  readonly word: string;
  /** Characters of the file's text, from the first to behind the last. */
  readonly start: number;
  readonly end: number;
  /** Declares the word. */
  readonly defines: boolean;
}

/** Sorts of words that the sections of a vocabulary declare. */
const SECTIONS: Readonly<Record<string, Sort>> = {
  motifs: 'motif',
  intents: 'intent',
  leg_roles: 'leg role',
  account_roles: 'account role',
  lists: 'list',
};

/** The sort of the values of a key. */
const VALUES: Readonly<Record<string, Sort>> = {
  kind: 'motif',
  rests_on: 'motif',
  requires_any: 'motif',
  intent: 'intent',
  fragment: 'intent',
  before: 'intent',
  after: 'intent',
  order: 'intent',
  shapes: 'shape',
  shape: 'shape',
  supersedes: 'intent rule',
  role: 'leg role',
  fact: 'fact',
};

/** The sort of a condition's value, by the sort of its fact. */
const OF_FACTS: Readonly<Partial<Record<NonNullable<FactDeclaration['of']>, readonly Sort[]>>> = {
  motif_kind: ['motif'],
  // A family without a known protocol goes by the slug of its shape.
  protocol: ['protocol', 'shape'],
  account_role: ['account role'],
};

const SLUGS: Readonly<Partial<Record<RuleFile['kind'], Slugged>>> = {
  shape: 'shape',
  protocol: 'protocol',
  intent: 'intent rule',
  entity: 'entity',
  finding: 'finding',
};

/** Words inside a longer text. */
const PARTS: readonly (readonly [RegExp, Sort])[] = [
  [/^motif\.(\w+)\./dg, 'motif'],
  [/\{role\.(\w+)/dg, 'account role'],
  [/\{leg\.(\w+)/dg, 'leg role'],
  [/\$leg\.(\w+)/dg, 'leg role'],
  [/^(\w+) \d[\de]* \S+$/dg, 'leg role'],
  [/^\$(\w+)$/dg, 'list'],
];

type Facts = FactIndex | null;

/** Every word of a rule file that is declared somewhere, in the order of the text. */
function wordsOf({ text, kind }: Pick<RuleFile, 'text' | 'kind'>, facts: Facts): Occurrence[] {
  const found: Occurrence[] = [];
  visit(parseDocument(text, { schema: 'failsafe' }), {
    Scalar(role, node, path) {
      const word = String(node.value);
      const [start] = node.range!;
      // Without its quotation mark.
      const begin = /["']/.test(text[start]!) ? start + 1 : start;
      const keys = path.filter(isPair).map(({ key }) => String((key as Scalar).value));
      const add = (sort: Sort, defines: boolean, part = word, at = 0): void =>
        void found.push({ sort, word: part, start: begin + at, end: begin + at + part.length, defines });
      for (const [pattern, sort] of kind === 'intent' ? PARTS : PARTS.slice(0, -1))
        for (const match of word.matchAll(pattern)) add(sort, false, match[1]!, match.indices![1]![0]);
      const declared = declaredSort(kind, role === 'key', keys);
      if (declared) add(declared, true);
      else if (role === 'key') for (const sort of keySorts(keys)) add(sort, false);
      else for (const sort of sortsOf(kind, keys, path, facts)) add(sort, false);
    },
  });
  return found;
}

function declaredSort(kind: RuleFile['kind'], isKey: boolean, keys: readonly string[]): Sort | undefined {
  if (!isKey) return keys.join() === 'slug' ? SLUGS[kind] : undefined;
  return kind === 'vocabulary' && keys.length === 2 ? SECTIONS[keys[0]!] : undefined;
}

function keySorts(keys: readonly string[]): readonly Sort[] {
  if (keys.at(-2) === 'roles') return ['account role'];
  return keys.at(-2) === 'facts' ? ['fact'] : [];
}

/** The sort of a value, by its key. */
function sortsOf(
  kind: RuleFile['kind'],
  keys: readonly string[],
  path: readonly unknown[],
  facts: Facts,
): readonly Sort[] {
  const key = keys.at(-1)!;
  // A list holds words of any sort.
  if (kind === 'vocabulary' && keys[0] === 'lists') return ['motif', 'protocol', 'shape'];
  const sort = key === 'replaced_by' ? SLUGS[kind] : VALUES[key];
  if (sort !== undefined) return kind === 'entity' && key === 'kind' ? [] : [sort];
  return key === 'value' ? sortsBeside(path, facts) : [];
}

/** The sort of the value of a condition, by the fact beside it. */
function sortsBeside(path: readonly unknown[], facts: Facts): readonly Sort[] {
  const test = path.findLast((one): one is YAMLMap => isMap(one as Node))!;
  const of = facts?.get(String(test.get('fact')))?.of;
  return (of && OF_FACTS[of]) ?? [];
}

/** Where the word at a place is declared: a file, or a fact's row of FACTS.md. */
export function definitionOf(uri: string, offset: number, ruleset: Ruleset): Location[] {
  const words = wordsAt(uri, offset, ruleset);
  const declared = occurrences(words, ruleset).filter(([, one]) => one.defines);
  const fact = words.find(({ sort }) => sort === 'fact');
  return fact && declared.length === 0 ? factRow(fact.word) : declared.map(locationOf);
}

/** Every place of the word; `declared` includes that of its declaration. */
export function referencesOf(uri: string, offset: number, ruleset: Ruleset, declared: boolean): Location[] {
  const found = occurrences(wordsAt(uri, offset, ruleset), ruleset);
  return found.filter(([, { defines }]) => declared || !defines).map(locationOf);
}

/**
 * The edits that give the word another name, in all files.
 * @throws ResponseError where it is declared below the file's own directory, or the name is none
 */
export function renameOf(uri: string, offset: number, ruleset: Ruleset, name: string): WorkspaceEdit {
  const found = occurrences(wordsAt(uri, offset, ruleset), ruleset);
  const home = found.find(([, { defines }]) => defines)?.[0];
  const refused = (why: string) => new ResponseError(ErrorCodes.InvalidRequest, why);
  if (home === undefined) throw refused('no file of the rules declares this word');
  if (home.layer !== fileOf(uri, ruleset)?.layer)
    throw refused(`${home.shownPath} declares it, in rules below`);
  if (!/^\w[\w-]*$/.test(name)) throw refused(`${name} cannot be a word of the rules`);
  const changes: NonNullable<WorkspaceEdit['changes']> = {};
  for (const one of found) {
    const { uri: at, range } = locationOf(one);
    (changes[at] ??= []).push({ range, newText: name });
  }
  return { changes };
}

type Placed = readonly [RuleFile, Occurrence];

const uriOf = (path: string): string => pathToFileURL(resolve(path)).href;
const fileOf = (uri: string, { files }: Ruleset): RuleFile | undefined =>
  files.find(({ shownPath }) => uriOf(shownPath) === uri);

/** Possible words at a place, the shortest alone: `harvest` of `motif.harvest.own`. */
function wordsAt(uri: string, offset: number, ruleset: Ruleset): Occurrence[] {
  const file = fileOf(uri, ruleset);
  const here = (file ? wordsOf(file, ruleset.facts) : []).filter(
    ({ start, end }) => start <= offset && offset <= end,
  );
  const shortest = Math.min(...here.map(({ word }) => word.length));
  return here.filter(({ word }) => word.length === shortest);
}

/** All occurrences of any of these words. */
function occurrences(words: readonly Occurrence[], { files, facts }: Ruleset): Placed[] {
  const isOne = (found: Occurrence): boolean =>
    words.some(({ sort, word }) => sort === found.sort && word === found.word);
  return files
    .filter(({ text }) => words.some(({ word }) => text.includes(word)))
    .flatMap((file) => wordsOf(file, facts).flatMap((one): Placed[] => (isOne(one) ? [[file, one]] : [])));
}

function locationOf([{ shownPath, text }, { start, end }]: Placed): Location {
  const uri = uriOf(shownPath);
  const document = TextDocument.create(uri, 'yaml', 0, text);
  return { uri, range: { start: document.positionAt(start), end: document.positionAt(end) } };
}

/** The row of FACTS.md that explains a fact. */
function factRow(name: string): Location[] {
  const path = join(SHIPPED_RULES, 'FACTS.md');
  const row = `| \`${name.replace(/^motif\.\w+\./, 'motif.<kind>.')}\` |`;
  const line = readFileSync(path, 'utf8')
    .split('\n')
    .findIndex((text) => text.startsWith(row));
  const start = { line, character: 0 };
  return line < 0 ? [] : [{ uri: uriOf(path), range: { start, end: start } }];
}
