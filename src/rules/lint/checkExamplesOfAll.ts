import { Spot, meaningsOf, type RuleItem } from '../compile/ruleItem.ts';
import type { Ruleset } from '../compile/loadRulebook.ts';
import { keyOf, signaturesOf } from '../exampleNames.ts';
import type { RawShape, RawShapeExample } from '../../model/generated/rules.ts';

type Examples = Pick<Ruleset, 'shapes' | 'examples' | 'signatureNames'>;

/**
 * In a ruleset with a folder of examples each event and call of its shapes needs one that names the source of
 * its signature, or must be listed as `unconfirmed`.
 */
export function checkExamplesOfAll(all: Examples): void {
  const layers = new Set(all.examples.map(({ file }) => file.layer));
  for (const item of all.shapes) {
    if (item.value.status === 'deprecated') continue;
    checkUnconfirmed(item);
    if (layers.has(item.file.layer)) checkShape(item, all);
  }
}

function checkShape(item: RuleItem<RawShape>, all: Examples): void {
  const { unconfirmed = [] } = item.value;
  const shown = shownBy(item, all);
  for (const [{ event, call }, spot] of meaningsOf(item)) {
    const text = event ?? call!;
    const kind = event === undefined ? 'call' : 'event';
    const code = faultOf(shown.get(keyOf(kind, text)), unconfirmed.includes(text));
    if (code !== null) spot.at(kind).report(code, text);
  }
}

/** Examples that match, by the keys of the events and calls in them. */
export function shownBy(
  { value: shape }: RuleItem<RawShape>,
  { examples, signatureNames }: Pick<Examples, 'examples' | 'signatureNames'>,
) {
  const find = signatureNames(shape.slug);
  const files = examples.filter(({ value }) => value.shape === shape.slug);
  const told = [...(shape.examples ?? []), ...files.flatMap(({ value }) => value.examples)];
  const shown = new Map<string, RawShapeExample[]>();
  for (const example of told.filter(({ expect }) => expect.motifs?.length !== 0))
    for (const key of signaturesOf(example.transaction, find))
      shown.set(key, [...(shown.get(key) ?? []), example]);
  return shown;
}

function faultOf(examples: readonly RawShapeExample[] | undefined, isUnconfirmed: boolean) {
  if (examples === undefined) return 'shape_without_example';
  const confirmed = examples.some(({ source }) => source !== undefined);
  if (!confirmed) return isUnconfirmed ? null : 'missing_source';
  // Contracts that name the parameters of one signature otherwise are confirmed one by one.
  return isUnconfirmed && examples.length === 1 ? 'confirmed_source' : null;
}

/** Every signature listed as unconfirmed is one of the shape. */
function checkUnconfirmed(item: RuleItem<RawShape>): void {
  const { unconfirmed = [], events = [], calls = [] } = item.value;
  const own = new Set([...events, ...calls].map(({ event, call }) => event ?? call));
  for (const [i, text] of unconfirmed.entries())
    if (!own.has(text)) new Spot(item, ['unconfirmed', i]).report('unknown_signature', text);
}
