// Roles that name the holder of an NFT: asked of its contract, and of a stranger's contract no more than its word.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getAddress, parseUnits, type Address, type Hex } from 'viem';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { ETHER, fn, fnOf } from '../devnet/chain.ts';
import { FAR_FUTURE } from '../devnet/deploy/uniswap.ts';
import { collectV3 } from '../devnet/scenarios/liquidity.ts';
import { ATTACKER, call, compile, event, startStage, type Stage } from './stage.ts';

const [ALICE, BOB, MALLORY] = [addressOf('alice'), addressOf('bob'), addressOf(ATTACKER)];
const INCREASE =
  'IncreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)';
const LOCK =
  'Deposit(address indexed provider, uint256 tokenId, uint256 value, uint256 indexed locktime, ' +
  'uint8 deposit_type, uint256 ts)';
const WITHDRAW = 'WithdrawFromLockupStream(uint256 indexed streamId, address indexed to, uint128 amount)';
let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
}, 180_000);
afterAll(() => stage?.stop());

describe('liquidity added to the position of another', () => {
  it('is its holder’s position, and the payer’s payment', async () => {
    const { c, chain } = stage;
    const holder = await chain.read<Address>(MAINNET.v3Positions, 'ownerOf(uint256) view returns (address)', [
      1n,
    ]);
    expect(holder).not.toBe(BOB);
    await c.send('bob', { to: MAINNET.weth, value: 2n * ETHER });
    await c.approve('bob', 'USDC', 'v3Positions');
    await c.approve('bob', 'WETH', 'v3Positions');
    const report = await stage.report(
      await c.send('bob', {
        to: MAINNET.v3Positions,
        data: fn('increaseLiquidity((uint256,uint256,uint256,uint256,uint256,uint256))', [
          [1n, parseUnits('3000', 6), ETHER, 0n, 0n, FAR_FUTURE],
        ]),
      }),
    );
    const { participants } = report.motifs.find(({ kind }) => kind === 'add_liquidity')!;
    expect(participants).toContainEqual({ role: 'owner', account: holder });
    expect(participants).toContainEqual({ role: 'payer', account: BOB });
    expect(report.position_effects.map(({ owner, effect, status }) => [owner, effect, status])).toEqual([
      [holder, 'increase', 'Proven'],
    ]);
    expect(report.classification).toMatchObject({
      intent_kind: 'AddLiquidity',
      status: 'Proven',
      actor: BOB,
    });
  });
});

describe('what is taken out of the position of another', () => {
  it('is its holder’s, though an approved account has it paid to itself', async () => {
    const { c, chain } = stage;
    const maker = addressOf('maker');
    const approve = fn('setApprovalForAll(address,bool)', [MALLORY, true]);
    await chain.must('maker', { to: MAINNET.v3Positions, data: approve });
    const report = await stage.report(
      await c.send(ATTACKER, {
        to: MAINNET.v3Positions,
        data: fn('multicall(bytes[])', [
          [
            fn('decreaseLiquidity((uint256,uint128,uint256,uint256,uint256))', [
              [1n, 10n ** 12n, 0n, 0n, FAR_FUTURE],
            ]),
            collectV3(1n, MALLORY),
          ],
        ]),
      }),
    );
    expect(report.position_effects.map(({ owner, effect, status }) => [owner, effect, status])).toEqual([
      [maker, 'decrease', 'Proven'],
    ]);
    expect(report.classification.actor).toBe(MALLORY);
    expect(report.classification.intent_label).toMatch(/^Remove .*, held for 0x\w{4}…\w{4}$/);
  });
});

