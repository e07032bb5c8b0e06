import type { EventMapping } from '../../model/rulebook.ts';
import { canonicalJson } from '../compile/digest.ts';
import type { Spot } from '../compile/ruleItem.ts';

/** A mapping, and where it is written. */
export interface PlacedMapping {
  readonly mapping: EventMapping;
  readonly spot: Spot;
}

/**
 * Mappings that can never be taken: an earlier one of the same event or call is tried wherever they are, and
 * asks for nothing that they do not ask for. `mappings` are in the order in which they are tried.
 */
export function checkShadows(mappings: readonly PlacedMapping[]): void {
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
