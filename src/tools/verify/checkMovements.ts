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
import { placeOf, placesIn } from './checkEvidence.ts';
import { sumOf, type Report } from './finding.ts';
import {
  NATIVE,
  ZERO,
  gasCost,
  gasPrice,
  quantity,
  tokenOf,
  wordHex,
  wordsOf,
  type RawChain,
  type RawLog,
} from './rawChain.ts';

/** EIP-7708: logs of this system address repeat native transfers that the trace shows. */
const SYSTEM = `0x${'f'.repeat(39)}e`;

/** `Approval(address,address,uint256)`, `ApprovalForAll(address,address,bool)` (ERC-20, ERC-721). */
export const APPROVALS: ReadonlySet<string> = new Set([
  '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925',
  '0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31',
]);

/** Key of a movement by place and content: the same for the report's and the chain's. */
const keyOf = (place: string, m: LogMovement): string => [place, m.from, m.to, m.assetId, m.amount].join('|');

/** Movements that trace and standard logs show, by key, and how many of each. */
function movementsOnChain(chain: RawChain): Map<string, number> {
  const counts = new Map<string, number>();
  const expect = (place: string, m: LogMovement): void => {
    const key = keyOf(place, m);
    if (m.amount > 0n && m.from !== m.to) counts.set(key, (counts.get(key) ?? 0) + 1);
  };
  for (const { path, from, to, value: amount } of chain.frames.values())
    expect(`frame ${path}`, { from, to, assetId: NATIVE, amount });
  for (const { frame, amount } of burntEther(chain))
    expect(`frame ${frame.path}`, { from: frame.from, to: ZERO, assetId: NATIVE, amount });
  for (const log of chain.logs.values())
    if (isStandardTransfer(log) && log.address !== SYSTEM)
      for (const m of decodeLog(log)) expect(`log ${log.index}`, m);
  return counts;
}

/** Every movement is as its evidence shows, and no movement of the chain is left out. */
export function checkMovements(report: TxReport, chain: RawChain, find: Report): void {
  const unclaimed = movementsOnChain(chain);
  /** True when one was left to claim. */
  const claim = (key: string): boolean => {
    const count = unclaimed.get(key) ?? 0;
    if (count > 0) unclaimed.set(key, count - 1);
    return count > 0;
  };
  const declared = new Set<number>();
  /** Movements that other events were found to state. */
  const stated = new Set<string>();
  const checkEvent = (movement: Movement, log: RawLog, key: string, problem: Problem): void => {
    const moved = movedBy(movement);
    const isWrap =
      !isStandardTransfer(log) && decodeLog(log).some((m) => keyOf(`log ${log.index}`, m) === key);
    if (isWrap) return checkWrap(movement, log, chain, problem);
    if (stated.has(key)) problem(`log ${log.index} is already the evidence of this movement`);
    stated.add(key);
    const isStated = checkOtherEvent(log, moved, chain, problem);
    for (const m of isStated ? decodeLog(log) : []) unclaimed.delete(keyOf(`log ${log.index}`, m));
  };
  (report.movements ?? []).forEach((movement, i) => {
    const problem = (message: string): void => find('movement', `/movements/${i}`, message);
    const moved = movedBy(movement);
    const { log, frame } = placesIn(movement.evidence, chain);
    const key = keyOf(placeOf(movement.evidence), moved);
    if (moved.amount <= 0n) problem('moves nothing');
    if (moved.from === moved.to) problem('both ends are one account');
    if (log === null) {
      if (!claim(key) && !isUnloggedTax(moved, chain, frame))
        problem(`frame [${movement.evidence.frame_path}] does not show that ${describe(moved)}`);
      return;
    }
    if (!log) return; // checkEvidence reports it
    declared.add(log.index);
    if (!claim(key)) checkEvent(movement, log, key, problem);
    if (!endsFit(movement.kind, moved))
      problem(`a ${movement.kind} cannot go from ${moved.from} to ${moved.to}`);
  });
  for (const [key, count] of unclaimed)
    if (count > 0 && !mayBeLeftOut(key, chain, declared))
      find('complete', '/movements', `left out: ${key.split('|').join(' ')}`);
}

const describe = ({ from, to, assetId, amount }: LogMovement): string =>
  `${amount} of ${assetId} went from ${from} to ${to}`;

type Problem = (message: string) => void;

