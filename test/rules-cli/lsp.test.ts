import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CompletionRequest,
  createProtocolConnection,
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  ExitNotification,
  HoverRequest,
  InitializedNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
  type CompletionItem,
  type Diagnostic,
  type MarkupContent,
  type ProtocolConnection,
} from 'vscode-languageserver-protocol/node';
import { SHIPPED_RULES } from '../../src/rules/read/listFiles.ts';
import { writeRuleset } from '../unit/rules/smallRuleset.ts';
import { runRules } from './runRules.ts';

const README = readFileSync(new URL('../../rules/README.md', import.meta.url), 'utf8');
const FILES = Object.fromEntries(
  [...README.matchAll(/```yaml\n# my-rules\/(\S+)\n([\s\S]*?)```/g)].map(([, path, text]) => [path!, text!]),
);

/** A client as editors have one, talking to the server's own process. */
let server: ChildProcess;
let client: ProtocolConnection;
let dir: string;
const waiting: { readonly uri: string; readonly take: (diagnostics: Diagnostic[]) => void }[] = [];
const uriOf = (path: string): string => pathToFileURL(join(dir, path)).href;
const nextDiagnostics = (path: string): Promise<Diagnostic[]> =>
  new Promise((take) => waiting.push({ uri: uriOf(path), take }));

let version = 1;
async function write(path: string, text: string): Promise<Diagnostic[]> {
  const answer = nextDiagnostics(path);
  await client.sendNotification(DidChangeTextDocumentNotification.type, {
    textDocument: { uri: uriOf(path), version: (version += 1) },
    contentChanges: [{ text }],
  });
  return answer;
}

/** Completions at the mark `|` of a text, which becomes the file's content without it. */
async function completeAt(path: string, text: string): Promise<string[]> {
  const before = text.slice(0, text.indexOf('|'));
  await write(path, text.replace('|', ''));
  const items = (await client.sendRequest(CompletionRequest.type, {
    textDocument: { uri: uriOf(path) },
    position: {
      line: before.split('\n').length - 1,
      character: before.length - before.lastIndexOf('\n') - 1,
    },
  })) as CompletionItem[];
  return items.map(({ label }) => label);
}

async function hoverOn(path: string, word: string, text: string): Promise<string | null> {
  const before = text.slice(0, text.indexOf(word) + 2);
  const hover = await client.sendRequest(HoverRequest.type, {
    textDocument: { uri: uriOf(path) },
    position: {
      line: before.split('\n').length - 1,
      character: before.length - before.lastIndexOf('\n') - 1,
    },
  });
  return hover && (hover.contents as MarkupContent).value;
}

