import { eventKey } from '../../evm/signatures.ts';
import type { Hex } from '../../model/hex.ts';
import type { CallSpec, EventSpec, EventMapping, ProtocolSpec } from '../../model/rulebook.ts';
import { compileMapping, type CompiledMeaning } from './compileMapping.ts';
import { canonicalJson } from './digest.ts';
import type { Vocabulary } from './compileVocabulary.ts';
import type { RawMeaning, RawShape } from '../../model/generated/rules.ts';
import { addTo } from '../../lib/lists.ts';
import { meaningsOf, Spot, type RuleItem } from './ruleItem.ts';

/** Compiles all shapes into two lookup tables; meanings of one key are in the order of slug, then file. */
export function compileShapes(
  shapes: readonly RuleItem<RawShape>[],
  protocolsByShape: ReadonlyMap<string, readonly ProtocolSpec[]>,
  words: Vocabulary,
): { events: Map<string, EventSpec>; calls: Map<Hex, CallSpec> } {
  const events = new Map<string, Draft<EventSpec>>();
  const calls = new Map<Hex, Draft<CallSpec>>();
  const bodies = new Map<string, Spot>();

  // An overlay's meanings are tried before those below it.
  const inOrder = [...shapes].sort((a, b) => b.file.layer - a.file.layer);
  const placed = new Map<object, PlacedMapping[]>();
  for (const item of inOrder) {
    const spoken = protocolsByShape.get(item.value.slug) ?? [];
    checkUsed(item, spoken);
    for (const [raw, spot] of meaningsOf(item)) {
      const compiled = compileMapping(spot, item.value, raw, words);
      if (!compiled) continue;
      noteBody(spot, raw, compiled, bodies);
      const mapping: EventMapping = { ...compiled.meaning, protocols: spoken };
      const { depth, signature } = compiled;
      const { id, canonical, topicCount } = signature;
      const spec =
        raw.event === undefined
          ? specAt(calls, id, { signature: canonical, selector: id, depth, mappings: [] })
          : specAt(events, eventKey(id, topicCount), {
              signature: canonical,
              topic0: id,
              topicCount,
              mappings: [],
            });
      if ('depth' in spec && spec.depth !== depth)
        spot.at('depth').report('mixed_depth', `${canonical} is ${spec.depth} elsewhere`);
      spec.mappings.push(mapping);
      addTo(placed, spec, { mapping, spot });
    }
  }
  for (const list of placed.values()) checkShadows(list);
  return { events, calls };
}

function checkUsed(item: RuleItem<RawShape>, spoken: readonly ProtocolSpec[]): void {
  const { slug, any_emitter: anyEmitter, status } = item.value;
  if (!anyEmitter && spoken.length === 0 && status !== 'deprecated')
    new Spot(item, ['slug']).report('unused_shape', slug);
}

/** A spec that further meanings are added to. */
type Draft<S extends EventSpec | CallSpec> = S & { readonly mappings: EventMapping[] };

function specAt<K, S>(specs: Map<K, S>, key: K, fresh: S): S {
  const spec = specs.get(key) ?? fresh;
  specs.set(key, spec);
  return spec;
}

/** Two meanings with the same signature and body are one written twice. */
function noteBody(spot: Spot, raw: RawMeaning, compiled: CompiledMeaning, bodies: Map<string, Spot>): void {
  const { meaning, signature } = compiled;
  const { venue, poolId, kind, roles, legs, when } = meaning;
  // Meanings tied to different protocols' addresses may say the same: only the family ones compete.
  const scope = meaning.anyEmitter ? 'family' : meaning.shape;
  const { id, topicCount, params } = signature;
  const body = JSON.stringify([scope, id, topicCount, params, kind, venue, poolId, roles, legs, when]);
  const first = bodies.get(body) ?? spot;
  bodies.set(body, first);
  if (first === spot) return;
  // Overlays come first: of the two, the one laid on top is the mistake.
  const [own, other] = first.item.file.layer > spot.item.file.layer ? [first, spot] : [spot, first];
  own.at(raw.event === undefined ? 'call' : 'event').report('duplicate_meaning', `same as ${other.shown}`);
}

/** A mapping, and where it is written. */
interface PlacedMapping {
  readonly mapping: EventMapping;
  readonly spot: Spot;
}

/**
 * Mappings that can never be taken: an earlier one of the same event or call is tried wherever they are, and
 * asks for nothing that they do not ask for. `mappings` are in the order in which they are tried.
 */
function checkShadows(mappings: readonly PlacedMapping[]): void {
  const texts = mappings.length < 2 ? [] : mappings.map(({ mapping }) => textsOf(mapping));
  for (const [i, lower] of mappings.entries()) {
    const above = mappings
      .slice(0, i)
      .find((upper, j) => !isOverlaid(upper, lower) && shadows(texts[j]!, texts[i]!));
    if (above)
      lower.spot
        .at('kind')
        .report(
          'shadowed_meaning',
          `${above.mapping.shape} (${above.spot.shown}) takes the same ` +
            `${above.mapping.legs.length > 0 ? 'movements' : 'trigger'} first: tell them apart ` +
            `by \`when\` or a required leg, or list the contracts in a protocol of this shape`,
        );
  }
}

/** An overlay may take matches from the rules below it. */
function isOverlaid(upper: PlacedMapping, lower: PlacedMapping): boolean {
  return upper.spot.item.file.layer > lower.spot.item.file.layer;
}

function textsOf(mapping: EventMapping) {
  const { when, legs } = mapping;
  const [tests, every] = [positional(when, mapping), positional(legs, mapping)];
  return { mapping, tests, every, required: every.filter((_, i) => legs[i]!.required) };
}
type Texts = ReturnType<typeof textsOf>;

function shadows(one: Texts, other: Texts): boolean {
  const [upper, lower] = [one.mapping, other.mapping];
  if (upper.status === 'deprecated' || upper.within !== null) return false;
  if (!upper.anyEmitter && lower.anyEmitter) return false;
  const slugs = new Set(upper.protocols.map(({ slug }) => slug));
  const both = lower.protocols.filter(({ slug }) => slugs.has(slug));
  // At one contract of both, an act of one kind would be read as another.
  const mistaken = upper.kind !== lower.kind && both.length > 0;
  return (
    (mistaken || both.length === lower.protocols.length) &&
    isPartOf(one.tests, other.tests) &&
    isPartOf(one.required, other.every)
  );
}

function isPartOf(some: readonly string[], others: readonly string[]): boolean {
  return some.every((one) => others.includes(one));
}

/** As text, with parameters by their position: two signatures may name the same one differently. */
function positional(parts: readonly unknown[], { params }: EventMapping): string[] {
  const place = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(place);
    if (typeof value !== 'object' || value === null) return value;
    const { op, name } = value as { op?: string; name?: string };
    const at = op === 'arg' ? params.find((param) => param.name === name) : undefined;
    const entries = Object.entries(value).map(([key, part]) => [key, place(part)] as const);
    return {
      ...Object.fromEntries(entries),
      ...(at ? { name: `${at.at ?? ''} ${at.indexed} ${at.offset}` } : {}),
    };
  };
  return parts.map((part) => canonicalJson(place(part)));
}
