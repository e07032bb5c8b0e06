// EIP-7702 authorisations that strangers bring: those without effect delegate nothing, and those with effect sign no call.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Address } from 'viem';
import type { TxReport } from '../../src/model/generated/report.ts';
import { account, addressOf, type Person } from '../devnet/accounts.ts';
import { NATIVE } from '../devnet/addresses.ts';
import { fnOf, type Request } from '../devnet/chain.ts';
import { ATTACKER, event, startStage, type Stage } from './stage.ts';

const FRIEND = addressOf('bob');
let stage: Stage;
let mask: Address;
let open: Address;

beforeAll(async () => {
  stage = await startStage();
  mask = await stage.forger('Mask', 'MASK');
  // It makes any call, whoever asks.
  open = stage.c.at('batchDelegate');
}, 180_000);
afterAll(() => stage?.stop());
// An authorisation that takes effect spends a nonce too.
beforeEach(() => stage.chain.forgetNonces());

const short = (address: Address): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

/** An authorisation for a nonce so many after the account's next one. */
async function tuple(owner: Person, address: Address, later = 0, chainId = 1) {
  const nonce = (await stage.chain.nonce(owner)) + later;
  return account(owner).signAuthorization({ chainId, address, nonce });
}
const sent = async (by: Person, request: Request): Promise<TxReport> =>
  stage.report(await stage.chain.send(by, { gas: 3_000_000n, ...request }));
const effects = ({ attribution }: TxReport) => attribution.delegations.map((one) => one.took_effect);

describe('an authorisation without effect', () => {
  const nothing = (to: Address) => ({
    status: 'Proven',
    intent_kind: 'ContractCall',
    intent_label: `Submit an authorisation without effect to ${short(to)}`,
  });

  it.each<[string, Person, () => ReturnType<typeof tuple>]>([
    ['for a later nonce', 'judy', () => tuple('judy', mask, 7)],
    ['for another chain', 'judy', () => tuple('judy', mask, 0, 5)],
    ['that would revoke one', 'judy', () => tuple('judy', NATIVE, 7)],
    // Its nonce is the transaction's own.
    ['of the sender itself', ATTACKER, () => tuple(ATTACKER, mask)],
  ])('%s delegates nothing', async (_, __, made) => {
    const report = await sent(ATTACKER, { to: FRIEND, authorizationList: [await made()] });
    expect(report.classification).toMatchObject(nothing(FRIEND));
    expect(effects(report)).toEqual([false]);
  });

  it('that had its effect before delegates nothing again', async () => {
    const used = await tuple('judy', mask);
    const first = await sent(ATTACKER, { to: FRIEND, authorizationList: [used] });
    expect(first.classification).toMatchObject({
      status: 'Proven',
      intent_kind: 'AccountDelegation',
      intent_label: `Delegate ${short(addressOf('judy'))} to ${short(mask)}`,
    });
    const again = await sent(ATTACKER, { to: FRIEND, authorizationList: [used] });
    expect(again.classification).toMatchObject(nothing(FRIEND));
    expect([first, again].map(effects)).toEqual([[true], [false]]);
  });

  it('is no setup where an event comes with it', async () => {
    const said = event('Initialized(uint64 version)', FRIEND, 1n);
    const report = await sent(ATTACKER, {
      to: mask,
      data: fnOf(stage.abi, 'play', [[said]]),
      authorizationList: [await tuple('judy', mask, 7)],
    });
    expect(report.classification.intent_kind).not.toBe('AccountDelegation');
  });

  it('is left out beside one that has it', async () => {
    const both = [await tuple('judy', open, 7), await tuple('judy', mask)];
    const report = await sent(ATTACKER, { to: FRIEND, authorizationList: both });
    expect(report.classification.intent_label).toBe(`Delegate ${short(addressOf('judy'))} to ${short(mask)}`);
    expect(effects(report)).toEqual([false, true]);
  });

  it('of two that follow on each other, the last is told', async () => {
    const both = [await tuple('judy', open), await tuple('judy', mask, 1)];
    const report = await sent(ATTACKER, { to: FRIEND, authorizationList: both });
    expect(report.classification.intent_label).toBe(`Delegate ${short(addressOf('judy'))} to ${short(mask)}`);
    expect(effects(report)).toEqual([true, true]);
  });
});
