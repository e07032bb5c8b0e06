// Positions and trades at listed venues that a stranger's contract tells of somebody, or that net to nothing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Address, type Hex } from 'viem';
import type { TxReport } from '../../src/model/generated/report.ts';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET, NATIVE } from '../devnet/addresses.ts';
import { ETHER, fn, fnOf } from '../devnet/chain.ts';
import { mintV3, sqrt, sqrtPriceX96, v4Key } from '../devnet/deploy/uniswap.ts';
import { ATTACKER, BUNDLER, call, compile, event, startStage, type Stage, type Step } from './stage.ts';

const [ALICE, MALLORY] = [addressOf('alice'), addressOf(ATTACKER)];
const SEAPORT: Address = '0x0000000000000068F116a894984e2DB1123eB395';
const ITEM = '(uint8 itemType, address token, uint256 identifier, uint256 amount';
const FULFILLED =
  'OrderFulfilled(bytes32 orderHash, address indexed offerer, address indexed zone, address recipient, ' +
  `${ITEM})[] offer, ${ITEM}, address recipient)[] consideration)`;
const ONE = 1_000_000n;
let stage: Stage;
let forger: Address;
const give = (to: Address, amount: bigint, token: Address = MAINNET.usdc) =>
  stage.chain.must('maker', { to: token, data: fn('transfer(address,uint256)', [to, amount]) });
const allow = (spender: Address): Step =>
  call(MAINNET.usdc, fn('approve(address,uint256)', [spender, 1n << 128n]));
const play = (steps: readonly Step[]): Hex => fnOf(stage.abi, 'play', [steps]);
const positionsOf = ({ position_effects: effects }: TxReport) =>
  effects.map(({ owner, effect, status, underlying }) => {
    return [owner, effect, status, underlying.map(({ delta, asset }) => `${delta} ${asset.symbol}`)];
  });

beforeAll(async () => {
  stage = await startStage();
  forger = await stage.forger('Forger', 'FORGER');
  await give(forger, 50n * ONE);
}, 180_000);
afterAll(() => stage?.stop());

describe('liquidity that a stranger’s contract holds in a v4 pool', () => {
  const { Washer } = compile('Unlocked.sol');
  const [kept, left] = [1, 2].map((fee) => v4Key(MAINNET.dai, MAINNET.usdc, fee, 10));
  /** The pool rounds what it is owed up. */
  const AMOUNTS = ['-1.000000000000000001 DAI', '-1 USDC'];
  let washer: Address;
  const wash = async (holder: Address, keeps: boolean, liquidity: bigint): Promise<TxReport> => {
    const key = keeps ? kept : left;
    const tell = fnOf(Washer!.abi, 'tell', [holder, keeps]);
    await stage.chain.must(ATTACKER, { to: washer, data: tell });
    const data = fnOf(Washer!.abi, 'wash', [key, 887_270, liquidity, true, -ONE * ETHER]);
    return stage.report(await stage.chain.send(ATTACKER, { to: washer, data, gas: 3_000_000n }));
  };
  beforeAll(async () => {
    washer = await stage.chain.deploy(Washer!, [MAINNET.v4PoolManager]);
    await give(washer, 10n * ETHER, MAINNET.dai);
    await give(washer, 10n * ONE);
    for (const key of [kept!, left!])
      await stage.chain.must(ATTACKER, {
        to: MAINNET.v4PoolManager,
        data: fn('initialize((address,address,uint24,int24,address),uint160) returns (int24)', [
          Object.values(key),
          sqrtPriceX96(ETHER, ONE),
        ]),
      });
  });

  it('and that leaves it again in the same call is not told by what rounding took', async () => {
    const { classification, motifs } = await wash(NATIVE, false, sqrt(10n ** 15n * ETHER * ONE * ONE));
    expect(motifs.map(({ kind }) => kind)).toEqual(['add_liquidity', 'swap', 'remove_liquidity']);
    expect([classification.status, classification.intent_kind]).toEqual(['Suspected', 'TokenTransfer']);
  });

  it('is its own, and Proven', async () => {
    const report = await wash(NATIVE, true, sqrt(ETHER * ONE));
    expect(report.classification).toMatchObject({
      status: 'Proven',
      intent_label: 'Add 1 DAI and 1 USDC to Uniswap V4',
      actor: washer,
    });
    expect(positionsOf(report)).toEqual([[washer, 'increase', 'Proven', AMOUNTS]]);
  });

  it('is no Proven position of the account that it makes an NFT for', async () => {
    const report = await wash(ALICE, true, sqrt(ETHER * ONE));
    expect(positionsOf(report)).toEqual([[ALICE, 'open', 'Suspected', AMOUNTS]]);
    expect(report.motifs.find(({ kind }) => kind === 'add_liquidity')!.status).toBe('Suspected');
  });
});

