import { eventNamed, functionNamed, readSignature, type NamedSignature } from '../../../evm/signatures.ts';
import { uintOfWord, wordAt } from '../../../evm/hex.ts';
import { memoize } from '../../../lib/memo.ts';
import { stemsOf } from '../../../lib/words.ts';
import type { Frame, Log } from '../../../model/canonicalTx.ts';
import type { Evidence } from '../../../model/evidence.ts';
import type { Address, Hash, Hex } from '../../../model/hex.ts';
import type { Rulebook } from '../../../model/rulebook.ts';

/** An unmapped log or call, with the content of its signature and data. */
export interface NamedTrigger {
  readonly basis: 'event' | 'call';
  readonly seq: number;
  readonly contract: Address;
  readonly evidence: Evidence;
  /** False for a call that only the called contract made in turn. */
  readonly direct: boolean;
  /** As the tables write it; empty where it is unknown. */
  readonly signature: string;
  /** Stems of its name; none where the signature is unknown. */
  readonly name: ReadonlySet<string>;
  /** Stems of each argument's name. */
  readonly args: readonly ReadonlySet<string>[];
  /** Known only with another layout of `indexed` arguments: a hint where nothing else explains the flow. */
  readonly otherLayout: boolean;
  /** Its 32-byte words as numbers: every flat, tuple or array argument is among them. */
  readonly words: ReadonlySet<bigint>;
}

/** Words read of one event or call. */
const MAX_WORDS = 64;
const UNNAMED: NamedSignature = { signature: '', name: '', args: [] };

const stemsOfName = memoize<ReadonlySet<string>>(stemsOf, 4_000);

/** A log as a trigger; null for an anonymous one. */
export function eventTrigger(log: Log, rulebook: Rulebook): NamedTrigger | null {
  const { address, index, frame, seq, topics, data } = log;
  if (topics.length === 0) return null;
  const evidence: Evidence = { kind: 'log', frame, log: index, contract: address };
  const words = (): bigint[] => [...topics.slice(1).map(uintOfWord), ...wordsOf(data, 0)];
  const head = { basis: 'event', seq, contract: address, evidence, direct: true } as const;
  const { signature, otherLayout } = rulebook.prepared.derive(eventNames)(`${topics[0]!}:${topics.length}`);
  return trigger({ ...head, otherLayout }, signature, words);
}

interface EventName {
  readonly signature: NamedSignature | null;
  /** Of the same hash with other arguments indexed: words are compared as a set, so it serves as well. */
  readonly otherLayout: boolean;
}

/**
 * Names by first topic and number of topics. Both recur from log to log, and the tables are
 * searched as text.
 */
function eventNames(rulebook: Rulebook): (key: string) => EventName {
  const byTopic = new Map(
    [...rulebook.events].flatMap(([key, { signature }]) =>
      signature ? [[key.slice(0, 66), signature]] : [],
    ),
  );
  return memoize((key): EventName => {
    const [topic, count] = [key.slice(0, 66) as Hash, Number(key.slice(67))];
    const declared = rulebook.events.get(key)?.signature;
    const exact = declared ? readSignature(declared).named : eventNamed(rulebook.signatures, topic, count);
    if (exact) return { signature: exact, otherLayout: false };
    const other = byTopic.get(topic);
    const signature = other ? readSignature(other).named : eventNamed(rulebook.signatures, topic);
    return { signature, otherLayout: true };
  }, 4_000);
}

/** A call as a trigger. */
export function callTrigger(frame: Frame, rulebook: Rulebook, direct: boolean): NamedTrigger | null {
  const { selector, to, index, seq, input } = frame;
  if (selector === null || to === null) return null;
  const evidence: Evidence = { kind: 'frame', frame: index, log: null, contract: to };
  const declared = rulebook.calls.get(selector)?.signature;
  const signature = declared ? readSignature(declared).named : functionNamed(rulebook.signatures, selector);
  const head = { basis: 'call', seq, contract: to, evidence, direct, otherLayout: false } as const;
  return trigger(head, signature, () => wordsOf(input, 4));
}

function trigger(
  head: Pick<NamedTrigger, 'basis' | 'seq' | 'contract' | 'evidence' | 'direct' | 'otherLayout'>,
  signature: NamedSignature | null,
  read: () => readonly bigint[],
): NamedTrigger {
  const { name, args, signature: text } = signature ?? UNNAMED;
  let words: ReadonlySet<bigint> | undefined;
  return {
    ...head,
    signature: text,
    name: stemsOfName(name),
    args: args.map((arg) => stemsOfName(arg.name)),
    // Few triggers have a word of the lexicon, and only theirs are read.
    get words() {
      return (words ??= new Set(read()));
    },
  };
}

function wordsOf(data: Hex, from: number): bigint[] {
  const words: bigint[] = [];
  for (let i = 0; i < MAX_WORDS; i++) {
    const word = wordAt(data, from + i * 32);
    if (word === null) break;
    words.push(uintOfWord(word));
  }
  return words;
}

/** Least length of a list of hashes to count as a path: shorter ones occur as ids and signatures. */
const SHORTEST_PATH = 3;
/** A hash has this many leading zero digits with a chance of 1 in 16^6. */
const HASH = /^(?!0{6}|f{6})[0-9a-f]{64}$/;

/**
 * Whether calldata holds a `bytes32[]` of hashes, as Merkle proofs do: its length, then as many words without
 * zeros.
 */
export function holdsHashPath(input: Hex): boolean {
  const words = Math.min(Math.floor((input.length - 10) / 64), 512);
  for (let i = 0; i < words; i++) {
    const length = Number(uintOfWord(wordAt(input, 4 + i * 32)!));
    if (length < SHORTEST_PATH || length > 64 || i + length >= words) continue;
    let hashes = 0;
    while (hashes < length && HASH.test(wordAt(input, 4 + (i + 1 + hashes) * 32)!)) hashes++;
    if (hashes === length) return true;
  }
  return false;
}
