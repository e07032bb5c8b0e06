import { encodeAbiParameters, parseAbiParameters, type Address, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { fn } from '../devnet/chain.ts';
import { FAR_FUTURE } from '../devnet/deploy/uniswap.ts';
import { Dollars, pairPays, units } from './byHand.ts';
import { changeOf, figures, idOf, startStage, type Figures, type Stage } from './stage.ts';

const E18 = 10n ** 18n;
const DOLLAR = 10n ** 6n;
const ETH = idOf(null);
const WETH = idOf(MAINNET.weth);
const USDC = idOf(MAINNET.usdc);
const CALLS = '(address,uint256,bytes)[]';
type Call = [to: Address, value: bigint, data: Hex];
const aave = (signature: string, args: unknown[]) => ({ to: MAINNET.aavePool, data: fn(signature, args) });

let stage: Stage;
let eth: Dollars;
let usdc: Dollars;

beforeAll(async () => {
  stage = await startStage();
  eth = await stage.setFeed('feedEth', '3391.07');
  usdc = await stage.setFeed('feedUsdc', '0.99987');
  await stage.setFeed('feedDai', '1.00021');
});
afterAll(() => stage?.stop());

const reserves = (pair: string): Promise<readonly [usdc: bigint, weth: bigint]> =>
  stage.devnet.chain
    .read<[bigint, bigint, number]>(stage.c.at(pair), 'getReserves() view returns (uint112,uint112,uint32)')
    .then(([a, b]) => [a, b]);
const dollarsFor = (raw: bigint): Dollars => eth.for(raw);

describe('flows that close within the transaction, by hand', () => {
  it('3. an arbitrage that pays the builder', async () => {
    const { c } = stage;
    const bot = c.at('arbBot');
    await c.prepare('searcher', { to: MAINNET.weth, value: 10n * E18, data: fn('deposit()') });
    await c.prepare('searcher', {
      to: MAINNET.weth,
      data: fn('transfer(address,uint256)', [bot, 10n * E18]),
    });
    const [dearUsdc, dearWeth] = await reserves('sushiPairUSDC');
    const [cheapUsdc, cheapWeth] = await reserves('v2PairUSDC');
    const put = 3n * E18;
    const dollars = pairPays(put, dearWeth, dearUsdc);
    const received = pairPays(dollars, cheapUsdc, cheapWeth);
    const tip = E18 / 250n;
    const calls: Call[] = [
      [MAINNET.weth, 0n, fn('transfer(address,uint256)', [c.at('sushiPairUSDC'), put])],
      [
        c.at('sushiPairUSDC'),
        0n,
        fn('swap(uint256,uint256,address,bytes)', [dollars, 0n, c.at('v2PairUSDC'), '0x']),
      ],
      [c.at('v2PairUSDC'), 0n, fn('swap(uint256,uint256,address,bytes)', [0n, received, bot, '0x'])],
    ];
    const hash = await c.send('searcher', {
      to: bot,
      data: fn(`run(${CALLS},address,uint256)`, [calls, MAINNET.weth, tip]),
    });
    const gasWei = await stage.gas(hash);
    const [gross, fee, toBuilder] = [dollarsFor(received - put), dollarsFor(gasWei), dollarsFor(tip)];
    const net = gross.minus(fee).minus(toBuilder);
    const report = await stage.ask(hash);
    expect([report.classification.intent_kind, report.economics.subject]).toEqual(['AtomicArbitrage', bot]);
    expect(figures(report)).toEqual({
      gas: [units(gasWei, 18), fee.text],
      fee: fee.text,
      // Unwrapping the tip counts in both directions; it changes no net.
      inflow: dollarsFor(received + tip).text,
      before: gross.minus(toBuilder).text,
      after: net.text,
      in: `${units(received - put - tip, 18)} WETH`,
      out: '',
      profit: gross.text,
      pnl: ['self_closing_atomic_flow', gross.text, net.text],
      entries: [
        {
          beneficiary: bot,
          asset: ETH,
          cost: String(put),
          proceeds: String(received),
          gross: [String(received - put), gross.text],
          gas: fee.text,
          builder: [String(tip), toBuilder.text],
          net: net.text,
        },
      ],
      assets: [3, 3],
      unpriced: [],
      refused: [],
      prices: { [USDC]: '0.99987', [WETH]: '3391.07', [ETH]: '3391.07' },
      warning: false,
      warnings: ['IntentActorDiffersFromSigner'],
    });
    expect(report.economics.realized_pnl.entries[0]!.cycle.pools.sort()).toEqual(
      [c.at('sushiPairUSDC'), c.at('v2PairUSDC')].sort(),
    );
    expect(changeOf(await stage.measure(hash), addressOf('builder'), null)).toBe(tip);
  });

  describe('4. a liquidation', () => {
    const debt = 1_200n * DOLLAR;
    /** What Aave gives for a debt: its worth at the oracle's prices and the bonus of 5 %, rounded as its percentMul does. */
    const seizedAt = (ethCents: bigint): bigint =>
      (((99_987_000n * debt * E18) / (ethCents * DOLLAR * DOLLAR)) * 10_500n + 5_000n) / 10_000n;
    let seized = 0n;

    beforeAll(async () => {
      const { c } = stage;
      await c.prepare('grace', { to: MAINNET.weth, value: 2n * E18, data: fn('deposit()') });
      await c.approve('grace', 'WETH', 'aavePool');
      await c.prepare(
        'grace',
        aave('supply(address,uint256,address,uint16)', [MAINNET.weth, 2n * E18, addressOf('grace'), 0]),
      );
      await c.prepare(
        'grace',
        aave('borrow(address,uint256,uint256,uint16,address)', [
          MAINNET.usdc,
          5_200n * DOLLAR,
          2n,
          0,
          addressOf('grace'),
        ]),
      );
      eth = await stage.setFeed('feedEth', '3019.45');
      seized = seizedAt(301_945n);
    });

    /**
     * Grace's deposit and debt tokens, which nobody here dealt in: the deposit is worth its ether where the liquidation is
     * seen to have redeemed it at that, and nothing else; the debt has no price.
     */
    function withoutGraces({ assets: [priced, total], unpriced, refused, prices, ...rest }: Figures) {
      const [deposit, owed] = [idOf(stage.c.at('aWETH')), idOf(stage.c.at('debtUSDC'))];
      const { [deposit]: redeemed, ...others } = prices;
      expect(redeemed ?? prices[WETH]).toBe(prices[WETH]);
      expect(unpriced).toEqual([...(redeemed ? [] : [deposit]), owed].sort());
      expect(refused.sort()).toEqual(
        [...(redeemed ? [] : [`${deposit} self_referential`]), `${owed} nonstandard_supply`].sort(),
      );
      return { ...rest, prices: others, assets: [priced! - (redeemed ? 1 : 0), total!] };
    }

    it('that keeps the collateral realises nothing yet', async () => {
      const { c } = stage;
      await c.approve('liquidator', 'USDC', 'aavePool');
      const hash = await c.send(
        'liquidator',
        aave('liquidationCall(address,address,address,uint256,bool)', [
          MAINNET.weth,
          MAINNET.usdc,
          addressOf('grace'),
          debt,
          false,
        ]),
      );
      const gasWei = await stage.gas(hash);
      const fee = dollarsFor(gasWei);
      const [came, went] = [dollarsFor(seized), usdc.for(debt, 6)];
      const report = await stage.ask(hash);
      expect(withoutGraces(figures(report))).toEqual({
        gas: [units(gasWei, 18), fee.text],
        fee: fee.text,
        inflow: came.text,
        before: came.minus(went).text,
        after: came.minus(went).minus(fee).text,
        in: `${units(seized, 18)} WETH`,
        out: '1200 USDC',
        profit: '$0.00',
        pnl: ['requires_multi_transaction_state'],
        entries: [],
        assets: [2, 4],
        prices: { [USDC]: '0.99987', [WETH]: '3019.45', [ETH]: '3019.45' },
        warning: false,
        warnings: ['PartialValuation'],
      });
    });

    it('with borrowed money, left at once, is a profit to the cent', async () => {
      const { c } = stage;
      const borrower = c.at('flashBorrower');
      const [poolUsdc, poolWeth] = await reserves('v2PairUSDC');
      const sold = pairPays(seized, poolWeth, poolUsdc);
      const premium = (debt * 5n + 5_000n) / 10_000n;
      const calls: Call[] = [
        [MAINNET.usdc, 0n, fn('approve(address,uint256)', [MAINNET.aavePool, debt])],
        [
          MAINNET.aavePool,
          0n,
          fn('liquidationCall(address,address,address,uint256,bool)', [
            MAINNET.weth,
            MAINNET.usdc,
            addressOf('grace'),
            debt,
            false,
          ]),
        ],
        [MAINNET.weth, 0n, fn('approve(address,uint256)', [MAINNET.v2Router, seized])],
        [
          MAINNET.v2Router,
          0n,
          fn('swapExactTokensForTokens(uint256,uint256,address[],address,uint256)', [
            seized,
            0n,
            [MAINNET.weth, MAINNET.usdc],
            borrower,
            FAR_FUTURE,
          ]),
        ],
      ];
      const params = encodeAbiParameters(parseAbiParameters(CALLS), [calls]);
      const hash = await c.send('liquidator', {
        to: borrower,
        gas: 2_000_000n,
        data: fn('borrow(address,address,uint256,bytes)', [MAINNET.aavePool, MAINNET.usdc, debt, params]),
      });
      const deltas = await stage.measure(hash);
      const result = sold - debt - premium;
      expect(changeOf(deltas, borrower, MAINNET.usdc)).toBe(result);
      const gasWei = await stage.gas(hash);
      const fee = dollarsFor(gasWei);
      const gross = usdc.for(result, 6);
      const report = await stage.ask(hash);
      expect(report.classification.intent_kind).toBe('Liquidation');
      expect(withoutGraces(figures(report))).toEqual({
        gas: [units(gasWei, 18), fee.text],
        fee: fee.text,
        inflow: usdc.for(debt + sold, 6).plus(dollarsFor(seized)).text,
        before: gross.text,
        after: gross.minus(fee).text,
        in: `${units(result, 6)} USDC`,
        out: '',
        profit: gross.text,
        pnl: ['self_closing_atomic_flow', gross.text, gross.minus(fee).text],
        entries: [
          {
            beneficiary: borrower,
            asset: USDC,
            cost: String(debt + debt + premium),
            proceeds: String(debt + sold),
            gross: [String(result), gross.text],
            gas: fee.text,
            builder: ['0', '$0.00'],
            net: gross.minus(fee).text,
          },
        ],
        assets: [2, 4],
        prices: { [USDC]: '0.99987', [WETH]: '3019.45', [ETH]: '3019.45' },
        warning: false,
        warnings: ['IntentActorDiffersFromSigner', 'PartialValuation'],
      });
      expect(report.economics.realized_pnl.entries[0]!.cycle.pools).toContain(c.at('v2PairUSDC'));
    });

    it('with a residual in the collateral needs later transactions', async () => {
      const { c } = stage;
      const borrower = c.at('flashBorrower');
      eth = await stage.setFeed('feedEth', '2500.5');
      seized = seizedAt(250_050n);
      const part = (seized * 9n) / 10n;
      await c.prepare('liquidator', {
        to: MAINNET.usdc,
        data: fn('transfer(address,uint256)', [borrower, 1_000n * DOLLAR]),
      });
      const calls: Call[] = [
        [MAINNET.usdc, 0n, fn('approve(address,uint256)', [MAINNET.aavePool, debt])],
        [
          MAINNET.aavePool,
          0n,
          fn('liquidationCall(address,address,address,uint256,bool)', [
            MAINNET.weth,
            MAINNET.usdc,
            addressOf('grace'),
            debt,
            false,
          ]),
        ],
        [MAINNET.weth, 0n, fn('approve(address,uint256)', [MAINNET.v2Router, part])],
        [
          MAINNET.v2Router,
          0n,
          fn('swapExactTokensForTokens(uint256,uint256,address[],address,uint256)', [
            part,
            0n,
            [MAINNET.weth, MAINNET.usdc],
            borrower,
            FAR_FUTURE,
          ]),
        ],
      ];
      const hash = await c.send('liquidator', {
        to: borrower,
        gas: 2_000_000n,
        data: fn('borrow(address,address,uint256,bytes)', [
          MAINNET.aavePool,
          MAINNET.usdc,
          debt,
          encodeAbiParameters(parseAbiParameters(CALLS), [calls]),
        ]),
      });
      expect((await stage.devnet.chain.receipt(hash)).status).toBe('0x1');
      const { pnl, entries, profit, before, in: came } = figures(await stage.ask(hash));
      expect([pnl, entries, profit]).toEqual([['requires_multi_transaction_state'], [], '$0.00']);
      // What it is worth by the hour's prices is still told.
      const deltas = await stage.measure(hash);
      expect(before).toBe(
        dollarsFor(seized - part).plus(usdc.for(changeOf(deltas, borrower, MAINNET.usdc), 6)).text,
      );
      expect(came).toContain(`${units(seized - part, 18)} WETH`);
    });
  });
});
