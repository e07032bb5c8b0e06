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
import { knownSymbols } from './labelFormat.ts';
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
    if (selector === APPROVED) signed.push(...approvals(frame, rulebook));
    if (!carriesSignature(selector) || isHandedOn(frame, tx)) continue;
    const names = [tokens.get(context)?.name, rulebook.entities.get(context)?.name];
    const known = [...new Set(names.filter((name) => typeof name === 'string'))];
    const word = readSignedCall({ from, to: context, input }, known, recoveries);
    if (word !== null) signed.push({ frame, ...word });
  }
  return { signed, recoveries };
}

/** A proxy handed the call on as it came: it was read there, and covers this one. */
const isHandedOn = ({ type, input, parent }: Frame, { frames }: CanonicalTx): boolean =>
  type === 'DELEGATECALL' && input === frames[parent!]!.input;

/** Any contract may ask a wallet about a signature, also an old one. Most do not act on the answer. */
function approvals(frame: Frame, rulebook: Rulebook): Signed[] {
  const { to, from, output } = frame;
  if (to === null || !actsOnSignatures(rulebook, from) || !output.startsWith(APPROVED)) return [];
  const grants = [{ token: null, spender: from, amount: ANY_AMOUNT }];
  return [{ frame, account: to, grants, forwards: null, isSigned: () => true }];
}

/** A listed contract that makes no call which its caller gives it. */
export const makesOwnCalls = (rulebook: Rulebook, account: Address): boolean =>
  isListedAddress(account, rulebook) && !hasTag(rulebook, account, 'open_calls');

/** A listed token, or a listed contract that settles signed orders: it acts on the wallet's answer. */
function actsOnSignatures(rulebook: Rulebook, account: Address): boolean {
  if (knownSymbols(rulebook.knownTokens).has(account)) return true;
  return SIGNATURE_TAGS.some((tag) => hasTag(rulebook, account, tag)) && makesOwnCalls(rulebook, account);
}
const SIGNATURE_TAGS = ['acts_on_orders', 'permit', 'settlement'];

/** It takes nothing but for orders that it has checked. */
export const actsOnOrders = (rulebook: Rulebook, account: Address): boolean =>
  hasTag(rulebook, account, 'acts_on_orders');
