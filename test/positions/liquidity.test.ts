// Uniswap v2, v3 and v4: LP tokens and position NFTs, liquidity put in and taken out, principal apart from fees.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getAddress, type Address, type Hex } from 'viem';
import { addressOf, type Person } from '../devnet/accounts.ts';
import { MAINNET, NATIVE } from '../devnet/addresses.ts';
import { fn } from '../devnet/chain.ts';
import { FAR_FUTURE, mintV3, sqrt, V4, V4_MINT, v4Actions, v4Key } from '../devnet/deploy/uniswap.ts';
import { mintedId } from '../devnet/scenarios/liquidity.ts';
import { v3Single, ur, v4Swap } from '../devnet/scenarios/swaps.ts';
import type { PositionEffect } from '../../src/model/generated/report.ts';
import { gist, startLive, type Live } from './live.ts';

let live: Live;
beforeAll(async () => {
  live = await startLive();
});
afterAll(() => live?.stop());

const at = (name: string): Address => live.c.at(name);
const unit = (asset: string, amount: string): bigint => live.c.units(asset, amount);
const MAX128 = 2n ** 128n - 1n;
const only = (effects: PositionEffect[]): PositionEffect => {
  expect(effects).toHaveLength(1);
  expect(effects[0]).toMatchObject({ status: 'Proven', confidence: 'High' });
  return effects[0]!;
};
/** Sum of the parts of one role in one asset. */
const part = (effect: PositionEffect, role: string, asset: Address | null): bigint =>
  effect.underlying
    .filter((u) => u.role === role && u.asset.address === asset)
    .reduce((sum, u) => sum + BigInt(u.delta_raw), 0n);

describe('v2', () => {
  const lp = (hash: Hex, who: Person) =>
    live.change(hash, at('v2PairUSDC'), 'balanceOf(address) view returns (uint256)', [addressOf(who)]);
  const addEth = (who: Person, usdc: string, eth: string) =>
    live.chain.send(who, {
      to: MAINNET.v2Router,
      value: unit('ETH', eth),
      data: fn('addLiquidityETH(address,uint256,uint256,uint256,address,uint256)', [
        at('USDC'),
        unit('USDC', usdc),
        0n,
        0n,
        addressOf(who),
        FAR_FUTURE,
      ]),
    });

  it('liquidity with ether: one effect, the LP tokens minted, and what the pair took', async () => {
    await live.c.approve('alice', 'USDC', 'v2Router');
    const hash = await addEth('alice', '6800', '2.5');
    const report = await live.report(hash);
    const effect = only(report.position_effects);
    const reserves = async (when: 'before' | 'after') =>
      live.read<[bigint, bigint, number]>(
        hash,
        when,
        at('v2PairUSDC'),
        'getReserves() view returns (uint112,uint112,uint32)',
      );
    const [before, after] = [await reserves('before'), await reserves('after')];
    expect(gist(effect, live.c)).toEqual({
      what: 'increase liquidity',
      owner: addressOf('alice'),
      token: `${await lp(hash, 'alice')} v2-LP-USDC`,
      parts: [`principal -${after[0] - before[0]} USDC`, `principal -${after[1] - before[1]} WETH`],
    });
    expect(effect).toMatchObject({
      market: at('v2PairUSDC'),
      protocol: { slug: 'uniswap-v2', matched_by: 'create2' },
    });
    expect(report.classification.fragments.map((f) => f.kind)).toEqual([
      'WrapNative',
      'AddLiquidity',
      'Refund',
    ]);
  });

  it('taken out as ether: still one effect', async () => {
    await live.c.approve('alice', 'v2-LP-USDC', 'v2Router');
    const all = await live.chain.read<bigint>(at('v2PairUSDC'), 'balanceOf(address) view returns (uint256)', [
      addressOf('alice'),
    ]);
    const hash = await live.chain.send('alice', {
      to: MAINNET.v2Router,
      data: fn('removeLiquidityETH(address,uint256,uint256,uint256,address,uint256)', [
        at('USDC'),
        all,
        0n,
        0n,
        addressOf('alice'),
        FAR_FUTURE,
      ]),
    });
    const report = await live.report(hash);
    const effect = only(report.position_effects);
    expect(effect).toMatchObject({
      effect: 'decrease',
      owner: addressOf('alice'),
      position_delta_raw: (-all).toString(),
    });
    expect(part(effect, 'principal', MAINNET.usdc)).toBe(
      BigInt(
        report.inventory_deltas.find(
          (d) => d.subject === addressOf('alice') && d.asset.address === MAINNET.usdc,
        )!.delta_raw,
      ),
    );
    expect(part(effect, 'principal', MAINNET.weth)).toBe(
      BigInt(
        report.inventory_deltas.find((d) => d.subject === addressOf('alice') && d.asset.kind === 'native')!
          .delta_raw,
      ),
    );
  });

  it('a token that takes a toll on the way', async () => {
    await live.c.approve('alice', 'TOLL', 'v2Router');
    const hash = await live.chain.send('alice', {
      to: MAINNET.v2Router,
      value: unit('ETH', '1'),
      data: fn('addLiquidityETH(address,uint256,uint256,uint256,address,uint256)', [
        at('TOLL'),
        unit('TOLL', '1000'),
        0n,
        0n,
        addressOf('alice'),
        FAR_FUTURE,
      ]),
    });
    const report = await live.report(hash);
    const effect = only(report.position_effects);
    expect(effect).toMatchObject({
      effect: 'increase',
      owner: addressOf('alice'),
      position_delta_raw: (
        await live.change(hash, at('v2PairTOLL'), 'balanceOf(address) view returns (uint256)', [
          addressOf('alice'),
        ])
      ).toString(),
    });
    expect(part(effect, 'principal', at('TOLL'))).toBe(-unit('TOLL', '990'));
  });
});

