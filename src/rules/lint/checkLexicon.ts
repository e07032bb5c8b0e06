import { applies, signatureWords } from '../../lib/lexicon.ts';
import { readSignature } from '../../evm/signatures.ts';
import { stemsOf } from '../../lib/text.ts';
import type { LexiconEntry } from '../../model/vocabulary.ts';
import { Spot, type RuleItem } from '../compile/ruleItem.ts';
import type { RawLexiconEntry } from '../../model/generated/rules.ts';

/** An entry as written and as compiled. */
interface PlacedEntry {
  readonly item: RuleItem<RawLexiconEntry>;
  readonly entry: LexiconEntry;
}

/** Examples that come out otherwise, or that an earlier entry takes. `entries` are best first. */
export function checkLexicon(entries: readonly PlacedEntry[]): void {
  for (const [i, { item, entry }] of entries.entries()) {
    const rivals = entries.slice(0, i).filter((one) => isRival(one.entry, entry));
    const { match, near_miss: misses } = item.value.examples;
    for (const [text, spot] of new Spot(item).each(['examples', 'match'], match)) {
      const first = rivals.find((one) => fits(one.entry, text));
      if (!fits(entry, text)) spot.report('bad_example', `${text} has none of the words`);
      else if (first) spot.report('hidden_entry', `${text}: taken first at ${new Spot(first.item).shown}`);
    }
    for (const [text, spot] of new Spot(item).each(['examples', 'near_miss'], misses)) {
      if (fits(entry, text)) spot.report('bad_example', `${text} matches, though it should not`);
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
