import { functionOf } from '../../evm/decodeArguments.ts';
import { uintOfWord, wordAt, ZERO_ADDRESS } from '../../evm/hex.ts';
import { NATIVE } from '../../value/asset.ts';
import { isUnlimited } from '../../value/tokenCall.ts';
import type { LabelSubject } from './labelWords.ts';
import type { SubjectView } from './facts/subjectView.ts';
import type { Hex } from '../../model/hex.ts';
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
