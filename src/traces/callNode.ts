import { quantity, readBytes, readHash } from '../evm/hex.ts';
import { AnalysisError, type ErrorCode } from '../lib/errors.ts';
import { absent, readList, type Fields } from '../lib/shape.ts';
import type { Frame, Log } from '../model/canonicalTx.ts';
import type { Hash, Hex } from '../model/hex.ts';

/** Emitter, topics and data of a log, from a receipt or from a trace. */
export type LogContent = Pick<Log, 'address' | 'topics' | 'data'>;

/** Checks a log's topics; `log` names the kind of log in errors. Throws `AnalysisError(code)`. */
export function readTopics(value: unknown, code: ErrorCode, log: string): readonly Hash[] {
  const list = Array.isArray(value) ? (value as unknown[]) : readList(value, code, `${log} topics`);
  // LOG4 is the largest of the EVM's log instructions.
  if (list.length > 4) throw new AnalysisError(code, `a ${log} has more than four topics`);
  const what = `${log} topic`;
  return list.map((topic) => readHash(topic, code, what));
}

export function sameLog(a: LogContent, b: LogContent): boolean {
  if (a.address !== b.address || a.data !== b.data || a.topics.length !== b.topics.length) return false;
  return a.topics.every((topic, i) => topic === b.topics[i]);
}

/** A log as a call tracer attaches it to a frame. */
export interface TracedLog extends LogContent {
  /** Number of child calls before it, of all the node lists; null where an old node does not say. */
  readonly position: number | null;
}

/** One call of a node's trace, checked but not yet interpreted: both trace dialects are read into it. */
export interface CallNode
  extends Pick<Frame, 'parent' | 'type' | 'from' | 'to' | 'input' | 'output' | 'error' | 'gasUsed'> {
  /** Wei as stated; DELEGATECALL repeats its caller's although nothing moves. */
  readonly value: bigint;
  readonly logs: readonly TracedLog[];
}

/** Bytes of a field that nodes may leave out; `known`: checked ones. Throws `trace_malformed`. */
export function readOptionalBytes(value: unknown, what: string, known: Hex = '0x'): Hex {
  if (value === known || absent(value)) return value ?? '0x';
  return readBytes(value, 'trace_malformed', what);
}

/** Why a call failed; null where it did not. Some nodes write an empty error for inner calls that did not. */
export function failureOf({ error }: Fields, parent: number | null): string | null {
  return absent(error) || (error === '' && parent !== null) ? null : canonicalError(error);
}

/** For display only: anything but a quantity is taken as unknown. */
export function readGas(value: unknown): number | null {
  const gas = quantity(value);
  return gas === null ? null : Number(gas);
}

/**
 * Bounds no mainnet transaction can reach: the call depth limit is 1024 (Yellow Paper, 9.1), tracers list
 * the refused call below it and a SELFDESTRUCT, and 60M gas pay for fewer than 10^6 calls at 100 gas each
 * (EIP-2929). The path total bounds depth times width, which the 63/64 rule (EIP-150) keeps small on chain.
 */
const MAX_DEPTH = 1_026;
const MAX_CALLS = 1_000_000;
const MAX_PATH_TOTAL = 24_000_000;

/** Bounds the work a hostile trace (cyclic, shared or absurdly deep) can cause: call once per node. */
export class CallBudget {
  #calls = 0;
  #pathTotal = 0;
  spend(depth: number): void {
    this.#calls += 1;
    this.#pathTotal += depth;
    if (depth > MAX_DEPTH)
      throw new AnalysisError('trace_malformed', 'calls nest deeper than the EVM allows');
    if (this.#calls > MAX_CALLS || this.#pathTotal > MAX_PATH_TOTAL) {
      throw new AnalysisError('trace_malformed', 'more calls than a transaction can pay for');
    }
  }
}

/**
 * geth's words for each way a call can fail, with the patterns other clients use for it. First match wins.
 * A closed vocabulary keeps node text out of reports and makes both dialects say the same.
 */
const FAILURES: readonly (readonly [canonical: string, pattern: RegExp])[] = [
  ['contract creation code storage out of gas', /code (?:storage|store)/],
  ['execution reverted', /revert/],
  ['out of gas', /out of ?gas|outofgas|gas uint64 overflow|insufficient gas/],
  ['invalid jump destination', /jump/],
  ['stack underflow', /stack ?underflow/],
  ['stack overflow', /out of stack|stack ?overflow|stack limit/],
  ['write protection', /write protection|static|mutable call/],
  ['insufficient balance for transfer', /insufficient (?:balance|funds)|out ?of ?funds|outoffund/],
  ['max call depth exceeded', /depth|calltoodeep/],
  ['contract address collision', /collision/],
  ['max code size exceeded', /code ?size|contract ?size|createcontractsize/],
  ['invalid code: must not begin with 0xef', /0xef|startingwithef|starting with ef/],
  ['invalid opcode', /opcode|bad instruction|invalid instruction|designated invalid|invalidfe/],
  ['return data out of bounds', /out of ?(?:bounds|offset)/],
  ['precompile failed', /precompile|built-?in/],
];

/** A call's failure in one vocabulary; text no client is known to use becomes `failed`. */
export function canonicalError(text: unknown): string {
  if (typeof text !== 'string') return 'failed';
  const words = text.slice(0, 200).toLowerCase();
  return FAILURES.find(([, pattern]) => pattern.test(words))?.[0] ?? 'failed';
}
