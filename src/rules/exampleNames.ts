import { lazy } from '../lib/lazy.ts';
import type { Hash } from '../model/hex.ts';
import { didYouMean } from './compile/didYouMean.ts';
import type { RuleItem } from './compile/ruleItem.ts';
import { isFault, parseSignature } from './compile/signature.ts';
import type { RawExampleTransaction, RawMeaning, RawShape } from '../model/generated/rules.ts';

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
  const ofShape = (slug: string | null): Entry[] =>
    shapes.filter(({ value }) => value.slug === slug).flatMap(entriesOf);
  // Read where a name is asked for: most commands run without examples of shapes.
  const every = lazy(() => shapes.flatMap(entriesOf));
  return (home) => {
    const mine = lazy(() => ofShape(home));
    return (kind, text) => {
      if (text.includes('(')) return ownText(mine(), kind, text);
      const [name = '', slug] = text.split('/').reverse();
      const own = (slug === undefined ? mine() : ofShape(slug)).filter((e) => e.kind === kind);
      const all = slug === undefined ? every().filter((e) => e.kind === kind) : own;
      const named = own.filter((e) => e.name === name);
      const found = named.length > 0 ? named : all.filter((e) => e.name === name);
      const top = Math.max(...found.map((e) => e.layer));
      const distinct = new Map(found.flatMap((e) => (e.layer === top ? [[e.key, e] as const] : [])));
      const [first] = distinct.values();
      if (distinct.size === 1) return first!;
      if (first) {
        const homes = [...new Set([...distinct.values()].map((e) => e.shape))];
        return `${name} is of ${homes.join(', ')}: write ${first.shape}/${name}, or the whole signature`;
      }
      const known = (own.length > 0 ? own : all).map((e) => e.name);
      return `no shape has the ${kind} ${didYouMean(name, known)}`;
    };
  };
}

interface Entry extends WrittenSignature {
  readonly kind: 'event' | 'call';
  readonly shape: string;
  readonly layer: number;
  readonly name: string;
  /** Types and number of indexed parameters. */
  readonly key: string;
}

function entriesOf({ value: shape, file: { layer } }: RuleItem<RawShape>): Entry[] {
  const read = (kind: 'event' | 'call', { event, call, topic0 }: RawMeaning): Entry => {
    const text = event ?? call ?? '';
    const name = text.slice(0, text.indexOf('(')).trim();
    return { kind, shape: shape.slug, layer, text, topic0, name, key: keyOf(kind, text) };
  };
  return [
    ...(shape.events ?? []).map((entry) => read('event', entry)),
    ...(shape.calls ?? []).map((entry) => read('call', entry)),
  ];
}

/** A full signature; where the shape has it with a topic of its own, with that topic. */
function ownText(own: readonly Entry[], kind: 'event' | 'call', text: string): WrittenSignature {
  return own.find((e) => e.kind === kind && e.topic0 !== undefined && e.text === text) ?? { text };
}

/** The same for signatures with the same types, indexed alike. */
export function keyOf(kind: 'event' | 'call', text: string): string {
  const parsed = parseSignature(kind === 'event' ? 'event' : 'function', text);
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
