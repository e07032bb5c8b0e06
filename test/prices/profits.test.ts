// Whose profit it is: every figure worked out by hand from pool reserves, balances on the chain and receipts.
import { encodeAbiParameters, parseAbiParameters, type Address, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TxReport } from '../../src/model/generated/report.ts';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { fn } from '../devnet/chain.ts';
import { FAR_FUTURE } from '../devnet/deploy/uniswap.ts';
import { multiSend, safeTransaction } from '../devnet/scenarios/safe.ts';
import { handleOps, type UserOp } from '../devnet/scenarios/smartAccounts.ts';
import { Dollars, pairPays, units } from './byHand.ts';
import { changeOf, contractsOf, idOf, startStage, type Stage } from './stage.ts';

const E18 = 10n ** 18n;
const DOLLAR = 10n ** 6n;
const ETH = idOf(null);
const CALLS = '(address,uint256,bytes)[]';
const HISTORY = 'requires_multi_transaction_state';
type Call = [to: Address, value: bigint, data: Hex];

let stage: Stage;
let eth: Dollars;
let usdc: Dollars;
let bot: Address;
let other: Address;
const SIGNER = addressOf('searcher');

beforeAll(async () => {
  stage = await startStage();
  eth = await stage.setFeed('feedEth', '3391.07');
  usdc = await stage.setFeed('feedUsdc', '0.99987');
  await stage.setFeed('feedDai', '1.00021');
  const { c } = stage;
  const { Desk } = contractsOf('Desk.sol');
  bot = await c.chain.deploy(Desk!);
  other = await c.chain.deploy(Desk!);
  await c.prepare('searcher', { to: MAINNET.weth, value: 20n * E18, data: fn('deposit()') });
  for (const to of [bot, other, c.at('erinAccount')])
    await c.prepare('searcher', { to: MAINNET.weth, data: fn('transfer(address,uint256)', [to, 3n * E18]) });
  for (const to of [bot, other]) await c.prepare('searcher', { to, value: E18 });
});
afterAll(() => stage?.stop());

const transfer = (token: Address, to: Address, amount: bigint): Call => [
  token,
  0n,
  fn('transfer(address,uint256)', [to, amount]),
];
const approve = (token: Address, spender: Address, amount: bigint): Call => [
  token,
  0n,
  fn('approve(address,uint256)', [spender, amount]),
];
const run = (desk: Address, calls: readonly Call[]) => ({
  to: desk,
  gas: 2_000_000n,
  data: fn(`run(${CALLS})`, [calls]),
});
const asOps = (calls: readonly Call[]): UserOp['calls'] =>
  calls.map(([to, value, data]) => ({ to, value, data }));

async function reserves(pair: Address): Promise<readonly [usdc: bigint, weth: bigint]> {
  const signature = 'getReserves() view returns (uint112,uint112,uint32)';
  const [a, b] = await stage.devnet.chain.read<[bigint, bigint, number]>(pair, signature);
  return [a, b];
}

/** WETH into one pair, the dollars into the other, WETH out: by the pairs' own formula. */
async function circle(put: bigint, to: Address, from: 'dear' | 'cheap' = 'dear') {
  const pairs = [stage.c.at('sushiPairUSDC'), stage.c.at('v2PairUSDC')] as const;
  const [first, second] = from === 'dear' ? pairs : [pairs[1], pairs[0]];
  const [firstUsdc, firstWeth] = await reserves(first);
  const [secondUsdc, secondWeth] = await reserves(second);
  const dollars = pairPays(put, firstWeth, firstUsdc);
  const received = pairPays(dollars, secondUsdc, secondWeth);
  const swap = (a: bigint, b: bigint, target: Address): Hex =>
    fn('swap(uint256,uint256,address,bytes)', [a, b, target, '0x']);
  const calls: Call[] = [
    transfer(MAINNET.weth, first, put),
    [first, 0n, swap(dollars, 0n, second)],
    [second, 0n, swap(0n, received, to)],
  ];
  return { calls, received, dollars, first, second };
}

