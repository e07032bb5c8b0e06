import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadRules } from '../../src/service/loadRules.ts';
import { publishedSchemaErrors } from '../../src/tools/cli/readReports.ts';
import { startServer } from '../../src/service/main.ts';
import type { RunningServer } from '../../src/service/server.ts';
import { TOOLS } from '../../src/tools/mcp/toolList.ts';
import { builtPackage } from '../cli/builtCli.ts';
import { HASH_OF, startRecordedNode } from '../cli/recordedNode.ts';
import { runCli } from '../cli/runCli.ts';
import type { FakeNode } from '../support/fakeNode.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

let node: FakeNode;
let service: RunningServer;
let client: Client;
beforeAll(async () => {
  node = await startRecordedNode();
  service = await startServer({ rpcUrl: node.url, host: '127.0.0.1', port: 0, logLevel: 'silent' });
  client = new Client({ name: 'test', version: '1' });
  // LOG_LEVEL: whatever is logged must stay off standard output, which is the protocol's.
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(builtPackage(), 'dist/tools/cli/cli.js'), 'mcp'],
      stderr: 'ignore',
      env: { PATH: process.env['PATH']!, RPC_URL: node.url, LOG_LEVEL: 'debug' },
    }),
  );
});
afterAll(async () => {
  await client?.close();
  await service?.close();
  await node?.close();
});

