import { Spot, meaningsOf, type RuleItem } from '../compile/ruleItem.ts';
import type { RawMeaning, RawShape } from '../../model/generated/rules.ts';

/** In the shipped rules each event and call names a second source of its signature, or is `unconfirmed`. */
export function checkSources(shapes: readonly RuleItem<RawShape>[]): void {
  for (const item of shapes) {
    const { status, unconfirmed = [] } = item.value;
    if (status === 'deprecated') continue;
    const own = new Set(meaningsOf(item).map(([{ event, call }]) => event ?? call));
    for (const [i, text] of unconfirmed.entries())
      if (!own.has(text)) new Spot(item, ['unconfirmed', i]).report('unknown_signature', text);
    if (item.file.layer > 0) continue;
    for (const [raw, spot] of meaningsOf(item)) {
      const text = raw.event ?? raw.call!;
      if (sourceOf(item.value, raw) === undefined && !unconfirmed.includes(text))
        spot.at(raw.event === undefined ? 'call' : 'event').report('missing_source', text);
    }
  }
}

/** Where an entry's signature was found beside the references; undefined for nowhere. */
export function sourceOf(shape: RawShape, { event, call, source }: RawMeaning): string | undefined {
  return shape.unconfirmed?.includes(event ?? call!) ? undefined : (source ?? shape.source);
}
