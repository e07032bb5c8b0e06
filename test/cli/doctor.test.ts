import { afterEach, expect, it, vi } from 'vitest';
import { startFakeNode, type FakeNode, type Handler } from '../support/fakeNode.ts';
import { runCli } from './runCli.ts';

vi.setConfig({ testTimeout: 120_000 });

const HASH = `0x${'ab'.repeat(32)}`;
const NODE: Record<string, Handler> = {
  eth_blockNumber: () => '0x1312d00',
  eth_getBlockByNumber: () => ({ hash: HASH, transactions: [HASH] }),
  eth_getBlockReceipts: () => [{}],
  debug_traceBlockByHash: () => [{}],
  debug_traceTransaction: () => ({ from: '0x' }),
};
let node: FakeNode;
afterEach(() => node?.close());
const doctor = async (handlers: Record<string, Handler>, ...args: string[]) => {
  node = await startFakeNode({ handlers });
  return runCli(['doctor', ...args], { env: { RPC_URL: node.url, NO_COLOR: '1' } });
};

it('finds nothing wrong with a node that traces', async () => {
  const { code, out } = await doctor(NODE);
  expect(code, out).toBe(0);
  expect(out).toContain('everything is there');
  expect(out).toContain('✓ debug_traceTransaction (old)');
  // One trace method is enough: the other one is not reported as missing.
  expect(out).not.toContain('trace_transaction (');
});

it('says what a pruned node will not do, and that recent reports work', async () => {
  const { code, out } = await doctor({
    ...NODE,
    eth_getBlockByNumber: ([block]) => ({
      hash: HASH,
      transactions: [block === '0x961860' ? `0x${'cd'.repeat(32)}` : HASH],
    }),
    debug_traceTransaction: ([hash]) => (hash === HASH ? { from: '0x' } : undefined),
  });
  expect(code).toBe(0);
  expect(out).toContain('use an archive node');
});

it('fails without traces, and names the remedy', async () => {
  const { debug_traceTransaction: _, ...rest } = NODE;
  const { code, out } = await doctor(rest);
  expect(code).toBe(1);
  expect(out).toContain('set TRACE_URL');
});

it('fails on another chain', async () => {
  const { code, out } = await doctor({ ...NODE, eth_chainId: () => '0x2105' });
  expect(code).toBe(1);
  expect(out).toContain('chain 0x2105');
});

it('marks what it could not test, and gives no advice for it', async () => {
  const { code, out } = await doctor({ ...NODE, eth_getBlockByNumber: () => null });
  expect(code).toBe(1);
  expect(out).toMatch(/– debug_traceTransaction \(recent\) +no transaction to try it on/);
  expect(out).not.toMatch(/✗|TRACE_URL|archive/);
  const down = await runCli(['doctor'], { env: { RPC_URL: 'http://127.0.0.1:9', NO_COLOR: '1' } });
  expect(down.out.match(/[✗–] .*/g)).toHaveLength(7);
  expect(down.out).toContain('refused: the connection is refused');
  expect(down.out).not.toMatch(/TRACE_URL|archive/);
});

it('never prints an address, which may hold a key', async () => {
  const { code, out, err } = await runCli(['doctor', '--json'], {
    env: { RPC_URL: 'http://user:secret@127.0.0.1:9/key' },
  });
  expect(code).toBe(1);
  expect(out + err).not.toMatch(/secret|key\b.*127|127\.0\.0\.1/);
  expect((JSON.parse(out) as { node: string }[])[0]!.node).toBe('upstream-1');
});