interface Answer {
  content: { type: string; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}
const call = async (name: string, args: Record<string, unknown> = {}): Promise<Answer> =>
  (await client.callTool({ name, arguments: args })) as unknown as Answer;

describe('txreport mcp, asked by an MCP client over stdio', () => {
  it('offers read-only tools and says how to take what they tell', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'analyze',
      'explain',
      'list_intents',
      'preview_transaction',
      'trace',
      'block',
      'verify',
      'ledger',
    ]);
    expect(tools.map(({ name }) => name).sort()).toEqual(Object.keys(TOOLS).sort());
    for (const { name, description } of tools)
      expect(description!.startsWith(TOOLS[name as keyof typeof TOOLS]), name).toBe(true);
    for (const tool of tools)
      expect(tool).toMatchObject({
        annotations: { readOnlyHint: true },
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object' },
      });
    expect(client.getInstructions()).toContain('Suspected');
  });

  it('shares its places among all tools, and refuses what finds none', async () => {
    const narrow = new Client({ name: 'test', version: '1' });
    await narrow.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [join(builtPackage(), 'dist/tools/cli/cli.js'), 'mcp'],
        stderr: 'ignore',
        env: { PATH: process.env['PATH']!, RPC_URL: node.url, MAX_CONCURRENCY: '1', MAX_QUEUE: '0' },
      }),
    );
    const hash = HASH_OF['swap-v2-eth-usdc']!;
    const asked = [
      ['trace', { tx_hash: hash }],
      ['trace', { tx_hash: HASH_OF['aave-liquidation']! }],
      ['block', { block: 'latest' }],
      ['analyze', { tx_hash: hash }],
    ] as const;
    const answers = (await Promise.all(
      asked.map(([name, args]) => narrow.callTool({ name, arguments: args })),
    )) as unknown as Answer[];
    expect(answers.map(({ isError = false }) => isError)).toEqual([false, true, true, true]);
    for (const { content } of answers.slice(1)) expect(content[0]!.text).toContain('overloaded');
    await narrow.close();
  });

  it.each(['swap-v2-eth-usdc', 'aave-liquidation', 'reverted-string', 'spam-zero-value', 'cow-two-orders'])(
    'analyzes %s into the report of the service, word for word',
    async (name) => {
      const { content, structuredContent } = await call('analyze', {
        tx_hash: HASH_OF[name]!,
        detail: 'full',
      });
      const answer = await fetch(`${service.url}/analyze`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ tx_hash: HASH_OF[name] }),
      });
      const json = await answer.text();
      expect(content.map(({ type }) => type)).toEqual(['text']);
      expect(JSON.stringify(structuredContent!['report'])).toBe(json);
      expect(structuredContent).toEqual({ summary: content[0]!.text, report: JSON.parse(json) as unknown });
      expect(publishedSchemaErrors(structuredContent!['report'])).toEqual([]);
    },
  );

  it.each(['native-transfer', 'swap-v2-eth-usdc', 'aave-liquidation', 'userop-swap', 'batch-token'])(
    'summarises %s in under 800 tokens',
    async (name) => {
      const { content, structuredContent } = await call('analyze', { tx_hash: HASH_OF[name]! });
      // Hex runs take about two characters per token, words four: three is on the safe side for this mixture.
      const tokens = Math.ceil(content.map(({ text }) => text).join('').length / 3);
      console.info(`${name}: about ${tokens} tokens`);
      expect(tokens).toBeLessThan(800);
      expect(structuredContent).toMatchObject({ outline: { status: 'Proven' } });
    },
  );

  it('gives sections in pages, for a hash as people paste it', async () => {
    const tx_hash = `https://etherscan.io/tx/${HASH_OF['swap-v2-eth-usdc']!}`;
    const page = async (offset: number) => {
      const { structuredContent } = await call('analyze', {
        tx_hash,
        sections: ['movements'],
        offset,
        limit: 3,
      });
      return (
        structuredContent as {
          sections: { movements: { total: number; next_offset: number | null; entries: unknown[] } };
        }
      ).sections.movements;
    };
    expect(await page(0)).toMatchObject({ total: 5, next_offset: 3 });
    expect((await page(3)).entries).toHaveLength(2);
    expect((await page(3)).next_offset).toBeNull();
    const wrong = await call('analyze', { tx_hash, sections: ['everything'] });
    expect(wrong).toMatchObject({ isError: true });
    expect(wrong.content[0]!.text).toMatch(/expected one of "tx"[^]*at sections\[0\]/);
  });

  it('names symbol and decimals in rows of movements', async () => {
    const { structuredContent } = await call('analyze', {
      tx_hash: HASH_OF['swap-v2-eth-usdc']!,
      sections: ['movements'],
    });
    const { movements } = (structuredContent as { sections: { movements: { entries: object[] } } }).sections;
    expect(movements.entries.at(-1)).toMatchObject({ symbol: 'USDC', decimals: 6 });
  });

  it('offers a prompt for each of the commonest questions', async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual([
      'what_happened',
      'who_gained_what',
      'what_may_be_taken',
    ]);
    const { messages } = await client.getPrompt({
      name: 'what_may_be_taken',
      arguments: { tx_hash: HASH_OF['approval']! },
    });
    expect((messages[0]!.content as { text: string }).text).toContain(HASH_OF['approval']!);
  });

  it('offers intents and rules as resources', async () => {
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(['txreport://intents', 'txreport://rules']);
    const { contents } = await client.readResource({ uri: 'txreport://rules' });
    const rules = JSON.parse((contents[0] as { text: string }).text) as { slug: string }[];
    expect(rules.map(({ slug }) => slug)).toContain('direct-swap');
  });

  it('explains in pages of whole lines, each about a thousand tokens', async () => {
    let offset: number | null = 0;
    const pages: string[] = [];
    let lines = 0;
    while (offset !== null) {
      const { structuredContent } = await call('explain', { tx_hash: HASH_OF['swap-v2-eth-usdc']!, offset });
      const page = structuredContent as {
        lines: string;
        total_lines: number;
        next_offset: number | null;
      };
      expect(page.lines.length).toBeLessThanOrEqual(4_000);
      pages.push(page.lines);
      lines = page.total_lines;
      offset = page.next_offset;
    }
    expect(pages.join('\n').split('\n')).toHaveLength(lines);
  });

  it('explains a verdict', async () => {
    const { content, structuredContent } = await call('explain', { tx_hash: HASH_OF['swap-v2-eth-usdc']! });
    expect(content[0]!.text).toContain('direct-swap');
    expect(content[0]!.text).toContain('✓');
    const { lines } = structuredContent as { lines: string };
    expect(content[0]!.text.startsWith(lines)).toBe(true);
    expect(
      (await call('explain', { tx_hash: HASH_OF['swap-v2-eth-usdc']!, rule: 'atomic-arbitrage' })).content[0]!
        .text,
    ).toContain('atomic-arbitrage');
  });

  it('lists every intent with its rules', async () => {
    const { structuredContent } = await call('list_intents');
    const { intents } = structuredContent as {
      intents: { kind: string; headline: boolean; rules: { slug: string }[] }[];
    };
    const rulebook = loadRules();
    expect(intents.map(({ kind }) => kind).sort()).toEqual([...rulebook.intentKinds.keys()].sort());
    expect(intents.find(({ kind }) => kind === 'DirectSwap')!.rules.map(({ slug }) => slug)).toContain(
      'direct-swap',
    );
  });

  it.each<[string, string, Record<string, unknown>, RegExp]>([
    ['a bad hash', 'analyze', { tx_hash: '0x12' }, /^invalid tx_hash `0x12`: this has 2 hexadecimal digits/],
    ['no hash', 'analyze', {}, /expected string, received undefined at tx_hash/],
    ['an argument it does not know', 'analyze', { tx_hash: HASH_OF['approval']!, verbose: true }, /verbose/],
    [
      'another chain',
      'analyze',
      { tx_hash: HASH_OF['approval']!, chain: 'base' },
      /expected one of [^]*"ethereum"[^]* at chain/,
    ],
    [
      'an unknown hash',
      'analyze',
      { tx_hash: `0x${'ab'.repeat(32)}` },
      /^analysis failed: transaction not found\. Check the hash/,
    ],
    ['an unknown hash to explain', 'explain', { tx_hash: `0x${'ab'.repeat(32)}` }, /transaction not found/],
    [
      'an unknown rule',
      'explain',
      { tx_hash: HASH_OF['approval']!, rule: 'no-such-rule' },
      /no rule no-such-rule/,
    ],
  ])('answers %s so that a model can read it', async (_, name, args, text) => {
    const answer = await call(name, args);
    expect(answer.isError).toBe(true);
    expect(answer.content[0]!.text).toMatch(text);
  });

  it('traces every call of a transaction, in pages of plain lines', async () => {
    const { content, structuredContent } = await call('trace', { tx_hash: HASH_OF['swap-v2-eth-usdc']! });
    const page = structuredContent as { lines: string; total_lines: number };
    expect(content[0]!.text.startsWith(page.lines)).toBe(true);
    expect(page.lines).toContain('swap(');
    expect(page.lines).not.toContain('\u001b');
    expect(page.total_lines).toBeGreaterThan(5);
  });

  it('says of a report whether it is true, and what in it is not', async () => {
    const { structuredContent } = await call('analyze', {
      tx_hash: HASH_OF['swap-v2-eth-usdc']!,
      detail: 'full',
    });
    const report = structuredContent!['report'] as { tx: { nonce: number } };
    expect(await call('verify', { report })).toMatchObject({ structuredContent: { verdict: 'holds' } });
    report.tx.nonce += 1;
    const { content, structuredContent: found } = await call('verify', { report });
    expect(found).toMatchObject({ verdict: 'fails' });
    expect(content[0]!.text).toContain('/tx/nonce');
    const refused = await call('verify', { report: { schema_version: 1 } });
    expect(refused.isError).toBe(true);
    expect(refused.content[0]!.text).toContain('no report by the published schema');
  });

  it('books transactions as the command does', async () => {
    const hashes = ['swap-v2-eth-usdc', 'spam-forged', 'swap-v2-usdt-eth'].map((name) => HASH_OF[name]!);
    const reports = await Promise.all(
      hashes.map(async (tx_hash) => {
        const { structuredContent } = await call('analyze', { tx_hash, detail: 'full' });
        return structuredContent!['report'] as { tx: { signer: string } };
      }),
    );
    const account = reports[0]!.tx.signer;
    const stranger = `0x${'12'.repeat(20)}`;
    const command = await runCli(['ledger', '-', '--account', account], {
      input: reports.map((report) => JSON.stringify(report)).join('\n'),
    });
    const { structuredContent } = await call('ledger', {
      tx_hashes: hashes,
      accounts: [account.toLowerCase(), stranger],
    });
    expect(`${structuredContent!['lines'] as string}\n`).toBe(command.out);
    expect(structuredContent).toMatchObject({ next_offset: null, not_concerned: [stranger] });
    const refused = await call('ledger', { tx_hashes: hashes, accounts: ['vitalik.eth'] });
    expect(refused).toMatchObject({ isError: true, content: [{ text: 'not an address: vitalik.eth' }] });
  });

  it('refuses a text that is no block', async () => {
    const answer = await call('block', { block: 'yesterday' });
    expect(answer.isError).toBe(true);
    expect(answer.content[0]!.text).toBe('yesterday is no block number, hash or `latest`');
  });

  it('knows no other tool', async () => {
    expect(await call('transfer_everything')).toMatchObject({ isError: true });
  });
});

