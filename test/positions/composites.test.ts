// Transactions of several acts: what each of them changed, which one is the headline, and which of them belong together.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeAbiParameters, parseAbiParameters, toHex, type Address, type Hex } from 'viem';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { fn } from '../devnet/chain.ts';
import { FAR_FUTURE } from '../devnet/deploy/uniswap.ts';
import { multiSend, safeTransaction } from '../devnet/scenarios/safe.ts';
import { handleOps } from '../devnet/scenarios/smartAccounts.ts';
import { shortAddress } from '../../src/evm/address.ts';
import { lowerAddress } from '../../src/evm/hex.ts';
import type { TxReport } from '../../src/model/generated/report.ts';
import { gist, startLive, type Live } from './live.ts';

let live: Live;
beforeAll(async () => {
  live = await startLive();
});
afterAll(() => live?.stop());

type Call = [to: Address, value: bigint, data: Hex];
const CALLS = '(address,uint256,bytes)[]';
const BALANCE = 'balanceOf(address) view returns (uint256)';

const at = (name: string): Address => live.c.at(name);
const unit = (asset: string, amount: string): bigint => live.c.units(asset, amount);
const holding = (hash: Hex, asset: string, who: Address): Promise<bigint> =>
  live.change(hash, at(asset), BALANCE, [who]);
const delta = (report: TxReport, who: Address, asset: string): bigint =>
  BigInt(
    report.inventory_deltas.find(
      (d) =>
        d.subject === who && (asset === 'ETH' ? d.asset.kind === 'native' : d.asset.address === at(asset)),
    )?.delta_raw ?? 0,
  );
const ether = async (hash: Hex, who: Address): Promise<bigint> => {
  const block = BigInt((await live.chain.receipt(hash)).blockNumber);
  const [before, after] = await Promise.all(
    [block - 1n, block].map(async (n) =>
      BigInt((await live.chain.rpc('eth_getBalance', [who, toHex(n)])) as Hex),
    ),
  );
  return after! - before!;
};
const approve = (spender: Address, amount: bigint): Hex => fn('approve(address,uint256)', [spender, amount]);
const fragments = (report: TxReport): string[] => report.classification.fragments.map(({ kind }) => kind);
const effects = (report: TxReport) => report.position_effects.map((effect) => gist(effect, live.c));
const path = (...assets: string[]): Address[] => assets.map(at);
const swapTokens = (amount: bigint, from: string, to: string, recipient: Address): Hex =>
  fn('swapExactTokensForTokens(uint256,uint256,address[],address,uint256)', [
    amount,
    0n,
    path(...new Set([from, 'WETH', to])),
    recipient,
    FAR_FUTURE,
  ]);

