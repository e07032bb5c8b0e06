import type { Movement, TxReport } from '../../model/generated/report.ts';
import {
  burntEther,
  gasRulesOut,
  decodeLog,
  isCredit,
  isStandardTransfer,
  isUnloggedTax,
  movedBy,
  type LogMovement,
} from './chainMovements.ts';
import { placeOf } from './checkEvidence.ts';
import { sumOf, type Report } from './finding.ts';
import { NATIVE, ZERO, tokenOf, wordHex, wordsOf, type RawChain, type RawLog } from './rawChain.ts';

/** EIP-7708: logs of this system address repeat native transfers that the trace shows. */
const SYSTEM = `0x${'f'.repeat(39)}e`;

/** `Approval(address,address,uint256)`, `ApprovalForAll(address,address,bool)` (ERC-20, ERC-721). */
export const APPROVALS: ReadonlySet<string> = new Set([
  '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925',
  '0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31',
]);

/** Key of a movement by place and content: the same for the report's and the chain's. */
const keyOf = (place: string, m: LogMovement): string => [place, m.from, m.to, m.assetId, m.amount].join('|');

/** Movements that trace and standard logs show, by key, with how often the report has not listed them yet. */
class Unclaimed {
  readonly counts = new Map<string, number>();
  /** Movements that other events were found to state. */
  readonly stated = new Set<string>();
  expect(key: string): void {
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }
  /** True when one was left to claim. */
  claim(key: string): boolean {
    const count = this.counts.get(key) ?? 0;
    if (count > 0) this.counts.set(key, count - 1);
    return count > 0;
  }
}

function movementsOnChain(chain: RawChain): Unclaimed {
  const unclaimed = new Unclaimed();
  for (const { path, from, to, value: amount } of chain.frames.values())
    if (amount > 0n && from !== to)
      unclaimed.expect(keyOf(`frame ${path}`, { from, to, assetId: NATIVE, amount }));
  for (const { frame, amount } of burntEther(chain))
    unclaimed.expect(keyOf(`frame ${frame.path}`, { from: frame.from, to: ZERO, assetId: NATIVE, amount }));
  const transfers = [...chain.logs.values()].filter(
    (log) => isStandardTransfer(log) && log.address !== SYSTEM,
  );
  for (const log of transfers)
    for (const m of decodeLog(log).filter(({ amount, from, to }) => amount > 0n && from !== to))
      unclaimed.expect(keyOf(`log ${log.index}`, m));
  return unclaimed;
}

/** Every movement is as its evidence shows, and no movement of the chain is left out. */
export function checkMovements(report: TxReport, chain: RawChain, find: Report): void {
  const unclaimed = movementsOnChain(chain);
  const declared = new Set<number>();
  const isShown = (key: string, moved: LogMovement, path: readonly number[] | null): boolean =>
    unclaimed.claim(key) || isUnloggedTax(moved, chain.frames.get(path?.join('.') ?? ''), chain);
  (report.movements ?? []).forEach((movement, i) => {
    const problem = (message: string): void => find('movement', `/movements/${i}`, message);
    const moved = movedBy(movement);
    const { log_index: index, frame_path: path } = movement.evidence;
    const key = keyOf(placeOf(movement.evidence), moved);
    if (moved.amount <= 0n) problem('moves nothing');
    if (moved.from === moved.to) problem('both ends are one account');
    if (index === null) {
      if (!isShown(key, moved, path)) problem(`frame [${path}] does not show that ${describe(moved)}`);
      return;
    }
    const log = chain.logs.get(index);
    if (!log) return; // checkEvidence reports it
    declared.add(index);
    if (!unclaimed.claim(key)) {
      if (isWrap(log, moved)) checkWrap(movement, log, chain, problem);
      else checkOtherEvent(log, moved, { unclaimed, chain, problem });
    }
    if (!endsFit(movement.kind, moved))
      problem(`a ${movement.kind} cannot go from ${moved.from} to ${moved.to}`);
  });
  for (const [key, count] of unclaimed.counts)
    if (count > 0 && !mayBeLeftOut(key, chain, declared))
      find('complete', '/movements', `left out: ${key.split('|').join(' ')}`);
}

