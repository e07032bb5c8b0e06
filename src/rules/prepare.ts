import type { Address } from '../model/hex.ts';
import type { CompiledRules, EventMapping, IntentRule, ProtocolSpec, Rulebook } from '../model/rulebook.ts';
import type { PreparedRules } from '../model/intent.ts';
import { protocolOfCreated } from './creations.ts';
import { factNames, prepareFinding, prepareIntent } from './engine.ts';

/** Derives the lookups that every transaction needs from compiled rules. Runs once, at load. */
export function prepare(compiled: CompiledRules): Rulebook {
  const inForce = compiled.intents
    .filter(({ status }) => status !== 'deprecated')
    .sort(bestFirst(compiled.intentKinds));
  const mappings = [...compiled.events.values(), ...compiled.calls.values()].flatMap(
    ({ mappings }) => mappings,
  );
  const created = protocolOfCreated(compiled.protocols.values());
  const protocolOf = (contract: Address): string | undefined =>
    compiled.protocolAt.get(contract) ?? created(contract);
  const listedKinds = kindsBy(mappings, ({ addresses }) => addresses);
  const createdKinds = kindsBy(mappings, ({ slug, created }) => (created.length > 0 ? [slug] : []));
  const asked = timesAsked(inForce);
  const derived = new Map<(rulebook: Rulebook) => unknown, unknown>();
  const prepared: PreparedRules = {
    intents: inForce.map((rule) => prepareIntent(rule, asked)),
    findings: compiled.findings.filter(({ status }) => status !== 'deprecated').map(prepareFinding),
    protocolOf,
    kindsOf: (contract) => listedKinds.get(contract) ?? createdKinds.get(protocolOf(contract) ?? ''),
    // A family known only by its behaviour is never more than Medium.
    familyConfidence: new Map(
      mappings.map(({ shape, familyConfidence: own }) => [shape, own === 'High' ? 'Medium' : own]),
    ),
    derive<T>(make: (from: Rulebook) => T): T {
      if (!derived.has(make)) derived.set(make, make(rulebook));
      return derived.get(make) as T;
    },
  };
  const rulebook: Rulebook = Object.freeze({ ...compiled, prepared });
  return rulebook;
}

/** How many rules ask for each fact. */
function timesAsked(rules: readonly IntentRule[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { when } of rules)
    for (const fact of factNames(when)) times.set(fact, (times.get(fact) ?? 0) + 1);
  return times;
}

/** Compares rules by rank of intent, priority, overlay first, number of facts, slug: never by file. */
export function bestFirst(
  intentKinds: CompiledRules['intentKinds'],
): (a: IntentRule, b: IntentRule) => number {
  const rank = (rule: IntentRule): number => intentKinds.get(rule.intent)?.rank ?? Number.MAX_SAFE_INTEGER;
  return (a, b) =>
    rank(a) - rank(b) ||
    b.priority - a.priority ||
    (b.layer ?? 0) - (a.layer ?? 0) ||
    factNames(b.when).size - factNames(a.when).size ||
    (a.slug < b.slug ? -1 : 1);
}

/** Kinds of the protocols' shapes, by protocol. */
function kindsBy<K>(
  mappings: readonly EventMapping[],
  keysOf: (protocol: ProtocolSpec) => Iterable<K>,
): Map<K, Set<string>> {
  const index = new Map<K, Set<string>>();
  for (const { kind, protocols } of mappings)
    for (const protocol of protocols)
      for (const key of keysOf(protocol)) index.set(key, (index.get(key) ?? new Set()).add(kind));
  return index;
}
