// Whole blocks on the local chain: the same bytes as POST /analyze, whatever the node lacks, and however often it is killed.
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { RunningServer } from '../../src/service/server.ts';
import { addressOf } from '../devnet/accounts.ts';
import { startDemoService } from '../devnet/service.ts';
import { ALL, runStory, type Story } from '../devnet/story.ts';
import { startDialectProxy } from '../support/dialectProxy.ts';
import { hashesOf, linesOf, runKilled } from './killing.ts';
import { runCli } from './runCli.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let story: Story;
let service: RunningServer;
let range: { first: number; last: number };
let hashes: string[];
const folder = mkdtempSync(join(tmpdir(), 'txreport-blocks-'));
const numberOf = (hex: string): number => Number(BigInt(hex));

beforeAll(async () => {
  story = await runStory({ scenarios: ALL });
  const { rpc, chain } = story.devnet;
  const first = numberOf((await chain.receipt(story.told[0]!.hash)).blockNumber);
  // A block of several transactions, of which two are of one token.
  await rpc('evm_setAutomine', [false]);
  for (const name of ['alice', 'bob', 'carol'])
    await rpc('eth_sendTransaction', [{ from: addressOf(name), to: addressOf('dave'), value: '0x7' }]);
  await rpc('anvil_mine', ['0x1']);
  await rpc('evm_setAutomine', [true]);
  range = { first, last: numberOf((await rpc('eth_blockNumber', [])) as string) };
  hashes = [];
  for (let number = first; number <= range.last; number++) {
    const block = (await rpc('eth_getBlockByNumber', [`0x${number.toString(16)}`, false])) as {
      transactions: string[];
    };
    hashes.push(...block.transactions);
  }
  service = await startDemoService(story.devnet.rpcUrl);
});
afterAll(async () => {
  await service?.close();
  await story?.stop();
});

async function single(hash: string): Promise<string> {
  const response = await fetch(`${service.url}/analyze`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tx_hash: hash }),
  });
  return response.text();
}

const batch = (args: readonly string[], rpcUrl = story.devnet.rpcUrl) =>
  runCli(['batch', ...args], { env: { RPC_URL: rpcUrl } });
const all = (): string => `${range.first}..${range.last}`;

