import { describe, expect, it } from 'vitest';
import { erc20Id, NATIVE_ASSET } from '../../../src/value/asset.ts';
import { ZERO_ADDRESS } from '../../../src/evm/hex.ts';
import { usdText } from '../../../src/value/money.ts';
import { executionPayments } from '../../../src/value/parties/execution.ts';
import type { Frame } from '../../../src/model/canonicalTx.ts';
import type { Address } from '../../../src/model/hex.ts';
import type { Motif } from '../../../src/model/motif.ts';
import type { PriceQuote } from '../../../src/model/upstream.ts';
import { computeEconomics, type EconomicsInput } from '../../../src/stages/8-economics/computeEconomics.ts';
import {
  account,
  attribution,
  blockHeader,
  BUILDER,
  canonicalTx,
  classified,
  frame,
  ETHER,
  motif,
  quote,
  rawContext,
  rulebook,
  SIGNER,
  token,
  valueFlow,
  verdict,
  WRAPPED,
  wrappedId,
  type MovementSketch,
} from '../../support/builders.ts';

const BOT = account('b0');
const [POOL_A, POOL_B] = [account('d1'), account('d2')];
const MID = account('0d');
const midId = erc20Id(MID);
const CYCLE = [
  motif({ index: 0, kind: 'cycle', venue: BOT, participants: [{ role: 'owner', account: BOT }] }),
  motif({ index: 1, venue: POOL_A, parent: 0 }),
  motif({ index: 2, venue: POOL_B, parent: 0 }),
  motif({ index: 3, venue: account('d3') }),
];
/** 10 wrapped ether in at one pool, 11 out of the other. */
const ROUND: readonly MovementSketch[] = [
  { from: BOT, to: POOL_A, asset: wrappedId, amount: 10n * ETHER },
  { from: POOL_A, to: POOL_B, asset: midId, amount: 500n },
  { from: POOL_B, to: BOT, asset: wrappedId, amount: 11n * ETHER },
];

/** The motifs with the movements of their venues; a cycle with what its hops took and gave of its first asset. */
function bound(movements: readonly MovementSketch[], motifs: readonly Motif[]): Motif[] {
  const at = (venues: readonly Address[]): number[] =>
    movements.flatMap(({ from, to }, i) => (venues.includes(from) || venues.includes(to) ? [i] : []));
  return motifs.map((one) => {
    if (one.movements.length > 0) return one;
    if (one.kind !== 'cycle') return { ...one, movements: at([one.venue]) };
    const venues = motifs.filter(({ parent }) => parent === one.index).map(({ venue }) => venue);
    const base = movements.some(({ asset }) => asset === wrappedId) ? wrappedId : midId;
    const sum = (end: 'from' | 'to') =>
      movements
        .filter(
          (m) =>
            m.asset === base &&
            venues.includes(m[end]) &&
            !venues.includes(m.from === m[end] ? m.to : m.from),
        )
        .reduce((total, { amount }) => total + amount, 0n);
    return {
      ...one,
      movements: at(venues),
      assetsOut: [{ asset: base, amount: sum('to'), role: 'in' }],
      assetsIn: [{ asset: base, amount: sum('from'), role: 'out' }],
    };
  });
}

function pnl(
  movements: readonly MovementSketch[],
  over: Partial<EconomicsInput> = {},
  prices: readonly PriceQuote[] = [quote('native', '2000')],
) {
  const result = computeEconomics({
    tx: canonicalTx(),
    header: blockHeader(),
    flow: valueFlow(movements),
    context: rawContext({ tokens: [token(WRAPPED), token(MID)], prices }),
    attribution: attribution({
      actor: BOT,
      entity: [BOT, SIGNER],
      mode: 'bot_contract',
      submitterRole: 'mev_bot',
      beneficiary: null,
    }),
    verdict: verdict({ kind: 'AtomicArbitrage', category: 'mev', motifs: [0] }),
    rulebook: rulebook(),
    ...over,
    motifs: classified(bound(movements, over.motifs ?? CYCLE), over.rulebook ?? rulebook()),
  });
  return {
    realized: result.realizedPnl,
    profit: result.structuralProfit,
    entry: result.realizedPnl.supported ? result.realizedPnl.entries[0]! : null,
  };
}

