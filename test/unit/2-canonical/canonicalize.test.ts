import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { canonicalize } from '../../../src/stages/2-canonical/canonicalize.ts';
import type { CanonicalTx } from '../../../src/model/canonicalTx.ts';
import {
  address,
  EOA,
  rawTransaction,
  ROOT,
  topic,
  word,
  type Call,
  type Emit,
  type ToldOptions,
} from './execution.ts';

const A = address('aa');
const B = address('bb');
const C = address('cc');
const ping = (n = 1, from?: typeof A): Emit => ({
  emit: { topics: [topic(n)], ...(from ? { address: from } : {}) },
});
const read = (call: Call, options?: ToldOptions): CanonicalTx =>
  canonicalize(rawTransaction(call, 'call_tracer', options));
const readParity = (call: Call, options?: ToldOptions): CanonicalTx =>
  canonicalize(rawTransaction(call, 'parity', options));
const order = (tx: CanonicalTx): string[] =>
  [
    ...tx.frames.map((f) => ({ seq: f.seq, name: `f${f.index}` })),
    ...tx.logs.map((l) => ({ seq: l.seq, name: `l${l.index}` })),
  ]
    .sort((a, b) => a.seq - b.seq)
    .map(({ name }) => name);

/** Everything but what may differ between dialects. */
const common = (tx: CanonicalTx) => ({
  ...tx,
  dialect: null,
  logs: tx.logs.map((log) => ({ ...log, frame: null })),
});

describe('one tree from both dialects', () => {
  const cases: Record<string, Call> = {
    'plain transfer': { value: 5n },
    'nested calls of every kind': {
      value: 9n,
      input: '0x11223344',
      output: '0x01',
      steps: [
        {
          to: A,
          value: 4n,
          steps: [{ type: 'DELEGATECALL', to: B, value: 4n, steps: [{ to: C, value: 1n }] }],
        },
        { type: 'STATICCALL', to: B, steps: [{ to: C }] },
        { type: 'CALLCODE', to: B, value: 3n, steps: [{ to: C, value: 2n }] },
        { type: 'CREATE', to: address('d1'), value: 1n, input: '0x6001', output: '0x00', steps: [{ to: A }] },
        { type: 'CREATE2', to: address('d2'), input: '0x6002', output: '0x00' },
        { to: A, steps: [{ type: 'SELFDESTRUCT', to: EOA, value: 7n }] },
      ],
    },
    'failures inside': {
      steps: [
        { to: A, value: 2n, error: 'execution reverted', steps: [{ to: B, value: 2n, steps: [ping()] }] },
        { type: 'CREATE', to: null, value: 2n, error: 'out of gas' },
        { to: B, steps: [ping(2)] },
      ],
    },
    precompiles: {
      steps: [
        { to: '0x0000000000000000000000000000000000000001' },
        { to: '0x0000000000000000000000000000000000000100' },
        { to: A },
        { to: '0x0000000000000000000000000000000000000002', value: 3n },
        { type: 'STATICCALL', to: '0x0000000000000000000000000000000000000005' },
        { to: B, steps: [{ to: '0x0000000000000000000000000000000000000004' }, ping(1)] },
        ping(2),
      ],
    },
    creation: { type: 'CREATE', to: A, value: 3n, input: '0x60', output: '0x00', steps: [ping()] },
    reverted: { value: 3n, error: 'execution reverted', steps: [ping(), { to: A, value: 1n }] },
  };
  for (const [name, call] of Object.entries(cases)) {
    it(name, () => {
      expect(common(readParity(call))).toEqual(common(read(call)));
      expect(common(read(call, { withLog: false }))).toEqual(common(readParity(call)));
    });
  }

  it('does not depend on the order of a flat trace', () => {
    const call = cases['nested calls of every kind']!;
    const raw = rawTransaction(call, 'parity');
    const entries = raw.trace.result as unknown[];
    fc.assert(
      fc.property(fc.shuffledSubarray(entries, { minLength: entries.length }), (result) => {
        expect(canonicalize({ ...raw, trace: { dialect: 'parity', result } })).toEqual(canonicalize(raw));
      }),
      { numRuns: 30 },
    );
  });
});

