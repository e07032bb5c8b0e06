import { ANY_AMOUNT } from '../evm/signedCalls.ts';
import { MAX_RECOVERIES } from '../evm/signing.ts';
import {
  carriesSignature,
  readSignedCall,
  type Recoveries,
  type SignedWord,
} from '../evm/typedSignatures.ts';
import type { CanonicalTx, Frame } from '../model/canonicalTx.ts';
import type { Address } from '../model/hex.ts';
import type { Rulebook } from '../model/rulebook.ts';
import type { TokenMetadata } from '../model/upstream.ts';
import { hasTag } from '../lib/motifKinds.ts';
import { isListedAddress } from './tokenCall.ts';

/** A call with an account's word on it: a signature that it carries, or one that its wallet approved. */
export interface Signed extends SignedWord {
  readonly frame: Frame;
}

/** `isValidSignature(bytes32,bytes)`, which answers with its own selector (EIP-1271). */
const APPROVED = '0x1626ba7e';

/** Calls with signatures, in order, and the recoveries left for them. */
export function readSigned(
  tx: CanonicalTx,
  tokens: ReadonlyMap<Address, TokenMetadata>,
  rulebook: Rulebook,
): { readonly signed: readonly Signed[]; readonly recoveries: Readonly<Recoveries> } {
  const recoveries = { left: Math.max(0, MAX_RECOVERIES - tx.authorizations.length), cut: false };
  const signed: Signed[] = [];
  for (const frame of tx.frames.filter(({ effective }) => effective)) {
    const { selector, context, from, input } = frame;
    if (selector === null || context === null) continue;
    if (isYes(frame, rulebook) && SETTLES.some((tag) => hasTag(rulebook, from, tag))) {
      const grants = [{ token: null, spender: from, amount: ANY_AMOUNT }];
      signed.push({ frame, account: frame.to!, grants, forwards: null, isSigned: () => true });
    }
    if (!carriesSignature(selector) || isHandedOn(frame, tx)) continue;
    const names = [tokens.get(context)?.name, rulebook.entities.get(context)?.name];
    const known = [...new Set(names.filter((name) => typeof name === 'string'))];
    const word = readSignedCall({ from, to: context, input }, known, recoveries);
    if (word === null) continue;
    const isSigned = (): boolean => isApproved(frame, word.account, tx, rulebook) || word.isSigned();
    signed.push({ frame, ...word, isSigned });
  }
  return { signed, recoveries };
}

/** A proxy handed the call on as it came: it was read there, and covers this one. */
const isHandedOn = ({ type, input, parent }: Frame, { frames }: CanonicalTx): boolean =>
  type === 'DELEGATECALL' && input === frames[parent!]!.input;

/** A wallet's yes to a signature (EIP-1271). Any contract may ask, also about an old one; few act. */
const isYes = ({ selector, from, effective, output }: Frame, rulebook: Rulebook): boolean =>
  selector === APPROVED && effective && output.startsWith(APPROVED) && makesOwnCalls(rulebook, from);

/** Contracts that act on a wallet's yes as on an order. */
const SETTLES = ['acts_on_orders', 'settlement'];

/** A listed contract asked the wallet about the signature that this call of it carries. */
const isApproved = (call: Frame, account: Address, { frames }: CanonicalTx, rulebook: Rulebook): boolean =>
  frames
    .slice(call.index, call.end)
    .some((frame) => frame.from === call.context && frame.to === account && isYes(frame, rulebook));

/** A listed contract that makes no call which its caller gives it. */
export const makesOwnCalls = (rulebook: Rulebook, account: Address): boolean =>
  isListedAddress(account, rulebook) && !hasTag(rulebook, account, 'open_calls');

/** It takes nothing but for orders that it has checked. */
export const actsOnOrders = (rulebook: Rulebook, account: Address): boolean =>
  hasTag(rulebook, account, 'acts_on_orders');