describe('v3', () => {
  const ids: Partial<Record<Person, bigint>> = {};
  const position = async (hash: Hex, when: 'before' | 'after', id: bigint) =>
    (
      await live.read<unknown[]>(
        hash,
        when,
        MAINNET.v3Positions,
        'positions(uint256) view returns (uint96,address,address,address,uint24,int24,int24,uint128,uint256,uint256,uint128,uint128)',
        [id],
      )
    )[7] as bigint;
  const npm = (who: Person, calls: Hex[], value = 0n) =>
    live.chain.send(who, {
      to: MAINNET.v3Positions,
      value,
      data: calls.length === 1 ? calls[0]! : fn('multicall(bytes[])', [calls]),
    });
  const decrease = (id: bigint, liquidity: bigint) =>
    fn('decreaseLiquidity((uint256,uint128,uint256,uint256,uint256))', [[id, liquidity, 0n, 0n, FAR_FUTURE]]);
  const collect = (id: bigint, to: Address) =>
    fn('collect((uint256,address,uint128,uint128))', [[id, to, MAX128, MAX128]]);
  /** Liquidity in the pool under the manager's name, whatever NFT it belongs to. */
  const token = (id: bigint, delta = 0n) => ({
    position_asset: { kind: 'erc721', address: MAINNET.v3Positions, token_id: id.toString() },
    position_delta_raw: delta.toString(),
    market: at('v3UsdcWeth'),
  });
  /** What taking this much out would free, asked of the manager before it is done: the principal. */
  const freed = async (who: Person, id: bigint, liquidity: bigint): Promise<[bigint, bigint]> => {
    const data = (await live.chain.rpc('eth_call', [
      { from: addressOf(who), to: MAINNET.v3Positions, data: decrease(id, liquidity) },
      'latest',
    ])) as Hex;
    return [BigInt(data.slice(0, 66)), BigInt(`0x${data.slice(66, 130)}`)];
  };
  async function trade(): Promise<void> {
    await live.c.approve('frank', 'USDC', 'v3Router02');
    await live.chain.must('frank', {
      to: MAINNET.v3Router02,
      data: v3Single(live.c, 'USDC', 'WETH', 500, 'frank', unit('USDC', '20000')),
    });
    await live.c.approve('frank', 'WETH', 'v3Router02');
    await live.chain.must('frank', {
      to: MAINNET.v3Router02,
      data: v3Single(live.c, 'WETH', 'USDC', 500, 'frank', unit('WETH', '5')),
    });
  }
  const open = async (who: Person): Promise<Hex> => {
    await live.chain.must(who, { to: at('WETH'), value: unit('ETH', '20'), data: fn('deposit()') });
    for (const asset of ['USDC', 'WETH']) await live.c.approve(who, asset, 'v3Positions');
    const hash = await live.chain.send(who, {
      to: MAINNET.v3Positions,
      data: mintV3(
        [at('USDC'), at('WETH')],
        500,
        [190_000, 203_000],
        [unit('USDC', '5000'), unit('WETH', '5')],
        addressOf(who),
      ),
    });
    ids[who] = await mintedId(live.c, hash, MAINNET.v3Positions);
    return hash;
  };

  it('a new position opens with its NFT', async () => {
    const report = await live.report(await open('bob'));
    const effect = only(report.position_effects);
    expect(effect).toMatchObject({ effect: 'open', owner: addressOf('bob'), ...token(ids.bob!, 1n) });
    expect(effect.underlying.map((u) => u.role)).toEqual(['principal', 'principal']);
  });

  it('more liquidity, with ether: the NFT stays, its liquidity grows', async () => {
    const hash = await npm(
      'bob',
      [
        fn('increaseLiquidity((uint256,uint256,uint256,uint256,uint256,uint256))', [
          [ids.bob!, unit('USDC', '2000'), unit('ETH', '3'), 0n, 0n, FAR_FUTURE],
        ]),
        fn('refundETH()'),
      ],
      unit('ETH', '3'),
    );
    const effect = only((await live.report(hash)).position_effects);
    expect(effect).toMatchObject({ effect: 'increase', owner: addressOf('bob'), ...token(ids.bob!) });
    expect(await position(hash, 'after', ids.bob!)).toBeGreaterThan(await position(hash, 'before', ids.bob!));
    expect(part(effect, 'principal', MAINNET.usdc)).toBe(
      -(await live.change(hash, MAINNET.usdc, 'balanceOf(address) view returns (uint256)', [
        at('v3UsdcWeth'),
      ])),
    );
    expect(part(effect, 'principal', MAINNET.weth)).toBe(
      -(await live.change(hash, MAINNET.weth, 'balanceOf(address) view returns (uint256)', [
        at('v3UsdcWeth'),
      ])),
    );
  });

  it('part of it taken out with the fees: each told apart, to the unit', async () => {
    await trade();
    const half =
      ((
        await live.chain.read<unknown[]>(
          MAINNET.v3Positions,
          'positions(uint256) view returns (uint96,address,address,address,uint24,int24,int24,uint128,uint256,uint256,uint128,uint128)',
          [ids.bob!],
        )
      )[7] as bigint) / 2n;
    const [usdc, weth] = await freed('bob', ids.bob!, half);
    const hash = await npm('bob', [decrease(ids.bob!, half), collect(ids.bob!, addressOf('bob'))]);
    const effect = only((await live.report(hash)).position_effects);
    expect(effect).toMatchObject({ effect: 'decrease', owner: addressOf('bob'), ...token(ids.bob!) });
    expect([part(effect, 'principal', MAINNET.usdc), part(effect, 'principal', MAINNET.weth)]).toEqual([
      usdc,
      weth,
    ]);
    const gained = async (asset: Address) =>
      live.change(hash, asset, 'balanceOf(address) view returns (uint256)', [addressOf('bob')]);
    expect(part(effect, 'fee', MAINNET.usdc)).toBe((await gained(MAINNET.usdc)) - usdc);
    expect(part(effect, 'fee', MAINNET.weth)).toBe((await gained(MAINNET.weth)) - weth);
    expect(part(effect, 'fee', MAINNET.usdc)).toBeGreaterThan(0n);
    expect(part(effect, 'fee', MAINNET.weth)).toBeGreaterThan(0n);
    expect((await position(hash, 'before', ids.bob!)) - (await position(hash, 'after', ids.bob!))).toBe(half);
  });

  it("fees alone, as ether and swept by the manager: the owner's, not the manager's", async () => {
    await trade();
    const hash = await npm('bob', [
      collect(ids.bob!, NATIVE),
      fn('unwrapWETH9(uint256,address)', [0n, addressOf('bob')]),
      fn('sweepToken(address,uint256,address)', [MAINNET.usdc, 0n, addressOf('bob')]),
    ]);
    const report = await live.report(hash);
    const effect = only(report.position_effects);
    expect(effect).toMatchObject({ effect: 'collect', owner: addressOf('bob'), ...token(ids.bob!) });
    const gained = (kind: string) =>
      BigInt(
        report.inventory_deltas.find((d) => d.subject === addressOf('bob') && d.asset.kind === kind)!
          .delta_raw,
      );
    expect([part(effect, 'fee', MAINNET.usdc), part(effect, 'fee', MAINNET.weth)]).toEqual([
      gained('erc20'),
      gained('native'),
    ]);
    expect(await position(hash, 'after', ids.bob!)).toBe(await position(hash, 'before', ids.bob!));
  });

  it('everything taken out as ether and the NFT burnt: the position closes', async () => {
    await trade();
    const all = (
      await live.chain.read<unknown[]>(
        MAINNET.v3Positions,
        'positions(uint256) view returns (uint96,address,address,address,uint24,int24,int24,uint128,uint256,uint256,uint128,uint128)',
        [ids.bob!],
      )
    )[7] as bigint;
    const [usdc, weth] = await freed('bob', ids.bob!, all);
    const hash = await npm('bob', [
      decrease(ids.bob!, all),
      collect(ids.bob!, NATIVE),
      fn('unwrapWETH9(uint256,address)', [0n, addressOf('bob')]),
      fn('sweepToken(address,uint256,address)', [MAINNET.usdc, 0n, addressOf('bob')]),
      fn('burn(uint256)', [ids.bob!]),
    ]);
    const effect = only((await live.report(hash)).position_effects);
    expect(effect).toMatchObject({ effect: 'close', owner: addressOf('bob'), ...token(ids.bob!, -1n) });
    expect([part(effect, 'principal', MAINNET.usdc), part(effect, 'principal', MAINNET.weth)]).toEqual([
      usdc,
      weth,
    ]);
  });

  it('two positions in one transaction, freed first and collected then: each with its own principal', async () => {
    await open('carol');
    const first = ids.carol!;
    await open('carol');
    const second = ids.carol!;
    await trade();
    const liquidity = async (id: bigint) =>
      (
        await live.chain.read<unknown[]>(
          MAINNET.v3Positions,
          'positions(uint256) view returns (uint96,address,address,address,uint24,int24,int24,uint128,uint256,uint256,uint128,uint128)',
          [id],
        )
      )[7] as bigint;
    const [a, b] = [(await liquidity(first)) / 4n, (await liquidity(second)) / 2n];
    const [principalA, principalB] = [await freed('carol', first, a), await freed('carol', second, b)];
    const hash = await npm('carol', [
      decrease(first, a),
      decrease(second, b),
      collect(first, addressOf('carol')),
      collect(second, addressOf('carol')),
    ]);
    const { position_effects: effects } = await live.report(hash);
    expect(effects.map((e) => [e.effect, e.owner, e.position_asset!.token_id])).toEqual([
      ['decrease', addressOf('carol'), first.toString()],
      ['decrease', addressOf('carol'), second.toString()],
    ]);
    expect(
      effects.map((e) => [part(e, 'principal', MAINNET.usdc), part(e, 'principal', MAINNET.weth)]),
    ).toEqual([principalA, principalB]);
  });

  it('an NFT that changes hands is a position that changes hands', async () => {
    const hash = await live.chain.send('carol', {
      to: MAINNET.v3Positions,
      data: fn('transferFrom(address,address,uint256)', [addressOf('carol'), addressOf('dave'), ids.carol!]),
    });
    const { position_effects: effects, classification } = await live.report(hash);
    expect(classification.intent_kind).toBe('NftTransfer');
    expect(effects.map((e) => [e.effect, e.owner, e.position_asset!.token_id, e.position_delta_raw])).toEqual(
      [
        ['transfer', addressOf('carol'), ids.carol!.toString(), '-1'],
        ['transfer', addressOf('dave'), ids.carol!.toString(), '1'],
      ],
    );
    expect(
      getAddress(
        await live.read<Address>(
          hash,
          'after',
          MAINNET.v3Positions,
          'ownerOf(uint256) view returns (address)',
          [ids.carol!],
        ),
      ),
    ).toBe(addressOf('dave'));
  });
});

