// A devnet of its own with the service in front of it: transactions are sent, reports asked for over HTTP, and what they
// say is compared with what the contracts answer before and after.
import { expect } from 'vitest';
import { getAddress, type Address, type Hex } from 'viem';
import type { RunningServer } from '../../src/service/server.ts';
import type { PositionEffect, TxReport } from '../../src/model/generated/report.ts';
import { fetchRawAnswers } from '../../src/tools/verify/fetchRawAnswers.ts';
import { verifyReport } from '../../src/tools/verify/verifyReport.ts';
import type { Chain } from '../devnet/chain.ts';
import { startDevnet } from '../devnet/deploy.ts';
import { measure, type Delta } from '../devnet/measure.ts';
import { Ctx } from '../devnet/scenario.ts';
import { startDemoService } from '../devnet/service.ts';

type When = 'before' | 'after';

export interface Live {
  readonly c: Ctx;
  readonly chain: Chain;
  /** The report, once it agrees with the node's raw answers and with every account's balances before and after. */
  report(hash: Hex): Promise<TxReport>;
  /** A view function at the block of the transaction, or the one before. */
  read<T = bigint>(hash: Hex, when: When, to: Address, signature: string, args?: unknown[]): Promise<T>;
  /** How a number that a contract tells changed with the transaction. */
  change(hash: Hex, to: Address, signature: string, args?: unknown[]): Promise<bigint>;
  /** What would have happened to balances had this been sent instead; the chain is as before afterwards. */
  whatIf(send: () => Promise<Hex>): Promise<Delta[]>;
  stop(): Promise<void>;
}

export async function startLive(): Promise<Live> {
  const devnet = await startDevnet();
  let server: RunningServer;
  try {
    server = await startDemoService(devnet.rpcUrl);
  } catch (error) {
    await devnet.stop();
    throw error;
  }
  const { chain, world } = devnet;
  const c = new Ctx(chain, world, devnet.contracts);
  const blockOf = async (hash: Hex, when: When): Promise<Hex> => {
    const { blockNumber } = await chain.receipt(hash);
    return when === 'after' ? blockNumber : `0x${(BigInt(blockNumber) - 1n).toString(16)}`;
  };
  const read = async <T>(
    hash: Hex,
    when: When,
    to: Address,
    signature: string,
    args: unknown[] = [],
  ): Promise<T> => chain.read<T>(to, signature, args, await blockOf(hash, when));
  return {
    c,
    chain,
    read,
    async report(hash) {
      expect((await chain.receipt(hash)).status, 'the transaction itself').toBe('0x1');
      const response = await fetch(`${server.url}/analyze`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ tx_hash: hash }),
      });
      const text = await response.text();
      expect(response.status, text).toBe(200);
      const report = JSON.parse(text) as TxReport;
      expect(verifyReport(report, await fetchRawAnswers(devnet.rpcUrl, hash))).toEqual([]);
      expect(balancesOf(report, c)).toEqual(chainBalances(await measure(chain, world, hash), c));
      return report;
    },
    change: async (hash, to, signature, args) =>
      (await read<bigint>(hash, 'after', to, signature, args)) -
      (await read<bigint>(hash, 'before', to, signature, args)),
    async whatIf(send) {
      const snapshot = await chain.rpc('evm_snapshot', []);
      try {
        return await measure(chain, world, await send());
      } finally {
        await chain.rpc('evm_revert', [snapshot]);
        chain.forgetNonces();
      }
    },
    stop: async () => {
      await server.close();
      await devnet.stop();
    },
  };
}

/** Balances of rebasing tokens change without a Transfer and are compared by the tests that are about them. */
const elastic = (c: Ctx, address: string | null): boolean =>
  Object.values(c.world.assets).some(
    (asset) => asset.elastic && address !== null && asset.address === getAddress(address),
  );

function balancesOf(report: TxReport, c: Ctx): string[] {
  return report.inventory_deltas
    .filter((d) => d.delta_raw !== '0' && d.subject_role !== 'zero' && !elastic(c, d.asset.address))
    .map((d) => `${d.subject} ${d.asset.address ?? 'native'} ${d.asset.token_id ?? ''} ${d.delta_raw}`)
    .sort();
}

function chainBalances(deltas: readonly Delta[], c: Ctx): string[] {
  return deltas
    .filter((d) => !elastic(c, d.address))
    .map((d) => `${d.subject} ${d.address ?? 'native'} ${d.tokenId ?? ''} ${d.delta}`)
    .sort();
}

/** The gist of an effect: `increase liquidity of <owner>`, its token and its parts as `role amount asset`. */
export function gist(
  effect: PositionEffect,
  c: Ctx,
): { what: string; owner: string; token: string | null; parts: string[] } {
  const name = (address: string | null): string => {
    if (address === null) return 'ETH';
    return (
      Object.entries(c.world.assets).find(([, asset]) => asset.address === getAddress(address))?.[0] ??
      address
    );
  };
  const token = effect.position_asset;
  return {
    what: `${effect.effect} ${effect.category}`,
    owner: effect.owner,
    token:
      token &&
      `${effect.position_delta_raw} ${name(token.address)}${token.token_id === null ? '' : `#${token.token_id}`}`,
    parts: effect.underlying.map((u) => `${u.role} ${u.delta_raw} ${name(u.asset.address)}`),
  };
}
