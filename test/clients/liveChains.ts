// Shared by the runs against clients others wrote: signed transactions, sending them, reports to compare.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { encodeFunctionData, getContractAddress, parseAbi, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { AnalysisError } from '../../src/lib/errors.ts';
import { jsonText } from '../../src/lib/reportJson.ts';
import { createAnalyze } from '../../src/service/analyzer.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import { createUpstream, type Upstream } from '../../src/stages/1-fetch/rpc/upstream.ts';
import { createReportValidator } from '../../src/stages/9-report/reportValidator.ts';

export const signer = privateKeyToAccount(`0x${'88'.repeat(32)}`);
export const other = `0x${'42'.repeat(20)}` as const;
const WETH_ABI = parseAbi([
  'function deposit() payable',
  'function transfer(address,uint256)',
  'function approve(address,uint256)',
  'function withdraw(uint256)',
]);
const weth = JSON.parse(
  readFileSync(
    join(import.meta.dirname, '../../node_modules/canonical-weth/build/contracts/WETH9.json'),
    'utf8',
  ),
) as { bytecode: Hex };

export interface Sent {
  readonly name: string;
  readonly raw: Hex;
}

/** The signed transactions, in order; fixed fees, so that their hashes are the same on every chain. */
export async function transactions(): Promise<Sent[]> {
  const token = getContractAddress({ from: signer.address, nonce: 0n });
  const call = (
    functionName: 'deposit' | 'transfer' | 'approve' | 'withdraw',
    args: readonly unknown[] = [],
  ): Hex => encodeFunctionData({ abi: WETH_ABI, functionName, args } as never);
  const wanted: [name: string, tx: { to?: Hex; value?: bigint; data?: Hex }][] = [
    ['creation', { data: weth.bytecode }],
    ['payment', { to: other, value: 5n * 10n ** 17n }],
    ['wrapping', { to: token, value: 10n ** 18n, data: call('deposit') }],
    ['token transfer', { to: token, data: call('transfer', [other, 3n * 10n ** 17n]) }],
    ['approval', { to: token, data: call('approve', [other, 7n]) }],
    ['unwrapping', { to: token, data: call('withdraw', [10n ** 17n]) }],
    ['revert', { to: token, data: call('withdraw', [10n ** 20n]) }],
    ['empty to itself', { to: signer.address }],
  ];
  return Promise.all(
    wanted.map(async ([name, tx], nonce) => ({
      name,
      raw: await signer.signTransaction({
        ...tx,
        nonce,
        chainId: 1,
        type: 'legacy',
        gas: 3_000_000n,
        gasPrice: 10n ** 10n,
      }),
    })),
  );
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

export type Rpc = (method: string, params: readonly unknown[]) => Promise<any>;

export function rpcTo(url: string): Rpc {
  return async (method, params) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } };
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
}

export async function sendAll(rpc: Rpc, sent: readonly Sent[]): Promise<Hex[]> {
  const hashes: Hex[] = [];
  for (const { raw } of sent) {
    const hash = (await rpc('eth_sendRawTransaction', [raw])) as Hex;
    for (
      let tries = 0;
      (await rpc('eth_getTransactionReceipt', [hash]).catch(() => null)) === null;
      tries++
    ) {
      if (tries > 200) throw new Error(`${hash} was not mined`);
      await sleep(20);
    }
    hashes.push(hash);
  }
  return hashes;
}

export const rulebook = loadRules();
export const validate = createReportValidator();

/** The service's connection to a client's node. */
export const upstreamTo = (url: string, rpcMaxBatch = 100): Upstream =>
  createUpstream({
    rpcUrls: [url],
    rpcTimeoutMs: 5_000,
    rpcRetries: 1,
    deadlineMs: 10_000,
    maxResponseBytes: 1e8,
    rpcMaxBatch,
  });

/** The report without the keys that differ between two chains, or the code of the failure. */
export async function analyze(url: string, hash: Hex): Promise<unknown> {
  const upstream = upstreamTo(url);
  try {
    const run = createAnalyze({ upstream, rulebook: () => rulebook, validate, maxTokens: 100 });
    const { json } = await run(hash, {
      signal: new AbortController().signal,
      deadlineAt: performance.now() + 10_000,
    });
    const report = JSON.parse(jsonText(json)) as Record<string, any>;
    delete report['engine'];
    for (const key of ['block_number', 'timestamp']) delete report['tx'][key];
    for (const key of ['base_fee_per_gas', 'priority_fee_per_gas']) delete report['execution'][key];
    delete report['economics'].valuation.snapshot_id;
    return report;
  } catch (error) {
    if (error instanceof AnalysisError) return error.code;
    throw error;
  } finally {
    await upstream.close();
  }
}

let failed = 0;
export function check(name: string, ok: boolean, otherwise: () => string): void {
  if (!ok) failed++;
  console.log(ok ? `ok    ${name}` : `FAIL  ${name}: ${otherwise()}`);
}

/** How many checks failed so far. */
export const failures = (): number => failed;

/** Checks that a transaction has the same report on two chains. */
export function checkSame(name: string, a: unknown, b: unknown): void {
  check(name, typeof a === 'object' && isDeepStrictEqual(a, b), () =>
    typeof a === 'object' && typeof b === 'object'
      ? Object.keys(a as object)
          .filter((key) => !isDeepStrictEqual((a as any)[key], (b as any)[key]))
          .map((key) =>
            `${key}: ${JSON.stringify((a as any)[key])} | ${JSON.stringify((b as any)[key])}`.slice(0, 600),
          )
          .join('; ')
      : `${JSON.stringify(a).slice(0, 200)} | ${JSON.stringify(b).slice(0, 200)}`,
  );
}

export interface LiveChain {
  readonly url: string;
  readonly rpc: Rpc;
  readonly stop: () => Promise<void>;
}

/** Starts a client's program, which listens on `port`; `stop` ends it and removes its `folder`. */
export async function startClient(
  program: string,
  args: readonly string[],
  { port, folder }: { port: number; folder: string },
): Promise<LiveChain> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const gone = once(child, 'exit');
  process.once('exit', () => child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  const rpc = rpcTo(url);
  await untilReady(rpc, () => child.exitCode !== null);
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await gone;
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, rpc, stop };
}

/** Polls until the node answers that it is on chain 1; throws the last failure. */
async function untilReady(rpc: Rpc, ended: () => boolean): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      if ((await rpc('eth_chainId', [])) !== '0x1') throw new Error('not on chain 1');
      return;
    } catch (error) {
      if (tries > 100 || ended()) throw error;
      await sleep(100);
    }
  }
}
