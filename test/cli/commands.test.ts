import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { offered } from '../../src/tools/cli/completionCommand.ts';
import { createProgram } from '../../src/tools/cli/program.ts';
import { renderReport } from '../../src/tools/cli/renderReport.ts';
import type { TxReport } from '../../src/model/generated/report.ts';
import type { FakeNode } from '../support/fakeNode.ts';
import { HASH_OF, startRecordedNode } from './recordedNode.ts';
import { runCli } from './runCli.ts';

vi.setConfig({ testTimeout: 120_000 });

const SWAP = HASH_OF['swap-v2-eth-usdc']!;
/** The report that the published schema shows. */
const EXAMPLE = (
  JSON.parse(readFileSync(join(import.meta.dirname, '../../schemas/http/tx-report.schema.json'), 'utf8')) as {
    examples: TxReport[];
  }
).examples[0]!;
let node: FakeNode;
beforeAll(async () => {
  node = await startRecordedNode();
});
afterAll(() => node.close());
const cli = (args: readonly string[], input = '') =>
  runCli(args, { env: { RPC_URL: node.url, NO_COLOR: '1' }, input });

/** The help of a command as printed, without running anything. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  return text;
}

describe('help', () => {
  const program = createProgram();
  it('lists every command and the exit statuses', () => {
    const help = helpOf(program);
    for (const name of ['serve', 'analyze', 'batch', 'verify', 'validate', 'rules', 'mcp', 'completion'])
      expect(help).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
    expect(help).toContain('Exit status:');
  });

  it.each(['serve', 'analyze', 'batch', 'verify', 'validate', 'mcp'])(
    'of %s gives examples and exit statuses',
    (name) => {
      const help = helpOf(program.commands.find((command) => command.name() === name)!);
      expect(help).toMatch(/Exit status: 0 /);
      expect(help).toMatch(/Examples:|configuration of an agent:/);
    },
  );

  it('examples name only commands and options that exist', () => {
    const examples = program.commands.flatMap((command) => [
      ...helpOf(command).matchAll(/^ {2}(?:.*[|]\s*)?(?:\w+=\S+ )?txreport (\w+)([^|>#\n]*)/gm),
    ]);
    expect(examples.length).toBeGreaterThan(8);
    for (const [text, name, rest] of examples) {
      const command = rest!.split(/\s-/)[0]!;
      const flags = offered(program, `txreport ${name!}${command} -`);
      expect(flags, text).toContain('--help');
      for (const [flag] of rest!.matchAll(/(?<=\s)--?[a-z][\w-]*/g)) expect(flags, text).toContain(flag);
    }
  });
});

describe('exit statuses', () => {
  it.each<[string, string[], number]>([
    ['help', ['--help'], 0],
    ['version', ['--version'], 0],
    ['nothing', [], 2],
    ['an unknown command', ['frobnicate'], 2],
    ['an unknown option', ['analyze', SWAP, '--nonsense'], 2],
    ['no argument', ['analyze'], 2],
    ['a bad hash', ['analyze', '0x12'], 2],
    ['a bad node', ['analyze', SWAP, '--rpc', 'ws://x'], 2],
    ['an unknown hash', ['analyze', `0x${'ab'.repeat(32)}`], 1],
    ['no file', ['validate', '/no/such/file'], 2],
    ['no report', ['validate', 'package.json'], 1],
    ['nothing to verify', ['verify', 'package.json'], 2],
    ['failures of blocks in a file of another name', ['batch', '--blocks', '1', '--errors', 'x'], 2],
    ['codes that are watched', ['rules', 'lint', '--codes', '--watch'], 2],
  ])('%s', async (_, args, status) => {
    const run = await cli(args);
    expect(run.code, run.out + run.err).toBe(status);
    expect(run.err).not.toMatch(/^\s+at /m);
  });

  it.each([['analyze', SWAP], ['batch'], ['verify', 'package.json'], ['mcp'], ['serve']])(
    'no node: %s',
    async (...args) => {
      const run = await runCli(args, { env: {} });
      expect(run.code).toBe(2);
      expect(run.err).toContain('RPC_URL');
    },
  );
});

