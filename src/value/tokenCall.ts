import { addressAt, uintAt, wordOf, ZERO_ADDRESS } from '../evm/hex.ts';
import { isRecognised, protocolOf } from '../lib/motifKinds.ts';
import type { Frame } from '../model/canonicalTx.ts';
import type { Address } from '../model/hex.ts';
import type { Rulebook, TokenCallSpec, UnlimitedAmounts } from '../model/rulebook.ts';
import type { Allowance, Movement, ValueFlow } from '../model/valueFlow.ts';

/** At least half of an amount's range asks for all there is. */
export const UNLIMITED = 1n << 255n;
/** Movements before and after one, among them the logs of the share a token kept. */
const NEAR = 32;

const WHOLE_RANGE: UnlimitedAmounts = { from: (1n << 256n) - 1n, exactly: new Set() };

/** Whether an allowance of this amount is over all there is. */
export const isUnlimited = (amount: bigint, { from, exactly }: UnlimitedAmounts = WHOLE_RANGE): boolean =>
  amount >= from || exactly.has(amount);

/** A movement of a token, with the id of an NFT. */
export interface Moved {
  readonly movement: Movement;
  readonly id: bigint | null;
  readonly flow: ValueFlow;
}

/**
 * Whether a call of a token states this movement: it moves, for this holder, to this recipient, this amount
 * or id. What a token keeps of a payment goes elsewhere beside it. `isOwn`: the call is the holder's own.
 */
export function statesMovement(
  call: Frame,
  spec: TokenCallSpec | undefined,
  { movement, id, flow }: Moved,
  isOwn: () => boolean,
): boolean {
  if (spec?.spender !== null) return false;
  const { from, to, amount } = movement;
  const isHolder = spec.holder === null ? isOwn() : holderOf(call, spec) === from;
  if (!isHolder || (id !== null && !statesId(call, spec, id))) return false;
  const recipient = spec.to === null ? null : addressAt(call.input, 4 + spec.to);
  if (recipient === null) return to === ZERO_ADDRESS || to === call.to;
  if (spec.amount === null && !call.input.includes(wordOf(amount))) return false;
  return recipient === to || isTax(movement, recipient, flow);
}

/** A single NFT's id takes the place of an amount. */
function statesId({ input }: Frame, { id, amount }: TokenCallSpec, moved: bigint): boolean {
  const place = id ?? amount;
  return place === null ? input.includes(wordOf(moved)) : uintAt(input, 4 + place) === moved;
}

/** A token keeps or passes on a part of the recipient's share: no more than the recipient gets. */
function isTax(
  { index, asset, from, amount }: Movement,
  recipient: Address,
  { movements }: ValueFlow,
): boolean {
  return movements
    .slice(Math.max(0, index - NEAR), index + NEAR + 1)
    .some((m) => m.asset === asset && m.from === from && m.to === recipient && m.amount >= amount);
}

/** Whether a call of a token states this allowance, or spends it; `isOwn`: the call is the owner's own. */
export function statesAllowance(
  call: Frame,
  spec: TokenCallSpec | undefined,
  allowance: Allowance,
  isOwn: () => boolean,
): boolean {
  const { spender, amount, tokenId, unlimited } = allowance;
  if (lowersAllowance(call, spec, allowance, isOwn)) return true;
  if (spec?.spender == null || addressAt(call.input, 4 + spec.spender) !== spender || !isOwn()) return false;
  if (spec.approved !== null) return approves(call, spec) === unlimited;
  const stated = spec.amount === null ? null : uintAt(call.input, 4 + spec.amount);
  return stated === (tokenId === null ? amount : BigInt(tokenId));
}

/** Not a call that takes an operator's permission back. */
export const approves = ({ input }: Frame, { approved }: TokenCallSpec): boolean =>
  approved === null || uintAt(input, 4 + approved) !== 0n;

/** Whether it spends an allowance, or takes it back by whatever function. */
function lowersAllowance(
  call: Frame,
  spec: TokenCallSpec | undefined,
  { owner, spender, kind }: Allowance,
  isOwn: () => boolean,
): boolean {
  if (kind !== 'decreased' && kind !== 'revoked') return false;
  const spends = holderOf(call, spec) === owner && (spender === call.from || spender === ZERO_ADDRESS);
  return spends || (addressAt(call.input, 4) === spender && isOwn());
}

/** Whether a signature gave this allowance. */
export function allowedBy(
  grants: readonly { readonly spender: Address | null; readonly amount: bigint }[],
  { spender, amount, unlimited }: Allowance,
): boolean {
  return grants.some(
    (grant) =>
      grant.spender === spender &&
      (amount === null || grant.amount === amount || (unlimited && grant.amount >= UNLIMITED)),
  );
}

/** Calls that no other of them holds; in order. */
export function outermost(calls: readonly Frame[]): Frame[] {
  let last = 0;
  return calls.filter(({ index, end }) => {
    if (index < last) return false;
    last = end;
    return true;
  });
}

/** An effective call of the contract that may change state; not a proxy's call of its own code. */
export const isCallOf = ({ context, to, effective, static: reads }: Frame, contract: Address): boolean =>
  effective && !reads && context === contract && to === contract;

export const isWithin = (index: number, { index: start, end }: Frame): boolean =>
  index >= start && index < end;

/** The call hands the token over: it names it and this amount, or to the taking contract more than this. */
export function entrusts({ input, to }: Frame, taking: Frame, { id, movement }: Moved): boolean {
  const { amount } = movement;
  if (!input.includes(taking.to!.slice(2))) return false;
  if (input.includes(wordOf(id ?? amount))) return true;
  if (taking.from !== to || id !== null) return false;
  const words = Array.from({ length: MAX_WORDS }, (_, i) => uintAt(input, 4 + 32 * i));
  return words.some((word) => word !== null && word >= amount && word < LARGEST_AMOUNT);
}
/** Words of a call that may state the most it may take; larger numbers are addresses, hashes and the like. */
const MAX_WORDS = 32;
const LARGEST_AMOUNT = 1n << 128n;

/** The account with the holding that a known call moves; null for any other call. */
export function holderOf(call: Frame, spec: TokenCallSpec | undefined): Address | null {
  return spec?.holder == null ? null : addressAt(call.input, 4 + spec.holder);
}

/** Where calls between a protocol's own contracts name the holder. */
export const namesFirst = ({ input }: Frame, holder: Address): boolean =>
  [4, 36, 68].some((offset) => addressAt(input, offset) === holder);

/** A token or contract named in the rules, or made by a factory of theirs. */
export function isListedAddress(address: Address, rulebook: Rulebook): boolean {
  const listed = rulebook.prepared.derive(listedTokens).has(address) || rulebook.entities.has(address);
  return listed || isRecognised(protocolOf(address, undefined, rulebook) ?? null);
}

function listedTokens({ knownTokens, feeds, protocolAt }: Rulebook): ReadonlySet<string> {
  return new Set<string>([
    ...[...knownTokens.values()].flatMap((addresses) => [...addresses]),
    ...feeds.map(({ asset }) => asset),
    ...protocolAt.keys(),
  ]);
}