describe('what a frame says', () => {
  it('moves value by call, creation and SELFDESTRUCT only, and only where nothing failed', () => {
    const tx = read({
      value: 9n,
      steps: [
        { type: 'DELEGATECALL', to: A, value: 9n },
        { type: 'CALLCODE', to: A, value: 8n },
        { type: 'CREATE', to: B, value: 7n },
        { to: A, value: 6n, error: 'execution reverted', steps: [{ to: C, value: 5n }] },
        { to: A, value: 4n, steps: [{ type: 'SELFDESTRUCT', to: C, value: 3n }] },
      ],
    });
    expect(tx.frames.map(({ type, value, effective }) => [type, value, effective])).toEqual([
      ['CALL', 9n, true],
      ['DELEGATECALL', 0n, true],
      ['CALLCODE', 0n, true],
      ['CREATE', 7n, true],
      ['CALL', 0n, false],
      ['CALL', 0n, false],
      ['CALL', 4n, true],
      ['SELFDESTRUCT', 3n, true],
    ]);
  });

  it('keeps the storage context under borrowed code', () => {
    const tx = read({
      steps: [
        {
          to: A,
          steps: [
            {
              type: 'DELEGATECALL',
              to: B,
              steps: [
                {
                  type: 'DELEGATECALL',
                  to: C,
                  steps: [{ to: B, steps: [{ type: 'SELFDESTRUCT', to: EOA }] }],
                },
              ],
            },
          ],
        },
      ],
    });
    expect(tx.frames.map(({ context }) => context)).toEqual([ROOT, A, A, A, B, B]);
  });

  it('marks everything under a STATICCALL', () => {
    const tx = read({ steps: [{ type: 'STATICCALL', to: A, steps: [{ to: B }] }, { to: B }] });
    expect(tx.frames.map((f) => f.static)).toEqual([false, true, true, false]);
  });

  it('numbers siblings without value-less precompile calls and drops what is below them', () => {
    const tx = read({
      steps: [
        { to: '0x0000000000000000000000000000000000000009', steps: [{ to: A }] },
        { to: A },
        { to: '0x0000000000000000000000000000000000000001', value: 1n },
        { to: B },
      ],
    });
    expect(tx.frames.map(({ path }) => path)).toEqual([[], [0], [1], [2]]);
    expect(tx.frames.map(({ to }) => to)).toEqual([ROOT, A, '0x0000000000000000000000000000000000000001', B]);
  });

  it('knows where each subtree ends', () => {
    const tx = read({ steps: [{ to: A, steps: [{ to: B, steps: [{ to: C }] }, { to: C }] }, { to: B }] });
    expect(tx.frames.map(({ parent, end }) => [parent, end])).toEqual([
      [null, 6],
      [0, 5],
      [1, 4],
      [2, 4],
      [1, 5],
      [0, 6],
    ]);
  });

  it('says the same of a failure in either dialect', () => {
    for (const [geth, parity] of [
      ['execution reverted', 'Reverted'],
      ['out of gas', 'Out of gas'],
      ['invalid jump destination', 'Bad jump destination'],
      ['invalid opcode: INVALID', 'Bad instruction'],
      ['stack underflow (0 <=> 2)', 'Stack underflow'],
      ['stack limit reached 1024 (1024)', 'Out of stack'],
      ['write protection', 'Mutable Call In Static Context'],
      ['whatever', 'something else'],
    ] as const) {
      expect(read({ error: geth }).frames[0]!.error).toBe(readParity({ error: parity }).frames[0]!.error);
    }
  });

  it('ignores the logs a node leaves on the root of a reverted transaction', () => {
    const raw = rawTransaction({ error: 'execution reverted', steps: [ping(), { to: A, value: 1n }] });
    const tx = canonicalize(raw);
    expect(tx).toMatchObject({ succeeded: false, logs: [] });
    expect(tx.frames.every(({ effective, value }) => !effective && value === 0n)).toBe(true);
  });
});

