import {
  CodeActionKind,
  createConnection,
  MessageType,
  ProposedFeatures,
  TextDocuments,
  TextDocumentSyncKind,
  type CodeAction,
  type Diagnostic,
  type TextDocumentPositionParams,
  type TextEdit,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { complete, explainWord, cursorAt } from './completion.ts';
import { definitionOf, referencesOf, renameOf } from './symbols.ts';
import { formatRuleText } from '../cli/rules/formatRules.ts';
import { lockRules } from '../cli/rules/lockRules.ts';
import { openRuleset, rulesetDirs } from '../cli/rules/rulesets.ts';
import { PROBLEMS, WARNINGS, type Problem } from '../../rules/read/problems.ts';
import { kindAt } from '../../rules/read/readRuleFiles.ts';
import { SHIPPED_RULES } from '../../rules/read/listFiles.ts';
import type { Ruleset } from '../../rules/compile/loadRulebook.ts';

/** A pause in typing after which the rules are checked again. */
const QUIET_MS = 150;

/** Serves the Language Server Protocol on these streams until the client leaves. */
export function serveLanguage(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Promise<void> {
  const connection = createConnection(ProposedFeatures.all, input, output);
  const documents = new TextDocuments(TextDocument);
  const workspace = new Workspace();
  let pending: NodeJS.Timeout | undefined;
  const check = (uri: string): void => {
    clearTimeout(pending);
    pending = setTimeout(() => {
      for (const [open, diagnostics] of workspace.diagnostics(uri))
        void connection.sendDiagnostics({ uri: open, diagnostics: [...diagnostics] });
    }, QUIET_MS);
  };

  connection.onInitialize(() => ({
    serverInfo: { name: 'txreport rules' },
    capabilities: {
      textDocumentSync: TextDocumentSyncKind.Incremental,
      completionProvider: { triggerCharacters: [' ', '$', '.', '[', '{', ','] },
      hoverProvider: true,
      definitionProvider: true,
      referencesProvider: true,
      renameProvider: true,
      documentFormattingProvider: true,
      codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix, CodeActionKind.Source] },
      executeCommandProvider: { commands: [LOCK] },
    },
  }));
  documents.onDidChangeContent(({ document }) => {
    workspace.set(document.uri, document.getText());
    check(document.uri);
  });
  documents.onDidClose(({ document }) => workspace.close(document.uri));
  connection.onCompletion(({ textDocument, position }) => {
    const document = documents.get(textDocument.uri);
    if (!document) return [];
    const cursor = cursorAt(document.getText(), document.offsetAt(position));
    return complete(cursor, workspace.rulesetOf(textDocument.uri));
  });
  connection.onHover(({ textDocument, position }) => {
    const document = documents.get(textDocument.uri);
    const word = document && wordAt(document.getText(), document.offsetAt(position));
    const value = word ? explainWord(word, workspace.rulesetOf(textDocument.uri)) : null;
    return value === null ? null : { contents: { kind: 'markdown', value } };
  });
  const at = ({ textDocument: { uri }, position }: TextDocumentPositionParams) =>
    [uri, documents.get(uri)?.offsetAt(position) ?? -1, workspace.rulesetOf(uri)] as const;
  connection.onDefinition((params) => definitionOf(...at(params)));
  connection.onReferences((params) => referencesOf(...at(params), params.context.includeDeclaration));
  connection.onRenameRequest((params) => renameOf(...at(params), params.newName));
  connection.onDocumentFormatting(({ textDocument: { uri } }) => {
    const document = documents.get(uri);
    return document ? formatted(document) : [];
  });
  connection.onCodeAction(({ textDocument: { uri }, context }) => {
    const document = documents.get(uri);
    const fixes = document ? context.diagnostics.flatMap((one) => fixOf(one, document)) : [];
    return [...fixes, { title: LOCK_TITLE, kind: CodeActionKind.Source, command: lockCommand(uri) }];
  });
  connection.onExecuteCommand(({ arguments: [uri] = [] }) => {
    const lines: string[] = [];
    const io = { out: (line: string) => lines.push(line), err: (line: string) => lines.push(line) };
    try {
      lockRules(directoriesOf(fileURLToPath(String(uri))), { check: false, force: false }, io);
    } catch (error) {
      lines.push((error as Error).message);
    }
    const message = { type: MessageType.Info, message: lines.join('\n') };
    return connection.sendNotification('window/showMessage', message);
  });
  documents.listen(connection);
  return new Promise((resolve) => {
    connection.onExit(() => {
      clearTimeout(pending);
      resolve();
    });
    connection.listen();
  });
}

