import { wordOf } from '../../evm/hex.ts';
import { carriesSignature, typedSigner } from '../../evm/typedSignatures.ts';
import { holderNamed, pullsForOthers } from '../../value/suspectTokens.ts';
import type { Address } from '../../model/hex.ts';
import type { Frame } from '../../model/canonicalTx.ts';
import type { Movement } from '../../model/valueFlow.ts';
import type { ElectionInput } from './electionContext.ts';

/** Signatures that are recovered at most; each takes about a millisecond. */
const MAX_SIGNED_CALLS = 64;

/** Calls that carry a signature of an account, or with which a listed contract had one approved. */
export function signedCalls(input: ElectionInput): ReadonlyMap<Address, readonly Frame[]> {
  const frames = input.tx.frames.filter(({ effective }) => effective);
  const signed = frames.filter(({ selector }) => carriesSignature(selector)).slice(0, MAX_SIGNED_CALLS);
  const calls = new Map<Address, Frame[]>();
  const add = (account: Address | null, frame: Frame): void => {
    if (account === null) return;
    const known = calls.get(account);
    if (known) known.push(frame);
    else calls.set(account, [frame]);
  };
  for (const frame of signed) add(signerIn(input, frame), frame);
  for (const frame of frames) add(approverIn(input, frame), frame);
  return calls;
}

function signerIn({ rulebook, tokens }: ElectionInput, { from, context, input }: Frame): Address | null {
  if (context === null) return null;
  const names = [tokens?.get(context)?.name, rulebook.entities.get(context)?.name];
  return typedSigner(
    { from, to: context, input },
    names.filter((name) => typeof name === 'string'),
  );
}

/** `isValidSignature(bytes32,bytes)`, which answers with its own selector (EIP-1271). */
const APPROVED = '0x1626ba7e';

/** Any contract may ask a wallet, of old signatures too; only contracts that act on the answer count. */
function approverIn({ rulebook }: ElectionInput, { selector, output, from, to }: Frame): Address | null {
  if (selector !== APPROVED || !output.startsWith(APPROVED)) return null;
  return pullsForOthers(rulebook, from) ? to : null;
}

/**
 * Whether a signed call explains a movement out of the signer: a call to the token states the amount, and was
 * part of the signed call, or pulled for an account that the signed call names, directly or through the
 * contract that checked the signature.
 */
export function covers({ tx, flow }: ElectionInput, call: Frame, movement: Movement): boolean {
  const { asset, from, evidence } = movement;
  const { address: token, tokenId } = flow.assets.get(asset) ?? { address: null, tokenId: null };
  if (token === null) return evidence.frame !== null && isWithin(evidence.frame, call);
  const stated = wordOf(tokenId === null ? movement.amount : BigInt(tokenId));
  const asked = call.selector === APPROVED;
  const checker = asked ? call.from : call.context;
  return tx.frames.some((frame) => {
    if (!frame.effective || frame.context !== token || !frame.input.includes(stated)) return false;
    if (isWithin(frame.index, call)) return true;
    if (holderNamed(frame) !== from) return false;
    if (frame.from !== checker) return token === checker && names(call, frame.from);
    return asked || names(call, tx.frames[frame.parent!]!.from);
  });
}

const names = ({ input }: Frame, account: Address): boolean => input.includes(wordOf(BigInt(account)));

function isWithin(index: number, { index: start, end }: Frame): boolean {
  return index >= start && index < end;
}
