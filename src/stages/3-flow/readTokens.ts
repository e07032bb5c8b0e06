import type { Address } from '../../model/hex.ts';
import type { CanonicalTx, Log } from '../../model/canonicalTx.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import { addressOfWord, SYSTEM_ADDRESS, ZERO_ADDRESS } from '../../evm/hex.ts';
import { APPROVAL, APPROVAL_FOR_ALL } from '../../evm/tokenTopics.ts';
import { Declarations } from './declarations.ts';
import { judge, setAside, type Draft, type Reading } from './draft.ts';
import { readDeclaredTransfer } from './readDeclaredTransfer.ts';
import { setForgedAside } from './forgedTransfers.ts';
import { readStandardTransfer } from './readStandardTransfer.ts';
import { TransferCount } from './transferCount.ts';
import { provenWrappers, readWrapping, wrappingDraft, type Wrapping } from './wrappedNative.ts';

type FlowRules = Pick<Rulebook, 'wrappedNative' | 'tokenEvents'>;

/** ERC-2309 tokens a transaction may name by range before further ranges count as mere events. */
const RANGE_ALLOWANCE = 20_000;

/** What the shapes of the logs allow them to be, each log at most one; by the log's index. */
interface Shapes {
  readonly standard: readonly (readonly Draft[] | null)[];
  readonly declared: ReadonlyMap<number, Draft>;
  readonly wrapping: ReadonlyMap<number, Wrapping>;
}

/** Token movements stated by logs, and every other log as a non-economic action; in the order of the logs. */
export function readTokens(tx: CanonicalTx, rulebook: FlowRules): Reading[] {
  const shapes = readShapes(tx, rulebook);
  const { standard, declared, wrapping } = shapes;
  const told = declared.size + wrapping.size === 0 ? NOTHING_TWICE : toldTwice(tx, shapes, rulebook);
  const readings: Reading[] = [];
  for (const log of tx.logs) {
    const drafts = standard[log.index];
    if (drafts)
      for (const draft of drafts)
        readings.push(
          judge(
            told.wraps.take(draft)
              ? { ...draft, kind: draft.from === ZERO_ADDRESS ? 'wrap' : 'unwrap' }
              : draft,
          ),
        );
    else readings.push(told.readings.get(log.index) ?? setAsideOther(log));
  }
  return setForgedAside(tx, readings);
}

function readShapes(tx: CanonicalTx, rulebook: FlowRules): Shapes {
  const declarations = Declarations.of(rulebook.tokenEvents);
  const budget = { left: RANGE_ALLOWANCE };
  const standard: (readonly Draft[] | null)[] = [];
  const declared = new Map<number, Draft>();
  const wrapping = new Map<number, Wrapping>();
  for (const log of tx.logs) {
    standard.push(null);
    if (log.address === SYSTEM_ADDRESS) continue;
    const spec = declarations.for(log);
    if (spec?.ignored) continue;
    const draft = spec && readDeclaredTransfer(log, spec, tx);
    const drafts = draft ? null : readStandardTransfer(log, budget);
    const wrapped = draft || drafts ? null : readWrapping(log);
    if (draft) declared.set(log.index, draft);
    // A contract declared as an NFT has no ERC-20: its Transfer events repeat the declared ones or count tokens held.
    if (drafts && !(drafts[0]?.asset.kind === 'erc20' && declarations.nftContracts.has(log.address)))
      standard[log.index] = drafts;
    if (wrapped) wrapping.set(log.index, wrapped);
  }
  return { standard, declared, wrapping };
}

/** What declared events and wrappings come to, where a Transfer may tell the same once more. */
interface Told {
  readonly readings: ReadonlyMap<number, Reading>;
  /** Transfers that repeat a wrapping and are the wrap. */
  readonly wraps: TransferCount;
}

const NOTHING_TWICE: Told = { readings: new Map(), wraps: new TransferCount([]) };

function toldTwice(tx: CanonicalTx, shapes: Shapes, rulebook: FlowRules): Told {
  const transfers: Draft[] = [];
  for (const drafts of shapes.standard) if (drafts) for (const draft of drafts) transfers.push(draft);
  const wraps = recognisedWraps(tx, shapes, rulebook, transfers);
  const tellers = new Set<Address | null>();
  for (const { asset } of shapes.declared.values()) tellers.add(asset.address);
  for (const { log } of wraps) tellers.add(log.address);
  const count = new TransferCount(transfers.filter(({ asset }) => tellers.has(asset.address)));

  const readings = new Map<number, Reading>();
  /** Wrapping events that a Transfer repeats: the Transfer stays, as the wrap. */
  const repeated: Draft[] = [];
  for (const wrapping of wraps) {
    const { log } = wrapping;
    const draft = wrappingDraft(wrapping);
    const again = count.take(draft);
    if (again) repeated.push(draft);
    readings.set(log.index, again ? setAside(log, 'duplicate_wrap_log', draft.from, draft.to) : judge(draft));
  }
  for (const [index, draft] of shapes.declared) {
    const again = draft.asset.kind === 'erc20' && count.take(draft);
    readings.set(index, again ? setAside(tx.logs[index]!, 'event') : judge(draft));
  }
  return { readings, wraps: new TransferCount(repeated) };
}

function recognisedWraps(
  tx: CanonicalTx,
  { wrapping }: Shapes,
  { wrappedNative }: FlowRules,
  transfers: readonly Draft[],
): readonly Wrapping[] {
  const wrappings = [...wrapping.values()];
  const unknown = wrappings.filter(({ log }) => !wrappedNative.has(log.address));
  if (unknown.length === 0) return wrappings;
  const proven = provenWrappers(tx, unknown, transfers);
  return wrappings.filter(({ log }) => wrappedNative.has(log.address) || proven.has(log.address));
}

function setAsideOther(log: Log): Reading {
  const [topic] = log.topics;
  // EIP-7708: the system address repeats in logs what call frames already show.
  if (log.address === SYSTEM_ADDRESS)
    return setAside(log, 'duplicate_native_log', topicAddress(log, 1), topicAddress(log, 2));
  if (topic === APPROVAL || topic === APPROVAL_FOR_ALL)
    return setAside(log, 'approval', topicAddress(log, 1), topicAddress(log, 2));
  return setAside(log, 'event');
}

function topicAddress(log: Log, position: number): Address | null {
  const topic = log.topics[position];
  return topic === undefined ? null : addressOfWord(topic);
}
