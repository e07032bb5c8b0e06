import { resolverOf, type Resolver } from '../../../value/resolver.ts';
import { poolsOf, type PoolsOfPair } from './provenProtocol.ts';
import type { Test } from '../../../value/resolver.ts';
import type { Address, Hex } from '../../../model/hex.ts';
import type { ProtocolRef } from '../../../model/primitive.ts';
import type { BindExpr, EventMapping, LegSpec, PortionSpec } from '../../../model/rulebook.ts';

/** A leg with prepared expressions. */
export type PreparedLeg = LegSpec<Resolver>;

/** A mapping with prepared expressions; made once per rulebook. */
export interface PreparedMapping {
  readonly shape: string;
  readonly within: Hex | null;
  readonly anyEmitter: boolean;
  /** The mapping as declared. */
  readonly spec: EventMapping;
  readonly when: readonly Test[];
  readonly venue: Resolver;
  readonly poolId: Resolver | null;
  readonly roles: readonly { readonly role: string; readonly account: Resolver }[];
  readonly legs: readonly PreparedLeg[];
  readonly about: readonly Resolver[];
  readonly position: { readonly token: Resolver; readonly id: Resolver } | null;
  readonly portions: readonly PortionSpec<Resolver>[];
  /** Contracts that the rules list for it. */
  readonly listed: ReadonlyMap<Address, ProtocolRef>;
  /** Slugs of its protocols that are known beyond their lists: by deployer or registry; null for none. */
  readonly unlisted: ReadonlySet<string> | null;
  /** Addresses of its protocols' pools; null where no protocol's pools prove their creator. */
  readonly pools: PoolsOfPair | null;
  /** Whether unlisted contracts match: those of a family, or ones that prove their creator. */
  readonly open: boolean;
}

/** Makes a mapping of the rulebook ready to be tried on many events or calls. */
export function prepareMapping(spec: EventMapping): PreparedMapping {
  const params = new Map(spec.params.map((p) => [p.name, p]));
  const ready = (expr: BindExpr): Resolver => resolverOf(expr, params);
  const maybe = (expr: BindExpr | null): Resolver | null => expr && ready(expr);
  const pools = poolsOf(spec.protocols, undefined);
  return {
    shape: spec.shape,
    within: spec.within,
    anyEmitter: spec.anyEmitter,
    spec,
    when: spec.when.map(({ left, operator, right }) => ({
      left: ready(left),
      operator,
      right: maybe(right),
    })),
    venue: ready(spec.venue),
    poolId: maybe(spec.poolId),
    roles: spec.roles.map(({ role, account }) => ({ role, account: ready(account) })),
    legs: spec.legs.map((leg) => ({
      ...leg,
      from: maybe(leg.from),
      to: maybe(leg.to),
      asset: maybe(leg.asset),
      amount: leg.amount.map(ready),
      fees: leg.fees.map(ready),
      total: maybe(leg.total),
    })),
    about: spec.about.map(ready),
    position: spec.position && { token: ready(spec.position.token), id: ready(spec.position.id) },
    portions: spec.portions.map(({ role, asset, amount }) => ({
      role,
      asset: maybe(asset),
      amount: ready(amount),
    })),
    listed: listedSpeakers(spec),
    unlisted: unlistedSpeakers(spec),
    pools,
    open: spec.anyEmitter || pools !== null,
  };
}

function listedSpeakers({ protocols }: EventMapping): ReadonlyMap<Address, ProtocolRef> {
  const listed = new Map<Address, ProtocolRef>();
  for (const { slug, version, addresses } of protocols) {
    for (const address of addresses)
      if (!listed.has(address)) listed.set(address, { slug, version, matchedBy: 'address' });
  }
  return listed;
}

function unlistedSpeakers({ protocols }: EventMapping): ReadonlySet<string> | null {
  const slugs = protocols.filter(({ created, registries }) => created.length + registries.length > 0);
  return slugs.length === 0 ? null : new Set(slugs.map(({ slug }) => slug));
}
