import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../../src/service/http/metrics.ts';
import { hashIsWrong } from '../../../src/evm/blockHeader.ts';
import { unchecked } from '../../../src/lib/unchecked.ts';

const RECORDING = new URL('../../recordings/token-transfer.json', import.meta.url);
const { rpc } = JSON.parse(readFileSync(RECORDING, 'utf8')) as { rpc: { block: Record<string, unknown> } };
const header = rpc.block;
const later = `0x${(BigInt(header['timestamp'] as string) + 1n).toString(16)}`;

describe('the hash of a header', () => {
  it('is the one the chain gave', () => expect(hashIsWrong(header)).toBe(false));

  it.each([
    ['time', { timestamp: later }],
    ['fee recipient', { miner: `0x${'a1'.repeat(20)}` }],
    ['base fee', { baseFeePerGas: '0x1' }],
    ['hash', { hash: `0x${'9e'.repeat(32)}` }],
  ])('is another with another %s', (_, change) => expect(hashIsWrong({ ...header, ...change })).toBe(true));

  it.each([
    ['it has a field of a later fork', { timestamp: later, blockAccessListHash: `0x${'11'.repeat(32)}` }],
    ['the node sends no bloom', { timestamp: later, logsBloom: `0x${'00'.repeat(256)}` }],
    ['the node sends no root', { timestamp: later, receiptsRoot: undefined }],
    ['it is of Prague and lacks its last field', { number: '0x1700000', requestsHash: undefined }],
    ['a field is no hexadecimal', { extraData: 'geth' }],
  ])('cannot be told where %s', (_, change) => expect(hashIsWrong({ ...header, ...change })).toBeNull());

  it('is counted where it cannot be told', async () => {
    unchecked.headers = 3;
    const places = { running: 0, waiting: 0 } as Parameters<typeof createMetrics>[0];
    const { registry } = createMetrics(places, { names: [], openCircuits: () => [] });
    expect(await registry.metrics()).toContain('txreport_headers_unchecked_total 3');
  });
});
