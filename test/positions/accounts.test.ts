// Whose position it is when somebody else signs: smart accounts, Safes, delegated accounts, solvers and relayers.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address, Hex } from 'viem';
import { addressOf, type Person } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { fn } from '../devnet/chain.ts';
import { mintV3 } from '../devnet/deploy/uniswap.ts';
import { authorize, batch, fields, typed } from '../devnet/scenarios/delegated.ts';
import { collectV3, mintedId } from '../devnet/scenarios/liquidity.ts';
import { multiSend, safeTransaction } from '../devnet/scenarios/safe.ts';
import { settle } from '../devnet/scenarios/settlement.ts';
import { handleOps } from '../devnet/scenarios/smartAccounts.ts';
import { v3Single } from '../devnet/scenarios/swaps.ts';
import type { TxReport } from '../../src/model/generated/report.ts';
import { gist, startLive, type Live } from './live.ts';

let live: Live;
beforeAll(async () => {
  live = await startLive();
});
afterAll(() => live?.stop());

const at = (name: string): Address => live.c.at(name);
const unit = (asset: string, amount: string): bigint => live.c.units(asset, amount);
const approve = (asset: string, spender: Address, amount: bigint) => ({
  to: at(asset),
  data: fn('approve(address,uint256)', [spender, amount]),
});
const supply = (asset: string, amount: bigint, owner: Address) => ({
  to: MAINNET.aavePool,
  data: fn('supply(address,uint256,address,uint16)', [at(asset), amount, owner, 0]),
});
const borrow = (asset: string, amount: bigint, owner: Address) => ({
  to: MAINNET.aavePool,
  data: fn('borrow(address,uint256,uint256,uint16,address)', [at(asset), amount, 2n, 0, owner]),
});
const balance = (hash: Hex, asset: string, who: Address) =>
  live.change(hash, at(asset), 'balanceOf(address) view returns (uint256)', [who]);
const delta = (report: TxReport, who: Address, asset: string): string | undefined =>
  report.inventory_deltas.find((d) => d.subject === who && d.asset.address === at(asset))?.delta_raw;
const token = (asset: string, who: Person, to: Address, amount: bigint) =>
  live.chain.must(who, { to: at(asset), data: fn('transfer(address,uint256)', [to, amount]) });

