// The command as people run it, beside a live chain.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { addressOf } from '../devnet/accounts.ts';
import { runStory, type Story } from '../devnet/story.ts';
import { transfers } from '../devnet/scenarios/transfers.ts';
import { runCli } from './runCli.ts';

vi.setConfig({ testTimeout: 120_000 });

let story: Story;
beforeAll(async () => {
  story = await runStory({ scenarios: transfers.slice(0, 1) });
});
afterAll(() => story?.stop());

const [alice, bob] = [addressOf('alice'), addressOf('bob')];
const preview = (args: readonly string[], input = '') =>
  runCli(['preview', ...args], { env: { RPC_URL: story.devnet.rpcUrl, NO_COLOR: '1' }, input });
const PAYMENT = ['--from', alice, '--to', bob, '--value', '1000000000000000000'];

it('shows what would happen, and says that nothing was sent', async () => {
  const { code, out } = await preview(PAYMENT);
  expect(code).toBe(0);
  expect(out).toContain('Send 1 ETH');
  expect(out).toContain('not sent: simulated on the state after block');
});

it('reads a request of a wallet and answers JSON', async () => {
  const request = { jsonrpc: '2.0', id: 1, method: 'eth_sendTransaction' };
  const params = [{ from: alice, to: bob, value: '0xde0b6b3a7640000' }];
  const { code, out } = await preview(['--json'], JSON.stringify({ ...request, params }));
  expect(code).toBe(0);
  const report = JSON.parse(out) as { tx: { hash: null }; classification: { intent_kind: string } };
  expect(report.tx.hash).toBeNull();
  expect(report.classification.intent_kind).toBe('NativeTransfer');
});

it('ends with 1 where an expectation does not hold, and with 0 where it does', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'preview-')), 'expected.json');
  writeFileSync(file, JSON.stringify({ most_sent: { native: '0.5' } }));
  const refused = await preview([...PAYMENT, '--expect', file]);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('not as expected: sends');
  writeFileSync(file, JSON.stringify({ most_sent: { native: '1' }, intent_kind: 'NativeTransfer' }));
  expect((await preview([...PAYMENT, '--expect', file])).code).toBe(0);
});

it('ends with 1 on a revert, and on any warning where asked to', async () => {
  const known = join(mkdtempSync(join(tmpdir(), 'preview-')), 'known.txt');
  writeFileSync(known, `${bob.slice(0, 6)}${'0'.repeat(32)}${bob.slice(-4)}`);
  expect((await preview([...PAYMENT, '--known', known])).code).toBe(0);
  expect((await preview([...PAYMENT, '--known', known, '--fail-on-warning'])).code).toBe(1);
  const failing = ['--from', alice, '--to', story.ctx.at('usdc'), '--data', '0xdeadbeef'];
  expect((await preview(failing)).code).toBe(1);
});

it.each<[string, string[], string, string]>([
  ['an address', ['--from', 'me', '--to', bob], '', 'from must be an address'],
  ['anything', [], '', 'give --raw, or --from, or a request on standard input'],
  ['JSON', [], '{', 'standard input must be JSON'],
  ['a transaction', ['--raw', '0x1234'], '', 'no signed transaction'],
  ['a file', [...PAYMENT, '--expect', '/no/such/file'], '', 'file that can be read'],
])('what is not %s ends with 2', async (_name, args, input, text) => {
  const { code, err } = await preview(args, input);
  expect(err).toContain(text);
  expect(code).toBe(2);
});
