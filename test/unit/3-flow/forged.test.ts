import { describe, expect, it } from 'vitest';
import { canonicalize } from '../../../src/stages/2-canonical/canonicalize.ts';
import { buildValueFlow } from '../../../src/stages/3-flow/buildValueFlow.ts';
import { TRANSFER } from '../../../src/evm/tokenTopics.ts';
import { ZERO_ADDRESS } from '../../../src/evm/hex.ts';
import {
  address,
  rawTransaction,
  topic,
  word,
  type Call,
  type Emit,
  type ToldOptions,
} from '../2-canonical/execution.ts';

const TOKEN = address('70');
const transfer = (from: string, to: string): Emit => ({
  emit: { topics: [TRANSFER, topic(from), topic(to)], data: `0x${word(5)}` },
});
const PAIRS = [
  ['11', '21'],
  ['12', '22'],
].map(([from, to]) => transfer(address(from!), address(to!)));
const read = (gas: number, steps: Emit[] = PAIRS, options: ToldOptions = {}) => {
  const call: Call = { steps: [{ to: TOKEN, steps }] };
  const raw = rawTransaction(call, 'call_tracer', {
    ...options,
    receipt: { gasUsed: gas, ...options.receipt },
  });
  const flow = buildValueFlow(canonicalize(raw), { wrappedNative: new Set(), tokenEvents: new Map() });
  return {
    moved: flow.movements.length,
    forged: flow.nonEconomic.filter(({ kind }) => kind === 'forged_transfer').length,
  };
};
// Bare cost 21,000 + 2 logs of 1,756; four balances less one: three writes of 4,800; a fifth may be refunded.
const LEAST_TRUE = Math.ceil(((21_000 + 2 * 1_756 + 3 * 4_800) * 4) / 5);

describe('forged transfers', () => {
  it('are those the gas spent cannot have paid for', () => {
    expect(read(LEAST_TRUE - 1)).toEqual({ moved: 0, forged: 2 });
    expect(read(LEAST_TRUE)).toEqual({ moved: 2, forged: 0 });
  });

  it('are not claimed of accounts whose balance need not be written', () => {
    const net = [
      transfer(address('11'), address('21')),
      transfer(address('21'), address('31')),
      transfer(address('31'), address('11')),
    ];
    expect(read(30_000, net).forged).toBe(0);
    const implied = ['21', '22']
      .map((to) => transfer(TOKEN, address(to)))
      .concat(['11', '12'].map((from) => transfer(address(from), ZERO_ADDRESS)));
    expect(read(45_000, implied).forged).toBe(0);
  });

  it('are not claimed where refunds hid more, or where gas may have become cheaper', () => {
    const gas = LEAST_TRUE - 1;
    expect(read(gas, PAIRS, { tx: { type: '0x0' }, receipt: { blockNumber: '0xb71b00' } }).forged).toBe(0);
    expect(read(gas, PAIRS, { receipt: { blockNumber: '0x2000000' } }).forged).toBe(0);
  });

  it('are not claimed from a receipt whose gas cannot be true', () => {
    expect(read(21_000)).toEqual({ moved: 2, forged: 0 });
  });
});
