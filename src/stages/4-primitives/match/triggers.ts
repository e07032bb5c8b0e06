import { eventsByLog } from '../../../evm/signatures.ts';
import { frameEvidence, logEvidence } from '../../../lib/evidence.ts';
import { lazy } from '../../../lib/lazy.ts';
import { isCallOf } from '../../../value/tokenCall.ts';
import type { Trigger } from '../bind/applyMapping.ts';
import type { CanonicalTx } from '../../../model/canonicalTx.ts';
import type { Address } from '../../../model/hex.ts';
import type { EventMapping, Rulebook, BindExpr, LegSpec, PortionSpec } from '../../../model/rulebook.ts';
import { resolverOf, type Resolver, type Test } from '../../../value/resolver.ts';
import { poolsOf } from './provenProtocol.ts';
import type { ProtocolRef } from '../../../model/primitive.ts';

/** The mappings of one event or function. */
interface TriggerMappings {
  /** Only the transaction's own call matches. */
  readonly rootOnly: boolean;
  /** Prepared on first use: most never occur. */
  readonly all: () => readonly PreparedMapping[];
}

/** Mappings by trigger: events by log, calls by selector. */
export type TriggerIndex = ReturnType<typeof indexTriggers>;

/** Indexes the rulebook's mappings. */
export function indexTriggers({ events, calls }: Pick<Rulebook, 'events' | 'calls'>) {
  const prepareAll = (specs: readonly EventMapping[], rootOnly: boolean): TriggerMappings => ({
    rootOnly,
    all: lazy(() => specs.map(prepareMapping)),
  });
  return {
    eventOf: eventsByLog(events, ({ mappings }) => prepareAll(mappings, false)),
    calls: new Map(
      [...calls].map(([selector, { mappings, depth }]) => [selector, prepareAll(mappings, depth === 'root')]),
    ),
  };
}

/** A log or call, and the mappings that its topic or selector is indexed under. */
interface TriggerMatch {
  readonly mappings: TriggerMappings;
  readonly trigger: Trigger;
}

/** Logs and calls that the index has mappings for, logs first; each list in execution order. */
export function findTriggers(tx: CanonicalTx, index: TriggerIndex): TriggerMatch[] {
  return [...matchLogs(tx, index), ...matchCalls(tx, index)];
}

function* matchLogs({ logs }: CanonicalTx, { eventOf }: TriggerIndex): Iterable<TriggerMatch> {
  for (const log of logs) {
    const { topics, data, address, seq } = log;
    const mappings = eventOf(log);
    if (!mappings) continue;
    const [args, evidence] = [{ topics, data, base: 0 }, logEvidence(log)];
    const [caller, value, output] = [null, null, null];
    yield {
      mappings,
      trigger: { basis: 'event', seq, contract: address, caller, value, args, output, evidence },
    };
  }
}

/**
 * The transaction's calls that the index has mappings for, in execution order. Code that another contract
 * runs on storage of its own (DELEGATECALL) passes any check it makes: that is no call of the code's address.
 */
function* matchCalls(tx: CanonicalTx, { calls }: TriggerIndex): Iterable<TriggerMatch> {
  for (const frame of tx.frames) {
    const { selector, seq, to, from, value } = frame;
    if (selector === null || to === null || !isCallOf(frame, to)) continue;
    const mappings = calls.get(selector);
    if (!mappings || (mappings.rootOnly && frame.parent !== null)) continue;
    const args = { topics: [], data: frame.input, base: 4 };
    const output = { topics: [], data: frame.output, base: 0 };
    const evidence = frameEvidence(frame, to);
    yield {
      mappings,
      trigger: { basis: 'call', seq, contract: to, caller: from, value, args, output, evidence },
    };
  }
}

/** A leg with prepared expressions. */
export type PreparedLeg = LegSpec<Resolver>;

/** A mapping with prepared expressions; made once per rulebook. */
export type PreparedMapping = Readonly<ReturnType<typeof prepareMapping>>;

/** Makes a mapping of the rulebook ready to be tried on many events or calls. */
function prepareMapping(spec: EventMapping) {
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
      ({ from, to, asset, id, amount, fees, total, ...own }): PreparedLeg => ({
        from: maybe(from),
        to: maybe(to),
        asset: maybe(asset),
        id: maybe(id),
        amount: amount.map(ready),
        fees: fees.map(ready),
        total: maybe(total),
        ...own,
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
