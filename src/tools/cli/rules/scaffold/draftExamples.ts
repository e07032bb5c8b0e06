import { checksumAddress } from '../../../../evm/address.ts';
import { compileMapping } from '../../../../rules/compile/compileMapping.ts';
import { ProblemSink, Spot, type RuleItem } from '../../../../rules/compile/ruleItem.ts';
import { keyOf } from '../../../../rules/exampleNames.ts';
import { shownBy } from '../../../../rules/lint/checkExamplesOfAll.ts';
import type { Address } from '../../../../model/hex.ts';
import type { RawShape } from '../../../../model/generated/rules.ts';
import { didYouMean } from '../../../../rules/compile/didYouMean.ts';
import { CliError, type CliIo } from '../../cliIo.ts';
import { openSoundRuleset, rulesetDirs, type SoundRuleset } from '../rulesets.ts';
import { draftExample } from './draftExample.ts';

/** Prints a draft for every event and call of a shape that no example shows. */
export function draftExamples(slug: string, options: { dirs?: readonly string[] }, io: CliIo): void {
  const ruleset = openSoundRuleset(rulesetDirs(options.dirs), slug);
  const item = ruleset.shapes.find(({ value }) => value.slug === slug);
  if (!item) {
    const known = ruleset.shapes.map(({ value }) => value.slug);
    throw new CliError(`there is no shape ${didYouMean(slug, known)}`);
  }
  const drafts = draftsOf(item, ruleset);
  if (drafts.length === 0) io.err(`${slug}: every event and call has an example`);
  else io.out(`shape: ${slug}\nexamples:\n${drafts.join('')}`);
}

function draftsOf(item: RuleItem<RawShape>, ruleset: SoundRuleset): string[] {
  const { value: shape } = item;
  const { words, protocols } = ruleset;
  const find = ruleset.signatureNames(shape.slug);
  const shown = shownBy(item, ruleset);
  const speaker = protocols.find(({ value }) => value.shapes?.includes(shape.slug) && value.addresses);
  const [listed] = speaker?.value.addresses ?? [];
  const venue = shape.any_emitter || listed === undefined ? 'venue' : checksumAddress(listed as Address);
  // Its problems are known already.
  const silent = { ...item, sink: new ProblemSink() };
  return (['events', 'calls'] as const).flatMap((section) =>
    (shape[section] ?? []).flatMap((raw, i) => {
      const kind = raw.event === undefined ? 'call' : 'event';
      const signature = raw.event ?? raw.call!;
      const compiled = compileMapping(new Spot(silent, [section, i]), shape, raw, words);
      if (!compiled || raw.within !== undefined || shown.has(keyOf(kind, signature))) return [];
      const title = compiled.signature.name;
      const { position } = words.motifKinds.get(raw.kind) ?? {};
      return draftExample({
        meaning: compiled.meaning,
        raw,
        inputs: compiled.signature.inputs,
        name: typeof find(kind, title) === 'string' ? signature : title,
        venue,
        title,
        legRoles: words.legRoles,
        position: position ? `${position.category} ${position.effect}` : null,
      });
    }),
  );
}
