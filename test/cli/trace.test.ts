import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { loadRules } from '../../src/service/loadRules.ts';
import { findRecording } from '../../src/tools/cli/rules/recordings.ts';
import { traceOf } from '../../src/tools/trace/openTraces.ts';
import type { Call, LogItem } from '../../src/tools/wording/calls.ts';
import { HASH_OF, startRecordedNode } from './recordedNode.ts';
import { runCli } from './runCli.ts';

const FOLDER = join(import.meta.dirname, '../recordings');
const rulebook = loadRules();

interface Recorded {
  readonly rpc: {
    readonly receipt: { gasUsed: string; logs: { logIndex: string }[] };
    readonly trace: object[];
  };
}
const recorded = (name: string): Recorded =>
  JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as Recorded;

function all(call: Call): (Call | LogItem)[] {
  return [call, ...call.items.flatMap((item) => (item.kind === 'call' ? all(item) : [item]))];
}

describe('the call tree', () => {
  it.each([
    'swap-v2-eth-usdc',
    'safe-swap',
    'aave-liquidation',
    'userop-swap',
    'cow-two-orders',
    'inner-failure',
  ])('of %s holds every call, log, movement and motif once', async (name) => {
    const { tree, report } = await traceOf(findRecording(name, [FOLDER]), rulebook);
    const { rpc } = recorded(name);
    const items = all(tree.root);
    const calls = items.filter((item) => item.kind === 'call');
    // An implementation shares the entry of its proxy; the recorded trace lists both.
    expect(calls.length + calls.flatMap(({ via }) => via).length).toBe(tree.calls);
    expect(tree.calls).toBe(report.pipeline_stats.frames);
    const logs = items.filter((item) => item.kind === 'log').map(({ log_index: index }) => index);
    expect(logs.sort((a, b) => a - b)).toEqual(rpc.receipt.logs.map(({ logIndex }) => Number(logIndex)));
    expect(items.flatMap(({ movements }) => movements).sort((a, b) => a - b)).toEqual(
      report.movements!.map((_, i) => i),
    );
    expect(items.flatMap(({ motifs }) => motifs).sort()).toEqual(report.motifs.map(({ id }) => id).sort());
    expect(tree.root.gas_used).toBe(Number(rpc.receipt.gasUsed));
  });

  it('decodes what fits and names the implementation behind a proxy', async () => {
    const { tree } = await traceOf(findRecording('swap-v2-eth-usdc', [FOLDER]), rulebook);
    expect(tree.root.function).toEqual({
      name: 'swapExactETHForTokens',
      arguments: [
        { name: 'amountOutMin', value: '0' },
        {
          name: 'path',
          value:
            '["0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2","0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"]',
        },
        { name: 'to', value: '0x6338A64eEDB77AFfD10945BaF8732bb93E0A16dB' },
        { name: 'deadline', value: '4000000000' },
      ],
    });
    const calls = all(tree.root).filter((item) => item.kind === 'call');
    const usdc = calls.find(({ to, function: f }) => to?.name === 'USDC' && f?.name === 'transfer')!;
    expect(usdc.via.map(({ address }) => address)).toEqual(['0x43506849D7C04F9138D1A2050bbF3A0c054402dd']);
  });

  it('tells a failure that was caught, and the report its attempt', async () => {
    const { tree, report } = await traceOf(findRecording('inner-failure', [FOLDER]), rulebook);
    const failed = all(tree.root).filter((item) => item.kind === 'call' && item.failed !== null);
    expect(failed).toMatchObject([
      { path: [0], failed: 'inner regret', undone: true, selector: '0x50c079f3' },
    ]);
    expect(report.execution.attempts).toEqual([
      {
        frame_path: [0],
        contract: tree.root.to!.address,
        method: { selector: '0x50c079f3', signature: null, name: null },
        reason: 'inner regret',
      },
    ]);
  });
});

describe('txreport trace', () => {
  it('prints calls with what they mean, folded and in full', async () => {
    const { code, out } = await runCli(['trace', HASH_OF['swap-v2-eth-usdc']!], { env: {} });
    expect(code).toBe(0);
    const lines = stripVTControlCharacters(out).split('\n');
    expect(lines[0]).toBe('Swap 1 ETH for 3,388.11 USDC on Uniswap V2');
    expect(out).toMatch(/Uniswap V2 Router 02 \(0x7a25…488D\) swapExactETHForTokens\(amountOutMin 0, path /);
    expect(out).toMatch(/emits Swap\([^\n]*\n\s+‹ swap ›/);
    expect(out).toContain('2 reads: balanceOf × 2');
    const full = (await runCli(['trace', 'swap-v2-eth-usdc', '--verbose'], { env: {} })).out;
    expect(full).toMatch(/\[3\.1\] reads USDC \(0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48\)/);
    expect(full).toContain('139,733 gas');
  });

  it('costs little more processor time than analyze', async () => {
    const said =
      "process.on('exit',()=>console.error('CPU',Object.values(process.cpuUsage()).reduce((a,b)=>a+b)))";
    const node = await startRecordedNode();
    const cost = async (command: string): Promise<number> => {
      const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(said)}`;
      const times: number[] = [];
      for (let i = 0; i < 3; i++) {
        const { err } = await runCli([command, HASH_OF['swap-v2-eth-usdc']!], {
          env: { RPC_URL: node.url, NODE_OPTIONS },
          cwd: tmpdir(),
        });
        times.push(Number(/CPU (\d+)/.exec(err)![1]));
      }
      return Math.min(...times);
    };
    try {
      const [analyze, trace] = [await cost('analyze'), await cost('trace')];
      console.info(`analyze ${analyze / 1e6} s, trace ${trace / 1e6} s of processor time`);
      expect(trace).toBeLessThan(1.6 * analyze);
    } finally {
      await node.close();
    }
  });

  it('refuses what is no transaction', async () => {
    const { code, err } = await runCli(['trace', 'no-such-recording'], { env: {} });
    expect(code).toBe(2);
    expect(err).toContain('no-such-recording');
  });
});
