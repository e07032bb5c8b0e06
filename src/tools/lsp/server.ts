import {
  createConnection,
  ProposedFeatures,
  TextDocuments,
  TextDocumentSyncKind,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { complete, explainWord } from './completion.ts';
import { cursorAt } from './cursor.ts';
import { Workspace } from './workspace.ts';

/** A pause in typing after which the rules are checked again. */
const QUIET_MS = 150;

/**
 * Serves the Language Server Protocol on the process's standard input and output, until the client
 * leaves.
 */
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
    const text = document.getText();
    const cursor = cursorAt(text, document.offsetAt(position));
    return complete(cursor, workspace.rulesetOf(textDocument.uri), text, position.line);
  });
  connection.onHover(({ textDocument, position }) => {
    const document = documents.get(textDocument.uri);
    const word = document && wordAt(document.getText(), document.offsetAt(position));
    const value = word ? explainWord(word, workspace.rulesetOf(textDocument.uri)) : null;
    return value === null ? null : { contents: { kind: 'markdown', value } };
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

function wordAt(text: string, offset: number): string {
  const before = /[\w.$-]*$/.exec(text.slice(0, offset))![0];
  const after = /^[\w.$-]*/.exec(text.slice(offset))![0];
  return before + after;
}
