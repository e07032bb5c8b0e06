// Tokens that keep part of a pool's payout, and forgeries of such a payout.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Abi, Address } from 'viem';
import type { TxReport } from '../../src/model/generated/report.ts';
import { fetchRawAnswers } from '../../src/tools/verify/fetchRawAnswers.ts';
import { verifyReport } from '../../src/tools/verify/verifyReport.ts';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { ETHER, fn, fnOf } from '../devnet/chain.ts';
import { ATTACKER, call, compile, event, openPair, startStage, type Stage, type Step } from './stage.ts';

const ALICE = addressOf('alice');
const BOB = addressOf('bob');
const MILLION = 1_000_000_000_000n;
const PAID = ETHER / 100n;

let stage: Stage, abi: Abi;
let token: Address, pair: Address, venue: Address, donor: Address, asked: bigint;
/** What the pair holds of the token and of wrapped ether. */
let reserves: readonly [bigint, bigint] = [MILLION, 10n * ETHER];

const must = (to: Address, data: `0x${string}`, value = 0n) =>
  stage.chain.must(ATTACKER, { to, data, value, gas: 6_000_000n });

beforeAll(async () => {
  stage = await startStage();
  const { chain, c } = stage;
  const { Puppet } = compile('Forger.sol');
  abi = Puppet!.abi;
  token = await chain.deploy(Puppet!, ['Taxed', 'TAXED', 6]);
  pair = await openPair(chain, token, () => fn('hold(uint256)', [MILLION]));
  venue = await stage.forger('Venue', 'VENUE');
  donor = await stage.forger('Donor', 'DONOR');
  await c.approve('alice', 'WETH', venue);
  await chain.must('alice', { to: MAINNET.weth, data: fn('deposit()'), value: ETHER });
}, 180_000);
afterAll(() => stage?.stop());

/** What the token tells as soon as anybody calls it. */
const tellsAll = (...transfers: (readonly [Address, Address, bigint])[]) =>
  must(
    token,
    fnOf(abi, 'set', [
      transfers.map(([from, to, amount]) =>
        event('Transfer(address indexed from, address indexed to, uint256 value)', from, amount, { to }),
      ),
    ]),
  );
const tells = (from: Address, to: Address, amount: bigint) => tellsAll([from, to, amount]);

const fourFifths = (): bigint => (asked * 4n) / 5n;

/** Alice buys a token for ether at the real router and pair. */
function buys(of: Address): Promise<`0x${string}`> {
  const data = fn('swapExactETHForTokensSupportingFeeOnTransferTokens(uint256,address[],address,uint256)', [
    0n,
    [MAINNET.weth, of],
    ALICE,
    1n << 40n,
  ]);
  return stage.chain.send('alice', { to: MAINNET.v2Router, data, value: PAID, gas: 3_000_000n });
}

/** Alice buys the token; `told`: what the token then tells. */
async function bought(told: () => readonly [Address, Address, bigint]): Promise<TxReport> {
  const [tokens, ether] = reserves;
  // Three in a thousand are the pair's own fee.
  asked = (PAID * 997n * tokens) / (ether * 1000n + PAID * 997n);
  reserves = [tokens - asked, ether + PAID];
  await must(token, fn('hold(uint256)', [tokens - asked]));
  await tells(...told());
  return stage.report(await buys(token));
}

