import { decodeAggregate3, encodeAggregate3, type ViewCall } from './multicall.ts';
import { readCallResult } from './abiAnswers.ts';
import { faultOf, isSettled, type RpcAnswer, type RpcCall } from '../rpc/rpcMessages.ts';
import type { Address, Hex } from '../../../model/hex.ts';

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

type OpenGroup = { positions: number[]; calls: ViewCall[]; before: boolean; dispensable: boolean };

/** Puts reads together that can share an aggregate: of the same state, and not set apart from each other. */
export function groupReads(reads: readonly ViewCall[], { multicall }: ReadPlace): ReadGroup[] {
  if (multicall === null) return reads.map((call, position) => newGroup(call, position));
  const groups: OpenGroup[] = [];
  // Key that separates the groups.
  const latest = {
    at: new Map<string | undefined, OpenGroup>(),
    before: new Map<string | undefined, OpenGroup>(),
  };
  let last: OpenGroup | undefined;
  for (let position = 0; position < reads.length; position++) {
    const call = reads[position]!;
    // Most reads belong with the one before them.
    if (!last || !belongsWith(last.calls[0]!, call))
      last = latest[call.before === true ? 'before' : 'at'].get(call.apart);
    if (!last || last.calls.length >= READS_PER_MULTICALL) {
      groups.push((last = newGroup(call, position)));
      latest[last.before ? 'before' : 'at'].set(call.apart, last);
    } else {
      last.positions.push(position);
      last.calls.push(call);
    }
  }
  return groups;
}

function belongsWith(a: ViewCall, b: ViewCall): boolean {
  return a.apart === b.apart && (a.before === true) === (b.before === true);
}

function newGroup(call: ViewCall, position: number): OpenGroup {
  return {
    positions: [position],
    calls: [call],
    before: call.before === true,
    dispensable: call.apart !== undefined,
  };
}

/** The `eth_call` of each group, pinned at the block, or at the one before it. */
export function rpcsOfGroups(groups: readonly ReadGroup[], { multicall, blockNumber }: ReadPlace): RpcCall[] {
  const at = tagOf(blockNumber, false);
  let earlier: Hex | null = null;
  return groups.map(({ calls, before }) => {
    const first = calls[0]!;
    const call =
      multicall === null
        ? { to: first.to, data: first.data }
        : { to: multicall, data: encodeAggregate3(calls) };
    return { method: 'eth_call', params: [call, before ? (earlier ??= tagOf(blockNumber, true)) : at] };
  });
}

/** Reads that an aggregate which failed as a whole left without an answer: they are asked one by one. */
export interface Unanswered {
  readonly positions: readonly number[];
  readonly calls: readonly RpcCall[];
}

/**
 * Files the answer to each read in `answers` (nulls before), by its position, and returns the reads that are
 * to be asked again: those of an aggregate that failed as a whole, except the dispensable ones. Throws an
 * `UpstreamFault` for a failure that may pass.
 */
export function readAnswers(
  groups: readonly ReadGroup[],
  results: readonly RpcAnswer[],
  { multicall, blockNumber }: ReadPlace,
  answers: (Hex | null)[],
): Unanswered {
  const again: { positions: number[]; calls: RpcCall[] } = { positions: [], calls: [] };
  for (let i = 0; i < groups.length; i++) {
    const { positions, calls, before, dispensable } = groups[i]!;
    if (multicall === null) {
      answers[positions[0]!] = settledResult(results[i]!);
      continue;
    }
    const decoded = decodeAggregate3(settled(results[i]!), calls.length);
    for (let k = 0; k < positions.length; k++) {
      if (decoded !== null) {
        answers[positions[k]!] = decoded[k]!;
      } else if (!dispensable) {
        const { to, data } = calls[k]!;
        again.positions.push(positions[k]!);
        again.calls.push({ method: 'eth_call', params: [{ to, data }, tagOf(blockNumber, before)] });
      }
    }
  }
  return again;
}

/**
 * A result, or null for a failure that is the contract's or the node's last word; a passing failure is
 * retried.
 */
export function settledResult(answer: RpcAnswer): Hex | null {
  return readCallResult(settled(answer));
}

/** The same unchecked. */
function settled(answer: RpcAnswer): unknown {
  if (answer.ok) return answer.result;
  if (!isSettled(answer.error)) throw faultOf('a read at the block', answer.error);
  return null;
}

function tagOf(block: bigint, before: boolean): Hex {
  return `0x${(before && block > 0n ? block - 1n : block).toString(16)}`;
}
