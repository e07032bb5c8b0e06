import { counted } from '../../lib/text.ts';
import { functionOf } from '../../evm/decodeArguments.ts';
import { argumentReader } from '../../evm/readArgument.ts';
import { eventNamed, keyOfLog, type NamedSignature } from '../../evm/signatures.ts';
import { APPROVAL, TRANSFER } from '../../evm/tokenTopics.ts';
import { blobsOf } from '../../value/parties/execution.ts';
import { uintOfWord, wordAt, ZERO_ADDRESS } from '../../evm/hex.ts';
import { NATIVE } from '../../value/asset.ts';
import { isUnlimited } from '../../value/tokenCall.ts';
import type { LabelSubject } from './labelWords.ts';
import type { SubjectView } from './facts/subjectView.ts';
import type { Log } from '../../model/canonicalTx.ts';
import type { Address, Hex } from '../../model/hex.ts';
import type { ParamSpec } from '../../model/rulebook.ts';
import type { Asset } from '../../model/valueFlow.ts';

/** `harvest()`; null where no function is called or none is known that the calldata fits. */
export function methodOf(view: SubjectView): string | null {
  const name = calledName(view);
  return name && `${name}()`;
}

/** The name of the called function; null for creations. */
function calledName({ tx, input }: SubjectView): string | null {
  return tx.to === null ? null : (functionOf(tx, input.rulebook.signatures)?.name ?? null);
}

/** Act that the called function's name begins with: `swap` of `swapExactETHForTokens`. */
export function namedAct(view: SubjectView): string | null {
  const words = `${(calledName(view) ?? '').replaceAll(/([a-z])([A-Z])/g, '$1_$2').toLowerCase()}_`;
  let act = '';
  for (const kind of view.input.rulebook.motifKinds.keys())
    if (kind.length > act.length && words.startsWith(kind) && words[kind.length] === '_') act = kind;
  return act === '' ? null : act.replaceAll('_', ' ');
}

/** `swap 1 ETH`; a token's own call by its name; `call execute() with 1 ETH` where the name is no act. */
export function attemptOf(subject: LabelSubject): string | null {
  const { tx, input } = subject.view;
  const called = calledName(subject.view);
  if (called === null) return null;
  const isToken = input.rulebook.tokenCalls.has(tx.input.slice(0, 10) as Hex);
  const act = isToken ? called : namedAct(subject.view);
  const stated = tx.value > 0n ? subject.format.amount(NATIVE, tx.value) : statedAmount(subject);
  if (act === null) return stated && `call ${called}() with ${stated}`;
  return [act, stated].filter(Boolean).join(' ');
}

/** `500 USDC` where a token's own call states it. */
function statedAmount({ view: { tx, input }, format }: LabelSubject): string | null {
  const call = input.rulebook.tokenCalls.get(tx.input.slice(0, 10) as Hex);
  if (call?.amount == null || call.token !== null) return null;
  const amount = uintOfWord(wordAt(tx.input, 4 + call.amount) ?? '');
  const token: Asset = { id: '', kind: 'erc20', address: tx.to, tokenId: null };
  if (!isUnlimited(amount, input.rulebook.unlimited)) return format.amount(token, amount);
  return call.spender === null ? format.asset(token) : `unlimited ${format.asset(token)}`;
}

/** `Delegate 0x12ab…cdef to 0x34cd…ef01`, or that it was revoked (EIP-7702: the zero address). */
export function delegationText({ view, format }: LabelSubject): string | null {
  const { authorizations } = view.input.subject;
  const done = authorizations.filter(({ tookEffect }) => tookEffect);
  const unknown = authorizations.filter(({ tookEffect }) => tookEffect === null);
  // Of one account's, the last counts.
  const codes = new Map((done.length > 0 ? done : unknown).map((one) => [one.authority, one.delegate]));
  const [code, ...others] = new Set(codes.values());
  if (code === undefined || others.length > 0) return null;
  const [authority] = codes.keys();
  const one = authority ? format.account(authority) : 'an account';
  const whose = codes.size > 1 ? `${codes.size} accounts` : one;
  return code === ZERO_ADDRESS
    ? `Revoke the delegation of ${whose}`
    : `Delegate ${whose} to ${format.account(code)}`;
}

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