/** Whether a log states the movement as a deposit or withdrawal of wrapped ether. */
function isWrap(log: RawLog, moved: LogMovement): boolean {
  const key = keyOf('', moved);
  return !isStandardTransfer(log) && decodeLog(log).some((m) => keyOf('', m) === key);
}

const describe = ({ from, to, assetId, amount }: LogMovement): string =>
  `${amount} of ${assetId} went from ${from} to ${to}`;

interface OtherEvent {
  readonly unclaimed: Unclaimed;
  readonly chain: RawChain;
  readonly problem: (message: string) => void;
}

/**
 * An event of no standard shape that states the movement, or a transfer that arrived smaller; a token may
 * repeat its own transfer in one.
 */
function checkOtherEvent(log: RawLog, moved: LogMovement, { unclaimed, chain, problem }: OtherEvent): void {
  const key = keyOf(`log ${log.index}`, moved);
  if (unclaimed.stated.has(key)) problem(`log ${log.index} is already the evidence of this movement`);
  unclaimed.stated.add(key);
  if (APPROVALS.has(log.topics[0] ?? '')) problem(`log ${log.index} is an approval, which moves nothing`);
  if (!saysOtherwise(log, moved) && !isCredit(moved, log, chain))
    return problem(`log ${log.index} does not say that ${describe(moved)}`);
  for (const m of decodeLog(log)) unclaimed.counts.delete(keyOf(`log ${log.index}`, m));
}

/** Wrapped ether: the value that the event states has to pass through the wrapping contract. */
function checkWrap(
  { kind, amount_raw: raw }: Movement,
  log: RawLog,
  chain: RawChain,
  problem: (message: string) => void,
): void {
  const amount = BigInt(raw);
  if (kind !== 'wrap' && kind !== 'unwrap')
    return problem(`a ${kind} cannot rest on a deposit or withdrawal event`);
  const calls = [...chain.frames.values()].filter((f) => (kind === 'wrap' ? f.to : f.from) === log.address);
  const passed = sumOf(calls, ({ value }) => value);
  if (passed < amount) problem(`no native value of ${amount} passed through ${log.address}`);
}

/** A log of no standard shape still has to state both ends and the amount (or the token id). */
function saysOtherwise(log: RawLog, { from, to, assetId, amount }: LogMovement): boolean {
  if (tokenOf(assetId) !== log.address) return false;
  const tokenId = /^eip155:1\/erc721:0x[0-9a-f]{40}\/(\d+)$/.exec(assetId)?.[1];
  const words = wordsOf(log);
  const has = (n: bigint): boolean => words.includes(wordHex(n));
  const end = (account: string): boolean => BigInt(account) === 0n || has(BigInt(account));
  if (!end(from) || !end(to)) return false;
  return tokenId === undefined ? has(amount) : has(BigInt(tokenId)) && amount === 1n;
}

/** Mints and wraps come from the zero address, burns and unwraps go to it, transfers do neither. */
function endsFit(kind: Movement['kind'], { from, to }: LogMovement): boolean {
  if (kind === 'wrap' || kind === 'mint') return BigInt(from) === 0n;
  if (kind === 'unwrap' || kind === 'burn') return BigInt(to) === 0n;
  return BigInt(from) !== 0n && BigInt(to) !== 0n;
}

/** A token that repeats its transfer in another event counts once; one the gas cannot pay for moved none. */
function mayBeLeftOut(key: string, chain: RawChain, declared: ReadonlySet<number>): boolean {
  const index = Number(/^log (\d+)/.exec(key)?.[1]);
  const emitter = chain.logs.get(index)?.address;
  return declared.has(index) || (emitter !== undefined && gasRulesOut(emitter, chain));
}
