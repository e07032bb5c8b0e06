import { eventNamed, functionNamed, readSignature, keyOfLog } from '../../../evm/signatures.ts';
import type { NamedSignature } from '../../../evm/signatures.ts';
import { smallUintAt, uintAt, uintOfWord, wordAt } from '../../../evm/hex.ts';
import { frameEvidence, logEvidence } from '../../../lib/evidence.ts';
import { lazy } from '../../../lib/lazy.ts';
import { memoize } from '../../../lib/memo.ts';
import { applies, signatureWords } from '../../../lib/lexicon.ts';
import type { Frame, Log, Evidence } from '../../../model/canonicalTx.ts';
import type { Address, Hash, Hex } from '../../../model/hex.ts';
import type { Rulebook } from '../../../model/rulebook.ts';
import { SHARE_ROLES } from '../../../lib/roles.ts';
import { kindOf } from '../../../lib/motifKinds.ts';
import type { StructureContext } from '../structure/context.ts';
import type { LexiconEntry } from '../../../model/vocabulary.ts';

/** An unmapped log or call, with the content of its signature and data. */
export interface NamedTrigger {
  readonly basis: 'event' | 'call';
  readonly seq: number;
  readonly contract: Address;
  readonly evidence: Evidence;
  /** False for a call that only the called contract made in turn. */
  readonly direct: boolean;
  /** Ranks of the lexicon's entries that fit its signature, best first. */
  readonly entries: readonly number[];
  /** Known only with another layout of `indexed` arguments: a hint where nothing else explains the flow. */
  readonly otherLayout: boolean;
  /** Its 32-byte words as numbers, read on first use: every flat, tuple or array argument is among them. */
  readonly words: () => ReadonlySet<bigint>;
}

/** Words read of one event or call. */
const MAX_WORDS = 64;

/** A log as a trigger, `key` its first topic and count of topics; null where no entry of the lexicon fits. */
function eventTrigger(log: Log, key: string, rulebook: Rulebook): NamedTrigger | null {
  const { address, seq, topics, data } = log;
  if (topics.length === 0) return null;
  const named = rulebook.prepared.derive(namedSignatures).event(key);
  if (named.entries.length === 0) return null;
  const evidence = logEvidence(log);
  const { entries, otherLayout } = named;
  const words = lazy(() => new Set([...topics.slice(1).map(uintOfWord), ...wordsOf(data, 0)]));
  return { basis: 'event', seq, contract: address, evidence, direct: true, entries, otherLayout, words };
}

/** A call as a trigger; null for one that no entry of the lexicon fits. */
function callTrigger(frame: Frame, rulebook: Rulebook, direct: boolean): NamedTrigger | null {
  const { selector, to, seq, input } = frame;
  if (selector === null || to === null) return null;
  const named = rulebook.prepared.derive(namedSignatures).call(selector);
  // With arguments, a function of none is another one with the same selector.
  if (named.entries.length === 0 || (named.bare && wordAt(input, 4) !== null)) return null;
  const evidence = frameEvidence(frame, to);
  const words = lazy(() => new Set(wordsOf(input, 4)));
  const { entries } = named;
  return { basis: 'call', seq, contract: to, evidence, direct, entries, otherLayout: false, words };
}

/** Signatures recur from log to log and call to call; the lexicon's words are compared once with each. */
function namedSignatures(rulebook: Rulebook) {
  const { events, calls, signatures } = rulebook;
  const byTopic = new Map(
    [...events].flatMap(([key, { signature }]) => (signature ? [[key.slice(0, 66), signature]] : [])),
  );
  const declared = (signature: string | null | undefined): NamedSignature | null =>
    signature ? readSignature(signature).named : null;
  return {
    /** By first topic and number of topics, as `0x…:3`. */
    event: memoize((key) => {
      const [topic, count] = [key.slice(0, 66) as Hash, Number(key.slice(67))];
      const exact = declared(events.get(key)?.signature) ?? eventNamed(signatures, topic, count);
      // Of the same hash with other arguments indexed: words are compared as a set, so it serves as well.
      const named = exact ?? declared(byTopic.get(topic)) ?? eventNamed(signatures, topic);
      return { entries: entriesFor('event', named, rulebook), otherLayout: exact === null };
    }, 4_000),
    /** By selector. `bare`: without parameters. */
    call: memoize((selector) => {
      const named =
        declared(calls.get(selector as Hex)?.signature) ?? functionNamed(signatures, selector as Hex);
      const bare = named?.args.length === 0;
      return { entries: entriesFor('call', named, rulebook), bare };
    }, 4_000),
  };
}

function entriesFor(
  basis: NamedTrigger['basis'],
  signature: NamedSignature | null,
  { lexicon }: Rulebook,
): readonly number[] {
  const words = signatureWords(basis, signature);
  return [...lexicon.keys()].filter((rank) => applies(lexicon[rank]!, words));
}

/** The first 32-byte words of `data` from byte `from` on, as numbers. */
export function wordsOf(data: Hex, from: number): bigint[] {
  const words: bigint[] = [];
  for (let i = 0; i < MAX_WORDS; i++) {
    const word = uintAt(data, from + i * 32);
    if (word === null) break;
    words.push(word);
  }
  return words;
}

/** Least length of a list of hashes to count as a path: shorter ones occur as ids and signatures. */
const SHORTEST_PATH = 3;
/** A hash has this many leading zero digits with a chance of 1 in 16^6. */
const HASH = /^(?!0{6}|f{6})[0-9a-f]{64}$/;