describe('v4', () => {
  let id = 0n;
  const key = () => v4Key(NATIVE, at('USDC'));
  const amount = () => sqrt(unit('ETH', '10') * unit('USDC', '34000'));
  const DECREASE = 'uint256 id, uint256 liquidity, uint128 min0, uint128 min1, bytes hook';
  const take = (): [number, string, unknown[]] => [
    V4.takePair,
    'address, address, address',
    [NATIVE, at('USDC'), addressOf('carol')],
  ];
  const modify = (actions: [number, string, unknown[]][], value = 0n) =>
    live.chain.send('carol', { to: MAINNET.v4Positions, value, data: v4Actions(actions) });
  const reduce = (liquidity: bigint) =>
    modify([[V4.decrease, DECREASE, [id, liquidity, 0n, 0n, '0x']], take()]);
  const liquidity = (hash: Hex, when: 'before' | 'after') =>
    live.read<bigint>(
      hash,
      when,
      MAINNET.v4Positions,
      'getPositionLiquidity(uint256) view returns (uint128)',
      [id],
    );
  const token = (delta = 0n) => ({
    position_asset: { kind: 'erc721', address: MAINNET.v4Positions, token_id: id.toString() },
    position_delta_raw: delta.toString(),
  });
  async function trade(): Promise<void> {
    await live.chain.must('erin', {
      to: MAINNET.universalRouter,
      value: unit('ETH', '20'),
      data: ur([0x10], [v4Swap(key(), true, unit('ETH', '20'))]),
    });
    await live.c.permit2('erin', 'USDC', 'universalRouter');
    await live.chain.must('erin', {
      to: MAINNET.universalRouter,
      data: ur([0x10], [v4Swap(key(), false, unit('USDC', '60000'))]),
    });
  }
  /** What the position has earned: what collecting it alone would pay, tried and undone. */
  async function earned(): Promise<{ eth: bigint; usdc: bigint }> {
    const deltas = await live.whatIf(() => reduce(0n));
    const of = (address: Address | null) =>
      deltas.find((d) => d.subject === addressOf('carol') && d.address === address)?.delta ?? 0n;
    return { eth: of(null), usdc: of(MAINNET.usdc) };
  }
  const gained = (
    report: { inventory_deltas: { subject: string; asset: { address: string | null }; delta_raw: string }[] },
    address: Address | null,
  ): bigint =>
    BigInt(
      report.inventory_deltas.find((d) => d.subject === addressOf('carol') && d.asset.address === address)
        ?.delta_raw ?? 0,
    );

  it('a new position opens with its NFT', async () => {
    await live.c.permit2('carol', 'USDC', 'v4Positions');
    const hash = await modify(
      [
        [
          V4.mint,
          V4_MINT,
          [
            key(),
            -887_270,
            887_270,
            amount(),
            unit('ETH', '11'),
            unit('USDC', '40000'),
            addressOf('carol'),
            '0x',
          ],
        ],
        [V4.settlePair, 'address, address', [NATIVE, at('USDC')]],
        [V4.sweep, 'address, address', [NATIVE, addressOf('carol')]],
      ],
      unit('ETH', '12'),
    );
    id = await mintedId(live.c, hash, MAINNET.v4Positions);
    const report = await live.report(hash);
    const effect = only(report.position_effects);
    expect(effect).toMatchObject({
      effect: 'open',
      owner: addressOf('carol'),
      ...token(1n),
      market: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    expect([part(effect, 'principal', null), part(effect, 'principal', MAINNET.usdc)]).toEqual([
      gained(report, null),
      gained(report, MAINNET.usdc),
    ]);
    expect(await liquidity(hash, 'after')).toBe(amount());
  });

  it('more liquidity while fees are due: these are put in again, and told apart', async () => {
    await trade();
    const fees = await earned();
    const hash = await modify(
      [
        [
          V4.increase,
          'uint256 id, uint256 liquidity, uint128 max0, uint128 max1, bytes hook',
          [id, amount() / 2n, unit('ETH', '6'), unit('USDC', '20000'), '0x'],
        ],
        [V4.settlePair, 'address, address', [NATIVE, at('USDC')]],
        [V4.sweep, 'address, address', [NATIVE, addressOf('carol')]],
      ],
      unit('ETH', '6'),
    );
    const report = await live.report(hash);
    const effect = only(report.position_effects);
    expect(effect).toMatchObject({ effect: 'increase', owner: addressOf('carol'), ...token() });
    expect(fees.eth).toBeGreaterThan(0n);
    expect([part(effect, 'fee', null), part(effect, 'fee', MAINNET.usdc)]).toEqual([fees.eth, fees.usdc]);
    expect([part(effect, 'principal', null), part(effect, 'principal', MAINNET.usdc)]).toEqual([
      gained(report, null) - fees.eth,
      gained(report, MAINNET.usdc) - fees.usdc,
    ]);
    expect((await liquidity(hash, 'after')) - (await liquidity(hash, 'before'))).toBe(amount() / 2n);
  });

  it('part of it taken out with the fees: each told apart', async () => {
    await trade();
    const fees = await earned();
    const hash = await reduce(amount() / 4n);
    const report = await live.report(hash);
    const effect = only(report.position_effects);
    expect(effect).toMatchObject({ effect: 'decrease', owner: addressOf('carol'), ...token() });
    expect([part(effect, 'fee', null), part(effect, 'fee', MAINNET.usdc)]).toEqual([fees.eth, fees.usdc]);
    expect([part(effect, 'principal', null), part(effect, 'principal', MAINNET.usdc)]).toEqual([
      gained(report, null) - fees.eth,
      gained(report, MAINNET.usdc) - fees.usdc,
    ]);
    expect((await liquidity(hash, 'before')) - (await liquidity(hash, 'after'))).toBe(amount() / 4n);
  });

  it('fees alone', async () => {
    await trade();
    const report = await live.report(await reduce(0n));
    const effect = only(report.position_effects);
    expect(effect).toMatchObject({ effect: 'collect', owner: addressOf('carol'), ...token() });
    expect([part(effect, 'fee', null), part(effect, 'fee', MAINNET.usdc)]).toEqual([
      gained(report, null),
      gained(report, MAINNET.usdc),
    ]);
  });

  it('burnt with all that is in it: the position closes', async () => {
    const hash = await modify([
      [0x03, 'uint256 id, uint128 min0, uint128 min1, bytes hook', [id, 0n, 0n, '0x']],
      take(),
    ]);
    const report = await live.report(hash);
    const effect = only(report.position_effects);
    expect(effect).toMatchObject({ effect: 'close', owner: addressOf('carol'), ...token(-1n) });
    expect([
      part(effect, 'principal', null) + part(effect, 'fee', null),
      part(effect, 'principal', MAINNET.usdc) + part(effect, 'fee', MAINNET.usdc),
    ]).toEqual([gained(report, null), gained(report, MAINNET.usdc)]);
  });
});