beforeAll(async () => {
  dir = writeRuleset(FILES);
  mkdirSync(join(dir, 'protocols'), { recursive: true });
  server = spawn(process.execPath, ['--import', 'tsx', 'src/tools/cli/cli.ts', 'rules', 'lsp', '--stdio'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  client = createProtocolConnection(
    new StreamMessageReader(server.stdout!),
    new StreamMessageWriter(server.stdin!),
  );
  client.onNotification(PublishDiagnosticsNotification.type, ({ uri, diagnostics }) => {
    const at = waiting.findIndex((one) => one.uri === uri);
    if (at >= 0) waiting.splice(at, 1)[0]!.take(diagnostics);
  });
  client.listen();
  const { capabilities } = await client.sendRequest(InitializeRequest.type, {
    processId: process.pid,
    rootUri: pathToFileURL(dir).href,
    capabilities: {},
  });
  expect(capabilities).toMatchObject({ hoverProvider: true, completionProvider: {} });
  await client.sendNotification(InitializedNotification.type, {});
  for (const path of Object.keys(FILES)) {
    const first = nextDiagnostics(path);
    await client.sendNotification(DidOpenTextDocumentNotification.type, {
      textDocument: { uri: uriOf(path), languageId: 'yaml', version: 1, text: FILES[path]! },
    });
    expect(await first).toEqual([]);
  }
});

afterAll(async () => {
  const left = new Promise((resolve) => server.once('exit', resolve));
  await client.sendRequest(ShutdownRequest.type);
  await client.sendNotification(ExitNotification.type);
  await left;
  client.dispose();
});

const INTENT = 'intents/burrow-harvest.yaml';
const SHAPE = 'shapes/burrow.yaml';

describe('txreport rules lsp', () => {
  it("has lint's own diagnostics, of the text as edited", async () => {
    const broken = FILES[SHAPE]!.replace('to: $badger', 'to: $bager');
    const diagnostics = await write(SHAPE, broken);
    writeFileSync(join(dir, SHAPE), broken);
    const { out } = await runRules('lint', SHIPPED_RULES, dir);
    writeFileSync(join(dir, SHAPE), FILES[SHAPE]!);
    expect(diagnostics).toHaveLength(1);
    const { range, code, message } = diagnostics[0]!;
    const place = `${range.start.line + 1}:${range.start.character + 1}`;
    expect(out).toContain(`${SHAPE}:${place} ${code}: ${String(message).split('\n')[0]}`);
    expect(message).toContain('did you mean $badger?');
    expect(await write(SHAPE, FILES[SHAPE]!)).toEqual([]);
  });

  it("completes the overlay's own words", async () => {
    const kinds = await completeAt(INTENT, FILES[INTENT]!.replace('rests_on: [harvest]', 'rests_on: [h|]'));
    expect(kinds).toContain('harvest');
    expect(await completeAt(INTENT, FILES[INTENT]!.replace('intent: Harvest', 'intent: |'))).toContain(
      'Harvest',
    );
    const facts = await completeAt(
      INTENT,
      FILES[INTENT]!.replace('fact: motif.harvest.direct', 'fact: motif.h|'),
    );
    expect(facts).toContain('motif.harvest.followed_by');
    const overLines = FILES[INTENT]!.replace('rests_on: [harvest]', 'rests_on: [harvest,\n  |]');
    expect(await completeAt(INTENT, overLines)).toContain('harvest');
    const inBraces = FILES[INTENT]!.replace(/^( *)label: .*$/m, '$1label: "Harvest {|"');
    expect(await completeAt(INTENT, inBraces)).toContain('{received}');
  });

  it('completes the operators and values that fit the fact', async () => {
    const at = (test: string): string =>
      FILES[INTENT]!.replace('{fact: motif.harvest.direct, is: gte, value: 1}', test);
    expect(await completeAt(INTENT, at('{fact: motif.harvest.direct, is: |}'))).toEqual([
      'eq',
      'ne',
      'gt',
      'gte',
      'lt',
      'lte',
      'in',
      'not_in',
    ]);
    expect(await completeAt(INTENT, at('{fact: actor.is_signer, is: |}'))).toEqual(['true', 'false', 'is']);
    expect(await completeAt(INTENT, at('{fact: actor.sides, is: eq, value: |}'))).toEqual([
      'none',
      'sent',
      'received',
      'both',
    ]);
    expect(await completeAt(INTENT, at('{fact: flow.symbols, is: includes, value: |}'))).toContain('USDC');
  });

  it('completes the parameters of the signature above', async () => {
    const labels = await completeAt(
      SHAPE,
      FILES[SHAPE]!.replace('roles: {owner: $badger}', 'roles: {owner: $|}'),
    );
    expect(labels.slice(0, 2)).toEqual(['$badger', '$truffles']);
    expect(labels).toContain('$emitter');
    expect(labels).not.toContain('$caller');
  });

  it('completes the parameters of the first of several signatures', async () => {
    const text = FILES[SHAPE]!.replace(/event: (".*")/, 'event:\n      - $1').replace(
      'roles: {owner: $badger}',
      'roles: {owner: $|}',
    );
    expect(text).toContain('event:\n      - "');
    const labels = await completeAt(SHAPE, text);
    expect(labels.slice(0, 2)).toEqual(['$badger', '$truffles']);
  });

  it('tells what a fact, a kind and an operator mean', async () => {
    const text = FILES[INTENT]!;
    await write(INTENT, text);
    expect(await hoverOn(INTENT, 'actor.sides', text)).toContain('Which way value went, net.');
    expect(await hoverOn(INTENT, 'motif.harvest.direct', text)).toContain('name the actor as owner');
    expect(await hoverOn(INTENT, 'gte', text)).toContain('works on count');
    expect(await hoverOn(INTENT, 'label', text)).toBeNull();
  });
});
