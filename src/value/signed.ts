import { ANY_AMOUNT } from '../evm/signedCalls.ts';
import { MAX_RECOVERIES } from '../evm/signing.ts';
import { carriesSignature, readSignedCall } from '../evm/typedSignatures.ts';
import type { Recoveries, SignedWord } from '../evm/typedSignatures.ts';
import type { CanonicalTx, Frame } from '../model/canonicalTx.ts';
import type { Address } from '../model/hex.ts';
import type { Rulebook, TokenCallSpec } from '../model/rulebook.ts';
import type { RawContext } from '../model/upstream.ts';
import { hasTag } from '../lib/motifKinds.ts';
import { isListedAddress, approves, isWithin, UNLIMITED, type Moved } from './tokenCall.ts';
import { addTo } from '../lib/lists.ts';
import { asksOwner } from './delegations.ts';
import { addressAt, uintAt } from '../evm/hex.ts';

/** A call with an account's word on it: a signature that it carries, or one that its wallet approved. */
export interface Signed extends SignedWord {
  readonly frame: Frame;
}

/** `isValidSignature(bytes32,bytes)`, which answers with its own selector (EIP-1271). */
export const APPROVED = '0x1626ba7e';

/** The answers of nodes about accounts and tokens that consent rests on. */
export type Answers = Pick<RawContext, 'tokens' | 'delegations' | 'redelegated' | 'nonces'>;
type Reading = Parameters<typeof asksOwner>[1];

/** Calls with signatures, in order, and the recoveries left for them. */
export function readSigned(
  tx: CanonicalTx,
  answers: Answers,
  rulebook: Rulebook,
): { readonly signed: readonly Signed[]; readonly recoveries: Readonly<Recoveries> } {
  const recoveries = { left: Math.max(0, MAX_RECOVERIES - tx.authorizations.length), cut: false };
  const signed: Signed[] = [];
  const { tokens, delegations, redelegated, nonces } = answers;
  const reading = { tx, delegations, redelegated, nonces, rulebook };
  for (const frame of tx.frames.filter(({ effective }) => effective)) {
    const { selector, context, from, input } = frame;
    if (selector === null || context === null) continue;
    if (isYes(frame, reading) && SETTLES.some((tag) => hasTag(rulebook, from, tag))) {
      const grants = [{ token: null, spender: from, amount: ANY_AMOUNT }];
      signed.push({ frame, account: frame.to!, grants, forwards: null, isSigned: () => true });
    }
    if (!carriesSignature(selector) || isHandedOn(frame, tx)) continue;
    const names = [tokens.get(context)?.name, rulebook.entities.get(context)?.name];
    const known = [...new Set(names.filter((name) => typeof name === 'string'))];
    const word = readSignedCall({ from, to: context, input }, known, recoveries);
    if (word === null) continue;
    const isSigned = (): boolean => isApproved(frame, word.account, reading) || word.isSigned();
    signed.push({ frame, ...word, isSigned });
  }
  return { signed, recoveries };
}

/** A proxy handed the call on as it came: it was read there, and covers this one. */
const isHandedOn = ({ type, input, parent }: Frame, { frames }: CanonicalTx): boolean =>
  type === 'DELEGATECALL' && input === frames[parent!]!.input;

/** A wallet's yes to a signature (EIP-1271). Any contract may ask, also about an old one; few act. */
const isYes = ({ selector, from, to, effective, output }: Frame, reading: Reading): boolean =>
  selector === APPROVED &&
  effective &&
  output.startsWith(APPROVED) &&
  makesOwnCalls(reading.rulebook, from) &&
  asksOwner(to!, reading);

/** Contracts that act on a wallet's yes as on an order. */
const SETTLES = ['acts_on_orders', 'settlement'];

/** A listed contract asked the wallet about the signature that this call of it carries. */
const isApproved = (call: Frame, account: Address, reading: Reading): boolean =>
  reading.tx.frames
    .slice(call.index, call.end)
    .some((frame) => frame.from === call.context && frame.to === account && isYes(frame, reading));

/** A listed contract that makes no call which its caller gives it. */
export const makesOwnCalls = (rulebook: Rulebook, account: Address): boolean =>
  isListedAddress(account, rulebook) && !hasTag(rulebook, account, 'open_calls');

/** It takes nothing but for orders that it has checked. */
export const actsOnOrders = (rulebook: Pick<Rulebook, 'entities'>, account: Address): boolean =>
  hasTag(rulebook, account, 'acts_on_orders');

/** The amount or NFT that a spender may take by the holder's own word in this transaction; `left` shrinks. */
interface Grant {
  /** Null: any, once. */
  readonly token: Address | null;
  /** Null: the signed call itself. */
  readonly spender: Address | null;
  /** The call that gives it. */
  readonly frame: Frame;
  left: bigint;
}

/** By spender, null among them: one owner may let thousands take. */
export type Grants = ReadonlyMap<Address | null, readonly Grant[]>;

/** What a holder's signatures and calls let others take. */
export function grantsOf(
  signed: readonly Signed[],
  own: Iterable<Frame>,
  specOf: (call: Frame) => TokenCallSpec | undefined,
): Grants {
  const grants = new Map<Address | null, Grant[]>();
  for (const { frame, grants: given } of signed)
    for (const { token, spender, amount: left } of given)
      addTo(grants, spender, { token, spender, frame, left });
  for (const frame of own)
    for (const grant of grantIn(frame, specOf(frame))) addTo(grants, grant.spender, grant);
  return grants;
}

function grantIn(frame: Frame, spec: TokenCallSpec | undefined): Grant[] {
  if (spec?.spender == null || !approves(frame, spec)) return [];
  const spender = addressAt(frame.input, 4 + spec.spender);
  const token = spec.token === null ? frame.to! : addressAt(frame.input, 4 + spec.token);
  const left = spec.amount === null ? ANY_AMOUNT : uintAt(frame.input, 4 + spec.amount);
  return spender === null || token === null || left === null ? [] : [{ token, spender, frame, left }];
}

/** Whether the taker was let take this before; if so, that much less is left. */
export function spendGrant(grants: Grants, call: Frame, taker: Address, { id, movement }: Moved): boolean {
  const { amount } = movement;
  const covers = (left: bigint): boolean =>
    id === null ? left >= amount : left === id || left === ANY_AMOUNT;
  const grant = [...(grants.get(null) ?? []), ...(grants.get(taker) ?? [])].find(
    ({ token, spender, frame, left }) =>
      (token ?? call.to) === call.to &&
      covers(left) &&
      (spender === null ? isWithin(call.index, frame) : frame.index < call.index),
  );
  if (grant === undefined) return false;
  if (grant.token === null || grant.left === id) grant.left = -1n;
  else if (grant.left < UNLIMITED) grant.left -= amount;
  return true;
}
