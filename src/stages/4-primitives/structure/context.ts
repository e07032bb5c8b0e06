import { addTo, groupBy, lowerBound, only, NOTHING } from '../../../lib/lists.ts';
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
import { kindOf } from '../../../lib/motifKinds.ts';
import { guessedLeg } from '../../../value/claims.ts';

/** The primitives found so far, as the detectors that follow need them, and the movements they explain. */
export class StructureContext implements Tracing {
  readonly carriers: Tracing['carriers'];
  readonly origins: Tracing['origins'];
  readonly destinations: Tracing['destinations'];
  /** Grows as detectors run, so that each movement is claimed once. */
  readonly claimed = new Set<number>();
  /** Contracts at which a primitive happened. */
  readonly venues = new Set<Address>();
  /** Tokens that represent a share of a venue. */
  readonly shareAssets = new Set<AssetId>();
  /** Accounts that a primitive was done for: never the counterparty of a structural one. */
  readonly customers = new Set<Address>();
  /** Sponsored operations: pairs of `paymaster owner`. */
  readonly sponsored: ReadonlySet<string>;
  /** Legs of the primitives, by the account that sent or received them. */
  readonly legsByAccount = new Map<Address, Leg[]>();
  /** Built on first use: most transactions never need it. */
  readonly #pairs = lazy(() =>
    groupBy(this.flow.movements, (m) => `${m.from}|${m.to}|${mergeNative(m.asset, this.flow)}`),
  );

  /** `found`: the primitives themselves. */
  constructor(
    readonly tx: CanonicalTx,
    readonly flow: ValueFlow,
    readonly rulebook: Rulebook,
    readonly found: DraftPrimitive[],
  ) {
    ({ carriers: this.carriers, origins: this.origins, destinations: this.destinations } = tracingOf(flow));
    this.sponsored = new Set(found.flatMap(sponsorships));
    for (const primitive of found) this.explain(primitive);
  }

  /** Records a primitive for the detectors that run after it. */
  explain({ kind, venue, roles, legs }: DraftPrimitive): void {
    // A smart account that acts for itself is the customer, not the venue; a new contract is no venue either.
    const isOwn = roles.some(({ role, account }) => role === 'owner' && account === venue);
    if (kind !== 'deployment' && !isOwn) this.venues.add(venue);
    for (const { role, account } of roles) if (isPrincipal(role)) this.customers.add(account);
    for (const leg of legs) {
      if (SHARE_ROLES.has(leg.role)) this.shareAssets.add(leg.asset);
      for (const m of leg.movements) this.claimed.add(m);
      if (leg.account) addTo(this.legsByAccount, leg.account, leg);
    }
  }

  /** Movements of one asset between two accounts, in order; native and wrapped native are one. */
  between(from: Address, to: Address, asset: AssetId): readonly Movement[] {
    if (!this.flow.outgoing.has(from) || !this.flow.incoming.has(to)) return NOTHING;
    return this.#pairs().get(`${from}|${to}|${mergeNative(asset, this.flow)}`) ?? NOTHING;
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

/** Movements of one account looked at on either side of a moment. */
const MAX_NEAR = 32;

/** Unexplained transfers of other fungible assets shortly before and after a mint or burn, in order. */
export function counterFlow(
  { flow, claimed }: StructureContext,
  issued: Movement,
  side: 'incoming' | 'outgoing',
  account: Address,
): Movement[] {
  const list = flow[side].get(account) ?? NOTHING;
  const split = lowerBound(list, (i) => flow.movements[i]!.seq > issued.seq);
  const near = list.slice(Math.max(0, split - MAX_NEAR), split + MAX_NEAR).map((i) => flow.movements[i]!);
  return near.filter(
    ({ kind, asset, index }) =>
      kind === 'transfer' && asset !== issued.asset && !claimed.has(index) && isFungible(flow, asset),
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

/** The signer, and the owners of accounts that executed something. */
export function principalsOf({ tx, rulebook, found }: StructureContext): ReadonlySet<Address> {
  const owners = found
    .filter(({ kind }) => kindOf(rulebook, kind).executes !== null)
    .flatMap(({ roles }) => accountsWith(roles, 'owner'));
  return new Set([tx.from, ...owners]);
}

/** Whether a kind only accompanies others (approvals, wraps, executions) and shows no purpose. */
export function isAccompaniment(kind: string, { rulebook }: StructureContext): boolean {
  const { allowance, carries, executes, serves, actsOnVenue } = kindOf(rulebook, kind);
  return allowance || carries || executes !== null || serves !== null || actsOnVenue;
}

/** One leg per asset, in order of first movement; `roleOf` gives its role from that movement. */
export function legsByAsset(
  movements: readonly Movement[],
  account: Address,
  roleOf: (first: Movement) => string,
): Leg[] {
  const groups = groupBy(movements, (m) => m.asset);
  return [...groups.values()].map((group) => guessedLeg(roleOf(group[0]!), group, account));
}