describe('several acts of one account', () => {
  it('that share nothing stand side by side: a payment, a swap and a supply of one Safe', async () => {
    const safe = at('treasury');
    await live.chain.must('judy', { to: at('WETH'), value: unit('WETH', '3'), data: fn('deposit()') });
    await live.chain.must('judy', {
      to: at('WETH'),
      data: fn('transfer(address,uint256)', [safe, unit('WETH', '3')]),
    });
    const hash = await live.chain.send('relayer', {
      ...(await safeTransaction(
        live.c,
        multiSend(live.c, [
          { to: at('USDC'), data: fn('transfer(address,uint256)', [addressOf('dave'), unit('USDC', '150')]) },
          { to: at('DAI'), data: approve(MAINNET.v2Router, unit('DAI', '1000')) },
          {
            to: MAINNET.v2Router,
            data: fn('swapExactTokensForETH(uint256,uint256,address[],address,uint256)', [
              unit('DAI', '1000'),
              0n,
              path('DAI', 'WETH'),
              safe,
              FAR_FUTURE,
            ]),
          },
          { to: at('WETH'), data: approve(MAINNET.aavePool, unit('WETH', '3')) },
          {
            to: MAINNET.aavePool,
            data: fn('supply(address,uint256,address,uint16)', [at('WETH'), unit('WETH', '3'), safe, 0]),
          },
        ]),
      )),
      gas: 2_000_000n,
    });
    const report = await live.report(hash);
    // The headline is the supply and tells the payment of the same batch; that money went elsewhere too is a doubt.
    expect(report.classification).toMatchObject({
      intent_kind: 'Supply',
      intent_label: `Supply 3 WETH to Aave v3, sending 150 USDC to ${shortAddress(lowerAddress(addressOf('dave'))!)}`,
      status: 'Suspected',
      actor: safe,
    });
    expect(fragments(report)).toEqual([
      'TokenTransfer',
      'DirectSwap',
      'UnwrapNative',
      'Approval',
      'CollateralToggle',
      'Supply',
    ]);
    expect(report.pipeline_stats.scopes).toBe(1);
    expect(effects(report)).toEqual([
      {
        what: 'open lending_supply',
        owner: safe,
        token: `${await holding(hash, 'aWETH', safe)} aWETH`,
        parts: [`principal -${unit('WETH', '3')} WETH`],
      },
    ]);
    expect(await holding(hash, 'aWETH', safe)).toBe(unit('WETH', '3'));
    for (const asset of ['USDC', 'DAI', 'WETH'])
      expect(delta(report, safe, asset)).toBe(await holding(hash, asset, safe));
    expect(delta(report, safe, 'ETH')).toBe(await ether(hash, safe));
    expect([delta(report, safe, 'USDC'), delta(report, safe, 'DAI'), delta(report, safe, 'WETH')]).toEqual([
      -unit('USDC', '150'),
      -unit('DAI', '1000'),
      -unit('WETH', '3'),
    ]);
  });

  it('that feed one another are one: half of it swapped, both halves added to the pair', async () => {
    const alice = addressOf('alice');
    await live.c.approve('alice', 'USDC', 'aggregator');
    const whole = unit('USDC', '4000');
    const [usdc, weth] = await live.chain.read<[bigint, bigint, number]>(
      at('v2PairUSDC'),
      'getReserves() view returns (uint112,uint112,uint32)',
    );
    const bought = ((whole / 2n) * 997n * weth) / (usdc * 1000n + (whole / 2n) * 997n);
    const calls: Call[] = [
      [at('USDC'), 0n, approve(MAINNET.v2Router, whole)],
      [MAINNET.v2Router, 0n, swapTokens(whole / 2n, 'USDC', 'WETH', at('aggregator'))],
      [at('WETH'), 0n, approve(MAINNET.v2Router, bought)],
      [
        MAINNET.v2Router,
        0n,
        fn('addLiquidity(address,address,uint256,uint256,uint256,uint256,address,uint256)', [
          at('USDC'),
          at('WETH'),
          whole / 2n,
          bought,
          0n,
          0n,
          alice,
          FAR_FUTURE,
        ]),
      ],
    ];
    const hash = await live.chain.send('alice', {
      to: at('aggregator'),
      data: fn(`swap(address,uint256,address,uint256,${CALLS})`, [at('USDC'), whole, at('WETH'), 0n, calls]),
    });
    const report = await live.report(hash);
    expect(report.classification).toMatchObject({
      intent_kind: 'AddLiquidity',
      intent_label: expect.stringMatching(/^Add 1,994\.59 USDC and 0\.586299 WETH to /) as string,
      status: 'Proven',
      confidence: 'High',
      actor: alice,
    });
    expect(fragments(report)).toEqual(['DirectSwap', 'Approval', 'AddLiquidity', 'Refund']);
    expect(report.pipeline_stats.scopes).toBe(1);
    const put = async (asset: string): Promise<bigint> =>
      live.change(hash, at(asset), BALANCE, [at('v2PairUSDC')]);
    expect(await holding(hash, 'v2-LP-USDC', alice)).toBeGreaterThan(0n);
    // The pair also took the swap's side: half of the USDC came in by it, and all the WETH that went out by it came back.
    expect(effects(report)).toEqual([
      {
        what: 'increase liquidity',
        owner: alice,
        token: `${await holding(hash, 'v2-LP-USDC', alice)} v2-LP-USDC`,
        parts: [
          `principal -${(await put('USDC')) - whole / 2n} USDC`,
          `principal -${(await put('WETH')) + bought} WETH`,
        ],
      },
    ]);
    expect(delta(report, alice, 'USDC')).toBe(await holding(hash, 'USDC', alice));
    expect(delta(report, alice, 'WETH')).toBe(await holding(hash, 'WETH', alice));
  });

  it('that close a loop are one: borrowed, swapped, supplied, borrowed against, paid back', async () => {
    const heidi = addressOf('heidi');
    const borrower = at('flashBorrower');
    await live.chain.must('heidi', { to: at('WETH'), value: unit('WETH', '5'), data: fn('deposit()') });
    await live.c.approve('heidi', 'WETH', 'flashBorrower');
    await live.chain.must('heidi', {
      to: at('debtDAI'),
      data: fn('approveDelegation(address,uint256)', [borrower, 2n ** 256n - 1n]),
    });
    const loan = unit('DAI', '6000');
    const premium = (loan * 5n + 5_000n) / 10_000n;
    const pair = await live.chain.read<[bigint, bigint, number]>(
      at('v2PairDAI'),
      'getReserves() view returns (uint112,uint112,uint32)',
    );
    const [dai, weth] = BigInt(at('DAI')) < BigInt(at('WETH')) ? [pair[0], pair[1]] : [pair[1], pair[0]];
    const bought = (loan * 997n * weth) / (dai * 1000n + loan * 997n);
    const supplied = unit('WETH', '5') + bought;
    const calls: Call[] = [
      [at('WETH'), 0n, fn('transferFrom(address,address,uint256)', [heidi, borrower, unit('WETH', '5')])],
      [at('DAI'), 0n, approve(MAINNET.v2Router, loan)],
      [MAINNET.v2Router, 0n, swapTokens(loan, 'DAI', 'WETH', borrower)],
      [at('WETH'), 0n, approve(MAINNET.aavePool, supplied)],
      [MAINNET.aavePool, 0n, fn('supply(address,uint256,address,uint16)', [at('WETH'), supplied, heidi, 0])],
      [
        MAINNET.aavePool,
        0n,
        fn('borrow(address,uint256,uint256,uint16,address)', [at('DAI'), loan + premium, 2n, 0, heidi]),
      ],
    ];
    const params = encodeAbiParameters(parseAbiParameters(CALLS), [calls]);
    const hash = await live.chain.send('heidi', {
      to: borrower,
      gas: 3_000_000n,
      data: fn('borrow(address,address,uint256,bytes)', [MAINNET.aavePool, at('DAI'), loan, params]),
    });
    const report = await live.report(hash);
    expect(report.classification).toMatchObject({
      intent_kind: 'Borrow',
      intent_label: 'Open a leveraged position on Aave v3: supply 6.75735 WETH, owe 6,003 DAI',
      status: 'Proven',
      confidence: 'High',
      actor: heidi,
    });
    expect(fragments(report)).toEqual([
      'DirectSwap',
      'Approval',
      'CollateralToggle',
      'Supply',
      'Borrow',
      'FlashLoan',
    ]);
    expect(report.pipeline_stats.scopes).toBe(1);
    expect(effects(report)).toEqual([
      {
        what: 'open lending_supply',
        owner: heidi,
        token: `${supplied} aWETH`,
        parts: [`principal -${supplied} WETH`],
      },
      {
        what: 'increase lending_debt',
        owner: heidi,
        token: `${loan + premium} debtDAI`,
        parts: [`debt ${loan + premium} DAI`],
      },
    ]);
    expect([
      await holding(hash, 'aWETH', heidi),
      await holding(hash, 'debtDAI', heidi),
      await holding(hash, 'WETH', heidi),
    ]).toEqual([supplied, loan + premium, -unit('WETH', '5')]);
    expect([await holding(hash, 'DAI', borrower), await holding(hash, 'WETH', borrower)]).toEqual([0n, 0n]);
  });
});

