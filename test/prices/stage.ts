// A devnet whose prices the test sets, with the service in front of it.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getAddress, type Abi, type Address, type Hex } from 'viem';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { fn } from '../devnet/chain.ts';
import type { Contract } from '../devnet/compile.ts';
import { startDevnet, type Devnet } from '../devnet/deploy.ts';
import { measure, type Delta } from '../devnet/measure.ts';
import { Ctx, toUnits } from '../devnet/scenario.ts';
import { startServer, type StartOptions } from '../../src/service/main.ts';
import type { TxReport } from '../../src/model/generated/report.ts';
import { SHIPPED_RULES } from '../../src/rules/read/listFiles.ts';
import { checkPrices } from '../../src/tools/verify/checkPrices.ts';
import { contractReader } from '../../src/tools/verify/fetchRawAnswers.ts';
import { readPriceRules } from '../../src/tools/verify/ruleFacts.ts';
import { Dollars, units } from './byHand.ts';

const PRICE_RULES = readPriceRules([SHIPPED_RULES]);

export type FeedName = 'feedEth' | 'feedUsdc' | 'feedUsdt' | 'feedDai';

export interface Stage {
  readonly devnet: Devnet;
  readonly c: Ctx;
  /** The report on a transaction, by the service with these settings. */
  ask(hash: Hex, settings?: Partial<StartOptions>): Promise<TxReport>;
  /** Every report asked for so far. */
  reports(): readonly TxReport[];
  /** A new round of a feed, in dollars. */
  setFeed(feed: FeedName, price: string): Promise<Dollars>;
  /** Lets the next block come so many seconds after the last one. */
  pass(seconds: number): Promise<void>;
  /** Wei paid for gas, by the receipt alone. */
  gas(hash: Hex): Promise<bigint>;
  /** Balances after less before, read from the chain. */
  measure(hash: Hex): Promise<Delta[]>;
  stop(): Promise<void>;
}

/** Every price of a report is read again from its source, by code that shares nothing with the analysis. */
async function checkSources(
  report: TxReport,
  rpcUrl: string,
  { priceApiUrl = null, priceSources }: Partial<StartOptions>,
): Promise<void> {
  const read = contractReader(rpcUrl, report.tx.block_number);
  const found: string[] = [];
  const left = await checkPrices(report, { read, rules: PRICE_RULES, priceApiUrl }, (_, at, message) =>
    found.push(`${at}: ${message}`),
  );
  const unread =
    (priceSources ?? ['chainlink']).includes('chainlink') ||
    report.economics.valuation.unpriced_assets.length === 0
      ? []
      : [{ what: 'unpriced assets', why: 'the report was made without the source chainlink' }];
  expect([found, left]).toEqual([[], unread]);
}

export async function startStage(): Promise<Stage> {
  const devnet = await startDevnet();
  const { chain, world, rpc } = devnet;
  const overlay = resolversFromTheStart();
  const asked: TxReport[] = [];
  const servers = new Map<string, Awaited<ReturnType<typeof startServer>>>();
  const server = async (settings: Partial<StartOptions>) => {
    const key = JSON.stringify(settings);
    let found = servers.get(key);
    if (!found)
      servers.set(
        key,
        (found = await startServer({
          rpcUrl: devnet.rpcUrl,
          port: 0,
          host: '127.0.0.1',
          adminPort: null,
          logLevel: 'silent',
          rulesDirs: [overlay],
          ...settings,
        })),
      );
    return found;
  };
  return {
    devnet,
    c: new Ctx(chain, world, devnet.contracts),
    async ask(hash, settings = {}) {
      const { url } = await server(settings);
      const response = await fetch(`${url}/analyze`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ tx_hash: hash }),
      });
      const body = (await response.json()) as TxReport & { error?: string };
      if (response.status !== 200) throw new Error(body.error);
      asked.push(body);
      await checkSources(body, devnet.rpcUrl, settings);
      return body;
    },
    reports: () => asked,
    async setFeed(feed, price) {
      await chain.as(addressOf('deployer'), {
        to: MAINNET[feed],
        data: fn('setAnswer(int256)', [toUnits(price, 8)]),
      });
      return Dollars.of(price);
    },
    async pass(seconds) {
      const { timestamp } = (await rpc('eth_getBlockByNumber', ['latest', false])) as { timestamp: Hex };
      await rpc('evm_setNextBlockTimestamp', [Number(timestamp) + seconds]);
    },
    async gas(hash) {
      const { gasUsed, effectiveGasPrice } = await chain.receipt(hash);
      return BigInt(gasUsed) * BigInt(effectiveGasPrice);
    },
    measure: (hash) => measure(chain, world, hash),
    async stop() {
      await Promise.all([...servers.values()].map((one) => one.close()));
      await devnet.stop();
      rmSync(overlay, { recursive: true });
    },
  };
}

/**
 * Rules laid over the shipped ones: the devnet's blocks have low numbers, at which mainnet had no contract yet that
 * puts many reads into one, and none that resolves names.
 */
function resolversFromTheStart(): string {
  const dir = mkdtempSync(join(tmpdir(), 'txreport-prices-'));
  mkdirSync(join(dir, 'entities'));
  const shipped = readFileSync(new URL('../../rules/entities/infrastructure.yaml', import.meta.url), 'utf8');
  writeFileSync(
    join(dir, 'entities/infrastructure.yaml'),
    shipped
      .replace(/^slug: (.*)$/m, 'slug: $1\noverride: true')
      .replace(/since_block: \d+/g, 'since_block: 0'),
  );
  return dir;
}

