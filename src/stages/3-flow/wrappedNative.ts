import type { Address } from '../../model/hex.ts';
import type { CanonicalTx, Log } from '../../model/canonicalTx.ts';
import { topicAddress, uintAt, ZERO_ADDRESS } from '../../evm/hex.ts';
import { logEvidence } from '../../lib/evidence.ts';
import { groupBy, Tally } from '../../lib/lists.ts';
import { netChanges, type RawTransfer } from './rawTransfer.ts';
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
  const account = topicAddress(log, 1);
  const kind = topic === DEPOSIT ? 'wrap' : 'unwrap';
  return account && { log, account, amount: uintAt(log.data, 0)!, kind };
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
  const byEmitter = groupBy(wrappings, ({ log }) => log.address);
  const changes = netChanges(transfers);
  const ether = etherThrough(tx, byEmitter);
  const proven = [...byEmitter].filter(([emitter, events]) => {
    const paid = events.every(({ kind, amount }) => ether.take(`${emitter}:${kind}:${amount}`));
    return paid && cancelOut(events, changes.get(emitter));
  });
  return new Set(proven.map(([emitter]) => emitter));
}

/** Whether the token logs no mint or burn, and each account of the events moved it and ends at zero. */
function cancelOut(events: readonly Wrapping[], nets: Map<Address, bigint> | undefined): boolean {
  if (!nets || nets.has(ZERO_ADDRESS)) return false;
  if (!events.every(({ account, amount }) => amount > 0n && nets.has(account))) return false;
  for (const { account, amount, kind } of events)
    nets.set(account, nets.get(account)! + (kind === 'wrap' ? amount : -amount));
  return events.every(({ account }) => nets.get(account) === 0n);
}

/** How often each amount of ether entered (`wrap`) or left (`unwrap`) the emitters. */
function etherThrough(tx: CanonicalTx, emitters: ReadonlyMap<Address, unknown>): Tally {
  const ether = new Tally();
  for (const { value, from, to } of tx.frames) {
    if (value === 0n) continue;
    if (to !== null && emitters.has(to)) ether.add(`${to}:wrap:${value}`);
    if (emitters.has(from)) ether.add(`${from}:unwrap:${value}`);
  }
  return ether;
}