/** Whether calldata holds a `bytes32[]` of hashes, as Merkle proofs do: its length, then that many. */
function holdsHashPath(input: Hex): boolean {
  const words = Math.min(Math.floor((input.length - 10) / 64), 512);
  for (let i = 0; i < words; i++) {
    const length = smallUintAt(input, 4 + i * 32) ?? 0;
    if (length < SHORTEST_PATH || length > 64 || i + length >= words) continue;
    let hashes = 0;
    while (hashes < length && HASH.test(wordAt(input, 4 + (i + 1 + hashes) * 32)!)) hashes++;
    if (hashes === length) return true;
  }
  return false;
}

/** Triggers looked at; only transactions with very many events or calls have more. */
const MAX_TRIGGERS = 256;

/** A trigger and an entry of the lexicon that applies to it. */
export interface Hint {
  readonly trigger: NamedTrigger;
  readonly entry: LexiconEntry;
  readonly rank: number;
}

/** Hints, best entry first, then events before calls, then in execution order. */
export function findHints(context: StructureContext, principals: ReadonlySet<Address>): Hint[] {
  const hints: Hint[] = [];
  const stated = lazy(() => statedChanges(context));
  for (const trigger of callTriggers(context, principals))
    for (const hint of hintsOf(trigger, context))
      if (!stated().has(`${hint.entry.kind} ${trigger.contract}`)) hints.push(hint);
  if (context.tx.logs.length > 0)
    for (const trigger of eventTriggers(context)) hints.push(...hintsOf(trigger, context));
  const basis = { event: 0, call: 1 };
  return hints.sort(
    (a, b) =>
      a.rank - b.rank || basis[a.trigger.basis] - basis[b.trigger.basis] || a.trigger.seq - b.trigger.seq,
  );
}

/** Logs of acts, movements and approvals. */
function claimedLogs({ flow, found }: StructureContext): ReadonlySet<number | null> {
  const claimed = new Set<number | null>();
  for (const { evidence } of found) for (const { log } of evidence) claimed.add(log);
  for (const { evidence } of flow.movements) claimed.add(evidence.log);
  for (const { kind, evidence } of flow.nonEconomic) if (kind === 'approval') claimed.add(evidence.log);
  return claimed;
}

/** Events that neither an act nor a movement explains. */
function eventTriggers(context: StructureContext): NamedTrigger[] {
  const { tx, rulebook, flow } = context;
  const claimed = claimedLogs(context);
  const triggers: NamedTrigger[] = [];
  let events = 0;
  for (const log of tx.logs) {
    if (claimed.has(log.index) || flow.wrappedNative.has(log.address)) continue;
    const key = keyOfLog(log);
    if (isRead(log, key, rulebook)) continue;
    if (++events > MAX_TRIGGERS) break;
    const trigger = eventTrigger(log, key, rulebook);
    if (trigger) triggers.push(trigger);
  }
  return triggers;
}

/**
 * Whether a rule reads amounts from this event at this very contract: where none moved, words know
 * no better.
 */
function isRead({ address }: Log, key: string, { events }: Rulebook): boolean {
  const mappings = events.get(key)?.mappings ?? [];
  return mappings.some(
    ({ protocols, legs }) =>
      legs.some(({ amount }) => amount.length > 0) &&
      protocols.some(({ addresses }) => addresses.has(address)),
  );
}

/** Position changes that events state, by contract: the name of a call there adds nothing to them. */
function statedChanges({ found, rulebook }: StructureContext): ReadonlySet<string> {
  const stated = new Set<string>();
  for (const { basis, kind, legs, venue } of found) {
    if (basis !== 'event' || kindOf(rulebook, kind).position === null) continue;
    const moved = legs.some(({ role, movements }) => movements.length > 0 && !SHARE_ROLES.has(role));
    if (moved) stated.add(`${kind} ${venue}`);
  }
  return stated;
}

/** Calls that principals made, those that the called contract made to itself (`multicall`), and its own. */
function callTriggers({ tx, rulebook }: StructureContext, principals: ReadonlySet<Address>): NamedTrigger[] {
  const isDirect = ({ type, from, to }: Frame): boolean =>
    (type === 'CALL' && principals.has(from) && !principals.has(to!)) ||
    (to === tx.to && (type === 'DELEGATECALL' || from === to));
  const isOfCalled = ({ type, from }: Frame): boolean => type === 'CALL' && from === tx.to;
  const triggers: NamedTrigger[] = [];
  for (const frame of tx.frames) {
    if (triggers.length === MAX_TRIGGERS) break;
    if (!frame.effective || frame.static || frame.to === null) continue;
    const direct = isDirect(frame);
    const trigger = direct || isOfCalled(frame) ? callTrigger(frame, rulebook, direct) : null;
    if (trigger) triggers.push(trigger);
  }
  return triggers;
}

/** Entries that apply to a trigger; at a known protocol's address only those of kinds it is known for. */
function hintsOf(trigger: NamedTrigger, { tx, rulebook }: StructureContext): Hint[] {
  const known = rulebook.prepared.kindsOf(trigger.contract);
  const hints: Hint[] = [];
  for (const rank of trigger.entries) {
    const entry = rulebook.lexicon[rank]!;
    if (known && !known.has(entry.kind)) continue;
    // A contract's own calls name acts on others, not payments to or by its caller.
    if (!trigger.direct && entry.flow !== 'any') continue;
    if (entry.sign === 'hash_path' && !holdsHashPath(tx.frames[trigger.evidence.frame!]!.input)) continue;
    hints.push({ trigger, entry, rank });
  }
  return hints;
}
