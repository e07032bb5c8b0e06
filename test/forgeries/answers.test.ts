// An unlisted token's event is the account's act only where the account's call states it: holder, counterparty, amount or id.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address, Hex } from 'viem';
import type { TxReport } from '../../src/model/generated/report.ts';
import { addressOf } from '../devnet/accounts.ts';
import { fn, fnOf } from '../devnet/chain.ts';
import { authorize, batch } from '../devnet/scenarios/delegated.ts';
import { safeTransaction } from '../devnet/scenarios/safe.ts';
import { handleOps } from '../devnet/scenarios/smartAccounts.ts';
import { ATTACKER, compile, event, startStage, type Stage, type Step } from './stage.ts';

let stage: Stage;
let token: Address;
let abi: ReturnType<typeof compile>[string]['abi'];

const BOB = addressOf('bob');
/** In the address book by name, as sanctioned. */
const FAMOUS: Address = '0x07687e702b410fa43f4cb4af7fa097918ffd2730';
const MILLIONS = 5_000_000_000_000n;
const FIVE = 5_000_000n;
const MAX = (1n << 256n) - 1n;

beforeAll(async () => {
  stage = await startStage();
  const { Puppet } = compile('Forger.sol');
  abi = Puppet!.abi;
  token = await stage.chain.deploy(Puppet!, ['Plain', 'PLAIN', 6]);
  const treasury = stage.c.at('treasury');
  await stage.chain.rpc('anvil_setBalance', [treasury, '0x1bc16d674ec80000']);
});
afterAll(() => stage?.stop());

const moved = (from: Address, to: Address, value: bigint): Step =>
  event('Transfer(address indexed from, address indexed to, uint256 value)', from, value, { from, to });
const movedId = (from: Address, to: Address, id: bigint): Step =>
  event('Transfer(address indexed from, address indexed to, uint256 indexed tokenId)', from, id, {
    from,
    to,
  });
const allowed = (owner: Address, spender: Address, value: bigint): Step =>
  event('Approval(address indexed owner, address indexed spender, uint256 value)', owner, value, { spender });
const allowedAll = (owner: Address, operator: Address): Step =>
  event('ApprovalForAll(address indexed owner, address indexed operator, bool approved)', owner, 1n, {
    operator,
  });

const transfer = (to: Address, amount: bigint): Hex => fn('transfer(address,uint256)', [to, amount]);
const approve = (to: Address, amount: bigint): Hex => fn('approve(address,uint256)', [to, amount]);

type Call = { to: Address; value: bigint; data: Hex };
type Who = { account(): Address; run(call: Call): Promise<Hex> };

/** Ways in which an account makes a call of its own. */
const CALLERS: Record<string, Who> = {
  'the signer': {
    account: () => addressOf('alice'),
    run: (call) => stage.chain.send('alice', { ...call, gas: 3_000_000n }),
  },
  'a Safe': {
    account: () => stage.c.at('treasury'),
    run: async (call) => {
      const request = await safeTransaction(stage.c, call);
      return stage.chain.send('relayer', { ...request, gas: 3_000_000n });
    },
  },
  'a user operation': {
    account: () => stage.c.at('erinAccount'),
    run: async (call) => {
      const create = (await stage.chain.code(stage.c.at('erinAccount'))) === '0x';
      const request = await handleOps(stage.c, [{ owner: 'erin', calls: [call], create }]);
      return stage.chain.send('bundler', { ...request, gas: 6_000_000n });
    },
  },
  'a delegated account’s batch': {
    account: () => addressOf('ivan'),
    run: async ({ to, value, data }) => {
      const authorizationList = [await authorize(stage.c, 'ivan', true)];
      const request = { to: addressOf('ivan'), data: batch([[to, value, data]]), authorizationList };
      const hash = await stage.chain.send('ivan', { ...request, gas: 3_000_000n });
      await stage.chain.spendNonce('ivan');
      return hash;
    },
  },
};

/** The account calls the token, which logs these events. */
async function answered(who: Who, data: Hex, events: readonly Step[]): Promise<TxReport> {
  await stage.chain.must(ATTACKER, { to: token, data: fnOf(abi, 'set', [events]), gas: 6_000_000n });
  return stage.report(await who.run({ to: token, value: 0n, data }));
}

/** The transfer is the account's own; only the allowance is not. */
const LOWERED = 'a transfer beside which an unlimited allowance is logged as lowered';
const SENT_FIVE = new RegExp(`^(Send|Pay) 5 PLAIN to ${BOB.slice(0, 6)}…${BOB.slice(-4)}$`);

