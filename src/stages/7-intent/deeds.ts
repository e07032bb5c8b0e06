import { counted } from '../../lib/text.ts';
import { eventNamed, keyOfLog, type NamedSignature } from '../../evm/signatures.ts';
import { argumentReader } from '../../evm/readArgument.ts';
import { blobsOf } from '../../value/parties/execution.ts';
import { APPROVAL, TRANSFER } from '../../evm/tokenTopics.ts';
import type { LabelSubject } from './labelWords.ts';
import type { SubjectView } from './facts/subjectView.ts';
import type { Log } from '../../model/canonicalTx.ts';
import type { Address } from '../../model/hex.ts';
import type { ParamSpec } from '../../model/rulebook.ts';

/** More deeds than this would not be read. */
const MOST_DEEDS = 3;

/** The deeds that the acts' events state: `changed threshold 2, added owner 0x12ab…cdef`. */
export function deedOf({ view, motifs, format }: LabelSubject): string | null {
  const deeds = new Set<string>();
  for (const { evidence } of motifs)
    for (const { log } of evidence) {
      const named = log === null ? null : nameOf(view.tx.logs[log]!, view);
      if (named) deeds.add([inWords(named.name), onlyValue(named, view.tx.logs[log!]!, format)].join(''));
    }
  return deeds.size === 0 || deeds.size > MOST_DEEDS ? null : [...deeds].join(', ');
}

/** Names of the events of the called contract that move and allow nothing. */
export function loggedBy({ view }: LabelSubject): string | null {
  const names = new Set<string>();
  for (const log of view.tx.logs) {
    if (log.address !== view.tx.to || log.topics[0] === TRANSFER || log.topics[0] === APPROVAL) continue;
    const named = nameOf(log, view);
    if (named) names.add(named.name);
  }
  return names.size === 0 || names.size > MOST_DEEDS ? null : [...names].join(', ');
}

type NamedEvent = Pick<NamedSignature, 'name'> & { readonly args: readonly ParamSpec[] };

/** An event as the dictionary names it, else as the shapes do. */
export function nameOf(log: Log, { input: { rulebook } }: SubjectView): NamedEvent | null {
  const { topics } = log;
  if (topics[0] === undefined) return null;
  const named = eventNamed(rulebook.signatures, topics[0], topics.length);
  const shaped = rulebook.events.get(keyOfLog(log));
  if (named || !shaped) return named;
  const name = shaped.signature.slice(0, shaped.signature.indexOf('('));
  return { name, args: shaped.mappings[0]!.params.filter(({ at }) => at === undefined) };
}

/** `ChangedThreshold` as `changed threshold`, `AddrChanged` as `address changed`. */
function inWords(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
    .replaceAll(/\baddr\b/g, 'address');
}

/** The value of an event that states only one, where it is an account or a number. */
function onlyValue({ args }: NamedEvent, { topics, data }: Log, format: LabelSubject['format']): string {
  const [only, ...more] = args;
  if (only === undefined || more.length > 0) return '';
  const value = argumentReader(only, [])({ topics, data, base: 0 });
  if (value === null || (typeof value !== 'bigint' && only.type !== 'address')) return '';
  return ` ${typeof value === 'bigint' ? value : format.account(value as Address)}`;
}

/** `6 blobs`; null where the transaction carries none. */
export function blobsText({ tx }: SubjectView): string | null {
  const count = blobsOf(tx);
  return count === 0n ? null : counted(count, 'blob');
}
