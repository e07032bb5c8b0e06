import { decodeAggregate3, encodeAggregate3, type ViewCall } from './multicall.ts';
import { readCallResult } from './abiAnswers.ts';
import { faultOf, isSettled, type RpcAnswer, type RpcCall } from './rpcMessages.ts';
import type { Address, Hex } from '../../model/hex.ts';

/** Reads per aggregate: three per token, so that a hundred tokens share one. */
const READS_PER_MULTICALL = 300;

export interface ReadPlace {
  readonly blockNumber: bigint;
  /** Multicall3 contract, null where it did not exist yet. */
  readonly multicall: Address | null;
}

/** Reads that travel in one `eth_call`. */
export interface ReadGroup {
  /** Positions among the reads that were asked for. */
  readonly positions: readonly number[];
  readonly calls: readonly ViewCall[];
  readonly before: boolean;
  /** Its reads are worth no further request when the aggregate fails as a whole. */
  readonly dispensable: boolean;
}

/** Puts reads together that can share an aggregate: of the same state, and not set apart from each other. */
export function groupReads(reads: readonly ViewCall[], { multicall }: ReadPlace): ReadGroup[] {
  const groups = new Map<string, { positions: number[]; calls: ViewCall[]; before: boolean; dispensable: boolean }[]>();
  reads.forEach((call, position) => {
    const before = call.before === true;
    const key = `${before}|${multicall === null ? position : (call.apart ?? '')}`;
    const list = groups.get(key) ?? [];
    groups.set(key, list);
    const last = list.at(-1);
    if (last && last.calls.length < READS_PER_MULTICALL) {
      last.positions.push(position);
      last.calls.push(call);
    } else list.push({ positions: [position], calls: [call], before, dispensable: call.apart !== undefined });
  });
  return [...groups.values()].flat();
}

/** The `eth_call` of a group, pinned at the block, or at the one before it. */
export function rpcOfGroup({ calls, before }: ReadGroup, { multicall, blockNumber }: ReadPlace): RpcCall {
  const [first] = calls;
  const to = multicall ?? first!.to;
  return { method: 'eth_call', params: [{ to, data: multicall === null ? first!.data : encodeAggregate3(calls) }, tagOf(blockNumber, before)] };
}

/**
 * The answer to each read, in order. Reads of an aggregate that failed as a whole are handed to `askSingly`, except the
 * dispensable ones. Throws an `UpstreamFault` for a failure that may pass.
 */
export async function readAnswers(
  groups: readonly ReadGroup[], results: readonly RpcAnswer[], place: ReadPlace, askSingly: (calls: readonly RpcCall[]) => Promise<readonly RpcAnswer[]>,
): Promise<(Hex | null)[]> {
  const answers: (Hex | null)[] = [];
  const again: { position: number; call: RpcCall }[] = [];
  groups.forEach((group, i) => {
    const result = settledResult(results[i]!);
    const decoded = place.multicall === null ? [result] : result === null ? null : decodeAggregate3(result, group.calls.length);
    group.positions.forEach((position, k) => {
      answers[position] = decoded?.[k] ?? null;
      if (decoded === null && !group.dispensable) {
        const { to, data } = group.calls[k]!;
        again.push({ position, call: { method: 'eth_call', params: [{ to, data }, tagOf(place.blockNumber, group.before)] } });
      }
    });
  });
  const singles = again.length === 0 ? [] : await askSingly(again.map(({ call }) => call));
  again.forEach(({ position }, i) => (answers[position] = settledResult(singles[i]!)));
  return answers;
}

/** A result, or null for a failure that is the contract's or the node's last word; a passing failure is retried. */
export function settledResult(answer: RpcAnswer): Hex | null {
  if (answer.ok) return readCallResult(answer.result);
  if (!isSettled(answer.error)) throw faultOf('a read at the block', answer.error);
  return null;
}

function tagOf(block: bigint, before: boolean): Hex {
  return `0x${(before && block > 0n ? block - 1n : block).toString(16)}`;
}