type Forgery = readonly [call: Hex, logged: (me: Address) => Step[]];
const FORGERIES: Record<string, Forgery> = {
  'a transfer of five that is logged as millions to another': [
    transfer(BOB, FIVE),
    (me) => [moved(me, FAMOUS, MILLIONS)],
  ],
  'a transfer of five that is logged to another': [transfer(BOB, FIVE), (me) => [moved(me, FAMOUS, FIVE)]],
  'a transfer of five that is logged as a burn': [
    transfer(BOB, FIVE),
    (me) => [moved(me, '0x0000000000000000000000000000000000000000', FIVE)],
  ],
  'a transfer of which most goes to another': [
    transfer(BOB, FIVE),
    (me) => [moved(me, BOB, 1n), moved(me, FAMOUS, FIVE - 1n)],
  ],
  'a transfer that is logged as an NFT’s': [transfer(BOB, FIVE), (me) => [movedId(me, FAMOUS, FIVE)]],
  'a transfer of less that is logged in full': [transfer(BOB, FIVE), (me) => [moved(me, BOB, MILLIONS)]],
  'an unlimited approval that is logged as a payment': [
    approve(BOB, MAX),
    (me) => [moved(me, FAMOUS, MILLIONS)],
  ],
  'an unlimited approval that is logged as a payment of the spender': [
    approve(BOB, MAX),
    (me) => [moved(me, BOB, MILLIONS)],
  ],
  'a claim that is logged as a payment': [fn('claim()'), (me) => [moved(me, FAMOUS, MILLIONS)]],
  'a claim that is logged as an approval': [fn('claim()'), (me) => [allowed(me, FAMOUS, MAX)]],
  'a transfer that is logged as an approval': [transfer(BOB, FIVE), (me) => [allowed(me, BOB, FIVE)]],
  'an approval of five that is logged as unlimited': [approve(BOB, FIVE), (me) => [allowed(me, BOB, MAX)]],
  'an approval that is logged of another spender': [approve(BOB, MAX), (me) => [allowed(me, FAMOUS, MAX)]],
  'an operator taken back that is logged as given': [
    fn('setApprovalForAll(address,bool)', [FAMOUS, false]),
    (me) => [allowedAll(me, FAMOUS)],
  ],
  [LOWERED]: [transfer(BOB, FIVE), (me) => [allowed(me, FAMOUS, MAX), moved(me, BOB, FIVE)]],
};

const HONEST: Record<string, readonly [...Forgery, RegExp]> = {
  'a transfer': [transfer(BOB, FIVE), (me) => [moved(me, BOB, FIVE)], /^(Send|Pay) 5 PLAIN to /],
  'a transfer of an NFT': [
    fn('transferFrom(address,address,uint256)', [BOB, BOB, 7n]),
    (me) => [movedId(me, BOB, 7n)],
    /^Send Plain #7 to /,
  ],
  'an unlimited approval': [approve(BOB, MAX), (me) => [allowed(me, BOB, MAX)], /^Approve .* unlimited/],
  'an operator': [
    fn('setApprovalForAll(address,bool)', [BOB, true]),
    (me) => [allowedAll(me, BOB)],
    /^Approve /,
  ],
  'a burn': [
    fn('burn(uint256)', [FIVE]),
    (me) => [moved(me, '0x0000000000000000000000000000000000000000', FIVE)],
    /^Burn 5 PLAIN/,
  ],
};

describe.each(Object.entries(CALLERS))('%s', (_, who) => {
  it.each(Object.entries(FORGERIES))('is not proven to have done %s', async (name, [data, logged]) => {
    const me = who.account();
    const report = await answered(who, data, logged(me));
    const { status, actor, caveats, intent_label: label } = report.classification;
    expect(label).not.toMatch(/tornado/i);
    const ofMe = report.allowances!.filter(({ owner }) => owner === me);
    expect(ofMe.map((one) => one.status)).toEqual(ofMe.map(() => 'Suspected'));
    const acts = report.motifs.filter(({ kind }) => /transfer|burn|approval/.test(kind));
    const proven = acts.filter((motif) => motif.status === 'Proven');
    expect(proven.flatMap(({ participants }) => participants.map((p) => p.account))).not.toContain(FAMOUS);
    if (name === LOWERED) return expect(label).toMatch(SENT_FIVE);
    expect([status, actor]).not.toEqual(['Proven', me]);
    const sent = ofMe.length === 0;
    expect(caveats!.map(({ code }) => code).includes('suspect_token')).toBe(sent);
  });

  it.each(Object.entries(HONEST))('is proven to have done %s', async (name, [data, logged, label]) => {
    // A heuristic rule names burns of contract accounts.
    const heuristic = name === 'a burn' && who !== CALLERS['the signer'];
    const me = who.account();
    const own = data.startsWith('0x23b872dd')
      ? fn('transferFrom(address,address,uint256)', [me, BOB, 7n])
      : data;
    const { classification } = await answered(who, own, logged(me));
    expect(classification.status).toBe(heuristic ? 'Suspected' : 'Proven');
    expect(classification.actor).toBe(me);
    expect(classification.intent_label).toMatch(label);
  });
});