describe('txreport mcp --http, asked by an MCP client', () => {
  it('offers the same tools to clients of this machine and refuses pages from elsewhere', async () => {
    const server = spawn(
      process.execPath,
      [join(builtPackage(), 'dist/tools/cli/cli.js'), 'mcp', '--http', '0'],
      { env: { PATH: process.env['PATH']!, RPC_URL: node.url }, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    try {
      const said = String((await once(server.stderr, 'data'))[0]);
      const url = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(said)![0];
      const http = new Client({ name: 'test', version: '1' });
      const transport = new StreamableHTTPClientTransport(new URL(url));
      await http.connect(transport as Parameters<Client['connect']>[0]);
      expect((await http.listTools()).tools).toEqual((await client.listTools()).tools);
      expect(
        await http.callTool({ name: 'analyze', arguments: { tx_hash: HASH_OF['approval']! } }),
      ).toMatchObject({ structuredContent: { outline: { status: 'Proven' } } });
      await http.close();
      const ask = (headers: Record<string, string>) =>
        fetch(url, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            ...headers,
          },
          body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
        });
      expect((await ask({})).status).toBe(200);
      expect((await ask({ origin: new URL(url).origin })).status).toBe(200);
      expect((await ask({ origin: 'https://elsewhere.example' })).status).toBe(403);
      expect((await fetch(url)).status).toBe(405);
      server.kill('SIGTERM');
      expect(await once(server, 'exit')).toEqual([0, null]);
    } finally {
      server.kill('SIGKILL');
    }
  });
});
