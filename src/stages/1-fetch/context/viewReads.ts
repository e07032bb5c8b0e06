import { decodeAggregate3, encodeAggregate3, wholeBytes, type ViewCall } from './multicall.ts';
import {
  faultOf,
  isExecutionTimeout,
  isRevert,
  resultOf,
  type RpcAnswer,
  type RpcCall,
} from '../rpc/rpcMessages.ts';
import { UpstreamFault } from '../rpc/upstreamFault.ts';
import type { Address, Hex } from '../../../model/hex.ts';

/** A contract's answer; null where it returned nothing or reverted, undefined where the node failed. */
export type ReadAnswer = Hex | null | undefined;

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
  readonly positions: number[];
  readonly calls: ViewCall[];
  readonly before: boolean;
  /** Its reads are worth no further request when the aggregate fails as a whole. */
  readonly dispensable: boolean;
}

/** Puts reads together that can share an aggregate: of the same state, and not set apart from each other. */
export function groupReads(reads: readonly ViewCall[], { multicall }: ReadPlace): ReadGroup[] {
  if (multicall === null) return reads.map((call, position) => newGroup(call, position));
  const groups: ReadGroup[] = [];
  // By the key that separates the groups.
  const latest = {
    at: new Map<string | undefined, ReadGroup>(),
    before: new Map<string | undefined, ReadGroup>(),
  };
  let last: ReadGroup | undefined;
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

function newGroup(call: ViewCall, position: number): ReadGroup {
  return {
    positions: [position],
    calls: [call],
    before: call.before === true,
    dispensable: call.apart !== undefined,
  };
}

/** The `eth_call` of each group, pinned at the block, or at the one before it. */
export function rpcsOfGroups(groups: readonly ReadGroup[], place: ReadPlace, at: Hex): RpcCall[] {
  const { multicall, blockNumber } = place;
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

/** Reads left without an answer by an aggregate that failed as a whole: they are asked one by one. */
export interface Unanswered {
  readonly positions: readonly number[];
  readonly calls: readonly RpcCall[];
  /** Positions of reads in an aggregate that found no contract: the node may lack the state altogether. */
  readonly doubtful: ReadonlySet<number>;
}

/**
 * Stores the answer to each read in `answers` (nulls before) by its position, and returns the reads to ask
 * again: those of an aggregate that failed as a whole, except the dispensable ones. Throws an
 * `UpstreamFault` where the node could not read.
 */
export function readAnswers(
  groups: readonly ReadGroup[],
  results: readonly RpcAnswer[],
  { multicall, blockNumber }: ReadPlace,
  answers: ReadAnswer[],
): Unanswered {
  const again = { positions: [] as number[], calls: [] as RpcCall[], doubtful: new Set<number>() };
  for (const [i, { positions, calls, before, dispensable }] of groups.entries()) {
    const bytes = readBytesOf(results[i]!);
    if (multicall === null) {
      answers[positions[0]!] = answerOf(bytes);
      continue;
    }
    const decoded = bytes ? decodeAggregate3(bytes, calls.length) : null;
    for (const [k, position] of positions.entries()) {
      if (decoded !== null) {
        answers[position] = decoded[k]!;
      } else if (!dispensable) {
        const { to, data } = calls[k]!;
        again.positions.push(position);
        again.calls.push({ method: 'eth_call', params: [{ to, data }, tagOf(blockNumber, before)] });
        if (bytes === '0x') again.doubtful.add(position);
      }
    }
  }
  return again;
}

/** Stores the answers to the reads that were asked again. */
export function readSingles(
  { positions, doubtful }: Unanswered,
  singles: readonly RpcAnswer[],
  answers: ReadAnswer[],
): void {
  for (const [i, position] of positions.entries()) {
    const answer = answerOf(readBytesOf(singles[i]!));
    answers[position] = answer === null && doubtful.has(position) ? undefined : answer;
  }
}

/** The account's code. Throws an `UpstreamFault` where the node could not read it. */
export function readCode(answer: RpcAnswer): string {
  const code = wholeBytes(resultOf('eth_getCode', answer));
  if (code !== null) return code;
  throw new UpstreamFault('state_unavailable', 'later', 'eth_getCode answered no bytes');
}

/**
 * The bytes a call returned; null where the contract reverted, undefined where the node gave up executing
 * it, which a contract can provoke. Throws an `UpstreamFault` for everything that says nothing about the
 * contract.
 */
function readBytesOf(answer: RpcAnswer): ReadAnswer {
  if (!answer.ok) {
    if (isRevert(answer.error)) return null;
    if (isExecutionTimeout(answer.error)) return undefined;
    throw faultOf('a read at the block', answer.error);
  }
  const bytes = wholeBytes(answer.result);
  if (bytes !== null) return bytes;
  throw new UpstreamFault('state_unavailable', 'later', 'eth_call answered no bytes');
}

/** A contract without the function answers nothing. */
function answerOf(bytes: ReadAnswer): ReadAnswer {
  return bytes === '0x' ? null : bytes;
}

export function tagOf(block: bigint, before: boolean): Hex {
  return `0x${(before && block > 0n ? block - 1n : block).toString(16)}`;
}