describe('realised profit of a closed flow', () => {
  it('is what came back less what went out, less gas', () => {
    const { realized, entry, profit } = pnl(ROUND);
    expect(entry).toMatchObject({
      beneficiary: BOT,
      asset: NATIVE_ASSET,
      cost: 10n * ETHER,
      proceeds: 11n * ETHER,
      gross: ETHER,
      builderPayment: 0n,
      motifs: [0],
      pools: [POOL_A, POOL_B],
    });
    expect(
      realized.supported && [usdText(realized.gross), usdText(realized.net), usdText(profit.usd!)],
    ).toEqual(['$2000.00', '$1994.00', '$2000.00']);
    expect(entry!.evidence).toHaveLength(1);
  });

  it('does not need the intermediate asset to have a price', () => {
    expect(pnl(ROUND).realized.supported).toBe(true);
    expect(
      pnl([
        { from: POOL_A, to: BOT, asset: midId, amount: 5n },
        { from: BOT, to: POOL_B, asset: midId, amount: 5n },
        ...ROUND,
      ]).realized.supported,
    ).toBe(true);
  });

  it('shows the payment to the builder apart, after unwrapping it, and through a helper', () => {
    const HELPER = account('41');
    const unwrap: MovementSketch[] = [
      { from: BOT, to: ZERO_ADDRESS, asset: wrappedId, amount: ETHER / 2n, kind: 'unwrap' },
      { from: WRAPPED, to: BOT, amount: ETHER / 2n, kind: 'unwrap' },
    ];
    for (const paid of [
      [{ from: BOT, to: BUILDER, amount: ETHER / 2n }],
      [
        { from: BOT, to: HELPER, amount: ETHER / 2n },
        { from: HELPER, to: BUILDER, amount: ETHER / 2n },
      ],
    ]) {
      const { entry } = pnl([...ROUND, ...unwrap, ...paid]);
      expect(entry).toMatchObject({
        cost: 10n * ETHER,
        proceeds: 11n * ETHER,
        gross: ETHER,
        builderPayment: ETHER / 2n,
      });
      expect([entry!.grossUsd, entry!.builderUsd, entry!.netUsd].map(usdText)).toEqual([
        '$2000.00',
        '$1000.00',
        '$994.00',
      ]);
    }
  });

  it('counts a builder payment in another asset than the profit', () => {
    const movements: MovementSketch[] = [
      { from: POOL_B, to: BOT, asset: midId, amount: 3n * ETHER },
      { from: BOT, to: POOL_A, asset: midId, amount: ETHER },
      { from: BOT, to: BUILDER, amount: ETHER / 10n },
    ];
    const { entry } = pnl(movements, {}, [quote('native', '2000'), quote(MID, '300')]);
    expect(entry).toMatchObject({ asset: midId, gross: 2n * ETHER, builderPayment: 0n });
    expect([entry!.grossUsd, entry!.builderUsd, entry!.netUsd].map(usdText)).toEqual([
      '$600.00',
      '$200.00',
      '$394.00',
    ]);
  });

  it('can be a loss', () => {
    const { entry } = pnl([
      { from: BOT, to: POOL_A, asset: wrappedId, amount: 11n * ETHER },
      { from: POOL_B, to: BOT, asset: wrappedId, amount: 10n * ETHER },
    ]);
    expect(usdText(entry!.netUsd)).toBe('$-2006.00');
  });

  it('takes moves between the accounts of the entity for none', () => {
    expect(pnl([...ROUND, { from: BOT, to: SIGNER, asset: wrappedId, amount: ETHER }]).entry).toMatchObject({
      gross: ETHER,
      cost: 10n * ETHER,
    });
  });

  it('is unsupported when value is left over in a second asset', () => {
    const { realized, profit } = pnl([...ROUND, { from: POOL_B, to: BOT, asset: midId, amount: 1n }]);
    expect(realized).toEqual({ supported: false, reason: 'requires_multi_transaction_state' });
    expect(profit.reason).toBe('requires_multi_transaction_state');
  });

  it('is unsupported when nothing came back to the accounts of the entity', () => {
    const { realized, profit } = pnl([{ from: SIGNER, to: BOT, amount: 3831n }, ...ROUND], {
      attribution: attribution({ actor: SIGNER }),
    });
    expect(realized).toEqual({ supported: false, reason: 'result_held_elsewhere' });
    expect(profit.usd).toBeNull();
  });

  it('is unsupported when its asset has no price', () => {
    const { realized, profit } = pnl(ROUND, {}, []);
    expect(realized).toEqual({ supported: false, reason: 'unpriced_asset' });
    expect(profit.reason).toMatch(/^unpriced_asset: /);
  });

  it('is unsupported and zero without a closed flow of the actor', () => {
    for (const over of [
      {
        motifs: [motif({ venue: POOL_A })],
        verdict: verdict({ kind: 'DirectSwap', category: 'trade', motifs: [0] }),
      },
      { motifs: [motif({ venue: POOL_A })], attribution: attribution({ actor: null }) },
    ]) {
      const { realized, profit } = pnl(ROUND, over);
      expect(realized).toEqual({ supported: false, reason: 'requires_multi_transaction_state' });
      expect(usdText(profit.usd!)).toBe('$0.00');
    }
  });

  it('is unavailable, never zero, where a cycle is not told as the actor’s', () => {
    for (const over of [
      {
        motifs: [
          motif({ kind: 'cycle', venue: POOL_A, participants: [{ role: 'owner', account: account('77') }] }),
        ],
        verdict: verdict({ kind: 'DirectSwap', category: 'trade' }),
      },
      { attribution: attribution({ actor: null }) },
    ]) {
      const { realized, profit } = pnl(ROUND, over);
      expect(realized).toEqual({ supported: false, reason: 'requires_multi_transaction_state' });
      expect(profit).toEqual({ usd: null, reason: 'requires_multi_transaction_state' });
    }
  });

  it('is what the hops left: gifts, pulls and own funds handed in refuse it', () => {
    const BYSTANDER = account('55');
    const outside = { supported: false, reason: 'outside_receipt' };
    for (const gift of [
      { from: BYSTANDER, to: BOT, asset: wrappedId, amount: 20n * ETHER },
      { from: BYSTANDER, to: BOT, amount: 100n * ETHER },
      // Put into a pool by a helper: the last hop pays it out.
      { from: BYSTANDER, to: POOL_B, asset: wrappedId, amount: 100n * ETHER },
    ]) {
      const motifs = [
        ...bound(ROUND, CYCLE),
        motif({ index: 4, kind: 'transfer', venue: WRAPPED, movements: [3] }),
      ];
      const { realized, profit } = pnl([...ROUND, gift], { motifs });
      expect(realized).toEqual(outside);
      expect(profit).toEqual({ usd: null, reason: 'outside_receipt' });
    }
  });

  it('takes the fee of a loan off the net, not off what the hops left', () => {
    const LENDER = account('1e');
    const loan = motif({ index: 4, kind: 'flash_loan', venue: LENDER });
    const { entry } = pnl(
      [
        { from: LENDER, to: BOT, asset: wrappedId, amount: 10n * ETHER },
        ...ROUND,
        { from: BOT, to: LENDER, asset: wrappedId, amount: 10n * ETHER + ETHER / 100n },
      ],
      { motifs: [...CYCLE, loan] },
    );
    expect(entry).toMatchObject({
      cost: 10n * ETHER,
      proceeds: 11n * ETHER,
      gross: ETHER,
      fees: ETHER / 100n,
    });
    expect([entry!.grossUsd, entry!.feesUsd, entry!.netUsd].map(usdText)).toEqual([
      '$2000.00',
      '$20.00',
      '$1974.00',
    ]);
  });
});

