import { Spot, meaningsOf, type RuleItem } from '../compile/ruleItem.ts';
import type { RawMeaning, RawShape } from '../../model/generated/rules.ts';

/** In the shipped rules each event and call names a second source of its signature, or is `unconfirmed`. */
export function checkSources(shapes: readonly RuleItem<RawShape>[]): void {
  for (const item of shapes.filter(({ value }) => value.status !== 'deprecated')) {
    const { source, unconfirmed = [] } = item.value;
    const own = meaningsOf(item).map(([raw, spot]) => ({ raw, spot, text: raw.event ?? raw.call! }));
    for (const [text, at] of new Spot(item).each('unconfirmed', unconfirmed))
      if (!own.some((one) => one.text === text)) at.report('unknown_signature', text);
    if (item.file.layer > 0 || source !== undefined) continue;
    for (const { raw, spot, text } of own)
      if (raw.source === undefined && !unconfirmed.includes(text))
        spot.at(raw.event === undefined ? 'call' : 'event').report('missing_source', text);
  }
}

/** Where an entry's signature was found beside the references; undefined for nowhere. */
export function sourceOf(shape: RawShape, { event, call, source }: RawMeaning): string | undefined {
  return shape.unconfirmed?.includes(event ?? call!) ? undefined : (source ?? shape.source);
}
