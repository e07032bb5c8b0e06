import { describe, expect, it } from 'vitest';
import { canonicalize } from '../../../src/stages/2-canonical/canonicalize.ts';
import { buildValueFlow } from '../../../src/stages/3-flow/buildValueFlow.ts';
import { NATIVE_ASSET } from '../../../src/value/asset.ts';
import { ZERO_ADDRESS } from '../../../src/evm/hex.ts';
import { DEPOSIT, TRANSFER, WITHDRAWAL } from '../../../src/evm/tokenTopics.ts';
import {
  address,
  EOA,
  rawTransaction,
  ROOT,
  topic,
  word,
  type Call,
  type Emit,
} from '../2-canonical/execution.ts';

const POOL = address('9f');
const WETH = address('ee');
const emit = (topics: string[], amount: bigint | number): Emit => ({
  emit: { topics, data: `0x${word(amount)}` },
});
const deposit = (to: string, amount: number): Emit => emit([DEPOSIT, topic(to)], amount);
const withdrawal = (from: string, amount: number): Emit => emit([WITHDRAWAL, topic(from)], amount);
const transfer = (from: string, to: string, amount: number): Emit =>
  emit([TRANSFER, topic(from), topic(to)], amount);
const flowOf = (call: Call, known = true) =>
  buildValueFlow(canonicalize(rawTransaction(call)), {
    wrappedNative: new Set(known ? [WETH] : []),
    tokenEvents: new Map(),
  });
const moves = (call: Call, known = true) =>
  flowOf(call, known).movements.map(({ kind, from, to, asset, amount }) => [
    kind,
    from,
    to,
    asset === NATIVE_ASSET ? 'ether' : 'token',
    Number(amount),
  ]);
const wrap = (value: number, ...steps: Emit[]): Call => ({
  to: WETH,
  value: BigInt(value),
  input: '0xd0e30db0',
  steps,
});
const unwrap = (value: number, ...steps: Emit[]): Call => ({
  to: WETH,
  input: `0x2e1a7d4d${word(value)}`,
  steps: [{ to: ROOT, value: BigInt(value) }, ...steps],
});

describe('known wrapped ether', () => {
  it('is minted by Deposit and burnt by Withdrawal', () => {
    expect(moves({ value: 5n, steps: [wrap(5, deposit(ROOT, 5))] })).toEqual([
      ['transfer', EOA, ROOT, 'ether', 5],
      ['transfer', ROOT, WETH, 'ether', 5],
      ['wrap', ZERO_ADDRESS, ROOT, 'token', 5],
    ]);
    expect(moves({ steps: [unwrap(5, withdrawal(ROOT, 5))] })).toEqual([
      ['transfer', WETH, ROOT, 'ether', 5],
      ['unwrap', ROOT, ZERO_ADDRESS, 'token', 5],
    ]);
  });

  it('that logs a Transfer as well is counted once', () => {
    const flow = flowOf({
      value: 5n,
      steps: [
        wrap(5, deposit(ROOT, 5), transfer(ZERO_ADDRESS, ROOT, 5)),
        unwrap(2, transfer(ROOT, ZERO_ADDRESS, 2), withdrawal(ROOT, 2)),
      ],
    });
    expect(
      flow.movements.filter(({ asset }) => asset !== NATIVE_ASSET).map(({ kind, amount }) => [kind, amount]),
    ).toEqual([
      ['wrap', 5n],
      ['unwrap', 2n],
    ]);
    expect(flow.nonEconomic.map(({ kind, from, to }) => [kind, from, to])).toEqual([
      ['duplicate_wrap_log', ZERO_ADDRESS, ROOT],
      ['duplicate_wrap_log', ROOT, ZERO_ADDRESS],
    ]);
  });

  it('that logs one of two is counted twice, not once', () => {
    expect(
      moves({
        value: 5n,
        steps: [wrap(5, deposit(ROOT, 5), deposit(ROOT, 5), transfer(ZERO_ADDRESS, ROOT, 5))],
      }).slice(2),
    ).toEqual([
      ['wrap', ZERO_ADDRESS, ROOT, 'token', 5],
      ['wrap', ZERO_ADDRESS, ROOT, 'token', 5],
    ]);
  });
});

describe('unknown emitters of Deposit and Withdrawal', () => {
  it('are wrapped ether where ether and Transfers prove it', () => {
    expect(
      moves(
        { value: 5n, steps: [wrap(5, deposit(ROOT, 5)), { to: WETH, steps: [transfer(ROOT, POOL, 5)] }] },
        false,
      ).slice(2),
    ).toEqual([
      ['wrap', ZERO_ADDRESS, ROOT, 'token', 5],
      ['transfer', ROOT, POOL, 'token', 5],
    ]);
    expect(
      moves(
        {
          steps: [
            { to: WETH, steps: [transfer(POOL, ROOT, 3)] },
            { to: WETH, steps: [transfer(POOL, ROOT, 2)] },
            unwrap(5, withdrawal(ROOT, 5)),
          ],
        },
        false,
      ).at(-1),
    ).toEqual(['unwrap', ROOT, ZERO_ADDRESS, 'token', 5]);
  });

  it('are nothing of the kind where anything is missing', () => {
    const sent = transfer(ROOT, POOL, 5);
    const phantom = (call: Call): unknown[] =>
      moves(call, false).filter(([kind]) => kind === 'wrap' || kind === 'unwrap');
    expect(phantom({ value: 5n, steps: [wrap(5, deposit(ROOT, 5))] })).toEqual([]); // speaks no ERC-20
    expect(phantom({ steps: [wrap(0, deposit(ROOT, 5)), { to: WETH, steps: [sent] }] })).toEqual([]); // no ether
    expect(phantom({ value: 5n, steps: [wrap(4, deposit(ROOT, 5)), { to: WETH, steps: [sent] }] })).toEqual(
      [],
    ); // other amount
    expect(
      phantom({
        value: 5n,
        steps: [wrap(5, deposit(ROOT, 5), deposit(ROOT, 5)), { to: WETH, steps: [sent, sent] }],
      }),
    ).toEqual([]); // one payment, two claims
    expect(
      phantom({
        value: 5n,
        steps: [wrap(5, deposit(ROOT, 5)), { to: WETH, steps: [transfer(ROOT, POOL, 4)] }],
      }),
    ).toEqual([]); // does not cancel
    expect(
      phantom({
        value: 5n,
        steps: [wrap(5, deposit(ROOT, 5), transfer(ZERO_ADDRESS, ROOT, 9)), { to: WETH, steps: [sent] }],
      }),
    ).toEqual([]); // a vault that logs its mints
    expect(
      phantom({
        value: 5n,
        steps: [wrap(5, deposit(ROOT, 5)), { to: WETH, steps: [transfer(EOA, POOL, 5)] }],
      }),
    ).toEqual([]); // someone else's tokens
  });
});
