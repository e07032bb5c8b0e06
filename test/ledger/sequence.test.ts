// The books of everybody on one chain: all scenarios, then a month later some more, found by the node itself, with opening
// and closing balances of the node. Both files of one book load in each program with their assertions, and the balances they
// assert are the node's.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeFunctionData, formatUnits, parseAbi, type Address } from 'viem';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { PEOPLE, type Person } from '../devnet/accounts.ts';
import { fn } from '../devnet/chain.ts';
import { ALL, runStory, type Story } from '../devnet/story.ts';
import { runCli } from '../cli/runCli.ts';
import type { Asset } from '../../src/model/generated/report.ts';
import { createUpstream } from '../../src/stages/1-fetch/rpc/upstream.ts';
import { readConfig } from '../../src/service/config.ts';
import { chainReader } from '../../src/tools/ledger/chainReader.ts';
import { startDialectProxy } from '../support/dialectProxy.ts';

const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  beancount: ['bean-check'],
  hledger: ['hledger', 'check', '--strict', '-f'],
  ledger: ['ledger', '--pedantic', 'balance', '--empty', '-f'],
};
const PATH = [process.env['TXREPORT_LEDGERS'], process.env['PATH']].filter(Boolean).join(':');
const E18 = 10n ** 18n;
/** The builder gets tips, which no transaction pays. */
const OWNERS = PEOPLE.filter((one) => one !== 'builder');

let story: Story;
let folder: string;
/** The same node without `trace_filter`, and without state differences. */
let geth: { url: string; close: () => Promise<void> };
let parity: typeof geth;
let hush: Address;
let emoney: Address;
/** First block of the books, last of the first file, last of the second. */
let bounds: readonly [first: number, middle: number, last: number];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'txreport-books-'));
  story = await runStory({ scenarios: ALL });
  const { ctx, devnet, told } = story;
  const { chain, contracts } = devnet;
  const first = Number((await chain.receipt(told[0]!.hash)).blockNumber);
  const newest = async (): Promise<number> => Number(await chain.rpc('eth_blockNumber', []));
  const pay = (from: Person, token: Address, to: Person, amount: bigint) =>
    ctx.prepare(from, { to: token, data: fn('transfer(address,uint256)', [ctx.at(to), amount]) });
  const take = (amount: bigint) => fn('reclaim(address,uint256)', [ctx.at('heidi'), amount]);
  hush = await chain.deploy(contracts['SilentTax']!, [ctx.at('erin')]);
  emoney = await chain.deploy(contracts['EMoney']!);
  await pay('erin', hush, 'ivan', 100n * E18);
  await ctx.prepare('house', {
    to: emoney,
    data: fn('issue(address,uint256)', [ctx.at('heidi'), 90n * E18]),
  });
  const middle = await newest();
  const { timestamp } = (await chain.rpc('eth_getBlockByNumber', ['latest', false])) as { timestamp: string };
  await chain.rpc('evm_setNextBlockTimestamp', [Number(timestamp) + 30 * 86_400]);
  await ctx.prepare('house', { to: ctx.at('rbETH'), data: fn('rebase(uint256)', [E18 / 10n]) });
  await pay('alice', ctx.at('USDC'), 'bob', 5_000_000n);
  await pay('ivan', hush, 'alice', 10n * E18);
  await pay('dave', ctx.at('rbETH'), 'judy', E18 / 4n);
  await pay('judy', ctx.at('aWETH'), 'dave', E18 / 2n);
  // Taken by the issuer and in the same block only said to be taken, then taken in a transaction of the holder's own.
  await chain.rpc('evm_setAutomine', [false]);
  const pretend = fn('pretend(address,uint256)', [ctx.at('heidi'), 7n * E18]);
  const one = Promise.all([
    ctx.prepare('house', { to: emoney, data: take(20n * E18) }),
    ctx.prepare('frank', { to: emoney, data: pretend }),
  ]);
  await vi.waitFor(async () => {
    expect(await chain.rpc('txpool_status', [])).toMatchObject({ pending: '0x2' });
  }, 10_000);
  await chain.rpc('evm_mine', []);
  await chain.rpc('evm_setAutomine', [true]);
  expect(new Set((await one).map(({ blockNumber }) => blockNumber)).size).toBe(1);
  await ctx.prepare('heidi', {
    to: ctx.at('multicall3'),
    data: encodeFunctionData({
      abi: parseAbi(['struct C { address target; bool may; bytes data; }', 'function aggregate3(C[])']),
      args: [[{ target: emoney, may: false, data: take(30n * E18) }]],
    }),
  });
  bounds = [first, middle, await newest()];
  geth = await startDialectProxy(devnet.rpcUrl, /^trace_/);
  parity = await startDialectProxy(devnet.rpcUrl, /^debug_/);
});