function pnlOf(report: TxReport) {
  const { realized_pnl: pnl, structural_profit_usd: profit, warnings } = report.economics;
  const [entry] = pnl.entries;
  return {
    said: pnl.supported ? 'supported' : pnl.reason,
    profit: profit.available ? profit.text : '—',
    warnings,
    ...(entry && {
      entity: [...entry.entity!].sort(),
      beneficiary: entry.beneficiary,
      asset: entry.asset.id,
      gross: [entry.gross_raw, entry.gross_usd.text],
      gas: [entry.gas_raw, entry.gas_usd.text],
      tip: [entry.builder_payment_raw, entry.builder_payment_usd!.text],
      net: entry.net_usd.text,
    }),
  };
}

/** The entry that the hand expects, in ether. */
function byHand({
  entity,
  holder,
  gross,
  gas,
  tip,
}: Record<'gross' | 'gas' | 'tip', bigint> & { entity: Address[]; holder: Address }) {
  const net = eth.for(gross - gas - tip);
  return {
    said: 'supported',
    profit: eth.for(gross).text,
    entity: [...entity].sort(),
    beneficiary: holder,
    asset: ETH,
    gross: [String(gross), eth.for(gross).text],
    gas: [String(gas), eth.for(gas).text],
    tip: [String(tip), eth.for(tip).text],
    net: net.text,
  };
}

const BOT_WARNINGS = ['IntentActorDiffersFromSigner'];

describe('the profit of a bot, its signer and its helpers', () => {
  it('1. that hands its signer a little ether: the profit is still the bot\u2019s', async () => {
    const { calls, received } = await circle(E18 / 2n, bot);
    const little = E18 / 1_000n;
    const hash = await stage.c.send(
      'searcher',
      run(bot, [...calls, [MAINNET.weth, 0n, fn('withdraw(uint256)', [little])], [SIGNER, little, '0x']]),
    );
    const report = await stage.ask(hash);
    const { classification: c, economics } = report;
    expect([c.intent_kind, c.actor, economics.subject]).toEqual(['AtomicArbitrage', bot, bot]);
    expect(pnlOf(report)).toEqual({
      ...byHand({
        entity: [bot, SIGNER],
        holder: bot,
        gross: received - E18 / 2n,
        gas: await stage.gas(hash),
        tip: 0n,
      }),
      warnings: BOT_WARNINGS,
    });
    expect(changeOf(await stage.measure(hash), bot, MAINNET.weth)).toBe(received - E18 / 2n - little);
  });

  it('2. of two contracts: the one that was called had the other trade', async () => {
    const { calls, received } = await circle(E18 / 4n, other);
    const inner: Call = [other, 0n, fn(`run(${CALLS})`, [calls])];
    const hash = await stage.c.send('searcher', run(bot, [inner]));
    const report = await stage.ask(hash);
    const { classification: c, economics, attribution } = report;
    expect([c.intent_kind, economics.subject, c.status, attribution.ground]).toEqual([
      'AtomicArbitrage',
      other,
      'Suspected',
      'claimed',
    ]);
    expect(pnlOf(report)).toEqual({
      ...byHand({
        entity: [other, bot, SIGNER],
        holder: other,
        gross: received - E18 / 4n,
        gas: await stage.gas(hash),
        tip: 0n,
      }),
      warnings: BOT_WARNINGS,
    });
  });

  it('3. whose helper pays the builder out of its own ether', async () => {
    const { calls, received } = await circle(E18 / 4n, bot);
    const tip = E18 / 2_000n;
    const hash = await stage.c.send('searcher', run(bot, [...calls, [other, 0n, fn('tip(uint256)', [tip])]]));
    const report = await stage.ask(hash);
    expect(pnlOf(report)).toEqual({
      ...byHand({
        entity: [bot, SIGNER, other],
        holder: bot,
        gross: received - E18 / 4n,
        gas: await stage.gas(hash),
        tip,
      }),
      warnings: BOT_WARNINGS,
    });
    expect(changeOf(await stage.measure(hash), addressOf('builder'), null)).toBe(tip);
  });

  it('4. that loses is told as a loss', async () => {
    const { calls, received } = await circle(E18 / 2n, bot, 'cheap');
    expect(received).toBeLessThan(E18 / 2n);
    const hash = await stage.c.send('searcher', run(bot, calls));
    const report = await stage.ask(hash);
    const { classification: c } = report;
    expect([c.intent_kind, c.status]).toEqual(['AggregatedSwap', 'Proven']);
    expect(c.intent_label).toMatch(/^Trade in a circle through 2 pools at a loss of 0\.\d+ (W?ETH)$/);
    expect(pnlOf(report)).toEqual({
      ...byHand({
        entity: [bot, SIGNER],
        holder: bot,
        gross: received - E18 / 2n,
        gas: await stage.gas(hash),
        tip: 0n,
      }),
      warnings: BOT_WARNINGS,
    });
  });

  it('5. with a result in a second asset is not known', async () => {
    const { calls, dollars, first, second } = await circle(E18 / 4n, bot);
    const part = (dollars * 99n) / 100n;
    const [secondUsdc, secondWeth] = await reserves(second);
    const out = pairPays(part, secondUsdc, secondWeth);
    const swap = (a: bigint, b: bigint): Hex => fn('swap(uint256,uint256,address,bytes)', [a, b, bot, '0x']);
    const hash = await stage.c.send(
      'searcher',
      run(bot, [
        calls[0]!,
        [first, 0n, swap(dollars, 0n)],
        transfer(MAINNET.usdc, second, part),
        [second, 0n, swap(0n, out)],
      ]),
    );
    const { said, gross } = pnlOf(await stage.ask(hash));
    expect([said, gross]).toEqual([HISTORY, undefined]);
    expect(changeOf(await stage.measure(hash), bot, MAINNET.usdc)).toBe(dollars - part);
  });

  it('5b. of which another account keeps a part is not its own', async () => {
    const { calls, received } = await circle(E18 / 4n, bot);
    const part = (received - E18 / 4n) / 3n;
    const hash = await stage.c.send(
      'searcher',
      run(bot, [...calls, transfer(MAINNET.weth, addressOf('carol'), part)]),
    );
    expect(pnlOf(await stage.ask(hash))).toMatchObject({ said: 'result_held_elsewhere', profit: '—' });
  });
});

