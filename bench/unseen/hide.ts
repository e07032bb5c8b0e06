/** Rulebooks that lack what they know of one transaction's protocols, in three levels. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecognised } from '../../src/lib/motifKinds.ts';
import { prepare } from '../../src/rules/prepare.ts';
import type { CanonicalTx } from '../../src/model/canonicalTx.ts';
import type { Address, Hex } from '../../src/model/hex.ts';
import type { LexiconEntry } from '../../src/model/vocabulary.ts';
import type { Primitive } from '../../src/model/primitive.ts';
import type { EventMapping, Rulebook } from '../../src/model/rulebook.ts';

/** L1: the protocols' files. L2: also the shapes only they use. L3: also the events and calls they used here. */
export const LEVELS = ['L1', 'L2', 'L3'] as const;
export type Level = (typeof LEVELS)[number];

/** Shapes of ERC standards, which any protocol may use: never hidden. */
const STANDARDS: ReadonlySet<string> = new Set([
  'vault-erc4626',
  'vault-erc4626-wrapped-asset',
  'vault-async', // ERC-7540
  'account-erc4337',
  'account-ownership', // ERC-173
  'governance-delegation', // ERC-5805
]);

const PROTOCOLS = join(import.meta.dirname, '../../rules/protocols');

/** For each protocol slug, all slugs of the files that declare it. */
function slugsByFile(): ReadonlyMap<string, readonly string[]> {
  const result = new Map<string, readonly string[]>();
  for (const file of readdirSync(PROTOCOLS)) {
    const text = readFileSync(join(PROTOCOLS, file), 'utf8');
    const slugs = [...text.matchAll(/^(?:- )?\s*slug: *"?([\w-]+)/gm)].map(([, slug]) => slug!);
    for (const slug of slugs) result.set(slug, slugs);
  }
  return result;
}
const FILES = slugsByFile();

/**
 * Slugs to hide: those of every protocol recognised by address or creation, with their files' other protocols.
 * Not those known by the recipient of a plain payment alone: without it, that is the transfer it looks like.
 */
export function protocolsOf(
  primitives: readonly Pick<Primitive, 'protocol' | 'basis'>[],
): ReadonlySet<string> {
  const known = primitives.flatMap(({ protocol, basis }) =>
    isRecognised(protocol) && basis !== 'structure' ? (FILES.get(protocol.slug) ?? [protocol.slug]) : [],
  );
  return new Set(known);
}

/** The rulebook without what `level` hides. Only mappings that this transaction can trigger are kept at all. */
export function without(
  rulebook: Rulebook,
  hidden: ReadonlySet<string>,
  level: Level,
  tx: CanonicalTx,
): Rulebook {
  const addresses = new Set<Address>();
  for (const slug of hidden) for (const a of rulebook.protocols.get(slug)?.addresses ?? []) addresses.add(a);
  const keep = (mappings: readonly EventMapping[], used: boolean): EventMapping[] =>
    mappings.flatMap((mapping) => {
      if (STANDARDS.has(mapping.shape)) return [strip(mapping, hidden)];
      if (level === 'L3' && used) return [];
      const onlyHidden =
        mapping.protocols.length > 0 && mapping.protocols.every(({ slug }) => hidden.has(slug));
      return level !== 'L1' && onlyHidden ? [] : [strip(mapping, hidden)];
    });
  const { topics, selectors } = usedAt(tx, speakers(rulebook, hidden, tx));
  const events = new Map<string, Rulebook['events'] extends ReadonlyMap<string, infer E> ? E : never>();
  for (const {
    topics: [topic],
    topics: all,
  } of tx.logs) {
    const key = `${topic}:${all.length}`;
    const spec = rulebook.events.get(key);
    const mappings = spec ? keep(spec.mappings, topics.has(key)) : [];
    // Without a mapping the rules do not know the event's name either.
    if (spec && mappings.length > 0) events.set(key, { ...spec, mappings });
  }
  const calls = new Map<Hex, Rulebook['calls'] extends ReadonlyMap<Hex, infer C> ? C : never>();
  for (const { selector } of tx.frames) {
    const spec = selector === null ? undefined : rulebook.calls.get(selector);
    const mappings = spec ? keep(spec.mappings, selectors.has(selector!)) : [];
    if (spec && mappings.length > 0) calls.set(selector!, { ...spec, mappings });
  }
  const entities = new Map([...rulebook.entities].filter(([address]) => !addresses.has(address)));
  const protocols = new Map([...rulebook.protocols].filter(([slug]) => !hidden.has(slug)));
  const protocolAt = new Map([...rulebook.protocolAt].filter(([, slug]) => !hidden.has(slug)));
  const { prepared: _, ...compiled } = rulebook;
  const lexicon = level === 'L3' ? withoutMessages(rulebook.lexicon, topics) : rulebook.lexicon;
  return prepare({ ...compiled, events, calls, entities, protocols, protocolAt, lexicon });
}

/** The lexicon without the bus messages that hidden contracts emitted here. */
function withoutMessages(
  lexicon: readonly LexiconEntry[],
  topics: ReadonlySet<string>,
): readonly LexiconEntry[] {
  const hidden = new Set([...topics].map((key) => key.split(':')[0]));
  return lexicon.map((entry) => ({
    ...entry,
    messages: new Set([...entry.messages].filter((topic) => !hidden.has(topic))),
  }));
}

function strip(mapping: EventMapping, hidden: ReadonlySet<string>): EventMapping {
  const protocols = mapping.protocols.filter(({ slug }) => !hidden.has(slug));
  return protocols.length === mapping.protocols.length ? mapping : { ...mapping, protocols };
}

/** Contracts of this transaction that belong to a hidden protocol: listed, or called or heard under its mappings. */
function speakers(rulebook: Rulebook, hidden: ReadonlySet<string>, tx: CanonicalTx): ReadonlySet<Address> {
  const hiddenShape = ({ protocols }: EventMapping): boolean =>
    protocols.some(({ slug }) => hidden.has(slug));
  const result = new Set<Address>();
  for (const slug of hidden) for (const a of rulebook.protocols.get(slug)?.addresses ?? []) result.add(a);
  for (const { address, topics } of tx.logs)
    if (rulebook.events.get(`${topics[0]}:${topics.length}`)?.mappings.some(hiddenShape)) result.add(address);
  for (const { selector, to } of tx.frames)
    if (selector !== null && to !== null && rulebook.calls.get(selector)?.mappings.some(hiddenShape))
      result.add(to);
  return result;
}

function usedAt(tx: CanonicalTx, contracts: ReadonlySet<Address>) {
  const topics = new Set<string>();
  const selectors = new Set<Hex>();
  for (const log of tx.logs)
    if (contracts.has(log.address)) topics.add(`${log.topics[0]}:${log.topics.length}`);
  for (const { selector, to } of tx.frames)
    if (selector !== null && to !== null && contracts.has(to)) selectors.add(selector);
  return { topics, selectors };
}
