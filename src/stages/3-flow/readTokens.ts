import type { Address } from '../../model/hex.ts';
import type { CanonicalTx, Log } from '../../model/canonicalTx.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import { addressOfWord, SYSTEM_ADDRESS, ZERO_ADDRESS } from '../../lib/hex.ts';
import { APPROVAL, APPROVAL_FOR_ALL } from '../../lib/tokenTopics.ts';
import { judge, setAside, type Draft, type Reading } from './draft.ts';
import { declarationFor, readDeclaredTransfer } from './readDeclaredTransfer.ts';
import { setForgedAside } from './forgedTransfers.ts';
import { readStandardTransfer } from './readStandardTransfer.ts';
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
  const transfers = shapes.flatMap(({ standard }) => standard ?? []);
  const wraps = recognisedWraps(tx, shapes, transfers, rulebook);

  // Only where one transfer may be told twice is it worth counting who told it.
  const toldTwice = wraps.size > 0 || shapes.some(({ declared }) => declared !== null);
  const transferCount = new TransferCount(toldTwice ? transfers : []);
  /** Wrapping events that a Transfer repeats: the Transfer stays, as the wrap. */
  const repeated = new Set([...wraps].filter((wrapping) => transferCount.take(wrappingDraft(wrapping))));
  const wrapCount = new TransferCount([...repeated].map(wrappingDraft));

  const readings = tx.logs.flatMap((log, i): Reading | Reading[] => {
    const { declared, standard, wrapping } = shapes[i]!;
    if (declared) {
      const again = declared.asset.kind === 'erc20' && transferCount.take(declared);
      return again ? setAside(log, 'event') : judge(declared);
    }
    if (standard) {
      return standard.map((draft) => judge(wrapCount.take(draft) ? { ...draft, kind: draft.from === ZERO_ADDRESS ? 'wrap' : 'unwrap' } : draft));
    }
    if (wrapping && wraps.has(wrapping)) {
      const draft = wrappingDraft(wrapping);
      return repeated.has(wrapping) ? setAside(log, 'duplicate_wrap_log', draft.from, draft.to) : judge(draft);
    }
    return setAsideOther(log);
  });
  return setForgedAside(tx, readings);
}

function readShapes(tx: CanonicalTx, rulebook: FlowRules): Shape[] {
  const nftContracts = declaredNftContracts(rulebook);
  const budget = { left: RANGE_ALLOWANCE };
  return tx.logs.map((log) => {
    if (log.address === SYSTEM_ADDRESS) return SHAPELESS;
    const spec = declarationFor(log, rulebook.tokenEvents);
    if (spec?.ignored) return SHAPELESS;
    const declared = spec ? readDeclaredTransfer(log, spec, tx) : null;
    if (declared) return { ...SHAPELESS, declared };
    const standard = readStandardTransfer(log, budget);
    // A contract declared as an NFT has no ERC-20: its Transfer events repeat the declared ones or count tokens held.
    if (standard?.some(({ asset }) => asset.kind === 'erc20') && nftContracts.has(log.address)) return SHAPELESS;
    if (standard) return { ...SHAPELESS, standard };
    const wrapping = readWrapping(log);
    return wrapping ? { ...SHAPELESS, wrapping } : SHAPELESS;
  });
}

function recognisedWraps(tx: CanonicalTx, shapes: readonly Shape[], transfers: readonly Draft[], { wrappedNative }: FlowRules): Set<Wrapping> {
  const wrappings = shapes.flatMap(({ wrapping }) => wrapping ?? []);
  const unknown = wrappings.filter(({ log }) => !wrappedNative.has(log.address));
  const proven = provenWrappers(tx, unknown, transfers);
  return new Set(wrappings.filter(({ log }) => wrappedNative.has(log.address) || proven.has(log.address)));
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

function declaredNftContracts(rulebook: FlowRules): ReadonlySet<Address> {
  const contracts = new Set<Address>();
  for (const specs of rulebook.tokenEvents.values()) {
    for (const { assetKind, emitters } of specs) if (assetKind === 'erc721') for (const emitter of emitters) contracts.add(emitter);
  }
  return contracts;
}

/** A multiset of transfers by asset, ends and amount, to pair each statement of a transfer with one other. */
class TransferCount {
  readonly #counts = new Map<string, number>();
  constructor(drafts: readonly Draft[]) {
    for (const draft of drafts) this.#counts.set(keyOf(draft), (this.#counts.get(keyOf(draft)) ?? 0) + 1);
  }
  take(draft: Draft): boolean {
    if (this.#counts.size === 0) return false;
    const left = this.#counts.get(keyOf(draft)) ?? 0;
    if (left > 0) this.#counts.set(keyOf(draft), left - 1);
    return left > 0;
  }
}

function keyOf({ asset, from, to, amount }: Draft): string {
  return `${asset.id}|${from}|${to}|${amount}`;
}
