import type { Address } from '../../model/hex.ts';
import type { CanonicalTx, Log } from '../../model/canonicalTx.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import { SYSTEM_ADDRESS, topicAddress, ZERO_ADDRESS, uintAt } from '../../evm/hex.ts';
import { APPROVAL, APPROVAL_FOR_ALL, DEPOSIT, WITHDRAWAL } from '../../evm/tokenTopics.ts';
import { Tally, groupBy } from '../../lib/lists.ts';
import { Declarations, readDeclaredTransfer } from './declaredTransfers.ts';
import {
  classifyTransfer,
  nonEconomic,
  transferKey,
  type FlowEntry,
  type RawTransfer,
  netChanges,
} from './rawTransfer.ts';
import { markForged } from './forgedTransfers.ts';
import { withTaxes, type TokenEntries } from './tokenTaxes.ts';
import { readStandardTransfer, erc20Asset } from './readStandardTransfer.ts';
import { logEvidence } from '../../lib/evidence.ts';

type FlowRules = Pick<Rulebook, 'wrappedNative' | 'tokenEvents'> & Partial<Pick<Rulebook, 'prepared'>>;

/** ERC-2309 tokens a transaction may name by range before further ranges count as mere events. */
const RANGE_ALLOWANCE = 20_000;

/** How each log reads by its shape alone, at most one way; by the log's index. */
interface Shapes {
  readonly standard: readonly (readonly RawTransfer[] | null)[];
  readonly declared: ReadonlyMap<number, RawTransfer>;
  readonly wrapping: ReadonlyMap<number, Wrapping>;
}

/** Token movements of logs and calls, and every other log as a non-economic action; in order. */
export function readTokens(tx: CanonicalTx, rulebook: FlowRules): TokenEntries {
  if (tx.logs.length === 0) return NO_TOKENS;
  const shapes = readShapes(tx, rulebook);
  const mayRepeat = shapes.declared.size + shapes.wrapping.size > 0;
  const { entries: others, wraps } = mayRepeat ? readRepeated(tx, shapes, rulebook) : NO_REPEATS;
  const entries: FlowEntry[] = [];
  for (const log of tx.logs) {
    const transfers = shapes.standard[log.index];
    if (!transfers) entries.push(others.get(log.index) ?? otherLog(log));
    for (const transfer of transfers ?? []) entries.push(classifyTransfer(asWrap(transfer, wraps)));
  }
  const { entries: all, taxes } = withTaxes(tx, entries);
  return { entries: markForged(tx, all), taxes };
}

export const NO_TOKENS: TokenEntries = { entries: [], taxes: new Set() };

function declarationsOf({ tokenEvents }: FlowRules): Declarations {
  return new Declarations(tokenEvents);
}

function readShapes(tx: CanonicalTx, rulebook: FlowRules): Shapes {
  const declarations = rulebook.prepared?.derive(declarationsOf) ?? declarationsOf(rulebook);
  const budget = { left: RANGE_ALLOWANCE };
  const standard: (readonly RawTransfer[] | null)[] = [];
  const declared = new Map<number, RawTransfer>();
  const wrapping = new Map<number, Wrapping>();
  const readStandard = (log: Log): void => {
    const transfers = readStandardTransfer(log, budget);
    const wrapped = transfers ? null : readWrapping(log);
    if (transfers) standard[log.index] = declarations.isHolding(transfers) ? null : transfers;
    else if (wrapped) wrapping.set(log.index, wrapped);
  };
  for (const log of tx.logs) {
    standard.push(null);
    if (log.address === SYSTEM_ADDRESS) continue;
    const declaration = declarations.for(log);
    if (declaration?.spec.ignored) continue;
    const transfer = declaration && readDeclaredTransfer(log, declaration, tx);
    if (transfer) declared.set(log.index, transfer);
    else readStandard(log);
  }
  return { standard, declared, wrapping };
}

/** Declared events and wrappings: a Transfer of the same token may repeat their movement. */
interface Repeated {
  readonly entries: ReadonlyMap<number, FlowEntry>;
  /** Transfers that repeat a wrapping: they stay, as the wrap. Null: none does. */
  readonly wraps: Tally | null;
}

const NO_REPEATS: Repeated = { entries: new Map(), wraps: null };

