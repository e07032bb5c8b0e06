import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { AnalysisError, type ErrorCode } from '../../../src/lib/errors.ts';
import type { RawTransaction, TraceDialect } from '../../../src/model/upstream.ts';
import { canonicalize } from '../../../src/stages/2-canonical/canonicalize.ts';
import { address, EOA, HASH, rawTransaction, ROOT, topic, type Call } from './execution.ts';

const A = address('aa');
const call: Call = {
  value: 3n,
  input: '0x01020304',
  steps: [
    { to: A, value: 1n, steps: [{ emit: { topics: [topic(1)], data: '0x00' } }] },
    { type: 'CREATE', to: address('d0'), input: '0x60' },
    { type: 'SELFDESTRUCT', to: EOA, value: 1n },
  ],
};

type Fields = Record<string, any>;

/** Runs `break_` on a fresh copy of the raw answers. */
function broken(
  dialect: TraceDialect,
  break_: (raw: { tx: Fields; receipt: Fields; trace: Fields; set: (trace: unknown) => void }) => void,
): RawTransaction {
  const raw = structuredClone(rawTransaction(call, dialect));
  let result: unknown = raw.trace.result;
  break_({
    tx: raw.tx as Fields,
    receipt: raw.receipt as Fields,
    trace: result as Fields,
    set: (trace) => (result = trace),
  });
  return { ...raw, trace: { dialect, result } };
}

function codeOf(raw: RawTransaction): ErrorCode | 'accepted' {
  try {
    canonicalize(raw);
    return 'accepted';
  } catch (error) {
    expect(error).toBeInstanceOf(AnalysisError);
    return (error as AnalysisError).code;
  }
}

const geth = (break_: Parameters<typeof broken>[1]): string => codeOf(broken('call_tracer', break_));
const parity = (break_: Parameters<typeof broken>[1]): string => codeOf(broken('parity', break_));

