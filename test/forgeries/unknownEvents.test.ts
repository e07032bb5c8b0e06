// Events that no shape reads: what their contract's own movements show is proven, of its caller and of nobody else.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address, Hex } from 'viem';
import type { TxReport } from '../../src/model/generated/report.ts';
import { fetchRawAnswers } from '../../src/tools/verify/fetchRawAnswers.ts';
import { verifyReport } from '../../src/tools/verify/verifyReport.ts';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { fn, fnOf } from '../devnet/chain.ts';
import type { Contract } from '../devnet/compile.ts';
import { ATTACKER, call, compile, event, startStage, type Stage, type Step } from './stage.ts';

const [ALICE, BOB, ME] = [addressOf('alice'), addressOf('bob'), addressOf(ATTACKER)];
const FIVE = 5_000_000n;
const GEM = 7_000_000n;
let stage: Stage;
let venue: Address;
let donor: Address;
let puppet: Contract;
let claims: Address;

beforeAll(async () => {
  stage = await startStage();
  const { c, chain } = stage;
  [venue, donor] = [await stage.forger('Venue', 'VENUE'), await stage.forger('Donor', 'DONOR')];
  puppet = compile('Forger.sol')['Puppet']!;
  claims = await chain.deploy(puppet, ['Claims', 'CLAIMS', 6]);
  for (const to of [venue, claims, donor]) {
    for (const who of ['alice', 'bob', ATTACKER] as const) await c.approve(who, 'USDC', to);
    const usdc = fn('transfer(address,uint256)', [to, 20n * FIVE]);
    await chain.must('alice', { to: MAINNET.usdc, data: usdc });
  }
  await chain.must(ATTACKER, { to: MAINNET.weth, data: fn('deposit()'), value: 200n * GEM });
  for (const to of [venue, donor])
    await chain.must(ATTACKER, { to: MAINNET.weth, data: fn('transfer(address,uint256)', [to, 90n * GEM]) });
});
afterAll(() => stage?.stop());

const pull = (from: Address, to = venue): Step =>
  call(MAINNET.usdc, fn('transferFrom(address,address,uint256)', [from, to, FIVE]));
const gem = (to: Address): Step => call(MAINNET.weth, fn('transfer(address,uint256)', [to, GEM]));
const does = (at: Address, ...steps: Step[]): Step => call(at, fnOf(stage.abi, 'play', [steps]));
/** An event of a kind of exchange that no shape reads. */
const exchanged = (who: Address, given: Readonly<Record<string, unknown>> = {}): Step =>
  event(
    'RebalanceSwap(address indexed userToken, address indexed validatorToken, address indexed swapper, uint256 amountIn, uint256 amountOut)',
    who,
    FIVE,
    { amountOut: GEM, userToken: MAINNET.usdc, validatorToken: MAINNET.weth, ...given },
  );

async function playedBy(who: 'alice' | typeof ATTACKER, steps: readonly Step[]): Promise<TxReport> {
  const data = fnOf(stage.abi, 'play', [steps]);
  return stage.report(await stage.chain.send(who, { to: venue, data, gas: 3_000_000n }));
}
const swapsOf = ({ motifs }: TxReport) => motifs.filter(({ kind }) => kind === 'swap').map((m) => m.status);

