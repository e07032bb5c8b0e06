import type { Address } from '../../model/hex.ts';
import type { CanonicalTx, Log } from '../../model/canonicalTx.ts';
import { addressOfWord, uintOfWord, wordAt, ZERO_ADDRESS } from '../../evm/hex.ts';
import { logEvidence, type Draft } from './draft.ts';
import { erc20Asset } from './readStandardTransfer.ts';
import { DEPOSIT, WITHDRAWAL } from '../../evm/tokenTopics.ts';

/** A `Deposit(address indexed,uint256)` or `Withdrawal(address indexed,uint256)`: wrapped ether made or unmade. */
export interface Wrapping {
  readonly log: Log;
  readonly account: Address;
  readonly amount: bigint;
  readonly kind: 'wrap' | 'unwrap';
}

/** Reads the event's shape only; whether the emitter is wrapped ether is for `provenWrappers` or the rulebook to say. */
export function readWrapping(log: Log): Wrapping | null {
  const topic = log.topics[0];
  if ((topic !== DEPOSIT && topic !== WITHDRAWAL) || log.topics.length !== 2 || log.data.length !== 66)
    return null;
  const account = addressOfWord(log.topics[1]!);
  return account === null
    ? null
    : { log, account, amount: uintOfWord(wordAt(log.data, 0)!), kind: topic === DEPOSIT ? 'wrap' : 'unwrap' };
}

export function wrappingDraft({ log, account, amount, kind }: Wrapping): Draft {
  const [from, to] = kind === 'wrap' ? [ZERO_ADDRESS, account] : [account, ZERO_ADDRESS];
  return { kind, from, to, asset: erc20Asset(log.address), amount, seq: log.seq, evidence: logEvidence(log) };
}

/**
 * Emitters nobody listed whose Deposit and Withdrawal events can only be wrapped ether: for each such event exactly that
 * amount of ether went in or out, and without them the emitter's own ERC-20 Transfers would leave an account with tokens it
 * never received or lost (each account's Transfers, deposits and withdrawals cancel out exactly). Vaults that pay out shares, or
 * tokens that log their mints, fail this, so no token is invented.
 */
export function provenWrappers(
  tx: CanonicalTx,
  wrappings: readonly Wrapping[],
  transfers: readonly Draft[],
): ReadonlySet<Address> {
  const byEmitter = new Map<Address, Wrapping[]>();
  for (const wrapping of wrappings) {
    const list = byEmitter.get(wrapping.log.address);
    if (list) list.push(wrapping);
    else byEmitter.set(wrapping.log.address, [wrapping]);
  }
  const proven = new Set<Address>();
  if (byEmitter.size === 0) return proven;

  const logsMints = new Set<Address>();
  const net = new Map<string, bigint>();
  const add = (emitter: Address, account: Address, amount: bigint): void => {
    const key = `${emitter}:${account}`;
    net.set(key, (net.get(key) ?? 0n) + amount);
  };
  for (const { asset, from, to, amount } of transfers) {
    if (asset.kind !== 'erc20' || asset.address === null || !byEmitter.has(asset.address)) continue;
    if (from === ZERO_ADDRESS || to === ZERO_ADDRESS) logsMints.add(asset.address);
    add(asset.address, from, -amount);
    add(asset.address, to, amount);
  }
  const ether = etherThrough(tx, byEmitter);
  for (const [emitter, events] of byEmitter) {
    if (logsMints.has(emitter)) continue;
    const spoken = events.every(({ account }) => net.has(`${emitter}:${account}`));
    const paid = events.every(({ kind, amount }) => take(ether, `${emitter}:${kind}:${amount}`));
    if (!spoken || !paid) continue;
    for (const { account, amount, kind } of events) add(emitter, account, kind === 'wrap' ? amount : -amount);
    if (events.every(({ account, amount }) => amount > 0n && net.get(`${emitter}:${account}`) === 0n))
      proven.add(emitter);
  }
  return proven;
}

/** How often each amount of ether entered (`wrap`) or left (`unwrap`) the emitters. */
function etherThrough(tx: CanonicalTx, emitters: ReadonlyMap<Address, unknown>): Map<string, number> {
  const counts = new Map<string, number>();
  const count = (key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const { value, from, to } of tx.frames) {
    if (value === 0n) continue;
    if (to !== null && emitters.has(to)) count(`${to}:wrap:${value}`);
    if (emitters.has(from)) count(`${from}:unwrap:${value}`);
  }
  return counts;
}

function take(counts: Map<string, number>, key: string): boolean {
  const left = counts.get(key) ?? 0;
  counts.set(key, left - 1);
  return left > 0;
}
