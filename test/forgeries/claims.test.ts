// What a stranger's contract says of an account that did nothing here elects nobody: it is told as a claim.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from 'viem';
import { account, addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { fn, fnOf } from '../devnet/chain.ts';
import { ATTACKER, call, compile, event, startStage, type Stage, type Step } from './stage.ts';

const ME = addressOf(ATTACKER);
const JUDY = addressOf('judy');
const HEIDI = addressOf('heidi');
const MILLION = 10n ** 12n;
let stage: Stage;
let mask: Address, plain: Address, other: Address;
let safe: Address;

beforeAll(async () => {
  stage = await startStage();
  mask = await stage.forger('Mask', 'MASK');
  plain = await stage.forger('Plain', 'PLAIN');
  other = await stage.forger('Other', 'OTHER');
  safe = stage.c.at('treasury');
  await stage.chain.must(ATTACKER, { to: MAINNET.weth, data: fn('deposit()'), value: 10n ** 16n });
  await stage.chain.must(ATTACKER, {
    to: MAINNET.weth,
    data: fn('transfer(address,uint256)', [mask, 10n ** 16n]),
  });
  // Judy's account tells of every call to it, whoever made it.
  const doorbell = await stage.chain.deploy(compile('Forger.sol')['Doorbell']!);
  const nonce = (await stage.chain.nonce('judy')) + 1;
  const tuple = await account('judy').signAuthorization({ chainId: 1, address: doorbell, nonce });
  await stage.chain.must('judy', { to: HEIDI, authorizationList: [tuple] });
  await stage.chain.spendNonce('judy');
});
afterAll(() => stage?.stop());

const pull = (of: Address, from: Address, to: Address): Step =>
  call(of, fn('transferFrom(address,address,uint256)', [from, to, MILLION]));
const gift = (to: Address): Step => call(MAINNET.weth, fn('transfer(address,uint256)', [to, 7n]));

const ALONE: Record<string, (who: Address) => Step[]> = {
  'a filled order': (who) => [
    event(
      'Fill(bytes32 indexed orderHash, address indexed filler, address indexed swapper, uint256 nonce)',
      who,
      1n,
    ),
  ],
  'a user operation': (who) => [
    event(
      'UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
      who,
      1n,
    ),
  ],
  'a reward, with a gift of as much': (who) => [
    gift(who),
    event('RewardPaid(address indexed user, uint256 reward)', who, 7n),
  ],
  'an authorisation, with a token that pays and is paid': (who) => [
    pull(plain, who, mask),
    pull(other, mask, who),
    event('AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)', who, 1n),
  ],
  'a payment in its own token': (who) => [pull(plain, who, mask)],
  'a trade of two tokens of the stranger’s': (who) => [pull(plain, who, mask), pull(other, mask, who)],
  'a cycle that ends in a gift': (who) => [
    pull(plain, who, mask),
    pull(other, mask, who),
    pull(other, who, mask),
    pull(plain, mask, who),
    gift(who),
  ],
};

describe.each(Object.entries(ALONE))('%s', (_, steps) => {
  it.each<[string, () => Address]>([
    ['an account', () => HEIDI],
    ['a Safe', () => safe],
    ['a delegated account', () => JUDY],
    ['a delegated account whose code is called', () => JUDY],
  ])('of %s', async (who, victim) => {
    const rung = who.endsWith('called') ? [call(JUDY, '0x12345678')] : [];
    const request = { to: mask, data: fnOf(stage.abi, 'play', [[...steps(victim()), ...rung]]) };
    const report = await stage.report(await stage.chain.send(ATTACKER, { ...request, gas: 3_000_000n }));
    expect([ME, mask]).toContain(report.classification.actor);
    expect(report.attribution.candidates.filter((c) => c.elected && c.account === victim())).toEqual([]);
  });
});

it.each([
  'a user operation',
  'a reward, with a gift of as much',
  'an authorisation, with a token that pays and is paid',
])('%s is told as a claim', async (name) => {
  const { classification, attribution } = await stage.play(mask, ALONE[name]!(HEIDI));
  expect(classification.intent_label).toMatch(/ claims an act of 0x[0-9a-fA-F]{4}…/);
  expect(classification.actor).toBe(ME);
  expect(attribution.candidates.find((c) => c.account === HEIDI)).toMatchObject({ elected: false });
});
