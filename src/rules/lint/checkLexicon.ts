import { applies, signatureWords } from '../../lib/lexicon.ts';
import { readSignature } from '../../evm/signatures.ts';
import { stemsOf } from '../../lib/text.ts';
import type { LexiconEntry } from '../../model/vocabulary.ts';
import { Spot, type ProblemSink, type RuleItem } from '../compile/ruleItem.ts';
import type { RawLexiconEntry } from '../../model/generated/rules.ts';

/** An entry as written and as compiled. */
interface PlacedEntry {
  readonly item: RuleItem<RawLexiconEntry>;
  readonly entry: LexiconEntry;
}

/**
 * Entries that an earlier one always takes first, and examples that come out otherwise. `exampled`: layers
 * whose entries need examples. `entries` are best first.
 */
export function checkLexicon(
  entries: readonly PlacedEntry[],
  exampled: ReadonlySet<number>,
  sink: ProblemSink,
): void {
  for (const [i, { item, entry }] of entries.entries()) {
    const upper = entries.slice(0, i);
    const above = upper.find((one) => hides(one.item.value, item.value));
    if (above) sink.add(item, ['kind'], 'hidden_entry', `taken first by ${shownEntry(above.item)}`);
    const { examples } = item.value;
    if (examples === undefined) {
      if (exampled.has(item.file.layer)) sink.add(item, ['kind'], 'missing_example', item.value.kind);
      continue;
    }
    for (const [n, text] of examples.match.entries()) {
      const spot = new Spot(item, sink, ['examples', 'match', n]);
      const first = upper.find((one) => isRival(one.entry, entry) && fits(one, text));
      if (!fits({ item, entry }, text)) spot.report('bad_example', `${text} has none of the words`);
      else if (first) spot.report('hidden_entry', `${text} is taken first by ${shownEntry(first.item)}`);
    }
    for (const [n, text] of examples.near_miss.entries()) {
      const spot = new Spot(item, sink, ['examples', 'near_miss', n]);
      if (fits({ item, entry }, text)) spot.report('bad_example', `${text} matches, though it should not`);
      else if (!isNear(item.value, text))
        spot.report('trivial_near_miss', `${text} shares no word with the entry`);
    }
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
function fits({ entry }: PlacedEntry, text: string): boolean {
  const { named, hash } = readSignature(text);
  const basis = /^[A-Z]/.test(text) ? 'event' : 'call';
  return entry.messages.has(`0x${hash}`) || applies(entry, signatureWords(basis, named));
}

function isNear(
  { names = [], args = [], messages = [], without = [] }: RawLexiconEntry,
  text: string,
): boolean {
  const words = stemsOf(text);
  const own = [...names, ...args, ...messages, ...without];
  return own.length === 0 || own.some((one) => [...stemsOf(one)].some((word) => words.has(word)));
}

function shownEntry({ file, pointer, value }: RuleItem<RawLexiconEntry>): string {
  return `${value.kind} at ${file.shownPath}:${file.locate(pointer).line}`;
}

function hides(upper: RawLexiconEntry, lower: RawLexiconEntry): boolean {
  const isWider =
    (upper.flow === 'any' || upper.flow === lower.flow) &&
    (upper.assets === undefined || upper.assets === lower.assets) &&
    (upper.sign === undefined || upper.sign === lower.sign) &&
    (upper.amount !== 'exact' || lower.amount === 'exact') &&
    (upper.without ?? []).every((word) => lower.without?.includes(word));
  return isWider && (['names', 'args', 'messages'] as const).every((key) => covers(upper[key], lower[key]));
}

/** Whether each phrase of `lower` holds all words of a phrase of `upper`; without any, `upper` takes all. */
function covers(upper: readonly string[] | undefined, lower: readonly string[] = []): boolean {
  if (upper === undefined) return true;
  const phrases = upper.map((text) => [...stemsOf(text)]);
  const isTaken = (text: string): boolean => {
    const words = new Set(stemsOf(text));
    return phrases.some((phrase) => phrase.every((word) => words.has(word)));
  };
  return lower.length > 0 && lower.every(isTaken);
}
