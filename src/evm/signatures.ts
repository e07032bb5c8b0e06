import { splitTopLevel } from '../lib/text.ts';
import { memoize } from '../lib/memo.ts';
import { linesOf } from '../lib/tableLines.ts';
import { headSize, parseAbiType, type AbiType } from './readArgument.ts';
import { keccak256 } from './keccak.ts';
import { fromString } from 'ox/Hex';
import type { Log } from '../model/canonicalTx.ts';
import type { Hash, Hex } from '../model/hex.ts';
import type { ParamSpec, SignatureTables } from '../model/rulebook.ts';

interface NamedParam extends ParamSpec {
  /** Fields of a tuple, or of the tuples in an array, in order; empty for everything else. */
  readonly fields: readonly NamedField[];
  /** Its type, read; null for one that no ABI has. */
  readonly abi: AbiType | null;
}

interface NamedField {
  readonly name: string;
  readonly type: string;
  readonly fields: readonly NamedField[];
}

export interface NamedSignature {
  /** As written in the table: `Transfer(address indexed from, address indexed to, uint256 value)`. */
  readonly signature: string;
  /** Name and types alone, as they are hashed. */
  readonly canonical: string;
  readonly name: string;
  readonly args: readonly NamedParam[];
}

/** Key of an event: ERC-20 and ERC-721 Transfer share topic0 and differ in the number of topics. */
export function eventKey(topic0: Hash | undefined, topicCount: number): string {
  return `${topic0}:${topicCount}`;
}

/** The key of the event that a log records. */
export function keyOfLog({ topics }: Pick<Log, 'topics'>): string {
  return eventKey(topics[0], topics.length);
}

/** Of events by `keyOfLog`: finds a log's without making a text for it. */
export function eventsByLog<S, T>(events: ReadonlyMap<string, S>, of: (event: S) => T) {
  const byTopic = new Map<string | undefined, T[]>();
  for (const [key, event] of events) {
    const [topic, count] = key.split(':') as [string, string];
    const own = byTopic.get(topic) ?? [];
    own[Number(count)] = of(event);
    byTopic.set(topic, own);
  }
  return ({ topics }: Pick<Log, 'topics'>): T | undefined => byTopic.get(topics[0])?.[topics.length];
}

/** Digits of the hash that a line begins with. */
const PREFIX = 8;

/** The event of that first topic and number of topics (any where left out); null where none is known. */
export function eventNamed(
  tables: SignatureTables,
  topic0: Hash,
  topicCount?: number,
): NamedSignature | null {
  for (const line of linesOf(tables.events, topic0.slice(2, 2 + PREFIX))) {
    const read = readLine(line);
    if (`0x${read.hash}` === topic0 && (topicCount ?? read.topicCount) === read.topicCount) return read.named;
  }
  return null;
}

/** The function of that selector; null where the tables know none, or know several. */
export function functionNamed(tables: SignatureTables, selector: Hex): NamedSignature | null {
  const functions = functionsOf(tables, selector);
  return functions.length === 1 ? functions[0]! : null;
}

/** All functions of that selector. */
export function functionsOf(tables: SignatureTables, selector: Hex): NamedSignature[] {
  const digits = selector.slice(2);
  const read = linesOf(tables.functions, digits).map(readLine);
  return read.filter(({ hash }) => hash.startsWith(digits)).map(({ named }) => named);
}

/** Signatures recur from log to log and from one transaction to the next. */
export const readSignature = memoize(readText, 2_000);
const readLine = memoize((line) => readText(line.slice(PREFIX + 1)), 2_000);

function readText(signature: string) {
  const open = signature.indexOf('(');
  const name = signature.slice(0, open).trim();
  const fields = splitTopLevel(signature.slice(open + 1, -1))
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map(readParam);
  let topics = 1;
  let head = 0;
  const args = fields.map((field, position): NamedParam => {
    const offset = field.indexed ? topics++ : head;
    const abi = parseAbiType(field.type);
    if (!field.indexed) head += abi ? headSize(abi) : 32;
    return { ...field, name: field.name || `arg${position}`, offset, abi };
  });
  const canonical = `${name}(${fields.map(({ type }) => type).join(',')})`;
  /** Without prefix. */
  const hash = keccak256(fromString(canonical)).slice(2);
  const named: NamedSignature = { signature, canonical, name, args };
  return { named, hash, topicCount: topics };
}

/** `type [indexed] [name]`; a tuple is `(…)`, with or without `[…]` behind it. */
function readParam(text: string): NamedField & { readonly indexed: boolean } {
  const close = text.lastIndexOf(')');
  const inner = text.startsWith('(') ? text.slice(1, close) : null;
  const [suffix, ...words] = text.slice(inner === null ? 0 : close + 1).split(/\s+/);
  const indexed = words[0] === 'indexed';
  const name = words[indexed ? 1 : 0] ?? '';
  if (inner === null) return { name, type: suffix!, indexed, fields: [] };
  const fields = splitTopLevel(inner).map((field) => readParam(field.trim()));
  return { name, type: `(${fields.map(({ type }) => type).join(',')})${suffix!}`, indexed, fields };
}
