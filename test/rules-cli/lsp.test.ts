import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CodeActionRequest,
  CompletionRequest,
  createProtocolConnection,
  DefinitionRequest,
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  DocumentFormattingRequest,
  ExecuteCommandRequest,
  ExitNotification,
  HoverRequest,
  InitializedNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  ReferencesRequest,
  RenameRequest,
  ShowMessageNotification,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
  type CodeAction,
  type CompletionItem,
  type Diagnostic,
  type Location,
  type MarkupContent,
  type ProtocolConnection,
} from 'vscode-languageserver-protocol/node';
import { SHIPPED_RULES } from '../../src/rules/read/listFiles.ts';
import { writeRuleset } from '../unit/rules/smallRuleset.ts';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { formatRuleText } from '../../src/tools/cli/rules/formatRules.ts';
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

/** The third character of a word's first occurrence. */
function placeOf(path: string, word: string, text = FILES[path]!) {
  const before = text.slice(0, text.indexOf(word) + 2);
  const line = before.split('\n').length - 1;
  const position = { line, character: before.length - before.lastIndexOf('\n') - 1 };
  return { textDocument: { uri: uriOf(path) }, position };
}

/** `file:line` of each place. */
const shown = (places: unknown): string[] =>
  ((places ?? []) as Location[])
    .map(({ uri, range }) => `${fileURLToPath(uri).replace(`${dir}/`, '')}:${range.start.line + 1}`)
    .sort();

