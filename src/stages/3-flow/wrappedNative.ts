import type { Address } from '../../model/hex.ts';
import type { CanonicalTx, Log } from '../../model/canonicalTx.ts';
import { addressOfWord, uintOfWord, wordAt, ZERO_ADDRESS } from '../../evm/hex.ts';
import { logEvidence, type RawTransfer } from './rawTransfer.ts';
import { erc20Asset } from './readStandardTransfer.ts';
import { DEPOSIT, WITHDRAWAL } from '../../evm/tokenTopics.ts';

/** `Deposit(address indexed,uint256)` or `Withdrawal(address indexed,uint256)`: ether (un)wrapped. */
export interface Wrapping {
  readonly log: Log;
  readonly account: Address;
  readonly amount: bigint;
  readonly kind: 'wrap' | 'unwrap';
}

/** Reads the event's shape; `provenWrappers` or the rulebook decide whether the emitter is wrapped ether. */
export function readWrapping(log: Log): Wrapping | null {
  const topic = log.topics[0];
  if ((topic !== DEPOSIT && topic !== WITHDRAWAL) || log.topics.length !== 2 || log.data.length !== 66)
    return null;
  const account = addressOfWord(log.topics[1]!);
  return account === null
    ? null
    : { log, account, amount: uintOfWord(wordAt(log.data, 0)!), kind: topic === DEPOSIT ? 'wrap' : 'unwrap' };
}

export function wrappingTransfer({ log, account, amount, kind }: Wrapping): RawTransfer {
  const [from, to] = kind === 'wrap' ? [ZERO_ADDRESS, account] : [account, ZERO_ADDRESS];
  return { kind, from, to, asset: erc20Asset(log.address), amount, seq: log.seq, evidence: logEvidence(log) };
}

/**
 * Finds unlisted wrapped ether: emitters with Deposit and Withdrawal events that each match an exact amount
 * of ether in or out, and with Transfers, deposits and withdrawals that cancel out exactly per account.
 * Vaults that pay out shares and tokens that log their mints fail this, so no token is invented.
 */
export function provenWrappers(
  tx: CanonicalTx,
  wrappings: readonly Wrapping[],
  transfers: readonly RawTransfer[],
): ReadonlySet<Address> {
  const byEmitter = new Map<Address, Wrapping[]>();
  for (const wrapping of wrappings) {
    const list = byEmitter.get(wrapping.log.address);
    if (list) list.push(wrapping);
    else byEmitter.set(wrapping.log.address, [wrapping]);
  }
  const proven = new Set<Address>();
  if (byEmitter.size === 0) return proven;

  const { net, logsMints } = transferNets(transfers, byEmitter);
  const ether = etherThrough(tx, byEmitter);
  for (const [emitter, events] of byEmitter) {
    if (logsMints.has(emitter)) continue;
    const paid = events.every(({ kind, amount }) => take(ether, `${emitter}:${kind}:${amount}`));
    if (paid && cancelOut(events, net.get(emitter))) proven.add(emitter);
  }
  return proven;
}

type Nets = Map<Address, bigint>;

/** Net amount of each account by the emitter's Transfers, and the emitters that log mints or burns. */
function transferNets(transfers: readonly RawTransfer[], emitters: ReadonlyMap<Address, unknown>) {
  const logsMints = new Set<Address>();
  const net = new Map<Address, Nets>();
  for (const { asset, from, to, amount } of transfers) {
    if (asset.kind !== 'erc20' || asset.address === null || !emitters.has(asset.address)) continue;
    if (from === ZERO_ADDRESS || to === ZERO_ADDRESS) logsMints.add(asset.address);
    const nets = net.get(asset.address) ?? new Map<Address, bigint>();
    net.set(asset.address, nets);
    nets.set(from, (nets.get(from) ?? 0n) - amount);
    nets.set(to, (nets.get(to) ?? 0n) + amount);
  }
  return { net, logsMints };
}

/** Whether every account of the events sent or received the token and ends at zero with them. */
function cancelOut(events: readonly Wrapping[], nets: Nets | undefined): boolean {
  if (!nets || !events.every(({ account, amount }) => amount > 0n && nets.has(account))) return false;
  for (const { account, amount, kind } of events)
    nets.set(account, nets.get(account)! + (kind === 'wrap' ? amount : -amount));
  return events.every(({ account }) => nets.get(account) === 0n);
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
