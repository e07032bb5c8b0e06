import { applies, signatureWords } from '../../lib/lexicon.ts';
import { readSignature } from '../../evm/signatures.ts';
import { stem, stemsOf } from '../../lib/text.ts';
import type { RawLexiconEntry } from '../../model/generated/rules.ts';
import type { Hash } from '../../model/hex.ts';
import type { LexiconEntry } from '../../model/vocabulary.ts';
import type { Vocabulary } from './compileVocabulary.ts';
import { Spot, ofKind, type RuleItem } from './ruleItem.ts';

/** All lexicons as one list, best first: an overlay's entries come before those below it. */
export function compileLexicon(items: readonly RuleItem[], words: Vocabulary): readonly LexiconEntry[] {
  const ordered = ofKind<RawLexiconEntry>(items, 'lexicon').sort((a, b) => b.file.layer - a.file.layer);
  const entries: LexiconEntry[] = [];
  for (const item of ordered) {
    const entry = entryOf(item.value);
    checkWords(new Spot(item), item.value, words);
    checkExamples(new Spot(item), item.value, entry, (text) => {
      const first = entries.findIndex((one) => isRival(one, entry) && fits(one, text));
      return first < 0 ? null : new Spot(ordered[first]!).shown;
    });
    entries.push(entry);
  }
  return entries;
}

function checkWords(spot: Spot, { kind, leg, flow }: RawLexiconEntry, words: Vocabulary): void {
  if (!words.motifKinds.has(kind)) spot.at('kind').report('unknown_motif_kind', kind);
  if (leg === undefined) return;
  const side = words.legRoles.get(leg);
  if (side === undefined) spot.at('leg').report('unknown_role', leg);
  else if (side !== flow && (flow === 'sent' || flow === 'received'))
    spot.at('leg').report('bad_value', `a leg ${leg} is ${side}, the flow is ${flow}`);
}

/** Examples that come out otherwise, or that an earlier entry takes. */
function checkExamples(
  spot: Spot,
  raw: RawLexiconEntry,
  entry: LexiconEntry,
  takenAt: (text: string) => string | null,
): void {
  for (const [text, at] of spot.each(['examples', 'match'], raw.examples.match)) {
    const first = takenAt(text);
    if (!fits(entry, text)) at.report('bad_example', `${text} has none of the words`);
    else if (first !== null) at.report('hidden_entry', `${text}: taken first at ${first}`);
  }
  for (const [text, at] of spot.each(['examples', 'near_miss'], raw.examples.near_miss)) {
    if (fits(entry, text)) at.report('bad_example', `${text} matches, though it should not`);
    else if (!isNear(raw, text)) at.report('trivial_near_miss', `${text} shares no word with the entry`);
  }
}

/** An entry that would be taken in place of `other` wherever both fit. */
function isRival(entry: LexiconEntry, other: LexiconEntry): boolean {
  return (
    (entry.flow === 'any' || entry.flow === other.flow) &&
    (entry.assets === null || entry.assets === other.assets) &&
    (entry.sign === null || entry.sign === other.sign) &&
    (!entry.exact || other.exact)
  );
}

/** An event is written with a capital, a function without. */
function fits(entry: LexiconEntry, text: string): boolean {
  const { named, hash } = readSignature(text);
  const basis = /^[A-Z]/.test(text) ? 'event' : 'call';
  return entry.messages.has(`0x${hash}`) || applies(entry, signatureWords(basis, named));
}

function isNear(entry: RawLexiconEntry, text: string): boolean {
  const words = stemsOf(text);
  const own = (['names', 'args', 'messages', 'without'] as const).flatMap((key) => entry[key] ?? []);
  return own.length === 0 || own.some((one) => [...stemsOf(one)].some((word) => words.has(word)));
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
    unreceipted: raw.receipt === 'none',
    leg: raw.leg ?? (raw.flow === 'sent' || raw.flow === 'none' ? 'in' : 'out'),
    anyone: raw.anyone ?? false,
    exact: raw.amount === 'exact',
  };
}
