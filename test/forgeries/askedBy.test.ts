// Acts at listed contracts that a stranger's contract asks for, when somebody calls it: they are that contract's.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Abi, Address, Hex } from 'viem';
import type { TxReport } from '../../src/model/generated/report.ts';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { fn, fnOf } from '../devnet/chain.ts';
import { startHosts } from './hosts.ts';
import { ATTACKER, call, compile, event, short, startStage, type Stage, type Step } from './stage.ts';

const ALICE = addressOf('alice');
const GOVERNOR: Address = '0x408ED6354d4973f66138C91495F2f2FCbd8724C3';
const NAMES: Address = '0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e';
const RESTAKING: Address = '0x39053D51B77DC0d36036Fc1fCc8Cb819df8Ef37A';
const VOTED =
  'VoteCast(address indexed voter, uint256 proposalId, uint8 support, uint256 votes, string reason)';
let stage: Stage, abi: Abi, stranger: Address;
beforeAll(async () => {
  stage = await startStage();
  const { Forger, Puppet } = compile('Forger.sol');
  abi = Puppet!.abi;
  for (const at of [GOVERNOR, NAMES, RESTAKING]) await stage.chain.placeAt(at, Forger!, ['Listed', 'LISTED']);
  stranger = await stage.chain.deploy(Puppet!, ['Vault', 'VAULT', 6]);
  const data = fn('transfer(address,uint256)', [stranger, 100_000_000n]);
  await stage.chain.must('maker', { to: MAINNET.usdc, data });
}, 180_000);
afterAll(() => stage?.stop());

const play = (steps: readonly Step[]): Hex => fnOf(stage.abi, 'play', [steps]);

/** Alice claims a present of the stranger's contract, which does these steps. */
async function claims(steps: readonly Step[]): Promise<TxReport> {
  await stage.chain.must(ATTACKER, { to: stranger, data: fnOf(abi, 'set', [steps]), gas: 6_000_000n });
  const data = fn('claim()');
  return stage.report(await stage.chain.send('alice', { to: stranger, data, gas: 8_000_000n }));
}

/** Alice asks the listed contract herself. */
const asks = async ({ to, data }: Step): Promise<TxReport> =>
  stage.report(await stage.chain.send('alice', { to, data, gas: 8_000_000n }));

const parties = ({ motifs }: TxReport, kind: string) =>
  motifs
    .filter((one) => one.kind === kind)
    .flatMap(({ participants }) => participants.map(({ role, account }) => `${role} ${account}`));

const pools = async () =>
  call(
    MAINNET.v2Factory,
    fn('createPair(address,address)', [await stage.forger('Coin', 'COIN'), MAINNET.weth]),
  );
const resolves = async () =>
  call(NAMES, play([event('NewResolver(bytes32 indexed node, address resolver)', ALICE, 5n)]));
const executes = async () => call(GOVERNOR, play([event('ProposalExecuted(uint256 proposalId)', ALICE, 5n)]));

describe.each([
  ['pool_creation', 'owner', pools, 'Create a pool on Uniswap V2', ['', '']],
  ['name_service', 'caller', resolves, 'Manage a name with ENS', [': new resolver', ': claim()']],
  [
    'governance',
    'caller',
    executes,
    'Take part in governance of Uniswap governance, proposal 5',
    [': proposal executed 5', ': claim()'],
  ],
] as const)('%s, whose event names nobody', (kind, role, made, label, [own, called]) => {
  it('is Alice’s where she asked for it', async () => {
    const report = await asks(await made());
    expect(report.classification).toMatchObject({
      status: 'Proven',
      actor: ALICE,
      intent_label: `${label}${own}`,
    });
    expect(parties(report, kind)).toContain(`${role} ${ALICE}`);
  });

  it('is a stranger’s whose contract asked for it at her call, and said to be', async () => {
    const report = await claims([await made()]);
    expect(report.classification.intent_label).toBe(`${label}${called}, by ${short(stranger)}`);
    expect(parties(report, kind)).toContain(`${role} ${stranger}`);
    expect(parties(report, kind).join()).not.toContain(ALICE);
  });
});

it('a vote of the called contract is said to be its own', async () => {
  const { classification } = await claims([call(GOVERNOR, play([event(VOTED, stranger, 5n)]))]);
  expect(classification).toMatchObject({
    status: 'Proven',
    actor: ALICE,
    intent_label: `Vote for proposal 5 in Uniswap governance, by ${short(stranger)}`,
  });
});

it.each([
  'a Safe’s harmless act',
  'a harmless user operation whose bundler names a trap as beneficiary',
  'an order settled by a solver with interactions of its own',
] as const)('nothing that a stranger asks for beside %s is its account’s', async (act) => {
  const { hosts, mask } = await startHosts(stage);
  const host = hosts[act]!;
  const vote = call(GOVERNOR, play([event(VOTED, mask, 5n)]));
  for (const added of [vote, await pools(), await resolves(), await executes()]) {
    const { classification } = await host.run([added], true);
    expect(classification.actor).toBe(host.victim());
    expect(['GovernanceAction', 'PoolCreation', 'NameServiceAction']).not.toContain(
      classification.intent_kind,
    );
  }
});

it('what a stranger gives beside a withdrawal of its own is no withdrawal of the signer', async () => {
  const completed = event('SlashingWithdrawalCompleted(bytes32 withdrawalRoot)', ALICE, 5n);
  const gift = call(MAINNET.usdc, fn('transfer(address,uint256)', [ALICE, 5_000_000n]));
  const {
    classification,
    motifs,
    position_effects: positions,
  } = await claims([call(RESTAKING, play([completed])), gift]);
  expect(classification.status).toBe('Suspected');
  expect(classification.intent_label).not.toContain('EigenLayer');
  expect(motifs.map(({ kind }) => kind)).not.toContain('unstake');
  expect(positions).toEqual([]);
});
