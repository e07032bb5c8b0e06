// Every scenario of the devnet through the real service on a live node, in both trace dialects, held against what the
// chain itself says: balances before and after, and the node's raw answers.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../src/service/server.ts';
import type { TxReport } from '../../src/model/generated/report.ts';
import { fetchRawAnswers } from '../../src/tools/verify/fetchRawAnswers.ts';
import { verifyReport } from '../../src/tools/verify/verifyReport.ts';
import { fn } from '../devnet/chain.ts';
import { judge } from '../devnet/judge.ts';
import { safeTransaction } from '../devnet/scenarios/safe.ts';
import { startDemoService } from '../devnet/service.ts';
import { ALL, runStory, type Story } from '../devnet/story.ts';
import { inShort, LEDGER_BY_HAND, MONEY_BY_HAND, starred, unbooked } from './ledgerTable.ts';
import { startDialectProxy } from '../support/dialectProxy.ts';

const E18 = 10n ** 18n;

let story: Story;
let geth: RunningServer;
let parity: RunningServer;
const proxies: { close: () => Promise<void> }[] = [];

beforeAll(async () => {
  story = await runStory({ scenarios: ALL });
  const [debugOnly, traceOnly] = await Promise.all([
    startDialectProxy(story.devnet.rpcUrl, /^trace_/),
    startDialectProxy(story.devnet.rpcUrl, /^debug_/),
  ]);
  proxies.push(debugOnly, traceOnly);
  [geth, parity] = await Promise.all([startDemoService(debugOnly.url), startDemoService(traceOnly.url)]);
});

afterAll(async () => {
  await Promise.all([geth?.close(), parity?.close()]);
  await Promise.all(proxies.map((proxy) => proxy.close()));
  await story?.stop();
});

async function ask(server: RunningServer, hash: string): Promise<string> {
  const response = await fetch(`${server.url}/analyze`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tx_hash: hash }),
  });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return text;
}

/** The report without what may differ between dialects: the dialect's name and the frames of log evidence. */
function comparable(text: string): unknown {
  return JSON.parse(text, (key, value: unknown) => {
    if (key === 'trace_dialect') return undefined;
    const evidence = value as { log_index?: number | null; frame_path?: unknown } | null;
    if (
      evidence &&
      typeof evidence === 'object' &&
      typeof evidence.log_index === 'number' &&
      'frame_path' in evidence
    )
      return { ...evidence, frame_path: null };
    return value;
  });
}

describe.each(ALL.map((scenario) => [scenario.name, scenario] as const))('%s', (name, scenario) => {
  it(`is ${scenario.intent}, with the balances of the chain`, async () => {
    const told = story.told.find((one) => one.scenario.name === name)!;
    const report = JSON.parse(await ask(geth, told.hash)) as TxReport;
    expect(judge(story.ctx, told, await story.measure(told.hash), report).complaints).toEqual([]);
    expect(verifyReport(report, await fetchRawAnswers(story.devnet.rpcUrl, told.hash))).toEqual([]);
    // What only looks like an arbitrage is none in its parts either.
    if (scenario.never?.includes('AtomicArbitrage'))
      expect(report.classification.fragments.map(({ kind }) => kind)).not.toContain('AtomicArbitrage');
  });

  it('books in ledgers what the chain holds, and what is worked out by hand', async () => {
    const told = story.told.find((one) => one.scenario.name === name)!;
    const report = JSON.parse(await ask(geth, told.hash)) as TxReport;
    expect(await unbooked(story.devnet.chain, report)).toEqual([]);
    const byHand = LEDGER_BY_HAND[name] ?? {};
    const booked = Object.keys(byHand).map((person) => [person, inShort(report, [story.ctx.at(person)])]);
    expect(Object.fromEntries(booked)).toEqual(
      Object.fromEntries(
        Object.entries(byHand).map(([person, text], i) => [person, starred(booked[i]![1]!, text)]),
      ),
    );
  });

  it('reads the same in both trace dialects, and the same twice', async () => {
    const { hash } = story.told.find((one) => one.scenario.name === name)!;
    const [first, again, other] = await Promise.all([ask(geth, hash), ask(geth, hash), ask(parity, hash)]);
    expect(again).toBe(first);
    expect(comparable(other)).toEqual(comparable(first));
  });
});

describe('the price of a trade', () => {
  const priceOf = async (name: string) => {
    const { hash } = story.told.find(({ scenario }) => scenario.name === name)!;
    const { economics } = JSON.parse(await ask(geth, hash)) as TxReport;
    return economics.consideration_usd?.text;
  };
  it('is the side in ether or stablecoins, also where another account gets the proceeds', async () => {
    // 1 ETH at $3400, 500 USDC at $0.9999: the devnet's feeds.
    expect(await priceOf('swap-v2-eth-usdc')).toBe('$3400.00');
    expect(await priceOf('swap-for-another')).toBe('$499.95');
  });
  it('is none of a trade there and back', async () => {
    for (const name of ['round-trip', 'wash-trade']) expect(await priceOf(name), name).toBeUndefined();
  });

  it('of a wrap is what was wrapped', async () => {
    // 5 and 2 * 3400.
    expect(await priceOf('wrap')).toBe('$17000.00');
    expect(await priceOf('unwrap')).toBe('$6800.00');
  });
});