describe('other flows that close', () => {
  const DEBT_MARKET = account('d7');
  const kinds = rulebook({
    motifKinds: [
      { kind: 'liquidation', position: { category: 'lending_debt', effect: 'liquidate' } },
      { kind: 'repay', position: { category: 'lending_debt', effect: 'decrease' } },
      { kind: 'vault_withdraw', position: { category: 'vault', effect: 'decrease' } },
      { kind: 'swap' },
      { kind: 'flash_loan' },
    ],
  });
  const shareId = erc20Id(account('05'));
  const liquidation = motif({ index: 0, kind: 'liquidation', venue: DEBT_MARKET });
  const swap = motif({
    index: 1,
    kind: 'swap',
    venue: POOL_A,
    participants: [{ role: 'payer', account: BOT }],
  });
  const prices = [quote('native', '2000'), quote(MID, '300')];
  /** 10 of MID for the debt of another, his wrapped ether, 11 of MID for that. */
  const left: readonly MovementSketch[] = [
    { from: BOT, to: DEBT_MARKET, asset: midId, amount: 10n * ETHER },
    { from: DEBT_MARKET, to: BOT, asset: wrappedId, amount: 2n * ETHER },
    { from: BOT, to: POOL_A, asset: wrappedId, amount: 2n * ETHER },
    { from: POOL_A, to: BOT, asset: midId, amount: 11n * ETHER },
  ];
  const run = (
    movements: readonly MovementSketch[],
    motifs = [liquidation, swap],
    own: readonly number[] = [0],
    kind = 'Liquidation',
  ) =>
    pnl(
      movements,
      { motifs, rulebook: kinds, verdict: verdict({ kind, category: 'lending', motifs: own }) },
      prices,
    );

  it('a liquidation whose collateral is sold at once', () => {
    const { entry, profit } = run(left);
    expect(entry).toMatchObject({
      asset: midId,
      cost: 10n * ETHER,
      proceeds: 11n * ETHER,
      gross: ETHER,
      motifs: [0],
      pools: [DEBT_MARKET, POOL_A],
    });
    expect([usdText(entry!.grossUsd), usdText(entry!.netUsd), usdText(profit.usd!)]).toEqual([
      '$300.00',
      '$294.00',
      '$300.00',
    ]);
  });

  it('not one whose collateral is kept, in whole or in part', () => {
    for (const movements of [
      left.slice(0, 2),
      [...left.slice(0, 2), { ...left[2]!, amount: ETHER }, left[3]!],
    ]) {
      const { realized, profit } = run(movements);
      expect(realized).toEqual({ supported: false, reason: 'requires_multi_transaction_state' });
      expect(usdText(profit.usd!)).toBe('$0.00');
    }
  });

  it('a loan taken and given back, at its cost', () => {
    const loan = motif({ index: 0, kind: 'flash_loan', venue: POOL_B });
    const { entry } = run(
      [
        { from: POOL_B, to: BOT, asset: midId, amount: 1000n * ETHER },
        { from: BOT, to: POOL_B, asset: midId, amount: 1001n * ETHER },
      ],
      [loan],
      [0],
      'FlashLoan',
    );
    expect([entry!.gross, usdText(entry!.grossUsd)]).toEqual([-ETHER, '$-300.00']);
  });

  it('not where a position changed that no token of theirs shows: a debt repaid is no money lost', () => {
    const loan = motif({ index: 0, kind: 'flash_loan', venue: POOL_B });
    const repay = motif({
      index: 1,
      kind: 'repay',
      venue: DEBT_MARKET,
      participants: [{ role: 'owner', account: BOT }],
    });
    const movements: MovementSketch[] = [
      { from: POOL_B, to: BOT, asset: midId, amount: 10n * ETHER },
      { from: BOT, to: DEBT_MARKET, asset: midId, amount: 5n * ETHER },
      { from: BOT, to: POOL_B, asset: midId, amount: 10n * ETHER },
    ];
    expect(run(movements, [loan, repay], [0], 'FlashLoan').realized).toEqual({
      supported: false,
      reason: 'requires_multi_transaction_state',
    });
  });

  it('with positions that are tokens made and spent on the way', () => {
    const withdraw = motif({
      index: 2,
      kind: 'vault_withdraw',
      venue: account('05'),
      assetsOut: [{ asset: shareId, amount: ETHER, role: 'share_in' }],
    });
    const shares: MovementSketch[] = [
      { from: DEBT_MARKET, to: BOT, asset: shareId, amount: ETHER },
      { from: BOT, to: ZERO_ADDRESS, asset: shareId, amount: ETHER },
    ];
    expect(run([...left, ...shares], [liquidation, swap, withdraw]).entry).toMatchObject({ gross: ETHER });
    expect(run([...left, shares[0]!], [liquidation, swap, withdraw]).realized.supported).toBe(false);
  });

  it('not where another account took in the gains, or a part of them', () => {
    const WALLET = account('3a');
    const all = ROUND.map((m) => (m.to === BOT ? { ...m, to: WALLET } : m));
    const part: MovementSketch[] = [
      ...ROUND,
      { from: BOT, to: WALLET, asset: wrappedId, amount: ETHER / 10n },
    ];
    for (const [movements, role] of [
      [all, 'beneficiary'],
      [part, 'other'],
    ] as const) {
      const participants = [
        { role: 'owner', account: BOT },
        { role, account: WALLET },
      ];
      const parts = CYCLE.slice(1).map((one) => ({
        ...one,
        participants: [{ role: 'recipient', account: WALLET }],
      }));
      const cycle = motif({ index: 0, kind: 'cycle', venue: POOL_A, participants });
      const { realized, profit } = pnl(movements, { motifs: [cycle, ...parts], rulebook: kinds });
      expect(realized).toEqual({ supported: false, reason: 'result_held_elsewhere' });
      expect(profit.reason).toBe('result_held_elsewhere');
    }
  });
});

