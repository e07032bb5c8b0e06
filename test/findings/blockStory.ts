// Blocks of several transactions on a local chain with the real Uniswap V2 contracts, and what `txreport block` says of them.
import { expect } from 'vitest';
import type { Address, Hex } from 'viem';
import type { Finding } from '../../src/model/generated/finding.ts';
import { runCli } from '../cli/runCli.ts';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { fn, type Request } from '../devnet/chain.ts';
import { FAR_FUTURE } from '../devnet/deploy/uniswap.ts';
import { runStory, type Story } from '../devnet/story.ts';

export const CALLS = '(address,uint256,bytes)[]';
export const ETHER = 10n ** 18n;
export let story: Story;

/** Starts the chain, with money in the searcher's bot and allowances for the routers. */
export async function startBlocks(): Promise<void> {
  story = await runStory({ scenarios: [] });
  const { ctx } = story;
  await ctx.prepare('searcher', { to: ctx.at('WETH'), value: 60n * ETHER, data: fn('deposit()') });
  await ctx.prepare('searcher', {
    to: ctx.at('WETH'),
    data: fn('transfer(address,uint256)', [ctx.at('arbBot'), 60n * ETHER]),
  });
  await ctx.prepare('carol', { to: ctx.at('WETH'), value: 5n * ETHER, data: fn('deposit()') });
  await ctx.approve('carol', 'WETH', 'aggregator');
  for (const who of ['alice', 'bob', 'maker'] as const) await ctx.approve(who, 'USDC', 'v2Router');
  await ctx.approve('maker', 'v2PairUSDC', 'v2Router');
}

/** A pair's reserves, traded by the formula of its contract. */
export class Pair {
  readonly name: string;
  usdc: bigint;
  weth: bigint;
  constructor(name: string, [usdc, weth]: readonly [bigint, bigint]) {
    this.name = name;
    this.usdc = usdc;
    this.weth = weth;
  }
  static async read(name: string): Promise<Pair> {
    const { ctx } = story;
    const view = 'getReserves() view returns (uint112,uint112,uint32)';
    return new Pair(name, await ctx.chain.read<[bigint, bigint]>(ctx.at(name), view));
  }
  copy(): Pair {
    return new Pair(this.name, [this.usdc, this.weth]);
  }
  buy(weth: bigint): bigint {
    const out = (weth * 997n * this.usdc) / (this.weth * 1000n + weth * 997n);
    this.weth += weth;
    this.usdc -= out;
    return out;
  }
  sell(usdc: bigint): bigint {
    const out = (usdc * 997n * this.weth) / (this.usdc * 1000n + usdc * 997n);
    this.usdc += usdc;
    this.weth -= out;
    return out;
  }
}

type Call = [to: Hex, value: bigint, data: Hex];
export const at = (who: string): Hex => story.ctx.at(who);
export const give = (token: string, to: string, amount: bigint): Call => [
  at(token),
  0n,
  fn('transfer(address,uint256)', [at(to), amount]),
];
export const take = (pair: string, usdc: bigint, weth: bigint, to: string): Call => [
  at(pair),
  0n,
  fn('swap(uint256,uint256,address,bytes)', [usdc, weth, at(to), '0x']),
];
/** The bot checks that it ends with more of `gain`. */
export const bot = (gain: string, calls: Call[], tip = 0n): Request => ({
  to: at('arbBot'),
  data: fn(`run(${CALLS},address,uint256)`, [calls, at(gain), tip]),
});
export const buyUsdc = (who: string, weth: bigint): Request => ({
  to: MAINNET.v2Router,
  value: weth,
  data: fn('swapExactETHForTokens(uint256,address[],address,uint256)', [
    0n,
    [at('WETH'), at('USDC')],
    addressOf(who),
    FAR_FUTURE,
  ]),
});
export const sellUsdc = (who: string, usdc: bigint): Request => ({
  to: MAINNET.v2Router,
  data: fn('swapExactTokensForETH(uint256,uint256,address[],address,uint256)', [
    usdc,
    0n,
    [at('USDC'), at('WETH')],
    addressOf(who),
    FAR_FUTURE,
  ]),
});

