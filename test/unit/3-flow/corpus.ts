// Recorded mainnet transactions that lie beside the repository on some machines; tests that use them skip where they do not.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { CanonicalTx } from '../../../src/model/canonicalTx.ts';
import type { Hash } from '../../../src/model/hex.ts';
import type { TraceDialect } from '../../../src/model/upstream.ts';
import type { ValueFlow } from '../../../src/model/valueFlow.ts';
import { NATIVE_ASSET } from '../../../src/value/asset.ts';
import { canonicalize } from '../../../src/stages/2-canonical/canonicalize.ts';

const FOLDER = join(import.meta.dirname, '../../../../shared/corpus');
export const CORPUS = [
  'whole-blocks',
  'full-traces',
  'geth-tracers',
  'block-10m',
  'labelled-defi',
  'mev-blocks',
] as const;
export const hasCorpus = existsSync(FOLDER);
if (!hasCorpus) console.warn(`SKIPPED: no recorded transactions at ${FOLDER}`);

export interface AccountState {
  readonly balance?: string;
}
export interface CorpusRecord {
  readonly id: string;
  readonly hash: Hash;
  readonly rpc: {
    readonly tx: { readonly from: string };
    readonly receipt: unknown;
    readonly block: { readonly miner: string; readonly baseFeePerGas?: string };
    readonly callTracer: unknown;
    readonly trace: unknown;
    readonly prestateDiff?: {
      readonly pre: Record<string, AccountState>;
      readonly post: Record<string, AccountState>;
    };
  };
}

export function readCorpus(name: (typeof CORPUS)[number]): CorpusRecord[] {
  const text = gunzipSync(readFileSync(join(FOLDER, `${name}.ndjson.gz`))).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as CorpusRecord);
}

export function canonicalOf({ hash, rpc }: CorpusRecord, dialect: TraceDialect): CanonicalTx {
  return canonicalize({
    hash,
    tx: rpc.tx,
    receipt: rpc.receipt,
    trace: { dialect, result: dialect === 'parity' ? rpc.trace : rpc.callTracer },
  });
}

/** Movements without what may differ between dialects: the frame a log is ascribed to. */
export function comparable(flow: ValueFlow): unknown {
  return flow.movements.map(({ evidence, ...rest }) => ({
    ...rest,
    log: evidence.log,
    frame: evidence.log === null ? evidence.frame : null,
  }));
}

export function unbalanced(flow: ValueFlow): string[] {
  const sums = new Map<string, bigint>();
  for (const ledger of flow.ledgers.values())
    for (const [asset, { inflow, outflow }] of ledger)
      sums.set(asset, (sums.get(asset) ?? 0n) + inflow - outflow);
  return [...sums].filter(([, sum]) => sum !== 0n).map(([asset]) => asset);
}

/** Accounts whose balance the node changed by other than flow, gas and tip say. */
export function unreconciled(tx: CanonicalTx, flow: ValueFlow, { rpc }: CorpusRecord): string[] {
  const { pre, post } = rpc.prestateDiff!;
  const gas = tx.gasUsed * tx.effectiveGasPrice + tx.blobGasUsed * tx.blobGasPrice;
  const tip = tx.gasUsed * (tx.effectiveGasPrice - BigInt(rpc.block.baseFeePerGas ?? 0));
  return [...new Set([...Object.keys(pre), ...Object.keys(post)])].filter((account) => {
    const before = pre[account]?.balance;
    const after = post[account]?.balance;
    if (before === undefined && after === undefined) return false;
    const entry = flow.ledgers.get(account as `0x${string}`)?.get(NATIVE_ASSET);
    const expected =
      (entry ? entry.inflow - entry.outflow : 0n) -
      (account === rpc.tx.from ? gas : 0n) +
      (account === rpc.block.miner ? tip : 0n);
    return BigInt(after ?? before ?? 0) - BigInt(before ?? 0) !== expected;
  });
}