describe('the transaction itself', () => {
  it('reads old answers: no status, no type, no effective gas price', () => {
    const old: ToldOptions = {
      status: null,
      tx: { type: undefined, gasPrice: '0x5' },
      receipt: { effectiveGasPrice: undefined },
    };
    expect(read({ value: 1n }, old)).toMatchObject({ succeeded: true, type: 0, effectiveGasPrice: 5n });
    expect(read({ value: 1n, error: 'invalid jump destination' }, old)).toMatchObject({ succeeded: false });
  });

  it('refuses a failed receipt where the trace shows no failure', () => {
    const told = { status: false };
    expect(() => read({ value: 1n, steps: [{ to: A, value: 1n }] }, told)).toThrow(/whether it succeeded/);
  });

  it('names the created contract', () => {
    expect(read({ type: 'CREATE', to: A, input: '0x60' })).toMatchObject({ to: null, createdContract: A });
    expect(read({ type: 'CREATE', to: null, input: '0x60', error: 'out of gas' })).toMatchObject({
      to: null,
      createdContract: null,
    });
    expect(read({ steps: [{ type: 'CREATE', to: A }] })).toMatchObject({ to: ROOT, createdContract: null });
  });

  it('reads blob gas', () => {
    expect(read({}, { receipt: { blobGasUsed: '0x20000', blobGasPrice: 3 } })).toMatchObject({
      blobGasUsed: 131_072n,
      blobGasPrice: 3n,
    });
  });
});