describe('a position that a stranger’s contract opens for who pays it', () => {
  const dust = (): Step[] => [
    allow(MAINNET.v3Positions),
    call(
      MAINNET.v3Positions,
      mintV3([MAINNET.usdc, MAINNET.weth], 500, [300_000, 887_270], [ONE, 0n], ALICE),
    ),
  ];
  it.each([
    ['kept what it was paid', () => []],
    ['passed on what it was paid', () => [call(addressOf('bob'), '0x', 10n * ETHER)]],
  ])('holds what the pool got, not the 10 ETH: the contract %s', async (_, then: () => Step[]) => {
    const request = { to: forger, data: play([...dust(), ...then()]), value: 10n * ETHER, gas: 3_000_000n };
    const report = await stage.report(await stage.chain.send('alice', request));
    expect(positionsOf(report)).toEqual([[ALICE, 'open', 'Proven', ['-1 USDC']]]);
  });

  it('holds what the pool got, not the token that was sent to another', async () => {
    const { Puppet } = compile('Forger.sol');
    const puppet = await stage.chain.deploy(Puppet!, ['Puppet', 'PUPPET', 6]);
    await give(puppet, 50n * ONE);
    const transfer = 'Transfer(address indexed from, address indexed to, uint256 value)';
    const steps = [event(transfer, addressOf('bob'), 5n * ONE, { from: ALICE }), ...dust()];
    const set = { to: puppet, data: fnOf(Puppet!.abi, 'set', [steps]), gas: 3_000_000n };
    await stage.chain.must(ATTACKER, set);
    const data = fn('transfer(address,uint256)', [addressOf('bob'), 5n * ONE]);
    const report = await stage.report(await stage.chain.send('alice', { to: puppet, data, gas: 3_000_000n }));
    expect(positionsOf(report)).toEqual([[ALICE, 'open', 'Proven', ['-1 USDC']]]);
  });
});

describe('a sale at a listed market', () => {
  const item = (itemType: number, token: Address, identifier: bigint, amount: bigint) => {
    return { itemType, token, identifier, amount };
  };
  /** The forger bids 5 USDC for an NFT, which the attacker, the only one that the market asks, hands in. */
  async function sale(token: Address): Promise<TxReport> {
    const pull = (of: Address, from: Address, to: Address, what: bigint): Step =>
      call(of, fn('transferFrom(address,address,uint256)', [from, to, what]));
    const steps = [
      pull(MAINNET.usdc, forger, MALLORY, 5n * ONE),
      pull(token, MALLORY, forger, 9n),
      event(FULFILLED, forger, 0n, {
        zone: NATIVE,
        recipient: MALLORY,
        offer: [item(1, MAINNET.usdc, 0n, 5n * ONE)],
        consideration: [{ ...item(2, token, 9n, 1n), recipient: forger }],
      }),
    ];
    return stage.report(
      await stage.chain.send(ATTACKER, { to: SEAPORT, data: play(steps), gas: 3_000_000n }),
    );
  }
  beforeAll(async () => {
    for (const at of [SEAPORT, BUNDLER])
      await stage.chain.placeAt(at, compile('Forger.sol')['Forger']!, ['Seaport', 'SEA']);
    await stage.chain.must(ATTACKER, { to: forger, data: play([allow(SEAPORT)]), gas: 1_000_000n });
  });

  it.each([
    ['is Proven of who handed the NFT in', MALLORY, 'Proven', NATIVE],
    [
      'is not Proven of the account whose NFT the collection has moved by a helper',
      ALICE,
      'Suspected',
      NATIVE,
    ],
    ['nor where a listed contract that makes any call moves it', ALICE, 'Suspected', BUNDLER],
  ] as const)('%s', async (_, seller, status, via) => {
    const collection = await stage.chain.deploy(compile('Kinds.sol')['Swindle']!, [seller, via]);
    const { classification, motifs } = await sale(collection);
    const trade = motifs.find(({ kind }) => kind === 'nft_trade')!;
    expect(trade.participants).toContainEqual({ role: 'seller', account: seller });
    expect([trade.status, classification.status]).toEqual([status, status]);
  });
});
