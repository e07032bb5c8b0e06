import { readSignature } from '../../evm/signatures.ts';
import { stem, stemsOf } from '../../lib/text.ts';
import type { Hash } from '../../model/hex.ts';
import type { Vocabulary } from './compileVocabulary.ts';
import type { LexiconEntry } from '../../model/vocabulary.ts';
import type { RawLexiconEntry } from '../read/rawRules.ts';
import type { ProblemSink, RuleItem } from './ruleItem.ts';

/** All lexicons as one list, best first: an overlay's entries come before those below it. */
export function compileLexicon(
  items: readonly RuleItem[],
  words: Vocabulary,
  sink: ProblemSink,
): readonly LexiconEntry[] {
  const mine = items.filter(({ file }) => file.kind === 'lexicon') as RuleItem<RawLexiconEntry>[];
  for (const item of mine) {
    const { kind, leg } = item.value;
    if (!words.motifKinds.has(kind)) sink.add(item, ['kind'], 'unknown_motif_kind', kind);
    if (leg !== undefined && !words.legRoles.has(leg)) sink.add(item, ['leg'], 'unknown_role', leg);
  }
  return mine
    .map(({ file, value }) => ({ layer: file.layer, entry: entryOf(value) }))
    .sort((a, b) => b.layer - a.layer)
    .map(({ entry }) => entry);
}

const phrases = (texts: readonly string[] = []): readonly ReadonlySet<string>[] =>
  texts.map((text) => new Set(stemsOf(text)));

function entryOf(raw: RawLexiconEntry): LexiconEntry {
  return {
    kind: raw.kind,
    flow: raw.flow,
    names: phrases(raw.names),
    args: phrases(raw.args),
    messages: new Set((raw.messages ?? []).map((text): Hash => `0x${readSignature(text).hash}`)),
    without: (raw.without ?? []).map(stem),
    sign: raw.sign ?? null,
    assets: raw.assets ?? null,
    leg: raw.leg ?? (raw.flow === 'sent' || raw.flow === 'none' ? 'in' : 'out'),
    anyone: raw.anyone ?? false,
    exact: raw.amount === 'exact',
  };
}