afterAll(async () => {
  await geth?.close();
  await parity?.close();
  await story?.stop();
});

const books = async (args: readonly string[], env: Record<string, string> = {}, owners = OWNERS) => {
  const accounts = owners.map((one) => story.ctx.at(one));
  const run = await runCli(['ledger', '--account', ...accounts, ...args], {
    env: { RPC_URL: story.devnet.rpcUrl, ...env },
  });
  expect(run.code, run.err).toBe(0);
  return run;
};

const item = (address: Address, id: bigint): Asset => ({
  id: `eip155:1/erc1155:${address.toLowerCase()}/${id}`,
  kind: 'erc1155',
  address,
  token_id: `${id}`,
  symbol: null,
  name: null,
  decimals: null,
});

const periods = (): readonly (readonly string[])[] => [
  ['--from', `${bounds[0]}`, '--to', `${bounds[1]}`, '--balances'],
  ['--from', `${bounds[1] + 1}`, '--to', `${bounds[2]}`, '--balances'],
];

it.each(Object.entries(PROGRAMS))('two files of one book load in %s', async (format, [program, ...args]) => {
  const [one, two, both] = ['one', 'two', 'both'].map((name) => join(folder, `${name}.${format}`));
  const [january, february] = periods();
  const first = await books([...january!, '--format', format, '--opening', 'chain', '--out', one!]);
  // Found by bisection, without `trace_filter`, it is the same.
  const second = [...february!, '--format', format, '--opening', one!, '--out', two!];
  const bisected = await books(second, { RPC_URL: geth.url });
  expect(bisected.err).toContain('not looked for: ether that came and went');
  const text = readFileSync(two!, 'utf8');
  const traced = await books(second);
  expect(readFileSync(two!, 'utf8')).toBe(text);
  // Nothing is missing and nothing is without an explanation.
  expect(first.err + traced.err).not.toMatch(/more than the reports|does not tell|not looked for/);
  writeFileSync(both!, readFileSync(one!, 'utf8') + text);
  const isInstalled = spawnSync('sh', ['-c', `command -v ${program}`], { env: { PATH } }).status === 0;
  if (!isInstalled) return console.warn(`SKIPPED: ${program} is not installed; .ci/ledgers installs it`);
  const check = (file: string) =>
    spawnSync(program!, [...args, file], { encoding: 'utf8', env: { PATH, LANG: 'C.UTF-8', HOME: folder } });
  const found = check(both!);
  expect(found.stderr.slice(0, 3_000)).toBe('');
  expect(found.status).toBe(0);
  // Without the first file the second's assertions fail.
  expect(check(two!).status).not.toBe(0);
});