async function hoverOn(path: string, word: string, text: string): Promise<string | null> {
  const hover = await client.sendRequest(HoverRequest.type, placeOf(path, word, text));
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
const PROTOCOL = 'protocols/burrow.yaml';
const FRANK = `slug: burrow-of-frank
version: 1
status: stable
name: Frank's Burrow
shapes: [burrow]
addresses: ["0x10f9fb13664298Af67ee6178583B7ce95F091104"]
`;

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

  it('goes to where a kind, an intent, a slug and a fact are declared', async () => {
    await write(SHAPE, FILES[SHAPE]!);
    const to = async (path: string, word: string, text?: string): Promise<string[]> =>
      shown(await client.sendRequest(DefinitionRequest.type, placeOf(path, word, text)));
    expect(await to(SHAPE, 'harvest\n')).toEqual(['vocabulary.yaml:2']);
    expect(await to(INTENT, 'Harvest\n')).toEqual(['vocabulary.yaml:4']);
    const opened = nextDiagnostics(PROTOCOL);
    await client.sendNotification(DidOpenTextDocumentNotification.type, {
      textDocument: { uri: uriOf(PROTOCOL), languageId: 'yaml', version: 1, text: FRANK },
    });
    expect(await opened).toEqual([]);
    expect(await to(PROTOCOL, 'burrow]', FRANK)).toEqual(['shapes/burrow.yaml:1']);
    const [fact] = await to(INTENT, 'actor.sides');
    expect(fact).toMatch(/rules\/FACTS\.md:\d+$/);
    const line = Number(fact!.split(':')[1]);
    const facts = readFileSync(new URL('../../rules/FACTS.md', import.meta.url), 'utf8').split('\n');
    expect(facts[line - 1]).toContain('| `actor.sides` |');
    // Inside a fact, its kind; before and behind that, the fact.
    expect(await to(INTENT, 'harvest.direct')).toEqual(['vocabulary.yaml:2']);
    expect((await to(INTENT, 'motif.harvest.direct'))[0]).toContain('FACTS.md');
    expect(await to(SHAPE, 'HarvestGathered')).toEqual([]);
  });

  it('finds every use of a word of its own, in facts and examples too', async () => {
    const context = { includeDeclaration: true };
    const used = await client.sendRequest(ReferencesRequest.type, {
      ...placeOf(SHAPE, 'harvest\n'),
      context,
    });
    expect(shown(used)).toEqual([
      'intents/burrow-harvest.yaml:10',
      'intents/burrow-harvest.yaml:16',
      'intents/burrow-harvest.yaml:6',
      'intents/burrow-harvest.yaml:7',
      'shapes/burrow.yaml:8',
      'vocabulary.yaml:2',
    ]);
  });

  it('renames a word of its own everywhere, and none of the shipped rules', async () => {
    const edit = await client.sendRequest(RenameRequest.type, {
      ...placeOf(SHAPE, 'harvest\n'),
      newName: 'gathering',
    });
    const edited = { ...FILES };
    for (const [uri, edits] of Object.entries(edit!.changes!)) {
      const path = fileURLToPath(uri).replace(`${dir}/`, '');
      const document = TextDocument.create(uri, 'yaml', 0, edited[path]!);
      edited[path] = TextDocument.applyEdits(document, edits);
    }
    expect(edited[INTENT]).toContain('{facts: {motif.gathering.direct: 1, actor.sides: both}}');
    expect((await runRules('lint', SHIPPED_RULES, writeRuleset(edited))).out).toMatch(/^ok/);
    const refused = client.sendRequest(RenameRequest.type, { ...placeOf(SHAPE, 'reward'), newName: 'prize' });
    await expect(refused).rejects.toThrow('vocabulary.yaml declares it, in rules below');
    const odd = client.sendRequest(RenameRequest.type, { ...placeOf(SHAPE, 'harvest\n'), newName: 'a b' });
    await expect(odd).rejects.toThrow('a b cannot be a word of the rules');
  });

  it('formats as rules fmt does', async () => {
    await write(
      INTENT,
      FILES[INTENT]!.replace('slug: burrow-harvest\nversion: 1', 'version:   1\nslug: burrow-harvest'),
    );
    const options = { tabSize: 2, insertSpaces: true };
    const textDocument = { uri: uriOf(INTENT) };
    const [edit] = (await client.sendRequest(DocumentFormattingRequest.type, { textDocument, options }))!;
    expect(edit!.newText).toBe(formatRuleText(FILES[INTENT]!, 'intent'));
    await write(INTENT, edit!.newText);
    expect(await client.sendRequest(DocumentFormattingRequest.type, { textDocument, options })).toEqual([]);
    await write(INTENT, FILES[INTENT]!);
  });

  it('writes the word that was meant', async () => {
    const broken = FILES[SHAPE]!.replace('to: $badger', 'to: $bager');
    const diagnostics = await write(SHAPE, broken);
    const textDocument = { uri: uriOf(SHAPE) };
    const { range } = diagnostics[0]!;
    const actions = (await client.sendRequest(CodeActionRequest.type, {
      textDocument,
      range,
      context: { diagnostics },
    })) as CodeAction[];
    expect(actions.map(({ title }) => title)).toEqual([
      'Write $badger',
      'Pin the rules as they are saved (rules lock)',
    ]);
    const document = TextDocument.create(uriOf(SHAPE), 'yaml', 0, broken);
    expect(TextDocument.applyEdits(document, actions[0]!.edit!.changes![uriOf(SHAPE)]!)).toBe(FILES[SHAPE]);
    await write(SHAPE, FILES[SHAPE]!);
  });

  it('pins the rules in ruleset.lock, as they are saved', async () => {
    writeFileSync(join(dir, 'ruleset.yaml'), 'name: burrows\nversion: 0.1.0\nengine: 1\n');
    const message = new Promise((take) =>
      client.onNotification(ShowMessageNotification.type, (shown) => take(shown.message)),
    );
    const command = { command: 'txreport.rules.lock', arguments: [uriOf(SHAPE)] };
    await client.sendRequest(ExecuteCommandRequest.type, command);
    expect(await message).toBe(`${join(dir, 'ruleset.lock')}: 3 entries`);
    expect(readFileSync(join(dir, 'ruleset.lock'), 'utf8')).toContain('shape burrow 1 ');
  });
});