describe('an exchange at a contract that nobody lists', () => {
  it('is proven of its caller where its own event states both amounts that it took and gave', async () => {
    const report = await playedBy('alice', [pull(ALICE), gem(ALICE), exchanged(ALICE)]);
    expect(report.classification).toMatchObject({
      intent_kind: 'DirectSwap',
      status: 'Proven',
      confidence: 'Medium',
      actor: ALICE,
    });
    expect(swapsOf(report)).toEqual(['Proven']);
    expect(verifyReport(report, await fetchRawAnswers(stage.rpcUrl, report.tx.hash))).toEqual([]);
  });

  it.each<[string, () => Step[]]>([
    ['no event', () => [pull(ALICE), gem(ALICE)]],
    ['another amount', () => [pull(ALICE), gem(ALICE), exchanged(ALICE, { amountOut: GEM + 1n })]],
    ['an event of another contract', () => [pull(ALICE), gem(ALICE), does(donor, exchanged(ALICE))]],
    [
      'an event of another name',
      () => [
        pull(ALICE),
        gem(ALICE),
        event(
          'BatchOpened(bytes32 indexed intentId, address indexed account, address indexed tokenIn, uint256 principal, uint256 cherumFee, uint256 integratorFee, uint8 legsCount)',
          ALICE,
          FIVE,
          { cherumFee: GEM },
        ),
      ],
    ],
    ['a bystander’s dollars', () => [pull(BOB), gem(ALICE), exchanged(ALICE)]],
    [
      'what it passed on',
      () => [
        pull(ALICE),
        gem(ALICE),
        exchanged(ALICE),
        call(MAINNET.usdc, fn('transfer(address,uint256)', [ME, FIVE])),
      ],
    ],
    ['another’s ether', () => [pull(ALICE), does(donor, gem(ALICE)), exchanged(ALICE)]],
  ])('is not by %s', async (_, steps) => {
    const report = await playedBy('alice', steps());
    expect(swapsOf(report)).not.toContain('Proven');
    expect(report.classification.status).toBe('Suspected');
  });

  it.each<[string, () => Step[]]>([
    ['an allowance of old', () => [pull(ALICE), gem(ALICE), exchanged(ALICE)]],
    ['a gift', () => [pull(ME), gem(ALICE), exchanged(ALICE)]],
    ['the word of an event', () => [pull(ME), gem(ME), exchanged(ALICE)]],
  ])('is proven of no bystander by %s', async (_, steps) => {
    const { classification, position_effects: positions, motifs } = await playedBy(ATTACKER, steps());
    expect([classification.actor, classification.status]).not.toEqual([ALICE, 'Proven']);
    expect(positions.filter(({ owner }) => owner === ALICE)).toEqual([]);
    for (const { status, participants } of motifs.filter(({ kind }) => kind === 'swap'))
      if (participants.some(({ role, account }) => account === ALICE && role !== 'recipient'))
        expect(status).toBe('Suspected');
  });
});

/** The distributor pays, and says so in words that no shape reads. */
describe('what its caller asked for by name', () => {
  const paid = (to: Address, amount = FIVE): Step =>
    call(MAINNET.usdc, fn('transfer(address,uint256)', [to, amount]));
  const said = (who: Address): Step =>
    event('ClaimedRewards(address indexed user, address recipient, uint256 claimedRewards)', who, FIVE);
  async function told(
    who: 'alice' | typeof ATTACKER,
    steps: readonly Step[],
    data: Hex = fn('claimAirdrop()'),
  ) {
    const set = fnOf(puppet.abi, 'set', [steps]);
    await stage.chain.must(ATTACKER, { to: claims, data: set, gas: 3_000_000n });
    return stage.report(await stage.chain.send(who, { to: claims, data, gas: 3_000_000n }));
  }
  const CLAIMED = { intent_kind: 'ClaimRewards', status: 'Proven' };

  it('is proven of it at Medium', async () => {
    const report = await told('alice', [paid(ALICE), said(ALICE)]);
    expect(report.classification).toMatchObject({ ...CLAIMED, confidence: 'Medium', actor: ALICE });
    expect(report.classification.intent_label).toMatch(/^Claim 5 USDC from 0x/);
    expect(verifyReport(report, await fetchRawAnswers(stage.rpcUrl, report.tx.hash))).toEqual([]);
  });

  it.each<[string, 'alice' | typeof ATTACKER, () => Step[], Hex?]>([
    ['under another name', 'alice', () => [paid(ALICE), said(ALICE)], fn('poke()')],
    ['where the event names another', 'alice', () => [paid(ALICE), said(BOB)]],
    ['of another amount', 'alice', () => [paid(ALICE, FIVE - 1n), said(ALICE)]],
    ['out of a bystander’s allowance', 'alice', () => [pull(BOB, ALICE), said(ALICE)]],
    ['that another contract pays', 'alice', () => [does(donor, paid(ALICE)), said(ALICE)]],
    ['that another contract tells', 'alice', () => [paid(ALICE), does(venue, said(ALICE))]],
    ['of who did not call', ATTACKER, () => [paid(ALICE), said(ALICE)]],
  ])('%s is not', async (_, who, steps, data) => {
    const { classification, motifs } = await told(who, steps(), data);
    expect(classification).not.toMatchObject(CLAIMED);
    for (const { kind, status } of motifs) if (kind === 'claim') expect(status).toBe('Suspected');
    if (who === ATTACKER) expect(classification.actor).not.toBe(ALICE);
  });

  it('is not where it changes a position', async () => {
    const staked = event(
      'RewardsStaked(address indexed pool, uint256 indexed programId, address indexed provider, uint256 amount)',
      ALICE,
      FIVE,
    );
    const { classification } = await told(
      'alice',
      [pull(ALICE, claims), staked],
      fn('stake(uint256)', [FIVE]),
    );
    expect(classification).toMatchObject({ intent_kind: 'Stake', status: 'Suspected' });
  });
});
