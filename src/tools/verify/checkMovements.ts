import type { TxReport } from '../../model/generated/report.ts';
import { decodeLog, isStandardTransfer } from './decodeLog.ts';
import { burntEther } from './burnt.ts';
import { cannotHaveMoved } from './forged.ts';
import type { Report } from './finding.ts';
import type { RawChain, RawLog } from './rawChain.ts';

const NATIVE = 'eip155:1/slip44:60';
const ZERO = `0x${'0'.repeat(40)}`;
/** EIP-7708: logs of this system address repeat native transfers that the trace shows. */
const SYSTEM = `0x${'f'.repeat(39)}e`;

/** `Approval(address,address,uint256)` and `ApprovalForAll(address,address,bool)` (ERC-20, ERC-721): nothing moves by them. */
const APPROVALS: ReadonlySet<string> = new Set([
  '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925',
  '0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31',
]);

/** A log of no standard shape still has to state both ends and the amount (or the token id). */
function states(log: RawLog, from: string, to: string, amount: bigint, tokenId: bigint | null): boolean {
  const words = [...log.topics.slice(1).map((t) => t.slice(2)), ...(log.data.slice(2).match(/.{64}/g) ?? [])];
  const has = (n: bigint) => words.includes(n.toString(16).padStart(64, '0'));
  const end = (a: string) => BigInt(a) === 0n || has(BigInt(a));
  return end(from) && end(to) && (tokenId === null ? has(amount) : has(tokenId) && amount === 1n);
}

/** Every movement is what its evidence says, in execution order of what the chain shows, and none is left out. */
export function checkMovements(report: TxReport, chain: RawChain, find: Report): void {
  const unclaimed = new Map<string, number>();
  const key = (...parts: (string | number | bigint)[]) => parts.join('|');
  const expect = (k: string, by: number) => unclaimed.set(k, (unclaimed.get(k) ?? 0) + by);
  for (const frame of chain.frames.values())
    if (frame.value > 0n && frame.from !== frame.to)
      expect(key('frame', frame.path, frame.from, frame.to, NATIVE, frame.value), 1);
  for (const { frame, amount } of burntEther(chain))
    expect(key('frame', frame.path, frame.from, ZERO, NATIVE, amount), 1);
  for (const log of chain.logs.values())
    if (isStandardTransfer(log) && log.address !== SYSTEM)
      for (const m of decodeLog(log))
        if (m.amount > 0n && m.from !== m.to)
          expect(key('log', log.index, m.from, m.to, m.assetId, m.amount), 1);

  const declared = new Set<number>();
  const stated = new Set<string>();
  (report.movements ?? []).forEach((movement, i) => {
    const at = `/movements/${i}`;
    const [from, to, amount] = [
      movement.from.toLowerCase(),
      movement.to.toLowerCase(),
      BigInt(movement.amount_raw),
    ];
    const { frame_path: path, log_index: index } = movement.evidence;
    if (amount <= 0n) find('movement', at, 'moves nothing');
    if (from === to) find('movement', at, 'both ends are one account');
    if (index === null) {
      const k = key('frame', path?.join('.') ?? '?', from, to, movement.asset_id, amount);
      if ((unclaimed.get(k) ?? 0) > 0) expect(k, -1);
      else
        find(
          'movement',
          at,
          `frame [${path}] did not move ${amount} of ${movement.asset_id} from ${from} to ${to}`,
        );
      return;
    }
    const log = chain.logs.get(index);
    if (!log) return; // checkEvidence says so
    declared.add(index);
    const k = key('log', index, from, to, movement.asset_id, amount);
    if ((unclaimed.get(k) ?? 0) > 0) expect(k, -1);
    else if (
      decodeLog(log).some((m) => key('log', index, m.from, m.to, m.assetId, m.amount) === k) &&
      !isStandardTransfer(log)
    )
      checkWrap(movement.kind, log, amount, chain, at, find);
    else {
      const nft = /^eip155:1\/erc721:(0x[0-9a-f]{40})\/(\d+)$/.exec(movement.asset_id);
      const token = /:(0x[0-9a-f]{40})/.exec(movement.asset_id)?.[1];
      if (stated.has(k)) find('movement', at, `log ${index} already stands for this movement`);
      stated.add(k);
      if (APPROVALS.has(log.topics[0] ?? ''))
        find('movement', at, `log ${index} is an approval, which moves nothing`);
      if (token !== log.address || !states(log, from, to, amount, nft ? BigInt(nft[2]!) : null))
        find(
          'movement',
          at,
          `log ${index} does not say that ${amount} of ${movement.asset_id} went from ${from} to ${to}`,
        );
      else
        for (const m of decodeLog(log))
          unclaimed.delete(key('log', index, m.from, m.to, m.assetId, m.amount));
    }
    const kind =
      movement.kind === 'wrap' || movement.kind === 'mint'
        ? BigInt(from) === 0n
        : movement.kind === 'unwrap' || movement.kind === 'burn'
          ? BigInt(to) === 0n
          : BigInt(from) !== 0n && BigInt(to) !== 0n;
    if (!kind) find('movement', at, `a ${movement.kind} cannot go from ${from} to ${to}`);
  });
  for (const [k, count] of unclaimed) {
    const [source, index] = k.split('|');
    // A token that repeats its own transfer under another event is counted once.
    const emitter = source === 'log' ? chain.logs.get(Number(index))?.address : undefined;
    const mayBeLeftOut =
      source === 'log' &&
      (declared.has(Number(index)) || (emitter !== undefined && cannotHaveMoved(emitter, chain)));
    if (count > 0 && !mayBeLeftOut) find('complete', '/movements', `left out: ${k.split('|').join(' ')}`);
  }
}

function checkWrap(
  kind: string,
  log: RawLog,
  amount: bigint,
  chain: RawChain,
  at: string,
  find: Report,
): void {
  if (kind !== 'wrap' && kind !== 'unwrap')
    return find('movement', at, `a ${kind} cannot rest on a deposit or withdrawal event`);
  const backed = [...chain.frames.values()].some(
    (f) => f.value > 0n && (kind === 'wrap' ? f.to : f.from) === log.address && f.value >= amount,
  );
  const sum = [...chain.frames.values()]
    .filter((f) => (kind === 'wrap' ? f.to : f.from) === log.address)
    .reduce((n, f) => n + f.value, 0n);
  if (!backed && sum < amount)
    find('movement', at, `no native value of ${amount} passed through ${log.address}`);
}