describe('a position belongs to', () => {
  it('the smart account whose user operation it was (ERC-4337)', async () => {
    const sender = at('erinAccount');
    await token('USDC', 'erin', sender, unit('USDC', '700'));
    const hash = await live.chain.send(
      'bundler',
      await handleOps(live.c, [
        {
          owner: 'erin',
          create: true,
          calls: [
            approve('USDC', MAINNET.aavePool, unit('USDC', '600')),
            supply('USDC', unit('USDC', '600'), sender),
          ],
        },
      ]),
    );
    const report = await live.report(hash);
    expect(report.position_effects.map((e) => gist(e, live.c))).toEqual([
      {
        what: 'open lending_supply',
        owner: sender,
        token: `${unit('USDC', '600')} aUSDC`,
        parts: [`principal -${unit('USDC', '600')} USDC`],
      },
    ]);
    expect([report.tx.signer, report.classification.actor]).toEqual([addressOf('bundler'), sender]);
    expect(await balance(hash, 'aUSDC', sender)).toBe(unit('USDC', '600'));
    expect(delta(report, sender, 'USDC')).toBe((await balance(hash, 'USDC', sender)).toString());
  });

  it('each of two smart accounts in one bundle', async () => {
    const [erin, frank] = [at('erinAccount'), at('frankAccount')];
    await token('DAI', 'frank', frank, unit('DAI', '900'));
    const deposit = (amount: bigint, owner: Address) => ({
      to: at('vDAI'),
      data: fn('deposit(uint256,address)', [amount, owner]),
    });
    const hash = await live.chain.send(
      'bundler',
      await handleOps(live.c, [
        { owner: 'erin', calls: [borrow('USDC', unit('USDC', '50'), erin)] },
        {
          owner: 'frank',
          create: true,
          calls: [approve('DAI', at('vDAI'), unit('DAI', '800')), deposit(unit('DAI', '800'), frank)],
        },
      ]),
    );
    const report = await live.report(hash);
    expect(report.position_effects.map((e) => gist(e, live.c))).toEqual([
      {
        what: 'increase lending_debt',
        owner: erin,
        token: `${unit('USDC', '50')} debtUSDC`,
        parts: [`debt ${unit('USDC', '50')} USDC`],
      },
      {
        what: 'increase vault',
        owner: frank,
        token: `${await balance(hash, 'vDAI', frank)} vDAI`,
        parts: [`principal -${unit('DAI', '800')} DAI`],
      },
    ]);
    expect(report.classification.actor).toBeNull();
    expect(report.pipeline_stats.scopes).toBe(2);
  });

  it('the smart account that an NFT of the position manager was minted to, and then the one it was collected for', async () => {
    const sender = at('erinAccount');
    await live.chain.must('erin', { to: at('WETH'), value: unit('WETH', '2'), data: fn('deposit()') });
    await token('WETH', 'erin', sender, unit('WETH', '2'));
    await token('USDC', 'erin', sender, unit('USDC', '5000'));
    const mint = await live.chain.send(
      'bundler',
      await handleOps(live.c, [
        {
          owner: 'erin',
          calls: [
            approve('USDC', MAINNET.v3Positions, unit('USDC', '5000')),
            approve('WETH', MAINNET.v3Positions, unit('WETH', '2')),
            {
              to: MAINNET.v3Positions,
              data: mintV3(
                [at('USDC'), at('WETH')],
                500,
                [190_000, 203_000],
                [unit('USDC', '5000'), unit('WETH', '2')],
                sender,
              ),
            },
          ],
        },
      ]),
    );
    const id = await mintedId(live.c, mint, MAINNET.v3Positions);
    const opened = await live.report(mint);
    expect(opened.position_effects.map((e) => gist(e, live.c))).toEqual([
      {
        what: 'open liquidity',
        owner: sender,
        token: `1 v3-position#${id}`,
        parts: [
          `principal ${await balance(mint, 'USDC', sender)} USDC`,
          `principal ${await balance(mint, 'WETH', sender)} WETH`,
        ],
      },
    ]);
    expect(
      await live.read<Address>(
        mint,
        'after',
        MAINNET.v3Positions,
        'ownerOf(uint256) view returns (address)',
        [id],
      ),
    ).toBe(sender);
    expect([
      opened.classification.intent_kind,
      opened.classification.actor,
      opened.pipeline_stats.scopes,
    ]).toEqual(['AddLiquidity', sender, 1]);
    await live.c.approve('ivan', 'USDC', 'v3Router02');
    await live.chain.must('ivan', {
      to: MAINNET.v3Router02,
      data: v3Single(live.c, 'USDC', 'WETH', 500, 'ivan', unit('USDC', '20000')),
    });
    const collect = await live.chain.send(
      'bundler',
      await handleOps(live.c, [
        { owner: 'erin', calls: [{ to: MAINNET.v3Positions, data: collectV3(id, sender) }] },
      ]),
    );
    const earned = await balance(collect, 'USDC', sender);
    expect(earned).toBeGreaterThan(0n);
    expect((await live.report(collect)).position_effects.map((e) => gist(e, live.c))).toEqual([
      {
        what: 'collect liquidity',
        owner: sender,
        token: `0 v3-position#${id}`,
        parts: [`fee ${earned} USDC`],
      },
    ]);
  });

  it('the Safe, whoever of its owners or helpers executes', async () => {
    const safe = at('treasury');
    await live.chain.must('judy', { to: at('WETH'), value: unit('WETH', '6'), data: fn('deposit()') });
    await token('WETH', 'judy', safe, unit('WETH', '6'));
    const hash = await live.chain.send('relayer', {
      ...(await safeTransaction(
        live.c,
        multiSend(live.c, [
          approve('WETH', MAINNET.aavePool, unit('WETH', '6')),
          supply('WETH', unit('WETH', '6'), safe),
          borrow('DAI', unit('DAI', '4000'), safe),
        ]),
      )),
      gas: 2_000_000n,
    });
    const report = await live.report(hash);
    expect(report.position_effects.map((e) => gist(e, live.c))).toEqual([
      {
        what: 'open lending_supply',
        owner: safe,
        token: `${unit('WETH', '6')} aWETH`,
        parts: [`principal -${unit('WETH', '6')} WETH`],
      },
      {
        what: 'increase lending_debt',
        owner: safe,
        token: `${unit('DAI', '4000')} debtDAI`,
        parts: [`debt ${unit('DAI', '4000')} DAI`],
      },
    ]);
    expect([report.tx.signer, report.classification.actor]).toEqual([addressOf('relayer'), safe]);
    for (const asset of ['WETH', 'DAI'])
      expect(delta(report, safe, asset)).toBe((await balance(hash, asset, safe)).toString());
    expect([await balance(hash, 'aWETH', safe), await balance(hash, 'debtDAI', safe)]).toEqual([
      unit('WETH', '6'),
      unit('DAI', '4000'),
    ]);
  });

  it('the delegated account that a relayer pays for (EIP-7702)', async () => {
    const heidi = addressOf('heidi');
    const calls = [
      [at('DAI'), 0n, fn('approve(address,uint256)', [at('vDAI'), unit('DAI', '250')])],
      [at('vDAI'), 0n, fn('deposit(uint256,address)', [unit('DAI', '250'), heidi])],
    ];
    const hash = await live.chain.send('relayer', {
      to: heidi,
      authorizationList: [await authorize(live.c, 'heidi')],
      data: batch(calls),
    });
    await live.chain.spendNonce('heidi');
    const report = await live.report(hash);
    expect(report.position_effects.map((e) => gist(e, live.c))).toEqual([
      {
        what: 'increase vault',
        owner: heidi,
        token: `${await balance(hash, 'vDAI', heidi)} vDAI`,
        parts: [`principal ${await balance(hash, 'DAI', heidi)} DAI`],
      },
    ]);
    expect([report.tx.signer, report.classification.actor]).toEqual([addressOf('relayer'), heidi]);
  });
});

