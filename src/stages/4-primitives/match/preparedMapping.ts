import { resolverOf, type Resolver } from '../../../value/resolver.ts';
import { poolsOf } from './provenProtocol.ts';
import type { Test } from '../../../value/resolver.ts';
import type { Address } from '../../../model/hex.ts';
import type { ProtocolRef } from '../../../model/primitive.ts';
import type { BindExpr, EventMapping, LegSpec, PortionSpec } from '../../../model/rulebook.ts';

/** A leg with prepared expressions. */
export type PreparedLeg = LegSpec<Resolver>;

/** A mapping with prepared expressions; made once per rulebook. */
export type PreparedMapping = Readonly<ReturnType<typeof prepareMapping>>;

/** Makes a mapping of the rulebook ready to be tried on many events or calls. */
export function prepareMapping(spec: EventMapping) {
  const params = new Map(spec.params.map((p) => [p.name, p]));
  const ready = (expr: BindExpr): Resolver => resolverOf(expr, params);
  const maybe = (expr: BindExpr | null): Resolver | null => expr && ready(expr);
  const pools = poolsOf(spec.protocols, undefined);
  return {
    shape: spec.shape,
    within: spec.within,
    anyEmitter: spec.anyEmitter,
    /** The mapping as declared. */
    spec,
    when: spec.when.map(({ left, operator, right }): Test => {
      return { left: ready(left), operator, right: maybe(right) };
    }),
    venue: ready(spec.venue),
    poolId: maybe(spec.poolId),
    roles: spec.roles.map(({ role, account }) => ({ role, account: ready(account) })),
    legs: spec.legs.map(
      (leg): PreparedLeg => ({
        ...leg,
        from: maybe(leg.from),
        to: maybe(leg.to),
        asset: maybe(leg.asset),
        id: maybe(leg.id),
        amount: leg.amount.map(ready),
        fees: leg.fees.map(ready),
        total: maybe(leg.total),
      }),
    ),
    about: spec.about.map(ready),
    position: spec.position && { token: ready(spec.position.token), id: ready(spec.position.id) },
    portions: spec.portions.map(({ role, asset, amount }): PortionSpec<Resolver> => {
      return { role, asset: maybe(asset), amount: ready(amount) };
    }),
    /** Contracts that the rules list for it. */
    listed: listedSpeakers(spec),
    /** Slugs of its protocols that are known beyond their lists: by deployer or registry; null for none. */
    unlisted: unlistedSpeakers(spec),
    /** Addresses of its protocols' pools; null where no protocol's pools prove their creator. */
    pools,
    /** Whether unlisted contracts match: those of a family, or ones that prove their creator. */
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