describe('txreport batch --blocks', () => {
  it('writes in order what POST /analyze answers, byte for byte', async () => {
    expect(hashes.length).toBeGreaterThan(ALL.length);
    const { code, out, err } = await batch(['--blocks', all()]);
    expect(code, err).toBe(0);
    const lines = out.split('\n').slice(0, -1);
    expect(lines.map((line) => (JSON.parse(line) as { tx: { hash: string } }).tx.hash)).toEqual(hashes);
    for (const [i, hash] of hashes.entries()) expect(lines[i], hash).toBe(await single(hash));
  });

  it.each([
    ['eth_getBlockReceipts', /^eth_getBlockReceipts$/, ['lacks eth_getBlockReceipts']],
    ['debug_traceBlockByHash', /^debug_traceBlockBy/, ['lacks debug_traceBlockByHash']],
    [
      'block methods',
      /^(eth_getBlockReceipts|debug_traceBlock.*|trace_block)$/,
      ['lacks eth_getBlockReceipts'],
    ],
  ])('asks per transaction where the node lacks %s, and says so once', async (_, missing, notes) => {
    const proxy = await startDialectProxy(story.devnet.rpcUrl, missing);
    const some = `${range.last - 5}..${range.last}`;
    try {
      const { code, out, err } = await batch(['--blocks', some], proxy.url);
      expect(code, err).toBe(0);
      for (const note of notes) expect(err.split(note)).toHaveLength(2);
      expect(out).toBe((await batch(['--blocks', some])).out);
    } finally {
      await proxy.close();
    }
  });

  it('speaks Parity traces by the block, in two requests', async () => {
    const proxy = await startDialectProxy(story.devnet.rpcUrl, /^debug_/);
    const demo = await startDemoService(proxy.url);
    try {
      const { out, err } = await batch(['--blocks', String(range.last), '--quiet'], proxy.url);
      expect(err).toBe('');
      for (const line of out.split('\n').slice(0, -1)) {
        const { tx } = JSON.parse(line) as { tx: { hash: string } };
        const response = await fetch(`${demo.url}/analyze`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ tx_hash: tx.hash }),
        });
        expect(line).toBe(await response.text());
      }
    } finally {
      await demo.close();
      await proxy.close();
    }
  });

  it('has every report once after three kills', async () => {
    const out = join(folder, 'killed.ndjson');
    const { kills, code, err } = await runKilled(
      ['batch', '--blocks', all(), '--out', out, '--threads', '1'],
      out,
      hashes.length,
      3,
      story.devnet.rpcUrl,
    );
    expect(code, err).toBe(0);
    expect(kills[0]).toBeGreaterThan(0);
    expect(hashesOf(out)).toEqual(hashes);
  });

  it('splits into shards of consecutive blocks that are the whole', async () => {
    const parts = [];
    for (const i of [0, 1, 2]) parts.push((await batch(['--blocks', all(), '--shard', `${i}/3`, '-q'])).out);
    expect(parts.join('')).toBe((await batch(['--blocks', all(), '-q'])).out);
  });

  it('keeps reports by intent and by address', async () => {
    const whole = linesOf(join(folder, 'killed.ndjson')).map((line) => JSON.parse(line) as Report);
    const swaps = await batch(['--blocks', all(), '--only', 'DirectSwap,AggregatedSwap', '-q']);
    expect(hashesIn(swaps.out)).toEqual(
      whole
        .filter((r) => /^(Direct|Aggregated)Swap$/.test(r.classification.intent_kind))
        .map((r) => r.tx.hash),
    );
    const alice = addressOf('alice');
    const hers = hashesIn((await batch(['--blocks', all(), '--involving', alice, '-q'])).out);
    // Whoever moves or signs anything is named by the raw answers too.
    const moved = whole.filter(
      (r) => r.tx.signer === alice || r.inventory_deltas.some(({ subject }) => subject === alice),
    );
    expect(moved.length).toBeGreaterThan(5);
    expect(hers).toEqual(expect.arrayContaining(moved.map((r) => r.tx.hash)));
    expect(hers.length).toBeLessThan(whole.length);
  });

  it('takes single numbers, hashes, the newest blocks and a file of them', async () => {
    const { rpc } = story.devnet;
    const last = (await rpc('eth_getBlockByNumber', ['latest', false])) as { hash: string };
    const expected = (await batch(['--blocks', String(range.last), '-q'])).out;
    expect((await batch(['--blocks', last.hash, '-q'])).out).toBe(expected);
    expect((await batch(['--blocks', 'latest-1', '-q'])).out).toBe(expected);
    const list = join(folder, 'blocks.txt');
    writeFileSync(list, `# two\n${range.first}..${range.first + 1} # a range\n\n${last.hash}\n`);
    const fromFile = hashesIn((await batch(['--blocks', list, '-q'])).out);
    expect(fromFile.slice(-3)).toEqual(hashesIn(expected));
    expect(fromFile.slice(0, -3)).toEqual(hashes.slice(0, fromFile.length - 3));
  });

  it('lists blocks the node does not have, and tries them again', async () => {
    const out = join(folder, 'future.ndjson');
    const future = range.last + 1;
    const first = await batch(['--blocks', `${range.last}..${future}`, '--out', out]);
    expect(first).toMatchObject({ code: 1, err: expect.stringContaining('1 failed') as string });
    expect(linesOf(join(folder, 'future.errors.ndjson')).map((line) => JSON.parse(line) as object)).toEqual([
      {
        block: String(future),
        tx_hash: null,
        code: 'block_not_found',
        error: 'the node does not have this block',
      },
    ]);
    await story.devnet.rpc('eth_sendTransaction', [
      { from: addressOf('alice'), to: addressOf('bob'), value: '0x1' },
    ]);
    expect(await batch(['--blocks', `${range.last}..${future}`, '--out', out])).toMatchObject({ code: 0 });
    expect(hashesOf(out)).toHaveLength(4);
    expect(new Set(hashesOf(out)).size).toBe(4);
    expect(readdirSync(folder)).not.toContain('future.errors.ndjson');
  });

  it.each([
    [['--blocks', '9..3'], 'ends before it begins'],
    [['--blocks', '1..5,5'], 'twice'],
    [['--blocks', 'nowhere.txt'], 'neither a list of blocks nor a file'],
    [['--blocks', 'latest-5', '--shard', '0/2'], '--shard needs blocks by number'],
    [['--blocks', '1', '--only', 'Nonsense'], 'no intent Nonsense'],
    [['--blocks', '1', '--involving', '0x12'], '0x12 is no address'],
    [['--blocks', '1', '--format', 'parquet'], 'needs --out'],
    [['--only', 'DirectSwap'], 'need --blocks'],
  ])('refuses %j', async (args, message) => {
    const run = await batch(args);
    expect(run.code).toBe(2);
    expect(run.err).toContain(message);
  });

  it('refuses to go on from the output of another batch', async () => {
    const out = join(folder, 'killed.ndjson');
    const before = readFileSync(out, 'utf8');
    const run = await batch(['--blocks', '1..2', '--out', out]);
    expect(run).toMatchObject({ code: 2, err: expect.stringContaining('other blocks') as string });
    expect(readFileSync(out, 'utf8')).toBe(before);
  });
});

interface Report {
  tx: { hash: string; signer: string };
  classification: { intent_kind: string };
  inventory_deltas: { subject: string }[];
}

function hashesIn(ndjson: string): string[] {
  return ndjson
    .split('\n')
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as Report).tx.hash);
}