describe('dollars by hand', () => {
  const played = async (name: string) => {
    const { hash } = story.told.find(({ scenario }) => scenario.name === name)!;
    const report = JSON.parse(await ask(geth, hash)) as TxReport;
    const deltas = await story.measure(hash);
    const change = (who: string, asset: string): bigint =>
      deltas.find(({ subject, address }) => subject === story.ctx.at(who) && address === story.ctx.at(asset))!
        .delta;
    return { report, change, economics: report.economics };
  };
  const E20 = 10n ** 20n;
  /** Text of an amount in units of 1e-20 dollars, rounded half up, as no test here is below zero by less than a cent. */
  const text = (units: bigint): string => {
    const cents = ((units < 0n ? -units : units) + E20 / 200n) / (E20 / 100n);
    const digits = cents.toString().padStart(3, '0');
    return `$${units < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
  };

  it.each(Object.entries(MONEY_BY_HAND))('%s', async (name, { net, booked, price }) => {
    const { economics } = await played(name);
    expect(economics.net_usd_before_gas.text).toBe(net);
    expect(economics.net_usd_with_positions?.text).toBe(booked);
    expect(economics.consideration_usd?.text).toBe(price);
  });

  it('of leverage are what the exchange took: all else is owed and owned', async () => {
    const { economics, change } = await played('leverage');
    const bought = -change('v2PairUSDC', 'WETH');
    // Owned: 5 WETH put in and what 8,000 USDC bought. Given: 5 WETH. Owed: 8,000 USDC at $0.9999 = $7,999.20.
    expect(economics.net_usd_before_gas.text).toBe(text(bought * 340_000n - 799_920n * E18));
  });

  it('of an arbitrage with a flash loan and a tip', async () => {
    const { economics, report, change } = await played('arbitrage-flashloan-tip');
    const gross = -change('v2PairUSDC', 'WETH') - change('sushiPairUSDC', 'WETH');
    // The loan of 2 WETH costs 0.05 %, the tip is 0.01 ETH.
    const [fee, tip] = [E18 / 1_000n, E18 / 100n];
    expect(change('flashTipper', 'WETH')).toBe(gross - fee - tip);
    expect(economics.net_usd_before_gas.text).toBe(text((gross - fee - tip) * 340_000n));
    const { gasUsed, effectiveGasPrice } = await story.devnet.chain.receipt(report.tx.hash as `0x${string}`);
    const gas = BigInt(gasUsed) * BigInt(effectiveGasPrice);
    expect(economics.realized_pnl.entries).toMatchObject([
      {
        cost_raw: (2n * E18).toString(),
        gross_raw: gross.toString(),
        fees_raw: fee.toString(),
        gas_raw: gas.toString(),
        builder_payment_raw: tip.toString(),
        net_usd: { text: text((gross - fee - tip - gas) * 340_000n) },
      },
    ]);
    expect(economics.structural_profit_usd.text).toBe(text(gross * 340_000n));
  });
});

describe('ledgers of', () => {
  it('two accounts of one owner: a transfer between them is neither gain nor loss', async () => {
    const { hash } = story.told.find(({ scenario }) => scenario.name === 'token-transfer')!;
    const report = JSON.parse(await ask(geth, hash)) as TxReport;
    expect(inShort(report, [story.ctx.at('alice'), story.ctx.at('bob')])).toBe('gas');
  });

  it('a Safe that repays its executor in a token', async () => {
    const { ctx } = story;
    const pay = { to: ctx.at('DAI'), data: fn('transfer(address,uint256)', [ctx.at('dave'), 400n * E18]) };
    const refund = { safeTxGas: 100_000n, baseGas: 50_000n, gasPrice: 1n, gasToken: ctx.at('USDC') };
    const hash = await ctx.send('relayer', await safeTransaction(ctx, { ...pay, ...refund }));
    const report = JSON.parse(await ask(geth, hash)) as TxReport;
    expect(await unbooked(story.devnet.chain, report)).toEqual([]);
    const repaid = (await story.measure(hash)).find(
      ({ subject, address }) => subject === ctx.at('relayer') && address === ctx.at('USDC'),
    )!.delta;
    const usdc = `0.${repaid.toString().padStart(6, '0')}`.replace(/0+$/, '');
    expect(['treasury', 'dave', 'relayer'].map((who) => inShort(report, [ctx.at(who)]))).toEqual([
      `-${usdc} USDC fee; -400 DAI`,
      '+400 DAI',
      `+${usdc} USDC fee_refund; gas`,
    ]);
  });
});
