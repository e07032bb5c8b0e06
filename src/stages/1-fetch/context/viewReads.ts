import { decodeAggregate3, encodeAggregate3, wholeBytes, type ViewCall } from './multicall.ts';
import { faultOf, isExecutionTimeout, isRevert, resultOf } from '../rpc/rpcMessages.ts';
import type { RpcAnswer, RpcCall } from '../rpc/rpcMessages.ts';
import { hexOf } from '../../../evm/hex.ts';
import type { ContextPlan } from './planContext.ts';
import { UpstreamFault } from '../rpc/upstreamFault.ts';
import type { Hex } from '../../../model/hex.ts';

/** A contract's answer; null where it returned nothing or reverted, undefined where the node failed. */
export type ReadAnswer = Hex | null | undefined;

/** Reads per aggregate: three per token, so that a hundred tokens share one. */
const READS_PER_MULTICALL = 300;

type ReadPlace = Pick<ContextPlan, 'blockNumber' | 'multicall'>;

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
  const groups: ReadGroup[] = [];
  const latest = new Map<string, ReadGroup>();
  let group: ReadGroup | undefined;
  for (const [position, call] of reads.entries()) {
    const { apart, before = false } = call;
    const key = `${before} ${apart}`;
    // Most reads belong with the one before them.
    if (!group || group.before !== before || group.calls[0]!.apart !== apart) group = latest.get(key);
    if (!group || multicall === null || group.calls.length >= READS_PER_MULTICALL) {
      group = { positions: [], calls: [], before, dispensable: apart !== undefined };
      groups.push(group);
      latest.set(key, group);
    }
    group.positions.push(position);
    group.calls.push(call);
  }
  return groups;
}

/** The `eth_call` of a group, pinned at the block, or at the one before it. */
export function rpcOfGroup({ calls, before }: ReadGroup, { multicall, blockNumber }: ReadPlace): RpcCall {
  const call = multicall === null ? calls[0]! : { to: multicall, data: encodeAggregate3(calls) };
  return readOf(call, tagOf(blockNumber, before));
}

const readOf = ({ to, data }: ViewCall, at: Hex): RpcCall => ({
  method: 'eth_call',
  params: [{ to, data }, at],
});

/** A read left without an answer by an aggregate that failed as a whole: it is asked alone. */
export interface Unanswered {
  readonly position: number;
  readonly call: RpcCall;
  /** The aggregate found no contract: the node may lack the state altogether. */
  readonly doubtful: boolean;
}

/**
 * Stores each read's answer in `answers` by its position. Returns those to ask again: of aggregates that
 * failed as a whole, but for dispensable ones. Throws an `UpstreamFault` where the node could not read.
 */
export function readAnswers(
  groups: readonly ReadGroup[],
  results: readonly RpcAnswer[],
  { multicall, blockNumber }: ReadPlace,
  answers: ReadAnswer[],
): Unanswered[] {
  const again: Unanswered[] = [];
  for (const [i, { positions, calls, before, dispensable }] of groups.entries()) {
    const bytes = readBytesOf(results[i]!);
    const aggregated = (): ReadAnswer[] | null => (bytes ? decodeAggregate3(bytes, calls.length) : null);
    const found = multicall === null ? [answerOf(bytes)] : aggregated();
    const at = tagOf(blockNumber, before);
    for (const [k, position] of positions.entries())
      if (found) answers[position] = found[k];
      else if (!dispensable) again.push({ position, call: readOf(calls[k]!, at), doubtful: bytes === '0x' });
  }
  return again;
}

/** The answer to a read that was asked again. */
export function readSingle({ doubtful }: Unanswered, single: RpcAnswer): ReadAnswer {
  const answer = answerOf(readBytesOf(single));
  return answer === null && doubtful ? undefined : answer;
}

/** The account's code. Throws an `UpstreamFault` where the node could not read it. */
export function readCode(answer: RpcAnswer): string {
  const code = wholeBytes(resultOf('eth_getCode', answer));
  if (code !== null) return code;
  throw new UpstreamFault('state_unavailable', 'later', 'eth_getCode answered no bytes');
}

/**
 * The bytes a call returned; null where it reverted, undefined where the node gave up executing it. Throws an
 * `UpstreamFault` for an answer that says nothing about the contract.
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
  return hexOf(before && block > 0n ? block - 1n : block);
}
