import { describe, expect, it } from 'vitest';
import { canonicalize } from '../../../src/stages/2-canonical/canonicalize.ts';
import { buildValueFlow } from '../../../src/stages/3-flow/buildValueFlow.ts';
import { NATIVE_ASSET } from '../../../src/value/asset.ts';
import { SYSTEM_ADDRESS, ZERO_ADDRESS } from '../../../src/evm/hex.ts';
import { TRANSFER } from '../../../src/evm/tokenTopics.ts';
import {
  address,
  EOA,
  rawTransaction,
  ROOT,
  topic,
  word,
  type Call,
  type ToldOptions,
} from '../2-canonical/execution.ts';

const A = address('aa');
const B = address('bb');
const rules = { wrappedNative: new Set<never>(), tokenEvents: new Map() };
const flowOf = (call: Call, options?: ToldOptions) =>
  buildValueFlow(canonicalize(rawTransaction(call, 'call_tracer', options)), rules);
const moves = (call: Call, options?: ToldOptions) =>
  flowOf(call, options).movements.map(({ kind, from, to, amount }) => [kind, from, to, amount]);
const CANCUN = { receipt: { blockNumber: '0x1286d1b' } };
const BEFORE_CANCUN = { receipt: { blockNumber: '0x1286d1a' } };

describe('native value', () => {
  it('moves once however often a DELEGATECALL, CALLCODE or STATICCALL repeats it', () => {
    const call: Call = {
      value: 5n,
      steps: [
        { type: 'DELEGATECALL', to: A, value: 5n, steps: [{ to: B, value: 5n }] },
        { type: 'CALLCODE', to: A, value: 5n },
        { type: 'STATICCALL', to: A, value: 5n },
      ],
    };
    expect(moves(call)).toEqual([
      ['transfer', EOA, ROOT, 5n],
      ['transfer', ROOT, B, 5n],
    ]);
  });

  it('does not move in a failed call or below it', () => {
    expect(
      moves({
        steps: [
          { to: A, value: 5n, error: 'execution reverted', steps: [{ to: B, value: 4n }] },
          { to: B, value: 3n },
        ],
      }),
    ).toEqual([['transfer', ROOT, B, 3n]]);
  });

  it('goes with creations, and to precompiles', () => {
    const sha = '0x0000000000000000000000000000000000000002';
    expect(
      moves({ steps: [{ type: 'CREATE2', to: A, value: 2n }, { to: sha, value: 1n }, { to: sha }] }),
    ).toEqual([
      ['transfer', ROOT, A, 2n],
      ['transfer', ROOT, sha, 1n],
    ]);
    expect(moves({ type: 'CREATE', to: A, value: 2n, input: '0x60' })).toEqual([['transfer', EOA, A, 2n]]);
  });

  it('through nested proxies is counted at each hop that pays', () => {
    const call: Call = {
      value: 9n,
      steps: [
        {
          type: 'DELEGATECALL',
          to: A,
          value: 9n,
          steps: [
            {
              to: B,
              value: 9n,
              steps: [{ type: 'DELEGATECALL', to: A, value: 9n, steps: [{ to: EOA, value: 1n }] }],
            },
          ],
        },
      ],
    };
    expect(moves(call)).toEqual([
      ['transfer', EOA, ROOT, 9n],
      ['transfer', ROOT, B, 9n],
      ['transfer', B, EOA, 1n],
    ]);
  });

  it('sent to oneself is counted aside', () => {
    const flow = flowOf({ from: EOA, to: EOA, value: 5n });
    expect(flow.movements).toEqual([]);
    expect(flow.nonEconomic).toEqual([
      {
        kind: 'self_transfer',
        from: EOA,
        to: EOA,
        evidence: { kind: 'frame', frame: 0, log: null, contract: EOA },
      },
    ]);
  });

  it('carries its frame as evidence and stands before what the callee logs', () => {
    const transfer = { emit: { topics: [TRANSFER, topic(ROOT), topic(B)], data: `0x${word(7)}` } };
    const flow = flowOf({
      steps: [
        { to: A, value: 1n, steps: [transfer] },
        { to: B, value: 2n },
      ],
    });
    expect(
      flow.movements.map(({ index, asset, evidence }) => [
        index,
        asset === NATIVE_ASSET,
        evidence.frame,
        evidence.log,
      ]),
    ).toEqual([
      [0, true, 1, null],
      [1, false, 1, 0],
      [2, true, 2, null],
    ]);
  });

  it('of a reverted transaction does not move, and its stray logs say nothing', () => {
    const flow = flowOf({
      value: 5n,
      error: 'execution reverted',
      steps: [{ emit: { topics: [TRANSFER, topic(ROOT), topic(B)], data: `0x${word(7)}` } }],
    });
    expect(flow).toMatchObject({ movements: [], nonEconomic: [] });
    expect(flow.graph().order).toBe(0);
  });

  it('is not counted again from the logs that repeat it (EIP-7708)', () => {
    const repeated = {
      emit: { address: SYSTEM_ADDRESS, topics: [TRANSFER, topic(ROOT), topic(A)], data: `0x${word(5)}` },
    };
    const call: Call = { steps: [repeated, { to: A, value: 5n }] };
    for (const dialect of ['call_tracer', 'parity'] as const) {
      const flow = buildValueFlow(canonicalize(rawTransaction(call, dialect)), rules);
      expect(flow.movements.map(({ from, to, amount }) => [from, to, amount])).toEqual([[ROOT, A, 5n]]);
      expect(flow.nonEconomic.map(({ kind, from, to }) => [kind, from, to])).toEqual([
        ['duplicate_native_log', ROOT, A],
      ]);
    }
  });
});