describe('a user operation', () => {
  it('that makes its account first is still one scope, and its payment is told', async () => {
    const account = at('frankAccount');
    await live.chain.must('frank', {
      to: at('USDC'),
      data: fn('transfer(address,uint256)', [account, unit('USDC', '90')]),
    });
    const hash = await live.chain.send(
      'bundler',
      await handleOps(live.c, [
        {
          owner: 'frank',
          create: true,
          calls: [
            {
              to: at('USDC'),
              data: fn('transfer(address,uint256)', [addressOf('dave'), unit('USDC', '80')]),
            },
          ],
        },
      ]),
    );
    const report = await live.report(hash);
    expect(report.classification).toMatchObject({
      intent_kind: 'TokenTransfer',
      intent_label: expect.stringMatching(/^Send 80 USDC to 0x/),
      status: 'Proven',
      confidence: 'High',
      actor: account,
    });
    expect(report.motifs.map((m) => m.kind)).toEqual([
      'deployment',
      'account_administration',
      'transfer',
      'user_operation',
    ]);
    expect(report.pipeline_stats.scopes).toBe(1);
    expect(delta(report, account, 'USDC')).toBe(-unit('USDC', '80'));
    expect(await holding(hash, 'USDC', account)).toBe(-unit('USDC', '80'));
    expect(await live.read<Hex>(hash, 'after', account, 'owner() view returns (address)')).toBe(
      addressOf('frank'),
    );
  });
});
