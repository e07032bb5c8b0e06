import { describe, expect, it } from 'vitest';
import { joinReads } from '../../../src/stages/1-fetch/block/blockSession.ts';
import type { ViewCall } from '../../../src/stages/1-fetch/context/multicall.ts';
import type { ContextPlan } from '../../../src/stages/1-fetch/context/planContext.ts';
import type { Address, Hex } from '../../../src/model/hex.ts';
import { account } from '../../support/builders.ts';

const plan = (...accounts: Address[]) => ({ accounts }) as unknown as ContextPlan;
const call = (to: Address, data: Hex, apart?: string): ViewCall =>
  apart === undefined ? { to, data } : { to, data, apart };
const [A, B, C] = [account('aa'), account('bb'), account('cc')];

/** Answers every read with its own calldata and remembers what was sent. */
function recorder(fail = false) {
  const sent: { accounts: readonly Address[]; reads: readonly ViewCall[] }[] = [];
  return {
    sent,
    send: ({ accounts }: ContextPlan, reads: readonly ViewCall[]) => {
      sent.push({ accounts, reads });
      if (fail) return Promise.reject(new Error('down'));
      return Promise.resolve({
        block: 'header',
        timestamp: 7,
        answers: reads.map(({ data }) => data),
        nonces: new Map(),
        delegations: new Map(accounts.map((one) => [one, B])),
        redelegated: new Set<Address>(),
      });
    },
  };
}

describe('reads of a block, joined', () => {
  it('are sent once for all that ask, and each gets its own answers and delegations', async () => {
    const { sent, send } = recorder();
    const joined = joinReads(2, send);
    const first = joined.read(plan(A), [call(A, '0x01'), call(B, '0x02')]);
    const second = joined.read(plan(A, C), [call(B, '0x02'), call(C, '0x03')]);
    expect((await first).answers).toEqual(['0x01', '0x02']);
    expect((await second).answers).toEqual(['0x02', '0x03']);
    expect([...(await first).delegations.keys()]).toEqual([A]);
    expect([...(await second).delegations.keys()]).toEqual([A, C]);
    expect(sent).toHaveLength(1);
    expect(sent[0]!.reads.map(({ data }) => data)).toEqual(['0x01', '0x02', '0x03']);
    expect(sent[0]!.accounts).toEqual([A, C]);
  });

  it('do not wait for a transaction that is done', async () => {
    const { sent, send } = recorder();
    const joined = joinReads(2, send);
    const read = joined.read(plan(), [call(A, '0x01')]);
    expect(sent).toHaveLength(0);
    joined.leave();
    await read;
    expect(sent).toHaveLength(1);
  });

  it('share an aggregate only where each would have sent the same one', async () => {
    const { sent, send } = recorder();
    const joined = joinReads(3, send);
    void joined.read(plan(), [call(A, '0x01', A), call(A, '0x02', A)]);
    void joined.read(plan(), [call(A, '0x01', A), call(A, '0x02', A)]);
    await joined.read(plan(), [call(A, '0x01', A)]);
    const { reads } = sent[0]!;
    expect(reads.map(({ data }) => data)).toEqual(['0x01', '0x02', '0x01']);
    expect(reads[0]!.apart).toBe(reads[1]!.apart);
    expect(reads[2]!.apart).not.toBe(reads[0]!.apart);
  });

  it('fail for all that asked', async () => {
    const joined = joinReads(2, recorder(true).send);
    const both = [joined.read(plan(), []), joined.read(plan(), [])];
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