/** Net change of an account in an asset of the world. */
export function changeOf(deltas: readonly Delta[], account: Address, asset: Address | null): bigint {
  return (
    deltas.find(
      (d) =>
        d.subject === getAddress(account) &&
        (asset === null
          ? d.kind === 'native'
          : d.address !== null && getAddress(d.address) === getAddress(asset)),
    )?.delta ?? 0n
  );
}

/** `eip155:1/erc20:…` of a token, or of the native coin. */
export const idOf = (token: Address | null): string =>
  token === null ? 'eip155:1/slip44:60' : `eip155:1/erc20:${token.toLowerCase()}`;

/** Every figure and reason of a report that has to do with money, in one object. */
export function figures(report: TxReport) {
  const { economics: e, execution } = report;
  const { valuation: v, realized_pnl: pnl } = e;
  const money = (m: { text: string; available: boolean; reason?: string | null }) =>
    m.available ? m.text : `— ${m.reason!.split(':')[0]}`;
  return {
    gas: [execution.gas_cost_native, money(execution.gas_cost_usd)],
    fee: money(e.fee_usd),
    inflow: money(e.inflow_usd),
    before: money(e.net_usd_before_gas),
    after: money(e.net_usd_after_gas),
    in: e.token_in,
    out: e.token_out,
    profit: money(e.structural_profit_usd),
    pnl: pnl.supported ? [pnl.basis, money(pnl.gross_usd!), money(pnl.net_usd!)] : [pnl.reason],
    entries: pnl.entries.map((entry) => ({
      beneficiary: entry.beneficiary,
      asset: entry.asset.id,
      cost: entry.cost_raw,
      proceeds: entry.proceeds_raw,
      gross: [entry.gross_raw, money(entry.gross_usd)],
      gas: money(entry.gas_usd),
      builder: [entry.builder_payment_raw, money(entry.builder_payment_usd!)],
      net: money(entry.net_usd),
    })),
    assets: [v.priced_assets, v.total_assets],
    unpriced: v.unpriced_assets,
    refused: (v.refusals ?? []).map(({ asset_id, code }) => `${asset_id} ${code}`),
    prices: Object.fromEntries(v.prices!.map((p) => [p.asset_id, p.price_exact])),
    warning: v.price_warning !== null,
    warnings: e.warnings,
  };
}
export type Figures = ReturnType<typeof figures>;

const HISTORY = 'requires_multi_transaction_state';

/** What the figures of an ordinary transaction must be, from what went in and out by hand. */
export function ordinary(
  expected: Pick<Figures, 'in' | 'out' | 'assets' | 'prices'> &
    Omit<Partial<Figures>, 'inflow'> & {
      gasWei: bigint;
      eth: Dollars;
      inflow: Dollars | string;
      outflow: Dollars | null;
    },
): Figures {
  const { gasWei, eth, inflow, outflow, ...rest } = expected;
  const fee = eth.for(gasWei);
  const net = typeof inflow === 'string' || !outflow ? null : inflow.minus(outflow);
  const missing = typeof inflow === 'string' ? inflow : '— unpriced_asset';
  return {
    gas: [units(gasWei, 18), fee.text],
    fee: fee.text,
    inflow: typeof inflow === 'string' ? inflow : inflow.text,
    before: net?.text ?? missing,
    after: net?.minus(fee).text ?? missing,
    profit: '$0.00',
    pnl: [HISTORY],
    entries: [],
    unpriced: [],
    refused: [],
    warning: false,
    warnings: [],
    ...rest,
  };
}

/** Whether every balance change that the chain shows is valued at the hand's price, and at none where there is none. */
export function valuedDeltas(
  report: TxReport,
  deltas: readonly Delta[],
  prices: ReadonlyMap<string, readonly [Dollars, decimals: number]>,
): { reported: string[]; byHand: string[] } {
  const name = (subject: string, id: string): string => `${subject.toLowerCase()} ${id}`;
  const lines = new Map(report.inventory_deltas.map((d) => [name(d.subject, d.asset.id), d.usd.text]));
  const fungible = deltas.filter(({ kind }) => kind === 'native' || kind === 'erc20');
  return {
    reported: fungible.map(
      ({ subject, address }) => `${name(subject, idOf(address))} ${lines.get(name(subject, idOf(address)))}`,
    ),
    byHand: fungible.map(({ subject, address, delta }) => {
      const price = prices.get(idOf(address));
      return `${name(subject, idOf(address))} ${price ? price[0].for(delta, price[1]).text : '—'}`;
    }),
  };
}

let oracles: Record<string, Contract> | null = null;

/** The contracts of `Oracles.sol`. */
export function oracleContracts(): Record<string, Contract> {
  return (oracles ??= contractsOf('Oracles.sol'));
}

/** The contracts of a source file of this folder. */
export function contractsOf(file: string): Record<string, Contract> {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };
  const content = readFileSync(new URL(file, import.meta.url), 'utf8');
  const output = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: 'Solidity',
        sources: { [file]: { content } },
        settings: {
          optimizer: { enabled: true },
          outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
        },
      }),
    ),
  ) as {
    errors?: { severity: string; formattedMessage: string }[];
    contracts: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>;
  };
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map((e) => e.formattedMessage).join('\n'));
  return Object.fromEntries(
    Object.entries(output.contracts[file]!).map(([name, { abi, evm }]) => [
      name,
      { abi, bytecode: `0x${evm.bytecode.object}` as Hex },
    ]),
  );
}
