import type { Hex } from '../../model/hex.ts';
import type { CallSpec, EventSpec, EventMapping, ProtocolSpec } from '../../model/rulebook.ts';
import { compileMapping, type CompiledMeaning } from './compileMapping.ts';
import { checkShadows, type PlacedMapping } from '../lint/checkShadows.ts';
import type { Vocabulary } from './compileVocabulary.ts';
import type { RawMeaning, RawShape } from '../read/rawRules.ts';
import { Spot, type ProblemSink, type RuleItem } from './ruleItem.ts';

/** Key of an event: ERC-20 and ERC-721 Transfer share topic0 and differ in the number of topics. */
export function eventKey(topic0: Hex, topicCount: number): string {
  return `${topic0}:${topicCount}`;
}

/**
 * Compiles all shapes into the two lookup tables. Meanings of one key are in the order of shape slug, then of
 * the file.
 */
export function compileShapes(
  shapes: readonly RuleItem<RawShape>[],
  speakers: ReadonlyMap<string, readonly ProtocolSpec[]>,
  words: Vocabulary,
  sink: ProblemSink,
): { events: Map<string, EventSpec>; calls: Map<Hex, CallSpec> } {
  const events = new Map<string, EventSpec & { meanings: EventMapping[] }>();
  const calls = new Map<Hex, CallSpec & { meanings: EventMapping[] }>();
  const bodies = new Map<string, Spot>();

  // An overlay's meanings are tried before those below it.
  const inOrder = [...shapes].sort((a, b) => b.file.layer - a.file.layer);
  const placed = new Map<object, PlacedMapping[]>();
  const place = (spec: object, one: PlacedMapping): void => {
    placed.set(spec, [...(placed.get(spec) ?? []), one]);
  };
  for (const item of inOrder) {
    const { slug, any_emitter: anyEmitter } = item.value;
    if (!anyEmitter && !speakers.has(slug) && item.value.status !== 'deprecated')
      sink.add(item, ['slug'], 'unused_shape', slug);
    const spoken = speakers.get(slug) ?? [];
    for (const section of ['events', 'calls'] as const) {
      for (const [i, raw] of (item.value[section] ?? []).entries()) {
        const spot = new Spot(item, sink, [section, i]);
        const compiled = compileMapping(spot, item.value, raw, words);
        if (!compiled) continue;
        noteBody(spot, raw, compiled, bodies);
        const meaning: EventMapping = { ...compiled.meaning, protocols: spoken };
        const { signature } = compiled;
        if (section === 'events') {
          const key = eventKey(signature.id, signature.topicCount);
          const spec = events.get(key) ?? {
            signature: signature.canonical,
            topic0: signature.id,
            topicCount: signature.topicCount,
            meanings: [],
          };
          spec.meanings.push(meaning);
          events.set(key, spec);
          place(spec, { mapping: meaning, spot });
        } else {
          const spec = calls.get(signature.id) ?? {
            signature: signature.canonical,
            selector: signature.id,
            depth: compiled.depth,
            meanings: [],
          };
          if (spec.depth !== compiled.depth)
            sink.add(
              item,
              [section, i, 'depth'],
              'mixed_depth',
              `${signature.canonical} is ${spec.depth} elsewhere`,
            );
          spec.meanings.push(meaning);
          calls.set(signature.id, spec);
          place(spec, { mapping: meaning, spot });
        }
      }
    }
  }
  for (const list of placed.values()) checkShadows(list);
  return { events, calls };
}

/** Two meanings with the same signature and body are one written twice. */
function noteBody(spot: Spot, raw: RawMeaning, compiled: CompiledMeaning, bodies: Map<string, Spot>): void {
  const { meaning, signature } = compiled;
  const { venue, poolId, kind, roles, legs, when } = meaning;
  // Meanings tied to different protocols' addresses may say the same: only the family ones compete.
  const scope = meaning.anyEmitter ? 'family' : meaning.shape;
  const body = JSON.stringify([
    scope,
    signature.id,
    signature.topicCount,
    signature.params,
    kind,
    venue,
    poolId,
    roles,
    legs,
    when,
  ]);
  const first = bodies.get(body);
  if (spot.inherited) return;
  if (first === undefined) {
    bodies.set(body, spot);
    return;
  }
  // Overlays come first: of the two, the one laid on top is the mistake.
  const [own, other] = first.item.file.layer > spot.item.file.layer ? [first, spot] : [spot, first];
  own.at(raw.event === undefined ? 'call' : 'event').report('duplicate_meaning', `same as ${other.shown}`);
}