describe('what a listed contract pays out of a stranger’s position', () => {
  const QUEUE = getAddress('0x889edC2eDab5f40e902b864aD4d7AdE8E412F9B1');
  const CLAIMED =
    'WithdrawalClaimed(uint256 indexed requestId, address indexed owner, address indexed receiver, uint256 amountOfETH)';

  it('makes no act of the account that it is paid to', async () => {
    const { chain } = stage;
    await chain.placeAt(QUEUE, compile('Forger.sol')['Forger']!, ['Queue', 'QUEUE']);
    await chain.rpc('anvil_setBalance', [QUEUE, '0xde0b6b3a7640000']);
    const owner = await stage.forger('Mask', 'MASK');
    const claimed = event(CLAIMED, owner, ETHER, { receiver: ALICE });
    const report = await stage.play(owner, [
      call(QUEUE, fnOf(stage.abi, 'play', [[call(ALICE, '0x', ETHER), claimed]])),
    ]);
    expect(report.position_effects).toMatchObject([{ owner, effect: 'decrease', status: 'Proven' }]);
    expect([report.classification.actor, report.classification.status]).not.toEqual([ALICE, 'Proven']);
  });
});

describe('what the holder of a position asks for itself', () => {
  const decrease = fn('decreaseLiquidity((uint256,uint128,uint256,uint256,uint256))', [
    [1n, 10n ** 12n, 0n, 0n, FAR_FUTURE],
  ]);
  const batch = (...calls: Hex[]): Hex => fn('multicall(bytes[])', [calls]);
  it.each<[string, Hex, RegExp]>([
    ['a removal paid to another', batch(decrease, collectV3(1n, ALICE)), /^Remove .* V3.*, paid to 0x\S+$/],
    ['a removal left with the pool', decrease, /^Remove liquidity from Uniswap V3: decreaseLiquidity\(\)$/],
    // The removal before left its principal with the pool: nothing here tells it from fees.
    [
      'all that is owed paid to another',
      collectV3(1n, ALICE),
      /^Collect ((?! in fees).)* from Uniswap V3, paid to 0x\S+$/,
    ],
  ])('is Proven: %s', async (_, data, label) => {
    const { classification, position_effects: effects } = await stage.report(
      await stage.c.send('maker', { to: MAINNET.v3Positions, data }),
    );
    const actor = addressOf('maker');
    expect(classification).toMatchObject({ actor, status: 'Proven' });
    expect(classification.intent_label).toMatch(label);
    expect(effects.map(({ owner, status }) => [owner, status])).toEqual([[actor, 'Proven']]);
  });
  it('of another, by an operator that leaves it with the pool, is no act of the holder', async () => {
    const { classification } = await stage.report(
      await stage.c.send(ATTACKER, { to: MAINNET.v3Positions, data: decrease }),
    );
    expect([classification.actor, classification.status]).toEqual([MALLORY, 'Suspected']);
  });
});

describe('a stranger’s contract that says whose an NFT is', () => {
  let collection: Address;
  beforeAll(async () => {
    collection = await stage.chain.deploy(compile('Forger.sol')['Collection']!, [ALICE]);
  });
  const proven = (report: Awaited<ReturnType<Stage['play']>>) =>
    report.position_effects.filter(({ owner, status }) => owner === ALICE && status === 'Proven');

  it('is not believed about a position manager’s event', async () => {
    const report = await stage.play(collection, [event(INCREASE, ALICE, ETHER, { tokenId: 1n })]);
    expect(report.motifs.filter(({ kind }) => kind === 'add_liquidity')).toEqual([]);
    expect(report.classification.actor).toBe(MALLORY);
  });

  it('proves no lock and no claim of the account that it names', async () => {
    const token = await stage.forger('Token', 'TKN');
    const move = (from: Address, to: Address) =>
      call(token, fn('transferFrom(address,address,uint256)', [from, to, ETHER]));
    const lock = await stage.play(collection, [
      move(BOB, collection),
      event(LOCK, BOB, ETHER, { tokenId: 1n }),
    ]);
    expect(lock.classification.actor).not.toBe(BOB);
    expect(proven(lock)).toEqual([]);
    const claim = await stage.play(collection, [
      move(collection, MALLORY),
      event(WITHDRAW, MALLORY, ETHER, { streamId: 1n }),
    ]);
    expect(claim.motifs.find(({ kind }) => kind === 'claim')!.participants).toContainEqual({
      role: 'owner',
      account: ALICE,
    });
    expect([claim.classification.actor, claim.classification.status]).not.toEqual([ALICE, 'Proven']);
    expect(proven(claim)).toEqual([]);
  });
});