describe('user operations', () => {
  const bundle = async (op: Partial<UserOp>) => {
    const { c } = stage;
    const account = c.at('erinAccount');
    const { calls, received } = await circle(E18 / 4n, account);
    const list = [...(op.calls ?? []), ...asOps(calls)];
    const hash = await c.send('bundler', await handleOps(c, [{ owner: 'erin', ...op, calls: list }]));
    return { hash, account, gross: received - E18 / 4n, report: await stage.ask(hash) };
  };

  it('6. paid by the account itself: the gas is what it paid, inside its flows', async () => {
    const { hash, account, gross, report } = await bundle({ create: true });
    const paid = -changeOf(await stage.measure(hash), account, null);
    expect(paid).toBeGreaterThan(0n);
    expect(report.economics.fee_paid_by_subject).toBe(true);
    expect(pnlOf(report)).toEqual({
      ...byHand({ entity: [account], holder: account, gross, gas: paid, tip: 0n }),
      warnings: [...BOT_WARNINGS, 'FeeInsideFlows'],
    });
  });

  it('7. paid by a sponsor: no gas of its own', async () => {
    const { account, gross, report } = await bundle({ paymaster: stage.c.at('paymaster') });
    expect(report.economics.fee_paid_by_subject).toBe(false);
    expect(pnlOf(report)).toEqual({
      ...byHand({ entity: [account], holder: account, gross, gas: 0n, tip: 0n }),
      warnings: [...BOT_WARNINGS, 'FeeNotPaidBySubject'],
    });
    expect(report.economics.net_usd_after_own_gas?.text).toBe(eth.for(gross).text);
  });

  it('8. paid in a token through a paymaster: a second asset is left, the flows hold the charge', async () => {
    const { c } = stage;
    const { TokenPaymaster } = contractsOf('Desk.sol');
    const charge = 3n * DOLLAR;
    const paymaster = await c.chain.deploy(TokenPaymaster!, [MAINNET.usdc, charge]);
    await c.prepare('searcher', {
      to: MAINNET.entryPoint,
      value: E18,
      data: fn('depositTo(address)', [paymaster]),
    });
    const allow = asOps([approve(MAINNET.usdc, paymaster, charge)]);
    const { hash, account, report } = await bundle({ paymaster, calls: allow });
    expect(changeOf(await stage.measure(hash), account, MAINNET.usdc)).toBe(-charge);
    expect([report.attribution.paymaster, report.economics.fee_paid_by_subject]).toEqual([paymaster, true]);
    const { said, warnings } = pnlOf(report);
    expect([said, warnings.includes('FeeInsideFlows')]).toEqual([HISTORY, true]);
    expect(report.economics.token_out).toBe('3 USDC');
  });
});

