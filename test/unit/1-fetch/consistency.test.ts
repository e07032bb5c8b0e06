import { describe, expect, it } from 'vitest';
import { logsMismatch, receiptMismatch } from '../../../src/stages/1-fetch/context/consistency.ts';
import {
  HASH,
  SIGNER,
  TOKEN,
  bloomOf,
  sampleTransaction,
  transferLog,
  type Sample,
  type SampleLog,
} from '../../support/sampleTransaction.ts';

const OTHER_HASH = `0x${'99'.repeat(32)}`;
const OTHER = `0x${'77'.repeat(20)}`;

function receiptOf(change: (sample: Sample) => void): string | null {
  const sample = sampleTransaction();
  change(sample);
  return receiptMismatch(sample.tx, sample.receipt);
}

function traceOf(dialect: 'call_tracer' | 'parity', change: (sample: Sample) => void): string | null {
  const sample = sampleTransaction();
  change(sample);
  return logsMismatch(sample.receipt, {
    dialect,
    result: dialect === 'parity' ? sample.parity : sample.callTracer,
  });
}

/** Adds what the protocol logs of a native transfer (EIP-7708). */
function withSystemLog({ receipt }: Sample): void {
  const logs = receipt['logs'] as SampleLog[];
  logs.push({ ...transferLog(`0x${'f'.repeat(39)}e`), transactionHash: HASH } as SampleLog);
  receipt['logsBloom'] = bloomOf(logs);
}

describe('receiptMismatch', () => {
  it('accepts what belongs together, whatever the letter case', () => {
    expect(receiptOf(() => {})).toBeNull();
    expect(
      receiptOf(({ receipt }) => (receipt['from'] = SIGNER.toUpperCase().replace('0X', '0x'))),
    ).toBeNull();
  });

  it.each<[string, (sample: Sample) => void, RegExp]>([
    ['another block number', ({ receipt }) => (receipt['blockNumber'] = '0x1'), /different blocks/],
    [
      'another place',
      ({ tx, receipt }) => [(tx['transactionIndex'] = '0x62'), (receipt['transactionIndex'] = '0x63')],
      /different places/,
    ],
    [
      'a foreign log',
      ({ receipt }) => ((receipt['logs'] as Record<string, unknown>[])[0]!['blockHash'] = OTHER_HASH),
      /log of another block/,
    ],
  ])('refuses %s', (_, change, message) => {
    expect(receiptOf(change)).toMatch(message);
  });
});

describe('logsMismatch', () => {
  it.each(['call_tracer', 'parity'] as const)('accepts a matching %s trace', (dialect) => {
    expect(traceOf(dialect, () => {})).toBeNull();
  });

  it('counts logs where the trace has them, leaving failed frames and system logs out', () => {
    const extra = { ...transferLog(), position: '0x0' };
    expect(traceOf('call_tracer', ({ callTracer }) => (callTracer['logs'] = [extra, extra]))).toMatch(
      /holds 2 logs, the receipt 1/,
    );
    expect(traceOf('call_tracer', ({ callTracer }) => delete callTracer['logs'])).toBeNull();
    expect(
      traceOf(
        'call_tracer',
        ({ callTracer }) =>
          (callTracer['calls'] = [
            { type: 'CALL', from: TOKEN, to: OTHER, error: 'out of gas', logs: [extra] },
          ]),
      ),
    ).toBeNull();
    expect(traceOf('call_tracer', withSystemLog)).toBeNull();
  });

  it.each<[string, (sample: Sample) => void]>([
    ['missing logs', ({ receipt }) => (receipt['logs'] = [])],
    [
      'a forged log',
      ({ receipt }) => ((receipt['logs'] as Record<string, unknown>[])[0]!['address'] = OTHER),
    ],
  ])('refuses %s: by the logs of a trace, by their bloom filter where it carries none', (_, change) => {
    expect(traceOf('call_tracer', change)).toMatch(/the trace holds/);
    expect(traceOf('call_tracer', (sample) => (change(sample), delete sample.callTracer['logs']))).toMatch(
      /bloom/,
    );
    expect(traceOf('parity', change)).toMatch(/bloom/);
  });

  it('refuses a forged system log, which no trace need list, by the bloom filter', () => {
    expect(
      traceOf('call_tracer', (sample) => {
        const { receipt } = sample;
        const honest = receipt['logsBloom'];
        withSystemLog(sample);
        receipt['logsBloom'] = honest;
      }),
    ).toMatch(/bloom/);
  });

  it('takes a zero or absent bloom filter for no proof', () => {
    expect(traceOf('parity', ({ receipt }) => (receipt['logsBloom'] = `0x${'0'.repeat(512)}`))).toBeNull();
    expect(traceOf('parity', ({ receipt }) => delete receipt['logsBloom'])).toBeNull();
  });

  it('does not recurse: a trace nested a hundred thousand deep is walked', () => {
    let frame: Record<string, unknown> = { type: 'CALL', from: SIGNER };
    for (let i = 0; i < 100_000; i++) frame = { type: 'CALL', from: SIGNER, calls: [frame] };
    expect(traceOf('call_tracer', ({ callTracer }) => (callTracer['calls'] = [frame]))).toBeNull();
  });
});