function asWrap(transfer: RawTransfer, wraps: Tally | null): RawTransfer {
  if (!wraps?.take(transferKey(transfer))) return transfer;
  return { ...transfer, kind: transfer.from === ZERO_ADDRESS ? 'wrap' : 'unwrap' };
}

function readRepeated(tx: CanonicalTx, shapes: Shapes, rulebook: FlowRules): Repeated {
  const transfers: readonly RawTransfer[] = shapes.standard.flatMap((list) => list ?? []);
  const wraps = recognisedWraps(tx, shapes, rulebook, transfers);
  const declaring = new Set([...shapes.declared.values()].map(({ asset }) => asset.address));
  const wrapping = new Set<Address | null>(wraps.map(({ log }) => log.address));
  // A wrap comes from nowhere and an unwrap goes there.
  const mayRepeat = ({ asset, kind }: RawTransfer): boolean =>
    declaring.has(asset.address) || (kind !== 'transfer' && wrapping.has(asset.address));
  const count = new Tally(transfers.filter(mayRepeat).map(transferKey));

  const entries = new Map<number, FlowEntry>();
  const repeated = new Tally();
  for (const wrapping of wraps) {
    const { log } = wrapping;
    const transfer = wrappingTransfer(wrapping);
    const key = transferKey(transfer);
    const again = count.take(key);
    if (again) repeated.add(key);
    entries.set(
      log.index,
      again ? nonEconomic(log, 'duplicate_wrap_log', transfer.from, transfer.to) : classifyTransfer(transfer),
    );
  }
  for (const [index, transfer] of shapes.declared) {
    const again = transfer.asset.kind === 'erc20' && count.take(transferKey(transfer));
    entries.set(index, again ? nonEconomic(tx.logs[index]!, 'event') : classifyTransfer(transfer));
  }
  return { entries, wraps: repeated };
}

function recognisedWraps(
  tx: CanonicalTx,
  { wrapping }: Shapes,
  { wrappedNative }: FlowRules,
  transfers: readonly RawTransfer[],
): readonly Wrapping[] {
  const wrappings = [...wrapping.values()];
  const unknown = wrappings.filter(({ log }) => !wrappedNative.has(log.address));
  if (unknown.length === 0) return wrappings;
  const proven = provenWrappers(tx, unknown, transfers);
  return wrappings.filter(({ log }) => wrappedNative.has(log.address) || proven.has(log.address));
}

function otherLog(log: Log): FlowEntry {
  const [topic] = log.topics;
  // EIP-7708: logs of the system address repeat movements of call frames.
  if (log.address === SYSTEM_ADDRESS)
    return nonEconomic(log, 'duplicate_native_log', topicAddress(log, 1), topicAddress(log, 2));
  if (topic === APPROVAL || topic === APPROVAL_FOR_ALL)
    return nonEconomic(log, 'approval', topicAddress(log, 1), topicAddress(log, 2));
  return nonEconomic(log, 'event');
}

/** `Deposit(address indexed,uint256)` or `Withdrawal(address indexed,uint256)`: ether (un)wrapped. */
interface Wrapping {
  readonly log: Log;
  readonly account: Address;
  readonly amount: bigint;
  readonly kind: 'wrap' | 'unwrap';
}

/** Reads the event's shape; `provenWrappers` or the rulebook decide whether the emitter is wrapped ether. */
function readWrapping(log: Log): Wrapping | null {
  const topic = log.topics[0];
  if ((topic !== DEPOSIT && topic !== WITHDRAWAL) || log.topics.length !== 2 || log.data.length !== 66)
    return null;
  const account = topicAddress(log, 1);
  const kind = topic === DEPOSIT ? 'wrap' : 'unwrap';
  return account && { log, account, amount: uintAt(log.data, 0)!, kind };
}

function wrappingTransfer({ log, account, amount, kind }: Wrapping): RawTransfer {
  const [from, to] = kind === 'wrap' ? [ZERO_ADDRESS, account] : [account, ZERO_ADDRESS];
  return { kind, from, to, asset: erc20Asset(log.address), amount, seq: log.seq, evidence: logEvidence(log) };
}

/**
 * Finds unlisted wrapped ether: emitters with Deposit and Withdrawal events that each match an exact amount
 * of ether in or out, and with Transfers, deposits and withdrawals that cancel out exactly per account.
 * Vaults that pay out shares and tokens that log their mints fail this, so no token is invented.
 */
function provenWrappers(
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