/** Mines the transactions as one block, in this order; resolves to what `txreport block --json` says of it. */
export async function mine(
  sent: readonly (readonly [who: string, request: Request])[],
): Promise<{ number: string; hashes: string[]; findings: Finding[] }> {
  const { rpc } = story.devnet;
  const { chain } = story.ctx;
  const nonces = new Map<string, bigint>();
  const hashes: string[] = [];
  await rpc('evm_setAutomine', [false]);
  for (const [i, [who, { to, data = '0x', value = 0n }]] of sent.entries()) {
    const from = addressOf(who);
    const nonce =
      nonces.get(who) ?? BigInt((await rpc('eth_getTransactionCount', [from, 'latest'])) as string);
    nonces.set(who, nonce + 1n);
    const hex = (amount: bigint): string => `0x${amount.toString(16)}`;
    hashes.push(
      (await rpc('eth_sendTransaction', [
        {
          from,
          to,
          data,
          value: hex(value),
          nonce: hex(nonce),
          gas: '0xf4240',
          // The order of a block is that of its tips.
          maxPriorityFeePerGas: hex(BigInt(100 - i) * 10n ** 9n),
          maxFeePerGas: hex(500n * 10n ** 9n),
        },
      ])) as string,
    );
  }
  await rpc('anvil_mine', ['0x1']);
  await rpc('evm_setAutomine', [true]);
  chain.forgetNonces();
  const receipts = await Promise.all(hashes.map((hash) => chain.receipt(hash as Hex)));
  expect(receipts.map(({ status }) => status)).toEqual(hashes.map(() => '0x1'));
  const number = String(BigInt(receipts[0]!.blockNumber));
  const run = await runCli(['block', number, '--json'], { env: { RPC_URL: story.devnet.rpcUrl } });
  expect(run.code, run.err).toBe(0);
  const { findings, transactions } = JSON.parse(run.out) as {
    findings: Finding[];
    transactions: { tx: { hash: string }; in_block: { index: number; findings: { id: string }[] } }[];
  };
  expect(transactions.map(({ tx }) => tx.hash)).toEqual(hashes);
  for (const { tx, in_block } of transactions)
    expect(in_block.findings.map(({ id }) => id).sort()).toEqual(
      findings
        .filter((one) => one.transactions.some(({ tx_hash }) => tx_hash === tx.hash))
        .map(({ id }) => id)
        .sort(),
    );
  return { number, hashes, findings };
}

export const named = (findings: readonly Finding[], name: string): Finding[] =>
  findings.filter(({ finding }) => finding === name);
export const stepOf = ({ transactions }: Finding, step: string): string[] =>
  transactions.filter((part) => part.step === step).map(({ tx_hash }) => tx_hash);
export const amountsOf = (
  { amounts }: Finding,
  role: string,
): [string | null, string | null, string | null][] =>
  amounts
    .filter((one) => one.role === role)
    .map(({ account, symbol, amount_raw: raw }) => [account, symbol, raw]);

export const addLiquidity = (weth: bigint, usdc: bigint, to: Address): Request => ({
  to: MAINNET.v2Router,
  value: weth,
  data: fn('addLiquidityETH(address,uint256,uint256,uint256,address,uint256)', [
    at('USDC'),
    usdc,
    0n,
    0n,
    to,
    FAR_FUTURE,
  ]),
});
export const removeLiquidity = (shares: bigint, to: Address): Request => ({
  to: MAINNET.v2Router,
  data: fn('removeLiquidityETH(address,uint256,uint256,uint256,address,uint256)', [
    at('USDC'),
    shares,
    0n,
    0n,
    to,
    FAR_FUTURE,
  ]),
});
/** Dollars that go with `weth` into the pair, and the shares they make. */
export async function liquidity(weth: bigint): Promise<[usdc: bigint, shares: bigint]> {
  const v2 = await Pair.read('v2PairUSDC');
  const supply = await story.ctx.chain.read<bigint>(at('v2PairUSDC'), 'totalSupply() view returns (uint256)');
  const usdc = (weth * v2.usdc) / v2.weth;
  const byWeth = (weth * supply) / v2.weth;
  const byUsdc = (usdc * supply) / v2.usdc;
  return [usdc, byWeth < byUsdc ? byWeth : byUsdc];
}
