import { cleanText } from './cleanText.ts';
import { memoizeFor } from '../lib/memo.ts';
import { smallUintAt, uintAt } from '../evm/hex.ts';
import type { CanonicalTx, Evidence, Frame } from '../model/canonicalTx.ts';
import type { Address, Hex } from '../model/hex.ts';
import type { Rulebook } from '../model/rulebook.ts';

/** Selector of Solidity's `Error(string)`. */
const ERROR_STRING = '0x08c379a0';
/** Selector of Solidity's `Panic(uint256)`. */
const PANIC = '0x4e487b71';
const MAX_REASON = 200;
const MAX_REASON_BYTES = 1024;

/** Panic codes of the Solidity documentation, "Panic via assert and Error via require". */
const PANICS: ReadonlyMap<bigint, string> = new Map([
  [0x00n, 'generic compiler panic'],
  [0x01n, 'assertion failed'],
  [0x11n, 'arithmetic overflow or underflow'],
  [0x12n, 'division or modulo by zero'],
  [0x21n, 'invalid enum value'],
  [0x22n, 'badly encoded storage byte array'],
  [0x31n, 'pop from an empty array'],
  [0x32n, 'array index out of bounds'],
  [0x41n, 'out of memory'],
  [0x51n, 'call of an uninitialised function'],
]);

/** Failures that have no more to say than that they happened. */
const SILENT_ERRORS: ReadonlySet<string> = new Set(['execution reverted', 'failed']);

function decodeErrorString(output: Hex): string | null {
  const offset = smallUintAt(output, 4);
  const length = offset === null ? null : smallUintAt(output, 4 + offset);
  const start = 2 + (4 + (offset ?? 0) + 32) * 2;
  if (length === null || start + length * 2 > output.length) return null;
  const end = start + 2 * Math.min(length, MAX_REASON_BYTES);
  return Buffer.from(output.slice(start, end), 'hex').toString('utf8');
}

function panicText(output: Hex): string | null {
  const code = uintAt(output, 4);
  return code === null ? null : (PANICS.get(code) ?? `panic code 0x${code.toString(16)}`);
}

function reasonOf(output: Hex, errors: Rulebook['errors']): string | null {
  if (output.length < 10) return output === '0x' ? null : 'undecodable data';
  const selector = output.slice(0, 10) as Hex;
  if (selector === ERROR_STRING) {
    const text = decodeErrorString(output);
    return text === null ? 'undecodable data' : cleanText(text, MAX_REASON);
  }
  if (selector === PANIC) return panicText(output) ?? 'undecodable data';
  return errors.get(selector)?.name ?? `custom error ${selector}`;
}

/**
 * Reason a failed frame returned: the text of `Error(string)`, a panic in words, a custom error by name
 * where the rules know it, else by selector; without data, the EVM's own reason. Null without any.
 */
export function failureReason(
  { output, error }: Pick<Frame, 'output' | 'error'>,
  errors: Rulebook['errors'],
): string | null {
  const reason = reasonOf(output, errors);
  if (reason !== null) return reason;
  return error !== null && !SILENT_ERRORS.has(error) ? (cleanText(error, MAX_REASON) ?? 'failed') : null;
}

/** Reason of a failure: the root frame's, else that of the call it failed on, else of that one's cause. */
export const revertReason = memoizeFor((tx: CanonicalTx, errors: Rulebook['errors']): string | null => {
  const failing = failingFrame(tx);
  const frames = [tx.frames[0], failing, failing && failureCause(failing, tx)];
  return frames.map((frame) => frame && failureReason(frame, errors)).find((one) => one != null) ?? null;
});

/** `Success`, or `Reverted` with the reason. */
export function executionOutcome(tx: CanonicalTx, errors: Rulebook['errors']): string {
  if (tx.succeeded) return 'Success';
  const reason = revertReason(tx, errors);
  return reason === null ? 'Reverted without a reason' : `Reverted: ${reason}`;
}

/** The innermost frame with a failure passed unchanged to the root; null for a success. */
export function failingFrame({ succeeded, frames }: Pick<CanonicalTx, 'succeeded' | 'frames'>): Frame | null {
  let failed = succeeded ? null : (frames[0] ?? null);
  for (let inner = failed; inner; ) {
    failed = inner;
    const last = lastCall(failed, frames);
    inner = last !== null && last.error !== null && last.output === failed.output ? last : null;
  }
  return failed;
}