describe('what changed for', () => {
  it('both owners of orders that meet: exact, and nobody is put before the other', async () => {
    for (const [who, asset] of [
      ['grace', 'USDC'],
      ['ivan', 'DAI'],
    ] as const)
      await live.c.approve(who, asset, 'cowRelayer');
    const hash = await live.chain.send(
      'solver',
      await settle(
        live.c,
        ['USDC', 'DAI'],
        [unit('DAI', '1000'), unit('USDC', '1000')],
        [
          { owner: 'grace', sell: ['USDC', '1000'], buy: ['DAI', '990'] },
          { owner: 'ivan', sell: ['DAI', '1000'], buy: ['USDC', '990'] },
        ],
      ),
    );
    const report = await live.report(hash);
    expect([report.classification.actor, report.attribution.ambiguous]).toEqual([null, true]);
    expect(report.attribution.orders.map((o) => o.owner)).toEqual([addressOf('grace'), addressOf('ivan')]);
    for (const who of ['grace', 'ivan'] as const)
      for (const asset of ['USDC', 'DAI'])
        expect(delta(report, addressOf(who), asset)).toBe(
          (await balance(hash, asset, addressOf(who))).toString(),
        );
    expect(report.position_effects).toEqual([]);
    expect(report.pipeline_stats.scopes).toBe(2);
  });

  it('the signer of a payment that another submits (EIP-3009)', async () => {
    const message = {
      from: addressOf('grace'),
      to: addressOf('dave'),
      value: unit('USDC', '75'),
      validAfter: 0n,
      validBefore: 4_000_000_000n,
      nonce: `0x${'09'.repeat(32)}`,
    };
    const signature = await typed(
      'grace',
      { name: 'USD Coin', version: '1', chainId: 1, verifyingContract: MAINNET.usdc },
      'TransferWithAuthorization',
      {
        TransferWithAuthorization: fields(
          'address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce',
        ),
      },
      message,
    );
    const hash = await live.chain.send('relayer', {
      to: MAINNET.usdc,
      data: fn(
        'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
        [...Object.values(message), ...signature],
      ),
    });
    const report = await live.report(hash);
    expect([report.tx.signer, report.classification.actor, report.classification.intent_kind]).toEqual([
      addressOf('relayer'),
      addressOf('grace'),
      'TokenTransfer',
    ]);
    expect([delta(report, addressOf('grace'), 'USDC'), delta(report, addressOf('dave'), 'USDC')]).toEqual([
      `-${unit('USDC', '75')}`,
      `${unit('USDC', '75')}`,
    ]);
  });
});
