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
import { isWarning, problemMeanings, type Problem } from '../../rules/read/problems.ts';
import { kindAt } from '../../rules/read/readRuleFiles.ts';
import { SHIPPED_RULES } from '../../rules/read/listFiles.ts';
import type { Ruleset } from '../../rules/compile/loadRulebook.ts';

/** A pause in typing after which the rules are checked again. */
const QUIET_MS = 150;

/** Serves the Language Server Protocol on these streams until the client leaves. */
export function serveLanguage(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Promise<void> {
  const connection = createConnection(ProposedFeatures.all, input, output);
  const documents = new TextDocuments(TextDocument);
  const workspace = new Workspace(documents);
  let pending: NodeJS.Timeout | undefined;
  const check = (uri: string): void => {
    clearTimeout(pending);
    pending = setTimeout(() => {
      for (const [open, diagnostics] of workspace.diagnostics(uri))
        void connection.sendDiagnostics({ uri: open, diagnostics });
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
    workspace.change();
    check(document.uri);
  });
  documents.onDidClose(() => workspace.change());
  const at = ({ textDocument: { uri }, position }: TextDocumentPositionParams) =>
    [uri, documents.get(uri)?.offsetAt(position) ?? -1, workspace.rulesetOf(uri)] as const;
  connection.onCompletion((params) => {
    const [uri, offset, ruleset] = at(params);
    const text = documents.get(uri)?.getText();
    return text === undefined ? [] : complete(cursorAt(text, offset), ruleset);
  });
  connection.onHover((params) => {
    const [uri, offset, ruleset] = at(params);
    const value = explainWord(wordAt(documents.get(uri)?.getText() ?? '', offset), ruleset);
    return value === null ? null : { contents: { kind: 'markdown', value } };
  });
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
    const command = { title: LOCK_TITLE, command: LOCK, arguments: [uri] };
    return [...fixes, { title: LOCK_TITLE, kind: CodeActionKind.Source, command }];
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
  const kind = CodeActionKind.QuickFix;
  return [{ title: `Write ${meant}`, kind, diagnostics: [diagnostic], isPreferred: true, edit }];
}

function wordAt(text: string, offset: number): string {
  const before = /[\w.$-]*$/.exec(text.slice(0, offset))![0];
  const after = /^[\w.$-]*/.exec(text.slice(offset))![0];
  return before + after;
}

/** Rule files as an editor has them open, and the ruleset they are part of. */
class Workspace {
  #last: { readonly dirs: string; readonly ruleset: Ruleset } | null = null;

  constructor(private readonly documents: TextDocuments<TextDocument>) {}

  change(): void {
    this.#last = null;
  }

  /** The ruleset that a file is part of, with every open text in place of its file. */
  rulesetOf(uri: string): Ruleset {
    const dirs = directoriesOf(fileURLToPath(uri));
    const key = dirs.join('\n');
    if (this.#last?.dirs !== key) {
      const open = this.documents.all().map((one) => [fileURLToPath(one.uri), one.getText()] as const);
      this.#last = { dirs: key, ruleset: openRuleset(dirs, { edits: new Map(open), examples: true }) };
    }
    return this.#last.ruleset;
  }

  /** Problems of the ruleset by open file; files without problems have an empty list. */
  diagnostics(uri: string): [uri: string, diagnostics: Diagnostic[]][] {
    const { problems, warnings } = this.rulesetOf(uri);
    return this.documents.all().map((open) => {
      const path = fileURLToPath(open.uri);
      const own = [...problems, ...warnings].filter(({ file }) => file === path);
      return [pathToFileURL(path).href, own.map(diagnosticOf)];
    });
  }
}

function diagnosticOf({ line, column, code, message }: Problem): Diagnostic {
  const start = { line: line - 1, character: column - 1 };
  return {
    range: { start, end: { line: start.line, character: start.character + 1 } },
    severity: isWarning({ code }) ? 2 : 1,
    code,
    source: 'txreport',
    message: `${message}\n${problemMeanings()[code]}`,
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