/** The innermost last call inside a failing frame that failed with error data of its own, if any. */
export function failureCause(failing: Frame, { frames }: Pick<CanonicalTx, 'frames'>): Frame | null {
  let cause: Frame | null = null;
  for (let last = lastCall(failing, frames); last?.error != null; last = lastCall(last, frames)) cause = last;
  return cause;
}

function lastCall(frame: Frame, frames: readonly Frame[]): Frame | null {
  let last: Frame | null = null;
  for (let index = frame.index + 1; index < frame.end; index = frames[index]!.end) last = frames[index]!;
  return last;
}

/** The outermost calls that failed inside a transaction that succeeded: their callers caught the failure. */
export function attemptsOf({ succeeded, frames }: Pick<CanonicalTx, 'succeeded' | 'frames'>): Frame[] {
  const failed: Frame[] = [];
  if (succeeded)
    for (let index = 0; index < frames.length; ) {
      const frame = frames[index]!;
      if (frame.error !== null) failed.push(frame);
      index = frame.error === null ? index + 1 : frame.end;
    }
  return failed;
}

/** The frames that made a contract, and were not undone. */
export function creationsIn(frames: readonly Frame[]): Frame[] {
  return frames.filter(
    ({ type, effective, to }) => effective && to !== null && (type === 'CREATE' || type === 'CREATE2'),
  );
}

/** Those that left code, not of a contract that destroyed itself. Some traces leave all code out. */
export function deploymentsIn(frames: readonly Frame[]): Frame[] {
  const ends = frames.filter(({ type, effective }) => effective && type === 'SELFDESTRUCT');
  const gone = new Set<Address | null>(ends.map(({ from }) => from));
  return creationsIn(frames).filter(
    ({ to, parent, input, output }) =>
      !gone.has(to) && (output !== '0x' || (parent !== null && input === '0x')),
  );
}

/** The contracts that they made. */
export function createdIn(frames: readonly Frame[]): ReadonlySet<Address | null> {
  return new Set(creationsIn(frames).map(({ to }) => to));
}

/** For each account that was called, the one other account that called it; null where several did. */
const soleCallers = memoizeFor(({ frames }: Pick<CanonicalTx, 'frames'>, _: null) => {
  const callers = new Map<Address, Address | null>();
  for (const { type, effective, from, to } of frames)
    if (type === 'CALL' && effective && to !== null && from !== to)
      callers.set(to, callers.has(to) && callers.get(to) !== from ? null : from);
  return callers;
});

/** Whether all calls that could make `contract` do something came from `caller`, itself apart. */
export const isAtCallOf = (contract: Address, caller: Address, tx: Pick<CanonicalTx, 'frames'>): boolean =>
  soleCallers(tx, null).get(contract) === caller;

/** The outermost call of the run of the innermost of these accounts around a call; null outside all. */
export function runOf(
  accounts: ReadonlySet<Address | null>,
  call: Frame,
  { frames }: Pick<CanonicalTx, 'frames'>,
): Frame | null {
  let run: Frame | null = null;
  for (let at: Frame | undefined = call; at; at = frames[at.parent ?? -1]) {
    if (run !== null && at.context !== run.context) break;
    if (accounts.has(at.context)) run = at;
  }
  return run;
}

/** The frame and those that led to it, outermost first. */
export function callersOf(frame: Frame, { frames }: Pick<CanonicalTx, 'frames'>): Frame[] {
  const callers: Frame[] = [];
  for (let at: Frame | undefined = frame; at; at = frames[at.parent ?? -1]) callers.push(at);
  return callers.reverse();
}

/** The smallest frame that holds both. Frames are in pre-order, so a subtree is a range of indexes. */
export function lowestCommonAncestor(frames: readonly Frame[], a: number, b: number): number {
  let at = a;
  while (b < at || b >= frames[at]!.end) {
    const { parent } = frames[at]!;
    if (parent === null) return at;
    at = parent;
  }
  return at;
}

/**
 * Index of the smallest frame that is certain to hold all of the evidence, or null where the trace does not
 * show it. Only one trace dialect places a log exactly, so `within` is used: the frame that emitter and log
 * order leave possible.
 */
export function commonFrame(tx: CanonicalTx, evidence: readonly Evidence[]): number | null {
  let common: number | null = null;
  for (const { log, frame } of evidence) {
    const at = log === null ? frame : (tx.logs[log]?.within ?? null);
    if (at === null || !tx.frames[at]) return null;
    common = common === null ? at : lowestCommonAncestor(tx.frames, common, at);
  }
  return common;
}