describe('analyze, validate, verify', () => {
  it('shows a report to people, without colours where they are not wanted', async () => {
    const { code, out } = await cli(['analyze', SWAP]);
    expect(code).toBe(0);
    expect(out).not.toContain('\u001b');
    expect(out).toMatch(/^DirectSwap\s+✓ Proven · High\s*\nSwap 1 ETH for 3,388\.11 USDC/);
    expect(out).toContain('2025-01-01 01:03:12 UTC, block 204, succeeded, 0.000223573 ETH gas, $0.76');
    expect(out).toContain('Done by 0x6338…16dB, who signed it.');
    expect(out).toMatch(/Calls swapExactETHForTokens\(\) of Uniswap V2 Router 02 \(0x7a25…488D\)\./);
    expect(out).toMatch(/Sent\s+−1 ETH\s+−\$3,400\.00\n\s+Received\s+\+3,388\.11 USDC\s+\$3,387\.77\n/);
    expect(out).toMatch(/✓ Swap\s+Uniswap V2\s+1 WETH → 3,388\.11 USDC\n/);
    expect(out).toMatch(/Uniswap V2 \(0xB4e1…C9Dc\)\s+pool\s+−3,388\.11 USDC/);
    const verbose = (await cli(['analyze', SWAP, '--verbose'])).out;
    expect(verbose).toMatch(/0x6338A64eEDB77AFfD10945BaF8732bb93E0A16dB, who signed it/);
    expect(verbose).toMatch(/1 WETH → 3,388\.11 USDC {2}m-1 log 4/);
    // As some tools copy it.
    expect((await cli(['analyze', SWAP.toUpperCase()])).out).toBe(out);
  });

  it('shows a debt as owed, once in each place', async () => {
    const borrow = HASH_OF['aave-borrow']!;
    const { out } = await cli(['analyze', borrow]);
    expect(out).toMatch(/Received\s+\+8,000 USDC/);
    expect(out).toMatch(/Owes\s+\+8,000 variableDebtEthUSD…\s/);
    expect(out).not.toMatch(/Owes.* owed/);
    expect(out).toMatch(/actor\s+\+8,000 variableDebtEthUSD… owed/);
  });

  it('marks in words what is not certain, and what has no price', () => {
    const report = (classification: Partial<TxReport['classification']>) => {
      const swap = structuredClone(EXAMPLE);
      Object.assign(swap.classification, classification);
      swap.economics.net_usd_before_gas = swap.economics.net_usd_after_gas = {
        text: '—',
        available: false,
        reason: `unpriced_asset: ${swap.inventory_deltas[0]!.asset.id} (no_source), eip155:1/slip44:60 (no_source) and 2 more`,
      };
      return stripVTControlCharacters(renderReport(swap));
    };
    const unpriced = `no price for ${EXAMPLE.inventory_deltas[0]!.asset.symbol}, ETH and 2 more`;
    expect(report({ status: 'Proven', confidence: 'High' })).not.toMatch(/uncertain|not proven/);
    expect(report({ status: 'Proven', confidence: 'High' }).split(unpriced)).toHaveLength(2);
    expect(report({ status: 'Proven', confidence: 'Low' })).toMatch(/\? Proven · Low[^]*uncertain/);
    expect(report({ status: 'Suspected', confidence: 'High' })).toMatch(/\? Suspected · High[^]*not proven/);
  });

  it('a report passes from one to the next', async () => {
    const { out: json } = await cli(['analyze', SWAP, '--json']);
    expect(await cli(['validate', '-'], json)).toMatchObject({ code: 0, out: '-: valid\n' });
    expect(await cli(['verify', '-'], json)).toMatchObject({
      code: 0,
      out: expect.stringContaining('holds') as string,
    });
    const forged = json.replaceAll('3388111026', '3388111027');
    expect(forged).not.toBe(json);
    const found = await cli(['verify', '-', '--json'], forged);
    expect(found.code).toBe(1);
    expect((JSON.parse(found.out) as { tx_hash: string }[])[0]!.tx_hash).toBe(SWAP);
  });
});

describe('what is pasted in place of a command', () => {
  it('is analysed where it is a transaction', async () => {
    const [bare, named] = await Promise.all([cli([SWAP]), cli(['analyze', SWAP])]);
    expect(bare).toEqual(named);
    expect(bare.code).toBe(0);
    expect((await cli([`https://etherscan.io/tx/${SWAP}`, '--json'])).out).toContain(SWAP);
  });
  it('is else named, with what can be done', async () => {
    expect(await cli(['analyze', '17,073,193'])).toEqual({
      code: 2,
      out: '',
      err: 'invalid tx_hash `17,073,193`: this is a block, 17073193\n  try: txreport block 17073193\n',
    });
    expect((await cli(['vitalik.eth'])).err).toContain('this is a name');
    expect((await cli(['trace', '17073193'])).err).toContain('try: txreport block 17073193');
    const link = `https://etherscan.io/tx/${SWAP}`;
    expect((await cli(['block', link])).err).toContain(`for a transaction: txreport analyze ${SWAP}`);
  });
  it('names the cause of a connection that fails', async () => {
    const { code, err } = await runCli([SWAP], {
      env: { RPC_URL: 'http://127.0.0.1:9', RPC_RETRIES: '0', NO_COLOR: '1' },
    });
    expect(code).toBe(1);
    expect(err).toContain('cannot be reached: the connection is refused (txreport doctor tests the node)');
  });
});

describe('completion', () => {
  it.each([
    ['txreport ba', ['batch']],
    ['txreport rules l', ['lint', 'lock', 'lsp']],
    ['txreport batch --sh', ['--shard']],
    ['txreport completion ', ['bash', 'zsh', 'fish']],
    ['txreport rules lint --format ', ['text', 'json', 'github']],
    ['txreport rules lint --format j', ['json']],
    ['txreport rules explain --fu', ['--full']],
    ['txreport --ver', ['--version']],
    ['txreport validate pack', []],
    ['txreport batch --out pack', []],
    ['txreport comple', ['completion']],
  ])('offers for %j', (line, expected) => expect(offered(createProgram(), line)).toEqual(expected));

  it.for(['bash', 'zsh', 'fish'] as const)('%s completes by its script', async (shell, ctx) => {
    if (spawnSync(shell, ['-c', 'exit 0']).error) {
      console.warn(`SKIPPED: ${shell} is not installed, so its completion script was not run`);
      return ctx.skip();
    }
    const { code, out } = await cli(['completion', shell]);
    expect(code).toBe(0);
    const { status, stderr } = spawnSync(shell, ['-c', out], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const registered = spawnSync('bash', ['-c', `${out}\ncomplete -p txreport`], { encoding: 'utf8' });
    if (shell === 'bash')
      expect(registered.stdout).toBe("complete -o default -C 'txreport complete' txreport\n");
    const run = await runCli(['complete', 'txreport', 'ba', 'txreport'], {
      env: { COMP_LINE: 'txreport ba' },
    });
    expect(run).toEqual({ code: 0, out: 'batch\n', err: '' });
  });
});
