import { describe, expect, it } from 'vitest';
import { accountFlows, isBooked, type OwnPosition } from '../../../src/value/accountFlows.ts';

const flow = (id: string, received: bigint, sent: bigint) => ({ id, received, sent });
const position = (over: Partial<OwnPosition>): OwnPosition => ({
  category: 'stake',
  effect: 'increase',
  proven: true,
  token: null,
  delta: null,
  place: over.token ?? 'market',
  parts: [],
  ...over,
});
const put = (asset: string, amount: bigint, role = 'principal') => ({ asset, delta: -amount, role });
const none = (): boolean => false;
const net = (flows: ReturnType<typeof accountFlows>) => Object.fromEntries(flows.net);
const beside = (flows: ReturnType<typeof accountFlows>) =>
  flows.withPositions && Object.fromEntries(flows.withPositions);

describe('the flows of an account', () => {
  it('a loan is a debt, its collateral a claim on the market', () => {
    const flows = accountFlows(
      [flow('USD', 30n, 0n), flow('GOLD', 0n, 50n)],
      [
        position({ category: 'lending_supply', parts: [put('GOLD', 50n)] }),
        position({ category: 'lending_debt', parts: [{ asset: 'USD', delta: 30n, role: 'debt' }] }),
      ],
      none,
    );
    expect(net(flows)).toEqual({ USD: 0n, GOLD: 0n });
    expect(flows.received).toEqual([
      ['USD', 30n],
      ['GOLD', 50n],
    ]);
    expect(flows.withPositions).toBeNull();
  });

  it('tokens of debts are no assets, tokens of supplies count at what was exchanged for them', () => {
    const flows = accountFlows(
      [flow('USD', 30n, 200n), flow('aUSD', 201n, 0n), flow('debtUSD', 31n, 0n)],
      [
        position({ category: 'lending_supply', token: 'aUSD', delta: 201n, parts: [put('USD', 200n)] }),
        position({
          category: 'lending_debt',
          token: 'debtUSD',
          delta: 31n,
          parts: [{ asset: 'USD', delta: 30n, role: 'debt' }],
        }),
      ],
      none,
    );
    expect(net(flows)).toEqual({ USD: 0n });
    expect([...flows.debtTokens]).toEqual(['debtUSD']);
    expect([...flows.counted]).toEqual(['aUSD', 'debtUSD']);
  });

  it('no token counts at what was exchanged for it where an act is in doubt', () => {
    const supply = position({
      category: 'lending_supply',
      token: 'aUSD',
      delta: 5n,
      parts: [put('USD', 5n)],
    });
    expect(accountFlows([], [{ ...supply, proven: false }], none).counted.size).toBe(0);
    // Nor is a loan told as a gain: the sums need a price of the debt's token.
    const debt = { ...supply, category: 'lending_debt', token: 'debtUSD', proven: false };
    const flows = accountFlows([flow('USD', 5n, 0n), flow('debtUSD', 5n, 0n)], [debt], none);
    expect(net(flows)).toEqual({ USD: 5n, debtUSD: 5n });
    expect(flows.received).toEqual([
      ['USD', 5n],
      ['debtUSD', 5n],
    ]);
    expect([...flows.debtTokens]).toEqual(['debtUSD']);
  });

  it('what goes into a position that is only suspected is booked, too', () => {
    const staked = (proven: boolean, token: string | null) =>
      isBooked([position({ proven, token, parts: [put('USD', 100n)] })], (id) => id !== 'share');
    expect([staked(true, null), staked(false, null), staked(false, 'share')]).toEqual([true, true, true]);
    expect([staked(false, 'priced'), staked(true, 'priced')]).toEqual([false, false]);
    expect(isBooked([], none)).toBe(false);
  });

  it.each([
    ['a stake without a receipt', position({ parts: [put('USD', 100n)] }), []],
    [
      'shares without a price',
      position({ category: 'vault', token: 'SHARE', delta: 90n, parts: [put('USD', 100n)] }),
      [flow('SHARE', 90n, 0n)],
    ],
    ['a bridge’s principal', position({ category: 'bridge_claim', parts: [put('USD', 100n)] }), []],
  ])('%s is sent in the net, and at cost beside it', (_, one, receipts) => {
    const flows = accountFlows([flow('USD', 0n, 101n), ...receipts], [one], none);
    expect(flows.net.get('USD')).toBe(-101n);
    expect(beside(flows)).toEqual({ USD: -1n });
  });

  it('a receipt with a price counts at that price alone', () => {
    const flows = accountFlows(
      [flow('ETH', 0n, 100n), flow('stETH', 99n, 0n)],
      [position({ token: 'stETH', delta: 99n, parts: [put('ETH', 100n)] })],
      () => true,
    );
    expect(net(flows)).toEqual({ ETH: -100n, stETH: 99n });
    expect(flows.withPositions).toBeNull();
  });

  it('taking a booked position out again leaves the reward', () => {
    const flows = accountFlows(
      [flow('USD', 107n, 0n)],
      [
        position({
          effect: 'close',
          parts: [
            { asset: 'USD', delta: 100n, role: 'principal' },
            { asset: 'USD', delta: 7n, role: 'reward' },
          ],
        }),
      ],
      none,
    );
    expect(net(flows)).toEqual({ USD: 107n });
    expect(beside(flows)).toEqual({ USD: 7n });
  });

  it('a doubtful position counts nowhere', () => {
    const flows = accountFlows(
      [flow('USD', 0n, 5n)],
      [position({ proven: false, parts: [put('USD', 5n)] })],
      none,
    );
    expect([net(flows), flows.withPositions]).toEqual([{ USD: -5n }, null]);
  });

  it('a loan that was paid elsewhere for nothing told makes the net untold', () => {
    const debt = position({
      category: 'lending_debt',
      parts: [
        { asset: 'USD', delta: 63_443n, role: 'debt' },
        { asset: 'USD', delta: -443n, role: 'fee' },
      ],
    });
    expect(accountFlows([], [debt], none).untold).toEqual(['USD']);
    expect(accountFlows([flow('USD', 63_000n, 0n)], [debt], none).untold).toEqual([]);
    const collateral = position({ category: 'lending_supply', parts: [put('GOLD', 30n)] });
    expect(accountFlows([], [debt, collateral], none).untold).toEqual([]);
  });
});
