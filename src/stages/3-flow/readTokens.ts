import type { Address } from '../../model/hex.ts';
import type { CanonicalTx, Log } from '../../model/canonicalTx.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import { addressOfWord, SYSTEM_ADDRESS, ZERO_ADDRESS } from '../../lib/hex.ts';
import { APPROVAL, APPROVAL_FOR_ALL } from '../../lib/tokenTopics.ts';
import { judge, setAside, type Draft, type Reading } from './draft.ts';
import { declarationFor, readDeclaredTransfer } from './readDeclaredTransfer.ts';
import { setForgedAside } from './forgedTransfers.ts';
import { readStandardTransfer } from './readStandardTransfer.ts';
import { TransferCount } from './transferCount.ts';
import { provenWrappers, readWrapping, wrappingDraft, type Wrapping } from './wrappedNative.ts';

type FlowRules = Pick<Rulebook, 'wrappedNative' | 'tokenEvents'>;

/** ERC-2309 tokens a transaction may name by range before further ranges count as mere events. */
const RANGE_ALLOWANCE = 20_000;

/** What a log's shape allows it to be; at most one of the three. */
interface Shape {
  readonly declared: Draft | null;
  readonly standard: readonly Draft[] | null;
  readonly wrapping: Wrapping | null;
}

const SHAPELESS: Shape = { declared: null, standard: null, wrapping: null };

/** Token movements stated by logs, and every other log as a non-economic action. */
export function readTokens(tx: CanonicalTx, rulebook: FlowRules): Reading[] {
  const shapes = readShapes(tx, rulebook);
  const wraps = recognisedWraps(tx, shapes, rulebook);

  // Only where one transfer may be told twice is it worth counting who told it.
  const toldTwice = wraps.size > 0 || shapes.some(({ declared }) => declared !== null);
  const transferCount = new TransferCount(toldTwice ? standardTransfers(shapes) : []);
  /** Wrapping events that a Transfer repeats: the Transfer stays, as the wrap. */
  const repeated = new Set<Wrapping>();
  for (const wrapping of wraps) if (transferCount.take(wrappingDraft(wrapping))) repeated.add(wrapping);
  const wrapCount = new TransferCount([...repeated].map(wrappingDraft));

  const readings: Reading[] = [];
  for (let i = 0; i < shapes.length; i++) {
    const log = tx.logs[i]!;
    const { declared, standard, wrapping } = shapes[i]!;
    if (declared) {
      const again = declared.asset.kind === 'erc20' && transferCount.take(declared);
      readings.push(again ? setAside(log, 'event') : judge(declared));
    } else if (standard) {
      for (const draft of standard) readings.push(judge(wrapCount.take(draft) ? { ...draft, kind: draft.from === ZERO_ADDRESS ? 'wrap' : 'unwrap' } : draft));
    } else if (wrapping && wraps.has(wrapping)) {
      const draft = wrappingDraft(wrapping);
      readings.push(repeated.has(wrapping) ? setAside(log, 'duplicate_wrap_log', draft.from, draft.to) : judge(draft));
    } else readings.push(setAsideOther(log));
  }
  return setForgedAside(tx, readings);
}

function readShapes(tx: CanonicalTx, rulebook: FlowRules): Shape[] {
  const nftContracts = declaredNftContracts(rulebook.tokenEvents);
  const budget = { left: RANGE_ALLOWANCE };
  return tx.logs.map((log) => {
    if (log.address === SYSTEM_ADDRESS) return SHAPELESS;
    const spec = declarationFor(log, rulebook.tokenEvents);
    if (spec?.ignored) return SHAPELESS;
    const declared = spec ? readDeclaredTransfer(log, spec, tx) : null;
    if (declared) return { declared, standard: null, wrapping: null };
    const standard = readStandardTransfer(log, budget);
    // A contract declared as an NFT has no ERC-20: its Transfer events repeat the declared ones or count tokens held.
    if (standard?.some(({ asset }) => asset.kind === 'erc20') && nftContracts.has(log.address)) return SHAPELESS;
    if (standard) return { declared: null, standard, wrapping: null };
    const wrapping = readWrapping(log);
    return wrapping ? { declared: null, standard: null, wrapping } : SHAPELESS;
  });
}

const NONE: ReadonlySet<Wrapping> = new Set();

function recognisedWraps(tx: CanonicalTx, shapes: readonly Shape[], { wrappedNative }: FlowRules): ReadonlySet<Wrapping> {
  if (!shapes.some(({ wrapping }) => wrapping !== null)) return NONE;
  const wrappings = shapes.map(({ wrapping }) => wrapping).filter((wrapping) => wrapping !== null);
  const unknown = wrappings.filter(({ log }) => !wrappedNative.has(log.address));
  const proven = provenWrappers(tx, unknown, standardTransfers(shapes));
  return new Set(wrappings.filter(({ log }) => wrappedNative.has(log.address) || proven.has(log.address)));
}

function standardTransfers(shapes: readonly Shape[]): Draft[] {
  const transfers: Draft[] = [];
  for (const { standard } of shapes) if (standard) for (const draft of standard) transfers.push(draft);
  return transfers;
}

function setAsideOther(log: Log): Reading {
  const [topic] = log.topics;
  // EIP-7708: the system address repeats in logs what call frames already show.
  if (log.address === SYSTEM_ADDRESS) return setAside(log, 'duplicate_native_log', topicAddress(log, 1), topicAddress(log, 2));
  if (topic === APPROVAL || topic === APPROVAL_FOR_ALL) return setAside(log, 'approval', topicAddress(log, 1), topicAddress(log, 2));
  return setAside(log, 'event');
}

function topicAddress(log: Log, position: number): Address | null {
  const topic = log.topics[position];
  return topic === undefined ? null : addressOfWord(topic);
}

/** Found once per set of declarations. */
function declaredNftContracts(tokenEvents: Rulebook['tokenEvents']): ReadonlySet<Address> {
  let contracts = NFT_CONTRACTS.get(tokenEvents);
  if (!contracts) {
    const specs = [...tokenEvents.values()].flat().filter(({ assetKind }) => assetKind === 'erc721');
    NFT_CONTRACTS.set(tokenEvents, (contracts = new Set(specs.flatMap(({ emitters }) => [...emitters]))));
  }
  return contracts;
}

const NFT_CONTRACTS = new WeakMap<Rulebook['tokenEvents'], ReadonlySet<Address>>();
