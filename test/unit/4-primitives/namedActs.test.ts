import { describe, expect, it } from 'vitest';
import { stemsOf } from '../../../src/lib/text.ts';

describe('words of names', () => {
  it.each([
    ['ETHDepositInitiated', ['eth', 'deposit', 'initiat']],
    ['_dst_chain_id', ['dst', 'chain']],
    ['claimRewards', ['claim', 'reward']],
    ['getReward', ['get', 'reward']],
  ])('splits %s and cuts its words to their stems', (name, stems) => {
    expect([...stemsOf(name)]).toEqual(expect.arrayContaining(stems));
  });

  it('gives the forms of a word one stem', () => {
    const forms = ['stake', 'staked', 'stakes', 'staking'].map((word) => [...stemsOf(word)][0]);
    expect(new Set(forms)).toEqual(new Set(['stak']));
  });
});