describe('malformed answers', () => {
  it('are refused by name', () => {
    expect(geth(({ set }) => set(null))).toBe('trace_empty');
    expect(geth(({ set }) => set({}))).toBe('trace_empty');
    expect(geth(({ set }) => set({ failed: false, gas: 0, returnValue: '0x', structLogs: [] }))).toBe(
      'trace_empty',
    );
    expect(geth(({ set }) => set('0x'))).toBe('trace_malformed');
    expect(geth(({ trace }) => (trace['calls'] = {}))).toBe('trace_malformed');
    expect(geth(({ trace }) => (trace['calls'][0] = null))).toBe('trace_malformed');
    expect(geth(({ trace }) => (trace['calls'][0].type = 'JUMP'))).toBe('trace_malformed');
    expect(geth(({ trace }) => delete trace['calls'][0].to)).toBe('trace_malformed');
    expect(geth(({ trace }) => delete trace['calls'][1].to)).toBe('trace_malformed');
    expect(geth(({ trace }) => (trace['calls'][0].value = '-0x1'))).toBe('trace_malformed');
    expect(geth(({ trace }) => (trace['calls'][0].value = `0x1${'0'.repeat(64)}`))).toBe('trace_malformed');
    expect(geth(({ trace }) => (trace['calls'][0].value = 1.5))).toBe('trace_malformed');
    expect(geth(({ trace }) => (trace['calls'][0].input = '0x123'))).toBe('trace_malformed');
    expect(geth(({ trace }) => (trace['calls'][0].logs[0].topics = Array(5).fill(topic(1))))).toBe(
      'trace_malformed',
    );
    expect(geth(({ trace }) => (trace['type'] = 'STATICCALL'))).toBe('trace_malformed');
    expect(parity(({ set }) => set([]))).toBe('trace_empty');
    expect(parity(({ set }) => set({}))).toBe('trace_malformed');
    expect(parity(({ trace }) => (trace[1].traceAddress = [5, 0]))).toBe('trace_malformed');
    expect(parity(({ trace }) => (trace[1].traceAddress = [1]))).toBe('trace_malformed');
    expect(parity(({ trace }) => (trace[1].traceAddress = []))).toBe('trace_malformed');
    expect(parity(({ trace }) => (trace[1].traceAddress = [-1]))).toBe('trace_malformed');
    expect(parity(({ trace }) => (trace[1].action = null))).toBe('trace_malformed');
    expect(parity(({ trace }) => (trace[1].type = 'teleport'))).toBe('trace_malformed');
    expect(parity(({ trace }) => (trace[1].action.callType = 'authcall'))).toBe('trace_malformed');
    expect(geth(({ receipt }) => (receipt['logs'] = null))).toBe('receipt_malformed');
    expect(geth(({ receipt }) => (receipt['logs'][0].topics = '0x'))).toBe('receipt_malformed');
    expect(geth(({ receipt }) => receipt['logs'].push(receipt['logs'][0]))).toBe('receipt_malformed');
    expect(geth(({ receipt }) => (receipt['status'] = '0x2'))).toBe('receipt_malformed');
    expect(geth(({ receipt }) => delete receipt['gasUsed'])).toBe('receipt_malformed');
    expect(geth(({ tx, receipt }) => [delete tx['gasPrice'], delete receipt['effectiveGasPrice']])).toBe(
      'receipt_malformed',
    );
    expect(geth(({ tx }) => delete tx['from'])).toBe('transaction_malformed');
    expect(geth(({ tx }) => (tx['type'] = '0xff'))).toBe('transaction_malformed');
    expect(geth(({ tx }) => (tx['authorizationList'] = [{}]))).toBe('transaction_malformed');
    expect(geth(({ tx }) => (tx['blockHash'] = null))).toBe('transaction_pending');
  });

  it('that do not belong together are refused as inconsistent', () => {
    const other = `0x${'77'.repeat(32)}`;
    expect(geth(({ tx }) => (tx['hash'] = other))).toBe('inconsistent_upstream');
    expect(geth(({ tx }) => (tx['blockHash'] = other))).toBe('inconsistent_upstream');
    expect(geth(({ tx }) => (tx['value'] = '0x0'))).toBe('inconsistent_upstream');
    expect(geth(({ tx }) => (tx['to'] = null))).toBe('inconsistent_upstream');
    expect(geth(({ tx }) => (tx['to'] = A))).toBe('inconsistent_upstream');
    expect(geth(({ tx }) => (tx['input'] = '0x'))).toBe('inconsistent_upstream');
    expect(geth(({ receipt }) => (receipt['from'] = A))).toBe('inconsistent_upstream');
    expect(geth(({ receipt }) => (receipt['transactionHash'] = other))).toBe('inconsistent_upstream');
    expect(geth(({ receipt }) => (receipt['status'] = '0x0'))).toBe('inconsistent_upstream');
    expect(geth(({ receipt }) => Object.assign(receipt, { status: '0x0', logs: [] }))).toBe(
      'inconsistent_upstream',
    );
    expect(geth(({ trace }) => (trace['from'] = A))).toBe('inconsistent_upstream');
    expect(geth(({ trace }) => (trace['error'] = 'out of gas'))).toBe('inconsistent_upstream');
    expect(geth(({ receipt }) => (receipt['logs'][0].removed = true))).toBe('inconsistent_upstream');
    expect(geth(({ receipt }) => (receipt['logs'][0].transactionHash = other))).toBe('inconsistent_upstream');
    expect(geth(({ receipt }) => (receipt['logs'][0].data = '0x01'))).toBe('inconsistent_upstream');
    expect(geth(({ receipt }) => (receipt['logs'] = []))).toBe('inconsistent_upstream');
    expect(parity(({ trace }) => (trace[0].blockHash = other))).toBe('inconsistent_upstream');
    expect(parity(({ trace }) => (trace[0].transactionHash = other))).toBe('inconsistent_upstream');
  });

  it('numbers may be JSON numbers and letters capitals', () => {
    const raw = broken('call_tracer', ({ tx, receipt, trace }) => {
      Object.assign(tx, { nonce: 7, value: 3, from: EOA.toUpperCase().replace('0X', '0x') });
      Object.assign(receipt, { blockNumber: 20_000_000, gasUsed: 5_000_000 });
      trace['calls'][0].logs[0].position = 0;
    });
    expect(canonicalize(raw)).toEqual(canonicalize(rawTransaction(call)));
  });

  it('whatever they are, fail as AnalysisError or not at all', () => {
    const junk = fc.oneof(
      fc.constantFrom<unknown>(
        null,
        undefined,
        '',
        '0x',
        '0x1',
        '0xzz',
        -1,
        1e300,
        NaN,
        [],
        {},
        [[]],
        true,
        '0x'.padEnd(80, 'f'),
        A,
        HASH,
      ),
      fc.string(),
      fc.integer(),
      fc.object({ maxDepth: 2 }),
    );
    for (const dialect of ['call_tracer', 'parity'] as const) {
      const places = pathsOf(rawTransaction(call, dialect));
      fc.assert(
        fc.property(fc.constantFrom(...places), junk, (place, value) => {
          const raw = structuredClone(rawTransaction(call, dialect)) as unknown as Fields;
          let holder: Fields = raw;
          for (const step of place.slice(0, -1)) holder = holder[step];
          holder[place.at(-1)!] = value;
          codeOf({ ...raw, hash: HASH, trace: { dialect, result: raw['trace'].result } } as RawTransaction);
        }),
        { numRuns: 1_500 },
      );
    }
  });
});

