import { addTo } from '../lib/lists.ts';
import { ANY_AMOUNT } from '../evm/signedCalls.ts';
import { addressAt, uintAt } from '../evm/hex.ts';
import type { Frame } from '../model/canonicalTx.ts';
import type { Address } from '../model/hex.ts';
import type { TokenCallSpec } from '../model/rulebook.ts';
import type { Signed } from './signed.ts';
import { approves, isWithin, UNLIMITED, type Moved } from './tokenCall.ts';

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