const LOCK = 'txreport.rules.lock';
const LOCK_TITLE = 'Pin the rules as they are saved (rules lock)';
const lockCommand = (uri: string) => ({ title: LOCK_TITLE, command: LOCK, arguments: [uri] });

/** The whole text in the one layout; nothing where it has it, or is no YAML. */
function formatted(document: TextDocument): TextEdit[] {
  const [text, path] = [document.getText(), fileURLToPath(document.uri)];
  const kind = kindAt(relative(overlayOf(path), path));
  const newText = kind ? formatRuleText(text, kind) : null;
  if (newText === null || newText === text) return [];
  return [{ range: { start: document.positionAt(0), end: document.positionAt(text.length) }, newText }];
}

/** The word that was meant, in place of the one written. */
function fixOf(diagnostic: Diagnostic, document: TextDocument): CodeAction[] {
  const [, wrong, meant] = /(\S+) \(did you mean (\S+)\?\)/.exec(String(diagnostic.message)) ?? [];
  if (wrong === undefined) return [];
  const from = document.offsetAt(diagnostic.range.start);
  const start = document.getText().indexOf(wrong, from);
  if (start < 0) return [];
  const range = { start: document.positionAt(start), end: document.positionAt(start + wrong.length) };
  const edit = { changes: { [document.uri]: [{ range, newText: meant! }] } };
  return [
    {
      title: `Write ${meant}`,
      kind: CodeActionKind.QuickFix,
      diagnostics: [diagnostic],
      isPreferred: true,
      edit,
    },
  ];
}

function wordAt(text: string, offset: number): string {
  const before = /[\w.$-]*$/.exec(text.slice(0, offset))![0];
  const after = /^[\w.$-]*/.exec(text.slice(offset))![0];
  return before + after;
}

/** Rule files as an editor has them open, and the ruleset they are part of. */
class Workspace {
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
    if (this.#last?.dirs !== key)
      this.#last = { dirs: key, ruleset: openRuleset(dirs, { edits: this.#open, examples: true }) };
    return this.#last.ruleset;
  }

  /** Problems of the ruleset by open file; files without problems have an empty list. */
  diagnostics(uri: string): ReadonlyMap<string, readonly Diagnostic[]> {
    const { problems, warnings } = this.rulesetOf(uri);
    const lists = new Map<string, Diagnostic[]>([...this.#open.keys()].map((path) => [path, []]));
    for (const problem of [...problems, ...warnings]) lists.get(problem.file)?.push(diagnosticOf(problem));
    return new Map([...lists].map(([path, list]) => [pathToFileURL(path).href, list]));
  }
}

function diagnosticOf({ line, column, code, message }: Problem): Diagnostic {
  const start = { line: line - 1, character: column - 1 };
  return {
    range: { start, end: { line: start.line, character: start.character + 1 } },
    severity: WARNINGS.has(code) ? 2 : 1,
    code,
    source: 'txreport',
    message: `${message}\n${PROBLEMS[code]}`,
  };
}

/** Shipped rules, the overlays of `RULES_DIR`, and the directory of the file where it is none of these. */
function directoriesOf(path: string): string[] {
  const dirs = rulesetDirs().map((dir) => resolve(dir));
  const own = overlayOf(path);
  return dirs.includes(own) || own === SHIPPED_RULES ? dirs : [...dirs, own];
}

/** The rule directory of a file: above `shapes`, `intents`, …, or with `vocabulary.yaml` in it. */
function overlayOf(path: string): string {
  for (let dir = dirname(path); dir !== dirname(dir); dir = dirname(dir)) {
    if (kindAt(relative(dir, path))) return dir;
    if (existsSync(join(dir, 'package.json'))) break;
  }
  return dirname(path);
}
