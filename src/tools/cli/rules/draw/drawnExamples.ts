import { checksumAddress } from '../../../../evm/address.ts';
import { compileMapping } from '../../../../rules/compile/compileMapping.ts';
import { meaningsOf, ProblemSink, type RuleItem } from '../../../../rules/compile/ruleItem.ts';
import { keyOf, signaturesOf } from '../../../../rules/exampleNames.ts';
import type { EventMapping } from '../../../../model/rulebook.ts';
import type { Address } from '../../../../model/hex.ts';
import type { RawShape, RawShapeExample } from '../../../../model/generated/rules.ts';
import type { SoundRuleset } from '../rulesets.ts';
import { drawExample } from './drawExample.ts';

/** An example drawn from an entry. */
export interface DrawnExample {
  readonly example: RawShapeExample;
  /** JSON pointer of its event or call in the item. */
  readonly pointer: string;
}

/** An example for every entry of a shape that no stored one shows. */
export function drawnExamples(item: RuleItem<RawShape>, ruleset: SoundRuleset): DrawnExample[] {
  const { value: shape } = item;
  const { words, protocols } = ruleset;
  const stored = storedExamples(item, ruleset);
  const protocol = protocols.find(({ value }) => value.shapes?.includes(shape.slug) && value.addresses);
  const [listed] = protocol?.value.addresses ?? [];
  const known = listed === undefined ? 'venue' : checksumAddress(listed as Address);
  // Its problems are known already.
  const silent = { ...item, sink: new ProblemSink() };
  return meaningsOf(silent).flatMap(([raw, spot]) => {
    const kind = raw.event === undefined ? 'call' : 'event';
    const name = raw.event ?? raw.call!;
    const compiled = compileMapping(spot, shape, raw, words);
    if (!compiled || raw.within !== undefined) return [];
    const { meaning, signature } = compiled;
    if (stored.some((one) => one.keys.has(keyOf(kind, name)) && shows(one.example, meaning))) return [];
    const { position } = words.motifKinds.get(raw.kind) ?? {};
    const example = drawExample({
      meaning,
      raw,
      inputs: signature.inputs,
      name,
      // Without legs only a listed contract is believed.
      venue: shape.any_emitter && raw.legless === undefined ? 'venue' : known,
      title: signature.name,
      legRoles: words.legRoles,
      position: position ? `${position.category} ${position.effect}` : null,
    });
    return [{ example, pointer: spot.pointer }];
  });
}

/** The examples of a shape, with the events and calls in them. */
function storedExamples({ value: shape }: RuleItem<RawShape>, { examples, signatureNames }: SoundRuleset) {
  const find = signatureNames(shape.slug);
  const files = examples.filter(({ value }) => value.shape === shape.slug);
  const all = [...(shape.examples ?? []), ...files.flatMap(({ value }) => value.examples)];
  return all.map((example) => ({ example, keys: signaturesOf(example.transaction, find) }));
}

/** Of the entries that share a signature, an example shows those of its kind and roles of legs. */
function shows({ expect }: RawShapeExample, { kind, legs }: EventMapping): boolean {
  const roles = new Set(['fee', ...legs.map(({ role }) => role)]);
  return (expect.motifs ?? [{ kind }]).some(
    (motif) =>
      motif.kind === kind &&
      (legs.length === 0 || (motif.legs ?? []).every((leg) => roles.has(leg.split(' ')[0]!))),
  );
}