it('asserts what the node holds of every token and NFT that moved, and names what changed without an event', async () => {
  const { chain } = story.devnet;
  const text = ['one', 'two'].map((name) => readFileSync(join(folder, `${name}.hledger`), 'utf8'));
  const seen = { erc20: 0, erc721: 0, erc1155: 0, other: [] as string[] };
  for (const [i, file] of text.entries()) {
    const at = `0x${bounds[i + 1]!.toString(16)}`;
    const ask = async (to: string, signature: string, args: unknown[] = []) =>
      (await chain.rpc('eth_call', [{ to, data: fn(signature, args) }, at]).catch(() => '0x0')) as string;
    const commodities = text[0]!
      .concat(text[1]!)
      .matchAll(/^commodity (.+)\n +; eip155:1\/(erc\d+):(0x\w+)\/?(\d*)$/gm);
    for (const [, name, kind, address, id] of commodities)
      for (const person of OWNERS) {
        const account = story.ctx.at(person);
        const start = `:${account}  0 ${name} = `;
        const line = file.split('\n').find((one) => one.includes(start));
        if (!line) continue;
        const owner = `0x${account.slice(2).toLowerCase().padStart(64, '0')}`;
        const held =
          kind === 'erc721'
            ? BigInt((await ask(address!, 'ownerOf(uint256)', [BigInt(id!)])) === owner)
            : kind === 'erc1155'
              ? BigInt(await ask(address!, 'balanceOf(address,uint256)', [account, BigInt(id!)]))
              : BigInt(await ask(address!, 'balanceOf(address)', [account]));
        const decimals = id || name!.endsWith(' raw"') ? 0 : Number(await ask(address!, 'decimals()'));
        const told = line.split(start)[1]!.replace(` ${name}`, '');
        if (told === formatUnits(held, decimals)) seen[kind as 'erc20']++;
        else seen.other.push(`${person} ${name}: ${told}, ${formatUnits(held, decimals)}`);
      }
  }
  expect(seen.other).toEqual([]);
  console.warn(`balances that are the node's: ${JSON.stringify(seen)}`);
  expect(seen.erc20).toBeGreaterThan(60);
  expect(seen.erc721).toBeGreaterThan(5);
  expect(seen.erc1155).toBeGreaterThan(5);
  // 3 % of 10; what is 1/10 more of all rbETH; interest by the end of the first file.
  expect(text[1]).toMatch(/Taken by the token without an event\n.*\n.*-0\.3 "HUSH /);
  expect(text[1]).toMatch(/income:rebase {2}-0\.0\d+ "rbETH /);
  expect(text[0]).toMatch(/income:interest {2}-0\.\d+ "aEthWETH /);
});

it('sums the Transfers of several ids of one ERC-1155 to the balances of the node', async () => {
  const upstream = createUpstream(readConfig({ RPC_URL: story.devnet.rpcUrl }));
  const chain = chainReader(upstream);
  const address = story.ctx.at('ITEM');
  const items = [1n, 2n, 3n].map((id) => item(address, id));
  const changes = items.flatMap((asset) =>
    ['carol', 'bob'].map(async (owner) => {
      const account = story.ctx.at(owner);
      const [before, after] = await chain.balances(
        [bounds[0] - 1, bounds[2]].map((block) => ({ account, asset, block })),
      );
      return [after! - before!, await chain.transferred(account, asset, [bounds[0], bounds[2]])];
    }),
  );
  const found = await Promise.all(changes);
  await upstream.close();
  for (const [held, told] of found) expect(told).toBe(held);
  expect(found.map(([held]) => held)).toEqual([-5n, 5n, -3n, 3n, -4n, 4n]);
});

it('books a doubtful transfer where the chain bears it out, and only there', async () => {
  const february = periods()[1]!;
  const heidi = story.ctx.at('heidi');
  const listed = join(folder, 'book');
  writeFileSync(listed, `${emoney.toLowerCase()} token Electronic Money\n`);
  const booked = async (env: Record<string, string>) => {
    const { out, err } = await books([...february, '--format', 'hledger'], env, ['heidi']);
    const amounts = [...out.matchAll(new RegExp(`^ +assets:${heidi}  (-\\S+) "?EMON`, 'gm'))].map(
      ([, text]) => text,
    );
    return { amounts, out, err };
  };
  const unlisted = await booked({});
  expect(unlisted.amounts).toEqual(['-30']);
  expect(unlisted.out.match(/^; left out as doubtful: -\S+ "EMON/gm)).toHaveLength(2);
  expect(unlisted.err).toMatch(/left out 2 flows in 2 transactions.*EMON/);
  // By the balances around the block both would have been taken, or neither.
  const blocks = await booked({ ADDRESS_BOOK: listed, RPC_URL: parity.url });
  expect(blocks.amounts).toEqual(['-30']);
  // Traces of a node of their own.
  const traced = { RPC_URL: parity.url, TRACE_URL: story.devnet.rpcUrl };
  expect((await booked({ ADDRESS_BOOK: listed, ...traced })).amounts).toEqual(['-20', '-30']);
  const known = await booked({ ADDRESS_BOOK: listed });
  expect(known.amounts).toEqual(['-20', '-30']);
  expect(known.out.match(/^; left out as doubtful: -7 "?EMON/gm)).toHaveLength(1);
});
