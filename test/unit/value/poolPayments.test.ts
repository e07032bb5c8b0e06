import { describe, expect, it } from 'vitest';
import { erc20Id } from '../../../src/value/asset.ts';
import { othersInPools } from '../../../src/value/poolPayments.ts';
import type { Address } from '../../../src/model/hex.ts';
import { account, motif, rulebook, SIGNER, valueFlow } from '../../support/builders.ts';

const POOL = account('d0');
const TOKEN = erc20Id(account('71'));
const book = rulebook();
const helper = (index: number): Address => `0x${index.toString(16).padStart(40, '0')}`;

/** Payments by others to a swap's pool, where `payer` pays through that many accounts that keep nothing. */
function paidBy(payer: Address, helpers: number): Address[] {
  const way = [payer, ...Array.from({ length: helpers }, (_, index) => helper(index + 1)), POOL];
  const flow = valueFlow(
    way.slice(1).map((to, index) => ({ from: way[index]!, to, asset: TOKEN, amount: 10n })),
  );
  const swap = motif({ assetsOut: [{ asset: TOKEN, amount: 10n, role: 'in' }], movements: [helpers] });
  const scene = { flow, motifs: [swap], rulebook: book };
  return othersInPools([swap], new Set([SIGNER]), scene).map(({ to }) => to);
}

describe('what others paid to the pool of a swap', () => {
  it.each([0, 1, 20])("is nothing where the actor's own passed through %i accounts", (helpers) => {
    expect(paidBy(SIGNER, helpers)).toEqual([]);
  });
  it.each([0, 1, 20])('is what a bystander lost, through %i accounts', (helpers) => {
    expect(paidBy(account('b5'), helpers)).toEqual([POOL]);
  });
  it('and what came on a way too long to follow', () => {
    expect(paidBy(account('b5'), 400)).toEqual([POOL]);
  });
});