describe('the entity whose result it is', () => {
  const TRADER = account('7a');
  const HELPER = account('8e');
  const call = (index: number, from: Address, to: Address) => frame({ index, parent: 0, from, to });
  const tx = (...frames: Frame[]) => canonicalTx({ to: BOT, frames: [frame(), ...frames] });

  it('is the signer, the contract it called and the one that traded; who holds the result is named', () => {
    const movements = ROUND.map((m) => ({
      ...m,
      from: m.from === BOT ? TRADER : m.from,
      to: m.to === BOT ? TRADER : m.to,
    }));
    const motifs = CYCLE.map((one) => (one.index === 0 ? { ...one, venue: POOL_A } : one));
    const { entry } = pnl(movements, {
      motifs,
      tx: tx(call(1, BOT, TRADER)),
      attribution: attribution({ actor: SIGNER }),
    });
    expect(entry).toMatchObject({ entity: [SIGNER, BOT, TRADER], beneficiary: TRADER, gross: ETHER });
    const uncalled = pnl(movements, { motifs, tx: tx(), attribution: attribution({ actor: SIGNER }) });
    expect(uncalled.realized.supported).toBe(false);
  });

  it('counts the tip of a contract it called, from whatever funds', () => {
    const tip: MovementSketch = { from: HELPER, to: BUILDER, amount: ETHER / 4n };
    const called = pnl([...ROUND, tip], { tx: tx(call(1, BOT, HELPER)) });
    expect(called.entry).toMatchObject({
      entity: [BOT, SIGNER, HELPER],
      gross: ETHER,
      builderPayment: ETHER / 4n,
    });
    // A tip of a contract that none of them called is not theirs.
    expect(pnl([...ROUND, tip], { tx: tx() }).entry).toMatchObject({ builderPayment: 0n });
  });

  it('pays no gas where another signed for it, but what it paid for the execution', () => {
    const ENTRY = account('e0');
    const protocol = { slug: 'entry-point', version: 1, matchedBy: 'address' } as const;
    const motifs = [...CYCLE, motif({ index: 4, kind: 'user_operation', venue: ENTRY, protocol })];
    const operated = (movements: readonly MovementSketch[]) => {
      const mode = 'smart_account_4337';
      const scene = { tx: canonicalTx(), flow: valueFlow(movements), motifs, rulebook: rulebook() };
      const payments = executionPayments(scene, new Set([BOT]), mode);
      const elected = attribution({ actor: BOT, entity: [BOT], mode, entryPoint: ENTRY, payments });
      return pnl(movements, { attribution: elected, motifs });
    };
    expect(operated(ROUND).entry).toMatchObject({ entity: [BOT], gas: 0n });
    const prefund: MovementSketch = { from: BOT, to: ENTRY, amount: ETHER / 100n };
    const { entry } = operated([...ROUND, prefund]);
    expect(entry).toMatchObject({ gross: ETHER, gas: ETHER / 100n });
    expect(usdText(entry!.netUsd)).toBe('$1980.00');
  });
});