describe('a token that moves less than the pool asks it to', () => {
  it.each([20n, 60n, 99n])(
    'has the rest itself, %s of a hundred: payer and payee are short of nothing',
    async (tax) => {
      const arrives = (): bigint => asked - (asked * tax) / 100n;
      const report = await bought(() => [pair, ALICE, arrives()]);
      expect(report.classification).toMatchObject({
        status: 'Proven',
        intent_kind: 'DirectSwap',
        actor: ALICE,
      });
      expect(report.classification.intent_label).toMatch(new RegExp(` \\(${tax} % token tax\\)$`));
      const net = (account: Address): string | undefined =>
        report.inventory_deltas.find(({ subject, asset }) => subject === account && asset.address === token)
          ?.delta_raw;
      expect([pair, ALICE, token].map(net)).toEqual([-asked, arrives(), asked - arrives()].map(String));
      const answers = await fetchRawAnswers(stage.rpcUrl, report.tx.hash);
      expect(verifyReport(report, answers)).toEqual([]);
      const at = report.movements!.findIndex(({ to }) => to === token);
      type Moved = NonNullable<TxReport['movements']>[number];
      const lies: ((tax: Moved) => void)[] = [
        (tax) => (tax.amount_raw = String(BigInt(tax.amount_raw) + 1n)),
        (tax) => (tax.from = BOB),
        (tax) => (tax.to = BOB),
        (tax) => (tax.evidence.frame_path = []),
      ];
      for (const lie of lies) {
        const forged = structuredClone(report);
        lie(forged.movements![at]!);
        expect(verifyReport(forged, answers).map((one) => one.at)).toContain(`/movements/${at}`);
      }
    },
  );

  it('proves no payment of an account that did not ask for it', async () => {
    const paid = ETHER / 5n;
    await tells(BOB, ALICE, (paid * 4n) / 5n);
    const data = fn('transferFrom(address,address,uint256)', [BOB, ALICE, paid]);
    const hash = await stage.chain.send(ATTACKER, { to: token, data, gas: 3_000_000n });
    const report = await stage.report(hash);
    expect(report.movements).toMatchObject([
      { from: BOB, to: ALICE, amount_raw: String((paid * 4n) / 5n) },
      { from: BOB, to: token, amount_raw: String(paid / 5n) },
    ]);
    expect(report.classification).toMatchObject({ status: 'Suspected' });
    expect(report.classification.actor).not.toBe(BOB);
  });

  it('has nothing of what the payer, its collector, paid to itself', async () => {
    const paid = ETHER / 5n;
    await tellsAll([ALICE, ALICE, paid / 5n], [ALICE, BOB, (paid * 4n) / 5n]);
    const data = fn('transfer(address,uint256)', [BOB, paid]);
    const report = await stage.report(await stage.chain.send('alice', { to: token, data, gas: 3_000_000n }));
    expect(report.movements).toMatchObject([{ from: ALICE, to: BOB, amount_raw: String((paid * 4n) / 5n) }]);
    expect(report.inventory_deltas.map(({ subject }) => subject)).not.toContain(token);
  });

  it.each<[string, () => readonly [Address, Address, bigint]]>([
    ['more than that', () => [pair, ALICE, asked + 1_000n]],
    ['next to nothing', () => [pair, ALICE, asked / 1_000n]],
    ['it to another account', () => [pair, BOB, fourFifths()]],
    ['it from another account', () => [donor, ALICE, fourFifths()]],
  ])('proves nothing where it tells of %s', async (_, told) => {
    expect((await bought(told)).classification.status).toBe('Suspected');
  });

  const states = (amount: bigint): Step =>
    event(
      'Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
      ALICE,
      0n,
      { amount0In: PAID, amount1Out: amount, sender: venue },
    );
  const pull = (): Step =>
    call(MAINNET.weth, fn('transferFrom(address,address,uint256)', [ALICE, venue, PAID]));
  const pays = (amount: bigint): Step => call(token, fn('transfer(address,uint256)', [ALICE, amount]));
  const does = (at: Address, step: Step): Step => call(at, fnOf(stage.abi, 'play', [[step]]));

  it.each<[string, string, () => Step[]]>([
    ['Proven', 'the stated amount', () => [pays(asked), states(asked)]],
    ['Suspected', 'another amount', () => [pays(asked - 1_000n), states(asked)]],
    ['Suspected', 'it through another account', () => [does(donor, pays(asked)), states(asked)]],
  ])('is %s at an unlisted pool that asks for %s', async (status, _, steps) => {
    await tells(venue, ALICE, fourFifths());
    const data = fnOf(stage.abi, 'play', [[pull(), ...steps()]]);
    const hash = await stage.chain.send('alice', { to: venue, data, gas: 3_000_000n });
    expect((await stage.report(hash)).classification.status).toBe(status);
  });
});

it.each([
  ['beside what it logs as arrived', true],
  ['without a log', false],
])('states what the buyer of a token got that logs more, and takes its tax %s', async (_, tells) => {
  const over = await stage.chain.deploy(compile('Forger.sol')['Overstating']!, []);
  const pool = await openPair(stage.chain, over, (made) => fn('give(address,uint256)', [made, MILLION]));
  await must(over, fn('tell(bool)', [tells]));
  const accounts = [ALICE, pool, over];
  const held = () =>
    Promise.all(
      accounts.map((account) =>
        stage.chain.read<bigint>(over, 'balanceOf(address) view returns (uint256)', [account]),
      ),
    );
  const before = await held();
  const hash = await buys(over);
  const report = await stage.report(hash);
  const gained = (await held()).map((is, i) => is - before[i]!);

  const books = accounts.map((account) =>
    report.inventory_deltas.find(({ subject, asset }) => subject === account && asset.address === over),
  );
  expect(books.map((book) => book?.delta_raw)).toEqual(gained.map(String));
  expect(report.classification).toMatchObject({ status: 'Proven', intent_kind: 'DirectSwap', actor: ALICE });
  expect(report.classification.intent_label).toMatch(/ \(4 % token tax\)$/);
  const answers = await fetchRawAnswers(stage.rpcUrl, hash);
  expect(verifyReport(report, answers)).toEqual([]);
  const at = report.movements!.findIndex(({ to }) => to === ALICE);
  const lie = structuredClone(report);
  lie.movements![at]!.amount_raw = String(gained[0]! - 1n);
  expect(verifyReport(lie, answers).map((one) => one.at)).toContain(`/movements/${at}`);
});

it('takes no answer about the balances of a contract that runs the token\u2019s code for one of the token', async () => {
  const { chain, c } = stage;
  const { Liar } = compile('Forger.sol');
  // Copies its calldata from byte 32 on and hands that to the address in front of it, by CALLCODE.
  const code = '602036036020600037602060006020360360006000600035' + '5af25060206000f3';
  const init = `0x60${(code.length / 2).toString(16)}80600b6000396000f3${code}`;
  const liar = await chain.deploy(Liar!, [init]);
  await c.approve('alice', 'USDC', liar);
  const path = [MAINNET.usdc, MAINNET.weth];
  const amounts = 'getAmountsOut(uint256,address[]) view returns (uint256[])';
  const [, bought] = await chain.read<bigint[]>(MAINNET.v2Router, amounts, [100_000_000n, path]);
  const data = fnOf(Liar!.abi, 'sell', [MAINNET.v2Router, path, 100_000_000n, (bought! * 96n) / 100n]);
  const hash = await chain.send('alice', { to: liar, data, gas: 3_000_000n });
  const report = await stage.report(hash);
  expect(report.classification.intent_label).toMatch(/^Swap 100 USDC for [\d.]+ WETH on Uniswap V2$/);
  expect(report.inventory_deltas.find((d) => d.subject === ALICE && d.asset.symbol === 'WETH')).toMatchObject(
    {
      delta_raw: String(bought),
    },
  );
});
