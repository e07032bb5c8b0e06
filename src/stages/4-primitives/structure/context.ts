import { addTo, groupBy, lowerBound, only } from '../../../lib/lists.ts';
import { lazy } from '../../../lib/lazy.ts';
import { isFungible as isFungibleAsset, mergeNative } from '../../../value/asset.ts';
import { tracingOf, type Tracing } from '../../../value/parties.ts';
import { accountsWith, isPrincipal, SHARE_ROLES } from '../../../lib/roles.ts';
import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import type { Address } from '../../../model/hex.ts';
import type { CanonicalTx } from '../../../model/canonicalTx.ts';
import type { DraftPrimitive, Leg } from '../../../model/primitive.ts';
import type { Rulebook } from '../../../model/rulebook.ts';
import type { AssetId, Movement, ValueFlow } from '../../../model/valueFlow.ts';

const NOTHING: readonly never[] = [];

/** The primitives found so far, as the detectors that follow need them, and the movements they explain. */
export interface StructureContext extends Tracing {
  readonly tx: CanonicalTx;
  readonly flow: ValueFlow;
  readonly rulebook: Rulebook;
  readonly wrappedNative: ReadonlySet<Address>;
  /** The primitives themselves. */
  readonly found: DraftPrimitive[];
  /** Grows as detectors run, so that each movement is explained once. */
  readonly explained: Set<number>;
  /** Contracts at which a primitive happened. */
  readonly venues: Set<Address>;
  /** Tokens that represent a share of a venue. */
  readonly shareAssets: Set<AssetId>;
  /** Accounts that a primitive was done for: never the counterparty of a structural one. */
  readonly customers: Set<Address>;
  /** Sponsored operations: pairs of `paymaster owner`. */
  readonly sponsored: ReadonlySet<string>;
  /** Legs of the primitives, by the account that sent or received them. */
  readonly legsByAccount: Map<Address, Leg[]>;
  /**
   * Movements from one account to another of one asset, native and wrapped native as one, in execution order.
   */
  readonly between: (from: Address, to: Address, asset: AssetId) => readonly Movement[];
}

export function structureContext(
  tx: CanonicalTx,
  flow: ValueFlow,
  rulebook: Rulebook,
  found: DraftPrimitive[],
): StructureContext {
  const { wrappedNative } = rulebook;
  const { carriers, origins, destinations } = tracingOf(flow, wrappedNative);
  const context: StructureContext = {
    tx,
    flow,
    rulebook,
    wrappedNative,
    found,
    carriers,
    explained: new Set(),
    venues: new Set(),
    shareAssets: new Set(),
    customers: new Set(),
    sponsored: new Set(found.flatMap(sponsorships)),
    legsByAccount: new Map(),
    origins,
    destinations,
    between: pairs(flow, wrappedNative),
  };
  for (const primitive of found) explain(context, primitive);
  return context;
}

/** Records a primitive for the detectors that run after it. */
export function explain(context: StructureContext, found: DraftPrimitive): void {
  // A smart account that acts for itself is the customer, not the venue; a new contract is no venue either.
  if (
    found.kind !== 'deployment' &&
    !found.roles.some((r) => r.role === 'owner' && r.account === found.venue)
  )
    context.venues.add(found.venue);
  for (const { role, account } of found.roles) if (isPrincipal(role)) context.customers.add(account);
  for (const leg of found.legs) {
    if (SHARE_ROLES.has(leg.role)) context.shareAssets.add(leg.asset);
    for (const m of leg.movements) context.explained.add(m);
    if (leg.account) addTo(context.legsByAccount, leg.account, leg);
  }
}

export function isFungible(flow: ValueFlow, asset: AssetId): boolean {
  const found = flow.assets.get(asset);
  return found !== undefined && isFungibleAsset(found);
}

/** The token's contract; null for the native asset. */
export function contractOf(flow: ValueFlow, asset: AssetId): Address | null {
  return flow.assets.get(asset)?.address ?? null;
}

/** Built on first use: most transactions never need it. */
function pairs(flow: ValueFlow, wrappedNative: ReadonlySet<Address>): StructureContext['between'] {
  const lists = lazy(() =>
    groupBy(flow.movements, (m) => `${m.from}|${m.to}|${mergeNative(m.asset, wrappedNative)}`),
  );
  return (from, to, asset) => {
    if (!flow.outgoing.has(from) || !flow.incoming.has(to)) return NOTHING;
    return lists().get(`${from}|${to}|${mergeNative(asset, wrappedNative)}`) ?? NOTHING;
  };
}

/** Movements of one account looked at on either side of a moment. */
const MAX_NEAR = 32;

/** Unexplained transfers of other fungible assets shortly before and after a mint or burn, in order. */
export function counterFlow(
  { flow, explained }: StructureContext,
  issued: Movement,
  side: 'incoming' | 'outgoing',
  account: Address,
): Movement[] {
  const list = flow[side].get(account) ?? NOTHING;
  const split = lowerBound(list, (i) => flow.movements[i]!.seq > issued.seq);
  const near = list.slice(Math.max(0, split - MAX_NEAR), split + MAX_NEAR).map((i) => flow.movements[i]!);
  return near.filter(
    ({ kind, asset, index }) =>
      kind === 'transfer' && asset !== issued.asset && !explained.has(index) && isFungible(flow, asset),
  );
}

/** The account behind carriers on one side of a movement; null for several, and at a mint or burn. */
export function endOf(
  { origins, destinations }: Tracing,
  { from, to, asset }: Movement,
  side: 'from' | 'to',
): Address | null {
  const end = only(side === 'to' ? destinations(to, asset) : origins(from, asset));
  return end === ZERO_ADDRESS ? null : end;
}

function sponsorships({ roles }: DraftPrimitive): string[] {
  return accountsWith(roles, 'paymaster').flatMap((one) =>
    accountsWith(roles, 'owner').map((owner) => `${one} ${owner}`),
  );
}