describe('SELFDESTRUCT', () => {
  it('pays its beneficiary', () => {
    expect(moves({ steps: [{ to: A, steps: [{ type: 'SELFDESTRUCT', to: B, value: 5n }] }] })).toEqual([
      ['transfer', A, B, 5n],
    ]);
    expect(moves({ steps: [{ to: A, steps: [{ type: 'SELFDESTRUCT', to: B }] }] })).toEqual([]);
  });

  it('to itself burns before Cancun, and since then only in the transaction that created it', () => {
    const old: Call = { steps: [{ to: A, steps: [{ type: 'SELFDESTRUCT', to: A, value: 5n }] }] };
    const young: Call = {
      steps: [
        { type: 'CREATE', to: A, value: 5n, steps: [] },
        { to: A, steps: [{ type: 'SELFDESTRUCT', to: A, value: 5n }] },
      ],
    };
    expect(moves(old, BEFORE_CANCUN)).toEqual([['burn', A, ZERO_ADDRESS, 5n]]);
    expect(moves(old, CANCUN)).toEqual([]);
    expect(flowOf(old, CANCUN).nonEconomic.map(({ kind }) => kind)).toEqual(['self_transfer']);
    expect(moves(young, CANCUN)).toEqual([
      ['transfer', ROOT, A, 5n],
      ['burn', A, ZERO_ADDRESS, 5n],
    ]);
    // A chain numbered otherwise: blob fields tell the fork.
    expect(moves(old, { receipt: { blockNumber: '0x5', blobGasPrice: '0x1' } })).toEqual([]);
  });

  it('takes with it what the account is paid afterwards and keeps', () => {
    const call: Call = {
      steps: [
        { to: A, value: 1n, steps: [{ type: 'SELFDESTRUCT', to: B, value: 4n }] },
        { to: A, value: 3n, steps: [{ to: B, value: 1n }] },
      ],
    };
    expect(moves(call, BEFORE_CANCUN)).toEqual([
      ['transfer', ROOT, A, 1n],
      ['transfer', A, B, 4n],
      ['transfer', ROOT, A, 3n],
      ['transfer', A, B, 1n],
      ['burn', A, ZERO_ADDRESS, 2n],
    ]);
    expect(moves(call, CANCUN)).toHaveLength(4);
  });

  it('that was undone destroys nothing', () => {
    const call: Call = {
      steps: [
        { to: A, error: 'execution reverted', steps: [{ type: 'SELFDESTRUCT', to: A, value: 4n }] },
        { to: A, value: 3n },
      ],
    };
    expect(moves(call, BEFORE_CANCUN)).toEqual([['transfer', ROOT, A, 3n]]);
  });
});