/**
 * Whether an event of no standard shape states the movement, or a transfer that arrived smaller; a token may
 * repeat its own transfer in one.
 */
function checkOtherEvent(log: RawLog, moved: LogMovement, chain: RawChain, problem: Problem): boolean {
  if (APPROVALS.has(log.topics[0] ?? '')) problem(`log ${log.index} is an approval, which moves nothing`);
  const isStated = saysOtherwise(log, moved) || isCredit(moved, log, chain);
  if (!isStated) problem(`log ${log.index} does not say that ${describe(moved)}`);
  return isStated;
}

/** Wrapped ether: the value that the event states has to pass through the wrapping contract. */
function checkWrap(movement: Movement, log: RawLog, chain: RawChain, problem: Problem): void {
  const { kind } = movement;
  const amount = BigInt(movement.amount_raw);
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

/** Deltas sum up the movements of every account and asset, balance, and agree with the state difference. */
export function checkDeltas(report: TxReport, chain: RawChain, find: Report): void {
  const wanted = new Map<string, { inflow: bigint; outflow: bigint; movements: number[] }>();
  const lane = (subject: string, asset: string) => {
    const key = `${subject.toLowerCase()} ${asset}`;
    if (!wanted.has(key)) wanted.set(key, { inflow: 0n, outflow: 0n, movements: [] });
    return wanted.get(key)!;
  };
  (report.movements ?? []).forEach((m, i) => {
    const [from, to] = [lane(m.from, m.asset_id), lane(m.to, m.asset_id)];
    from.outflow += BigInt(m.amount_raw);
    to.inflow += BigInt(m.amount_raw);
    from.movements.push(i);
    to.movements.push(i);
  });

  const sums = new Map<string, bigint>();
  report.inventory_deltas.forEach((d, i) => {
    const at = `/inventory_deltas/${i}`;
    const key = `${d.subject.toLowerCase()} ${d.asset.id}`;
    const own = wanted.get(key);
    sums.set(d.asset.id, (sums.get(d.asset.id) ?? 0n) + BigInt(d.delta_raw));
    if (!own)
      return find('delta', at, `no movement of ${d.asset.id} touches ${d.subject}, or it is listed twice`);
    wanted.delete(key);
    const expected = [
      ['inflow is', own.inflow, d.inflow_raw],
      ['outflow is', own.outflow, d.outflow_raw],
      ['delta is', own.inflow - own.outflow, d.delta_raw],
      ['movements are', own.movements.join(), d.movements.join()],
    ] as const;
    for (const [name, right, stated] of expected)
      if (String(right) !== stated) find('delta', at, `${name} ${right}, not ${stated}`);
  });
  for (const key of wanted.keys()) find('delta', '/inventory_deltas', `left out: ${key}`);
  for (const [asset, sum] of sums)
    if (sum !== 0n) find('conservation', '/inventory_deltas', `${asset} sums to ${sum} over all subjects`);
  if (chain.prestateDiff) checkStateDifference(report, chain, chain.prestateDiff, find);
}

type StateDiff = NonNullable<RawChain['prestateDiff']>;

function checkStateDifference(report: TxReport, chain: RawChain, diff: StateDiff, find: Report): void {
  const ether = report.inventory_deltas.filter((d) => d.asset.kind === 'native');
  const native = new Map(ether.map((d) => [d.subject.toLowerCase(), BigInt(d.delta_raw)]));
  const { receipt, tx, block } = chain;
  const tip = quantity(receipt['gasUsed']) * (gasPrice(chain) - quantity(block['baseFeePerGas']));
  const byAddress = (side: StateDiff['pre']) =>
    new Map(Object.entries(side).map(([a, account]) => [a.toLowerCase(), account?.['balance']]));
  const [pre, post] = [byAddress(diff.pre), byAddress(diff.post)];
  for (const address of new Set([...pre.keys(), ...post.keys()])) {
    const [before, after] = [pre.get(address), post.get(address)];
    if (before === undefined && after === undefined) continue;
    const changed = after === undefined ? 0n : quantity(after) - quantity(before);
    let expected = native.get(address) ?? 0n;
    if (address === String(tx['from']).toLowerCase()) expected -= gasCost(chain);
    if (address === String(block['miner']).toLowerCase()) expected += tip;
    const message = `${address} changed by ${changed} wei in the node's state, by ${expected} in the report`;
    if (changed !== expected) find('state', '/inventory_deltas', message);
  }
}