describe('logs', () => {
  it('are in the frame the tracer says, which counts the calls it lists, precompiles included', () => {
    const sha = '0x0000000000000000000000000000000000000002';
    const tx = read({
      steps: [
        ping(1),
        { to: A, value: 1n, steps: [ping(2)] },
        { to: sha },
        ping(3),
        { to: B, value: 1n },
        { to: sha },
        ping(4),
      ],
    });
    expect(tx.logs.map(({ frame, logIndex }) => [frame, logIndex])).toEqual([
      [0, 7],
      [1, 8],
      [0, 9],
      [0, 10],
    ]);
  });

  it('of two calls of one contract are told apart by position alone', () => {
    const tx = read({
      steps: [{ to: A, steps: [ping(1)] }, { to: A }, { to: A, steps: [ping(1), ping(1)] }],
    });
    expect(tx.logs.map(({ frame }) => frame)).toEqual([1, 3, 3]);
  });

  it('stand between the calls around them', () => {
    const tx = read({
      value: 1n,
      steps: [
        { to: A, value: 1n, steps: [ping(2)] },
        { to: B, steps: [{ to: C, value: 1n }, ping(3)] },
        { to: EOA, value: 2n },
        ping(4),
      ],
    });
    expect(order(tx)).toEqual(['f0', 'f1', 'l0', 'f2', 'f3', 'l1', 'f4', 'l2']);
  });

  it('drops logs of failed calls without disturbing the others', () => {
    const tx = read({
      steps: [ping(1), { to: A, error: 'out of gas', steps: [ping(9)] }, { to: B, steps: [ping(2)] }],
    });
    expect(tx.logs.map(({ topics, frame }) => [topics[0], frame])).toEqual([
      [topic(1), 0],
      [topic(2), 2],
    ]);
  });

  it('infers where an old tracer gives no positions', () => {
    const tx = read(
      {
        steps: [
          { to: A, steps: [ping(1)] },
          { to: B, steps: [ping(2)] },
        ],
      },
      { withPosition: false },
    );
    expect(tx.logs.map(({ frame }) => frame)).toEqual([1, 2]);
  });

  it('does not believe a tracer that hangs logs on frames of other accounts', () => {
    const tx = read({ steps: [ping(1, B), { to: A, value: 1n }, { to: B }] });
    expect(tx.logs[0]).toMatchObject({ address: B, frame: 2 });
  });

  it('are in the same order in both dialects whatever happens, and in the same frame wherever one is named', () => {
    const { call: anyCall } = fc.letrec<{ call: Call; step: Call | Emit }>((tie) => ({
      step: fc.oneof(
        { maxDepth: 5 },
        fc.integer({ min: 1, max: 3 }).map((n) => ping(n)),
        tie('call'),
      ),
      call: fc
        .record({
          type: fc.constantFrom('CALL', 'CALL', 'DELEGATECALL', 'CALLCODE'),
          to: fc.constantFrom(A, B, C, '0x0000000000000000000000000000000000000004' as const),
          value: fc.bigInt({ min: 0n, max: 2n }),
          input: fc.constantFrom('0x', '0x11223344', `0xa9059cbb${word(A)}${word(1)}`),
          error: fc.option(fc.constant('out of gas'), { nil: undefined, freq: 5 }),
          steps: fc.array(tie('step'), { maxLength: 4 }),
        })
        .map((call) => (call.to.endsWith('4') ? { ...call, steps: [] } : call) as Call),
    }));
    fc.assert(
      fc.property(fc.array(anyCall, { maxLength: 5 }), (steps) => {
        const geth = read({ steps });
        const parity = readParity({ steps });
        expect(common(parity)).toEqual(common(geth));
        expect(
          geth.logs.every(({ frame, address: by }) => frame !== null && geth.frames[frame]!.context === by),
        ).toBe(true);
        for (const { frame, address: by } of parity.logs)
          if (frame !== null)
            expect(parity.frames[frame]).toMatchObject({ context: by, effective: true, static: false });
        const stamps = [...geth.frames, ...geth.logs].map(({ seq }) => seq).sort((a, b) => a - b);
        expect(stamps).toEqual(stamps.map((_, i) => i));
      }),
      { numRuns: 400 },
    );
  });
});

describe('a token call', () => {
  const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
  const send = (to: string, amount: bigint, ...more: Emit[]): Call => ({
    to: A,
    input: `0xa9059cbb${word(to)}${word(amount)}`,
    steps: [{ emit: { topics: [TRANSFER, topic(ROOT), topic(to)], data: `0x${word(amount)}` } }, ...more],
  });

  it('is found among many alike by what its event repeats', () => {
    const call: Call = {
      steps: [send(B, 1n), { to: B, value: 1n }, send(C, 2n), send(B, 3n), send(B, 1n), send(B, 1n)],
    };
    expect(readParity(call)).toEqual({ ...read(call), dialect: 'parity' });
    expect(order(read(call))).toEqual([
      'f0',
      'f1',
      'l0',
      'f2',
      'f3',
      'l1',
      'f4',
      'l2',
      'f5',
      'l3',
      'f6',
      'l4',
    ]);
  });

  it('is looked for behind its proxy', () => {
    const proxied = (inner: Call): Call => ({
      ...inner,
      steps: [{ type: 'DELEGATECALL', to: C, input: inner.input!, steps: inner.steps! }],
    });
    const call: Call = { steps: [proxied(send(B, 1n)), proxied(send(C, 2n))] };
    expect(readParity(call).logs.map(({ frame }) => frame)).toEqual([2, 4]);
  });

  it('leaves the frame open where two could have made the event', () => {
    const odd: Emit = { emit: { topics: [topic(77)] } };
    const call: Call = {
      steps: [
        { to: A, input: '0x01020304' },
        { to: A, input: '0x05060708', steps: [odd] },
      ],
    };
    expect(readParity(call).logs[0]!.frame).toBeNull();
  });
});