function pathsOf(raw: RawTransaction): string[][] {
  const found: string[][] = [];
  const walk = (value: unknown, path: string[]): void => {
    if (path.length > 0) found.push(path);
    if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key]);
  };
  walk(raw.tx, ['tx']);
  walk(raw.receipt, ['receipt']);
  walk(raw.trace.result, ['trace', 'result']);
  return found;
}

describe('traces of any size', () => {
  const leaf = (value = 0n): Fields => ({
    type: 'CALL',
    from: ROOT,
    to: A,
    value: `0x${value.toString(16)}`,
    input: '0x',
  });
  const withCalls = (calls: unknown[], logs: unknown[] = []): RawTransaction => {
    const raw = rawTransaction({}, 'call_tracer', { receipt: { logs } });
    return { ...raw, trace: { dialect: 'call_tracer', result: { ...(raw.trace.result as Fields), calls } } };
  };

  it('1024 deep', () => {
    let inner: Fields = leaf(1n);
    for (let i = 0; i < 1_023; i++) inner = { ...leaf(), calls: [inner] };
    const tx = canonicalize(withCalls([inner]));
    expect(tx.frames).toHaveLength(1_025);
    expect(tx.frames.at(-1)).toMatchObject({ value: 1n, end: 1_025 });
    expect(tx.frames.at(-1)!.path).toHaveLength(1_024);
  });

  it('deeper than the EVM goes, cyclic, or shared without end: refused', () => {
    let deep: Fields = leaf();
    for (let i = 0; i < 20_000; i++) deep = { ...leaf(), calls: [deep] };
    expect(codeOf(withCalls([deep]))).toBe('trace_malformed');
    const cyclic: Fields = leaf();
    cyclic['calls'] = [cyclic, cyclic];
    expect(codeOf(withCalls([cyclic]))).toBe('trace_malformed');
    let shared: Fields = leaf();
    for (let i = 0; i < 60; i++) shared = { ...leaf(), calls: [shared, shared] };
    expect(codeOf(withCalls([shared]))).toBe('trace_malformed');
    expect(codeOf(broken('parity', ({ trace }) => (trace[1].traceAddress = Array(5_000).fill(0))))).toBe(
      'trace_malformed',
    );
  });

  it('100,000 calls and 100,000 logs, without taking long', () => {
    const logs = Array.from({ length: 100_000 }, (_, i) => ({
      address: A,
      topics: [topic(i)],
      data: '0x',
      logIndex: i,
    }));
    const started = process.hrtime.bigint();
    const tx = canonicalize(
      withCalls(
        Array.from({ length: 100_000 }, () => leaf(1n)),
        logs,
      ),
    );
    const seconds = Number(process.hrtime.bigint() - started) / 1e9;
    expect(tx.frames).toHaveLength(100_001);
    expect(tx.logs.every(({ seq }, i) => i === 0 || tx.logs[i - 1]!.seq < seq)).toBe(true);
    expect(seconds).toBeLessThan(20); // 1–2 s alone; a quadratic pass would take minutes.
  });
});
