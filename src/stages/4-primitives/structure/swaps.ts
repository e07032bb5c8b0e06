import { claim, evaluate, structural } from '../../../value/claims.ts';
import { uintOfWord, ZERO_ADDRESS } from '../../../evm/hex.ts';
import { isFungible, mergeNative, NATIVE_ASSET } from '../../../value/asset.ts';
import { isDust } from '../../../value/balances.ts';
import { kindOf } from '../../../lib/motifKinds.ts';
import { namesExchange } from '../../../lib/lexicon.ts';
import { logEvidence } from '../../../lib/evidence.ts';
import { eventNamed } from '../../../evm/signatures.ts';
import { wordsOf } from '../match/namedTriggers.ts';
import { SENT_ROLES } from '../../../lib/roles.ts';
import { contractOf, type StructureContext } from './context.ts';
import type { Log } from '../../../model/canonicalTx.ts';
import type { Address } from '../../../model/hex.ts';
import type { DraftPrimitive, Leg } from '../../../model/primitive.ts';
import type { AssetId } from '../../../model/valueFlow.ts';

/**
 * Swaps at venues without a known event: an account that ended with more of one asset and less of another,
 * while the signer or a customer traded too. Pass-through accounts, customers, issuers of either asset,
 * venues already claimed by an event and holders of stakes or deposits do not count.
 */
export function findStructuralSwaps(context: StructureContext): DraftPrimitive[] {
  const { flow, tx, found, rulebook } = context;
  const customerTraded = anyTraded(context);
  if (!customerTraded && (tx.to === null || !twoSided(context, tx.to))) return [];

  const traders = new Map<Address, Sides>();
  for (const account of flow.ledgers.keys()) {
    if (isNoVenue(context, account) || (!customerTraded && account === tx.to)) continue;
    const sides = twoSided(context, account);
    if (sides) traders.set(account, sides);
  }
  if (traders.size === 0) return [];
  const holders = holdersOfDeposits(context);
  return [...traders].flatMap(([account, sides]) => {
    if (holders.has(account) || issues(context, account, sides)) return [];
    const swap = swapOf(context, account, sides);
    return found.some((act) => kindOf(rulebook, act.kind).trade === 'swap' && tells(act, swap)) ? [] : [swap];
  });
}

/** A pool's event states the movements of this account, which holds the pool's assets. */
const tells = (act: DraftPrimitive, { legs }: DraftPrimitive): boolean =>
  legs.every((leg) => act.legs.some((own) => leg.movements.every((at) => own.movements.includes(at))));

/** Where assets ended that an act put into a position through a helper contract. */
function holdersOfDeposits(context: StructureContext): ReadonlySet<Address> {
  const { flow, rulebook, found, carriers, destinations } = context;
  const legs = found
    .filter(({ kind, venue }) => carriers.has(venue) && kindOf(rulebook, kind).position !== null)
    .flatMap((act) => act.legs.filter(({ role }) => SENT_ROLES.has(role)));
  return new Set(
    legs.flatMap(({ asset, movements }) =>
      movements.flatMap((index) => destinations(flow.movements[index]!.to, asset)),
    ),
  );
}

function isNoVenue({ tx, customers, flow, venues }: StructureContext, account: Address): boolean {
  return (
    account === ZERO_ADDRESS ||
    account === tx.from ||
    customers.has(account) ||
    flow.wrappedNative.has(account) ||
    venues.has(account)
  );
}

/** Whether the signer or another customer ended with more of one asset and less of another. */
function anyTraded(context: StructureContext): boolean {
  return [context.tx.from, ...context.customers].some((account) => twoSided(context, account));
}

type Sides = NonNullable<ReturnType<typeof twoSided>>;

