import { isRecord, type RpcCall } from '../rpc/rpcMessages.ts';
import type { Hash } from '../../../model/hex.ts';
import type { TraceMode } from '../../../model/upstream.ts';

/** A block whose number is resolved: everything about it is asked by its hash. */
export interface BlockId {
  readonly number: bigint;
  readonly hash: Hash;
}

export const quantityOf = (value: bigint): `0x${string}` => `0x${value.toString(16)}`;

/** All traces of a block. `trace_block` takes a number only; its answers name the block's hash, which is checked. */
export function traceBlockCall(mode: TraceMode, { hash, number }: BlockId): RpcCall {
  if (mode === 'parity') return { method: 'trace_block', params: [quantityOf(number)] };
  const config =
    mode === 'call_tracer_with_log'
      ? ({ tracer: 'callTracer', tracerConfig: { withLog: true } } as const)
      : ({ tracer: 'callTracer' } as const);
  return { method: 'debug_traceBlockByHash', params: [hash, config] };
}

/** Splits the answer to `traceBlockCall` by transaction; null where it is no list. */
export function tracesByTransaction(
  mode: TraceMode,
  result: unknown,
  hashes: readonly Hash[],
): ReadonlyMap<Hash, unknown> | null {
  if (!Array.isArray(result)) return null;
  return mode === 'parity' ? groupFlatTraces(result) : readTraceList(result, hashes);
}

/** `trace_block`: one flat list; items without a transaction are block rewards. */
function groupFlatTraces(items: readonly unknown[]): ReadonlyMap<Hash, unknown> {
  const found = new Map<Hash, unknown[]>();
  for (const item of items) {
    if (!isRecord(item) || typeof item['transactionHash'] !== 'string') continue;
    const hash = item['transactionHash'].toLowerCase() as Hash;
    const list = found.get(hash);
    if (list) list.push(item);
    else found.set(hash, [item]);
  }
  return found;
}

/** `debug_traceBlock…`: `{txHash?, result | error}` per transaction in block order; older nodes leave out `txHash`. */
function readTraceList(items: readonly unknown[], hashes: readonly Hash[]): ReadonlyMap<Hash, unknown> {
  const found = new Map<Hash, unknown>();
  if (items.length !== hashes.length) return found;
  items.forEach((item, i) => {
    if (!isRecord(item) || item['result'] === undefined) return;
    const named = item['txHash'];
    if (named === undefined || (typeof named === 'string' && named.toLowerCase() === hashes[i]))
      found.set(hashes[i]!, item['result']);
  });
  return found;
}
