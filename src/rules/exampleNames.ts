import { lazy } from '../lib/lazy.ts';
import { groupBy } from '../lib/lists.ts';
import type { Hash } from '../model/hex.ts';
import { didYouMean } from './compile/didYouMean.ts';
import type { RuleItem } from './compile/ruleItem.ts';
import { isFault, parseSignature } from './compile/signature.ts';
import type { RawExampleTransaction, RawShape } from '../model/generated/rules.ts';

/** An event or call as a shape writes it. */
interface WrittenSignature {
  readonly text: string;
  readonly topic0?: Hash | undefined;
}

/** Finds the event or call that an example names; a text says why it is not clear. */
export type FindSignature = (kind: 'event' | 'call', text: string) => WrittenSignature | string;

/** Without shapes: a signature is its own name. */
export const asWritten: FindSignature = (_, text) => ({ text });

/**
 * The names of all shapes; `home` is the shape of the examples, and its own names come first, then those of
 * the overlay on top. `shape/Name` is that shape's.
 */
export function namesOf(shapes: readonly RuleItem<RawShape>[]): (home: string | null) => FindSignature {
  // Read where a name is asked for: most commands run without examples of shapes.
  const byName = lazy(() => groupBy(shapes.flatMap(entriesOf), ({ kind, name }) => `${kind} ${name}`));
  return (home) => (kind, text) => {
    const [head = ''] = text.split('(', 1);
    const [name = '', slug] = head.trim().split('/').reverse();
    const named = byName().get(`${kind} ${name}`) ?? [];
    // A whole signature; where the shape has it with a topic of its own, with that topic.
    if (head !== text) return named.find((e) => e.shape === home && e.topic0 && e.text === text) ?? { text };
    const found = slug === undefined ? foremost(named, home) : named.filter((e) => e.shape === slug);
    const [first, ...others] = new Map(found.map((e) => [keyOf(kind, e.text), e])).values();
    if (first && others.length === 0) return first;
    if (!first) {
      const ofKind = [...byName().values()].flat().filter((e) => e.kind === kind);
      const known = ofKind.filter((e) => e.shape === (slug ?? e.shape)).map((e) => e.name);
      return `no shape has the ${kind} ${didYouMean(name, known)}`;
    }
    const homes = [...new Set(found.map((e) => e.shape))].join(', ');
    return `${name} is of ${homes}: write ${first.shape}/${name}, or the whole signature`;
  };
}

/** Of the shape itself, else of the overlay on top. */
function foremost(entries: readonly Entry[], home: string | null): Entry[] {
  const rank = ({ shape, layer }: Entry): number => (shape === home ? Infinity : layer);
  const top = Math.max(...entries.map(rank));
  return entries.filter((entry) => rank(entry) === top);
}

interface Entry extends WrittenSignature {
  readonly kind: 'event' | 'call';
  readonly name: string;
  readonly shape: string;
  readonly layer: number;
}

function entriesOf({
  value: { slug: shape, events = [], calls = [] },
  file: { layer },
}: RuleItem<RawShape>): Entry[] {
  return [...events, ...calls].map(({ event, call, topic0 }) => {
    const text = event ?? call ?? '';
    const name = text.slice(0, text.indexOf('(')).trim();
    return { kind: event === undefined ? 'call' : 'event', name, shape, layer, text, topic0 };
  });
}

/** The same for signatures with the same types, indexed alike. */
export function keyOf(kind: 'event' | 'call', text: string): string {
  const parsed = parseSignature(kind, text);
  if (isFault(parsed)) return text;
  return `${kind} ${parsed.canonical} ${parsed.params.map((p) => (p.indexed ? 1 : 0)).join('')}`;
}

/** Keys of the events and calls of a transaction. */
export function signaturesOf({ call, steps = [] }: RawExampleTransaction, find: FindSignature): Set<string> {
  const keys = new Set<string>();
  const note = (kind: 'event' | 'call', text: string | undefined): void => {
    const found = text === undefined ? '' : find(kind, text);
    if (typeof found !== 'string') keys.add(keyOf(kind, found.text));
  };
  note('call', call);
  for (const step of steps)
    if ('event' in step) note('event', step.event);
    else if ('call' in step) note('call', step.call);
  return keys;
}
