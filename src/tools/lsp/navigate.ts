import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { ErrorCodes, ResponseError, type Location, type WorkspaceEdit } from 'vscode-languageserver/node';
import type { Ruleset } from '../../rules/compile/loadRulebook.ts';
import { SHIPPED_RULES } from '../../rules/read/listFiles.ts';
import type { RuleFile } from '../../rules/read/readRuleFiles.ts';
import { wordsOf, type Occurrence } from './symbols.ts';

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
  const refuse = (why: string): never => {
    throw new ResponseError(ErrorCodes.InvalidRequest, why);
  };
  if (home === undefined) refuse('no file of the rules declares this word');
  else if (home.layer !== fileOf(uri, ruleset)?.layer)
    refuse(`${home.shownPath} declares it, in rules below`);
  if (!/^\w[\w-]*$/.test(name)) refuse(`${name} cannot be a word of the rules`);
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