/** The assets of an account that gained just one fungible asset and lost just one other, else null. */
function twoSided(context: StructureContext, account: Address) {
  const { flow } = context;
  const moved: { readonly id: AssetId; readonly net: bigint }[] = [];
  for (const [id, { inflow, outflow }] of flow.ledgers.get(account) ?? []) {
    if (inflow === outflow) continue;
    const asset = flow.assets.get(id)!;
    const net = inflow - outflow;
    // An account that passed a fee on and kept a rounding of it had no price.
    const unpriced = !isFungible(asset) || isDust({ asset, sent: outflow, received: inflow, net });
    if (unpriced || moved.push({ id, net }) > 2) return null;
  }
  const [gained, lost] = [moved.find(({ net }) => net > 0n), moved.find(({ net }) => net < 0n)];
  if (!gained || !lost) return null;
  const same = mergeNative(gained.id, flow) === mergeNative(lost.id, flow);
  return same ? null : { gained: gained.id, gain: gained.net, lost: lost.id, loss: -lost.net };
}

function issues({ flow }: StructureContext, account: Address, { gained, lost }: Sides): boolean {
  return contractOf(flow, gained) === account || contractOf(flow, lost) === account;
}

/** One unit for one, straight with one account: no price, a token exchanged for its successor. */
function keepsRate({ gained, gain, lost, loss }: Sides, [given, got]: readonly Leg[]): boolean {
  const straight = given!.account !== null && given!.account === got!.account;
  return straight && gain === loss && gained !== NATIVE_ASSET && lost !== NATIVE_ASSET;
}

function swapOf(context: StructureContext, venue: Address, sides: Sides): DraftPrimitive {
  const { flow } = context;
  const leg = (role: 'in' | 'out', asset: AssetId, amount: bigint): Leg => {
    const side = (flow[role === 'in' ? 'incoming' : 'outgoing'].get(venue) ?? []).filter(
      (i) => flow.movements[i]!.asset === asset,
    );
    const ends = new Set(side.map((i) => (role === 'in' ? flow.movements[i]!.from : flow.movements[i]!.to)));
    const account = ends.size === 1 ? [...ends][0]! : null;
    return { role, asset, amount, account, movements: side, exact: false };
  };
  const moved = [leg('in', sides.gained, sides.gain), leg('out', sides.lost, sides.loss)];
  const kind = keepsRate(sides, moved) ? 'migration' : 'swap';
  const told = kind === 'swap' ? statementOf(context, venue, moved) : undefined;
  const legs = told ? moved.map((own) => ({ ...own, exact: true, stated: own.amount })) : moved;
  const seqs = legs.flatMap((l) => l.movements.map((i) => flow.movements[i]!.seq));
  const act = structural({
    kind,
    seq: seqs.reduce((a, b) => Math.max(a, b), 0),
    venue,
    legs,
    tags: told ? [] : ['structural'],
    claims: [
      claim('single_venue', flow, legs[0]!.movements, legs[1]!.movements),
      evaluate('venue_gained_in', sides.gain, [venue], ['out0']),
      evaluate('venue_lost_out', sides.loss, [venue], ['in0']),
    ],
    evidence: legs.flatMap((l) => l.movements.slice(0, 8).map((i) => flow.movements[i]!.evidence)),
  });
  return told ? { ...act, basis: 'event', evidence: [logEvidence(told), ...act.evidence] } : act;
}

/** The venue's own event, of any layout, that is named for an exchange and states both amounts. */
function statementOf({ tx, rulebook }: StructureContext, venue: Address, legs: readonly Leg[]) {
  const states = ({ topics, data }: Log): boolean => {
    const words = new Set([...topics.slice(1).map(uintOfWord), ...wordsOf(data, 0)]);
    return legs.every(({ amount }) => words.has(amount) || words.has(BigInt.asUintN(256, -amount)));
  };
  const isNamed = ({ topics: [topic, ...more] }: Log): boolean =>
    topic !== undefined && namesExchange(eventNamed(rulebook.signatures, topic, more.length + 1)?.name);
  return tx.logs.find((log) => log.address === venue && isNamed(log) && states(log));
}