describe('flows that do not close, or close for another', () => {
  it('9. a Safe that swaps and pays in one MultiSend realises nothing', async () => {
    const { c } = stage;
    const [poolUsdc, poolWeth] = await reserves(c.at('v2PairUSDC'));
    const [sold, paid] = [1_000n * DOLLAR, 200n * DOLLAR];
    const bought = pairPays(sold, poolUsdc, poolWeth);
    const path = [MAINNET.usdc, MAINNET.weth];
    const swap = fn('swapExactTokensForTokens(uint256,uint256,address[],address,uint256)', [
      sold,
      0n,
      path,
      c.at('treasury'),
      FAR_FUTURE,
    ]);
    const calls = asOps([
      approve(MAINNET.usdc, MAINNET.v2Router, sold),
      [MAINNET.v2Router, 0n, swap],
      transfer(MAINNET.usdc, addressOf('dave'), paid),
    ]);
    const hash = await c.send('alice', await safeTransaction(c, multiSend(c, calls)));
    const report = await stage.ask(hash);
    expect(report.economics.subject).toBe(c.at('treasury'));
    expect(pnlOf(report)).toEqual({
      said: HISTORY,
      profit: '$0.00',
      warnings: [...BOT_WARNINGS, 'FeeNotPaidBySubject'],
    });
    expect([report.economics.token_in, report.economics.token_out]).toEqual([
      `${units(bought, 18)} WETH`,
      '1200 USDC',
    ]);
    const before = eth.for(bought).minus(usdc.for(sold + paid, 6));
    expect(report.economics.net_usd_before_gas.text).toBe(before.text);
    // Its owner paid the gas.
    expect(report.economics.net_usd_after_own_gas?.text).toBe(before.text);
  });

  it('10. a liquidation with borrowed money whose profit goes to the signer', async () => {
    const { c } = stage;
    const debt = 1_200n * DOLLAR;
    const aave = (signature: string, args: unknown[]) => ({
      to: MAINNET.aavePool,
      data: fn(signature, args),
    });
    await c.prepare('grace', { to: MAINNET.weth, value: 2n * E18, data: fn('deposit()') });
    await c.approve('grace', 'WETH', 'aavePool');
    const grace = addressOf('grace');
    await c.prepare(
      'grace',
      aave('supply(address,uint256,address,uint16)', [MAINNET.weth, 2n * E18, grace, 0]),
    );
    await c.prepare(
      'grace',
      aave('borrow(address,uint256,uint256,uint16,address)', [MAINNET.usdc, 5_200n * DOLLAR, 2n, 0, grace]),
    );
    eth = await stage.setFeed('feedEth', '3019.45');
    const seized = (((99_987_000n * debt * E18) / (301_945n * DOLLAR * DOLLAR)) * 10_500n + 5_000n) / 10_000n;
    const borrower = c.at('flashBorrower');
    const [poolUsdc, poolWeth] = await reserves(c.at('v2PairUSDC'));
    const sold = pairPays(seized, poolWeth, poolUsdc);
    const result = sold - debt - (debt * 5n + 5_000n) / 10_000n;
    const liquidator = addressOf('liquidator');
    const liquidate = fn('liquidationCall(address,address,address,uint256,bool)', [
      MAINNET.weth,
      MAINNET.usdc,
      grace,
      debt,
      false,
    ]);
    const swap = fn('swapExactTokensForTokens(uint256,uint256,address[],address,uint256)', [
      seized,
      0n,
      [MAINNET.weth, MAINNET.usdc],
      borrower,
      FAR_FUTURE,
    ]);
    const calls: Call[] = [
      approve(MAINNET.usdc, MAINNET.aavePool, debt),
      [MAINNET.aavePool, 0n, liquidate],
      approve(MAINNET.weth, MAINNET.v2Router, seized),
      [MAINNET.v2Router, 0n, swap],
      transfer(MAINNET.usdc, liquidator, result),
    ];
    const params = encodeAbiParameters(parseAbiParameters(CALLS), [calls]);
    const data = fn('borrow(address,address,uint256,bytes)', [MAINNET.aavePool, MAINNET.usdc, debt, params]);
    const hash = await c.send('liquidator', { to: borrower, gas: 2_000_000n, data });
    expect(changeOf(await stage.measure(hash), liquidator, MAINNET.usdc)).toBe(result);
    const gas = await stage.gas(hash);
    const gross = usdc.for(result, 6);
    const report = await stage.ask(hash);
    expect(report.classification.intent_kind).toBe('Liquidation');
    expect(pnlOf(report)).toMatchObject({
      said: 'supported',
      profit: gross.text,
      entity: [borrower, liquidator].sort(),
      beneficiary: liquidator,
      asset: idOf(MAINNET.usdc),
      gross: [String(result), gross.text],
      gas: [String(gas), eth.for(gas).text],
      net: gross.minus(eth.for(gas)).text,
    });
  });

  it('11. a leveraged loop whose swap is an order of its own leaves a position, no profit', async () => {
    const { c } = stage;
    const aave = (signature: string, args: unknown[]): Call => [MAINNET.aavePool, 0n, fn(signature, args)];
    const borrowed = 500n * DOLLAR;
    const [poolUsdc, poolWeth] = await reserves(c.at('v2PairUSDC'));
    const bought = pairPays(borrowed, poolUsdc, poolWeth);
    const swap = fn('swapExactTokensForTokens(uint256,uint256,address[],address,uint256)', [
      borrowed,
      0n,
      [MAINNET.usdc, MAINNET.weth],
      c.at('aggregator'),
      FAR_FUTURE,
    ]);
    const nested = fn(`swap(address,uint256,address,uint256,${CALLS})`, [
      MAINNET.usdc,
      borrowed,
      MAINNET.weth,
      bought,
      [approve(MAINNET.usdc, MAINNET.v2Router, borrowed), [MAINNET.v2Router, 0n, swap]],
    ]);
    const hash = await c.send(
      'searcher',
      run(bot, [
        approve(MAINNET.weth, MAINNET.aavePool, E18 + bought),
        aave('supply(address,uint256,address,uint16)', [MAINNET.weth, E18, bot, 0]),
        aave('borrow(address,uint256,uint256,uint16,address)', [MAINNET.usdc, borrowed, 2n, 0, bot]),
        approve(MAINNET.usdc, c.at('aggregator'), borrowed),
        [c.at('aggregator'), 0n, nested],
        aave('supply(address,uint256,address,uint16)', [MAINNET.weth, bought, bot, 0]),
      ]),
    );
    expect(changeOf(await stage.measure(hash), bot, MAINNET.weth)).toBe(-E18);
    const { said, profit } = pnlOf(await stage.ask(hash));
    expect([said, profit]).toEqual([HISTORY, '$0.00']);
  });
});
