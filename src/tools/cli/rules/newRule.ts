import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { Document, isMap, isScalar, isSeq, visit } from 'yaml';
import { basename, dirname, extname, join } from 'node:path';
import { defaultFact, show } from '../../../rules/compile/facts.ts';
import { factsAbout } from '../../../stages/7-intent/intentInput.ts';
import { SubjectView } from '../../../stages/7-intent/facts/subjectView.ts';
import type { FactDeclaration, FactValue } from '../../../model/intent.ts';
import { CliError, type CliIo } from '../cliIo.ts';
import { checksumAddress } from '../../../evm/address.ts';
import { eventKey, eventNamed } from '../../../evm/signatures.ts';
import { checkAddress, isFault } from '../../../rules/compile/signature.ts';
import type { Rulebook } from '../../../model/rulebook.ts';
import { formatRuleText } from './formatRules.ts';
import { examineTx, loadTx, type ExaminedTx } from './loadTx.ts';
import { openSoundRuleset, rulesetDirs, type SoundRuleset } from './rulesets.ts';
import { unrecognised } from './whyNot.ts';
import { readAbi } from './abi/checkAbi.ts';
import { guessMeaning, slugOf, writeDraft, type Guess } from './scaffold/writeDraft.ts';

export interface NewRuleOptions {
  readonly abi?: string;
  readonly event?: readonly string[];
  readonly tx?: string;
  readonly name?: string;
  readonly address?: string;
  /** Every event becomes a motif kind of its own. */
  readonly own?: boolean;
  readonly dir?: string;
  readonly examples?: string;
  readonly slug?: string;
  readonly intent?: string;
  readonly out?: string;
  readonly dirs?: readonly string[];
  readonly recordings?: readonly string[];
}

/** Facts a first draft tests, where the transaction has them: the actor's acts, and where value went. */
const TELLING = (
  'actor.sides actor.sent.assets actor.received.assets actor.received.minted_erc20 actor.sent.burnt ' +
  'actor.received.nfts actor.sent.nfts noneconomic.approvals noneconomic.zero_transfers tx.authorizations ' +
  'tx.contracts_created tx.outcome noneconomic.events'
).split(' ');

/**
 * Drafts shape, protocol, words, intent and examples from an ABI, from events, or (with `dir`) from a
 * transaction's unrecognised events. Without `dir` a transaction gives an intent rule alone.
 */
export async function newRule(options: NewRuleOptions, io: CliIo): Promise<void> {
  if (options.examples !== undefined) {
    io.err(`nothing to write: rules test draws the examples of ${options.examples}`);
    return;
  }
  const ruleset = openSoundRuleset(rulesetDirs(options.dirs));
  const { rulebook } = ruleset;
  if ([options.tx, options.abi, options.event].filter((one) => one !== undefined).length !== 1)
    throw new CliError('say what to draft from: one of --tx, --abi and --event');
  if (options.tx === undefined) return scaffold(eventsGiven(options), options, rulebook, io);
  const recording = await loadTx(options.tx, rulebook, options.recordings ?? []);
  const examined = await examineTx(recording, rulebook);
  if (options.dir !== undefined) return scaffold(unknownEvents(examined, rulebook), options, rulebook, io);
  const text = draftIntent(examined, ruleset, options);
  if (options.out === undefined) io.out(text.trimEnd());
  else if (existsSync(options.out)) throw new CliError(`${options.out} exists: nothing is overwritten`);
  else {
    writeFileSync(options.out, text);
    io.out(`wrote ${options.out}: now txreport rules lint, test and explain`);
  }
}

/** An intent rule: conditions from the transaction's telling facts, its facts as the matching example. */
export function draftIntent(
  { input, reading, motifs, recording }: ExaminedTx,
  { rulebook, facts: declared }: SoundRuleset,
  options: Pick<NewRuleOptions, 'intent' | 'slug'> = {},
): string {
  const view = new SubjectView(input);
  const intent = options.intent ?? reading.explained.verdict.kind;
  if (!rulebook.intentKinds.has(intent))
    throw new CliError(`${intent} is not an intent kind: declare it in vocabulary.yaml first`);
  const slug = options.slug ?? `${intent.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase()}-draft`;
  if (rulebook.intents.some((r) => r.slug === slug))
    throw new CliError(`there is a rule ${slug} already: choose another --slug`);

  const own = motifs.filter((m) => m.parent === null && view.own.includes(m));
  const kinds = [...new Set(own.map((m) => m.kind))].filter((kind) => rulebook.motifKinds.has(kind));
  const names = [...kinds.map((kind) => `motif.${kind}.own`), ...TELLING].filter((name) =>
    declared!.has(name),
  );
  const source = factsAbout(view);
  const isPlain = (name: string): boolean => show(source(name)) === show(defaultFact(declared!.get(name)!));
  const facts = names.filter((name) => !isPlain(name)).map((name) => [name, source(name)] as const);
  if (facts.length === 0)
    throw new CliError(
      `nothing tells this transaction apart: no motif is ${reading.account}'s, and no value moved`,
    );
  // The rule is tried only where such an act is there at all.
  const there = kinds.slice(0, 1).map((kind) => [`motif.${kind}.count`, 1] as const);
  const nearMiss = Object.fromEntries([...there, ...facts.slice(1)]);
  return ruleText({
    slug,
    version: 1,
    status: 'experimental',
    summary: `Draft from ${recording.name}: say what this rule is for.`,
    intent,
    label: intent.replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' '),
    ...(kinds.length > 0 ? { rests_on: kinds, requires_any: kinds } : {}),
    when: { all: facts.map(([name, value]) => conditionFor(declared!.get(name)!, value)) },
    proof: 'heuristic',
    confidence: { known: 'Medium', family: 'Low' },
    examples: {
      match: [{ name: `facts of ${recording.name}`.slice(0, 80), facts: Object.fromEntries(facts) }],
      near_miss: [{ name: 'replace by a look-alike that must not match', facts: nearMiss }],
    },
  });
}

/** The rule as YAML, one line per condition and example as in rules written by hand. */
function ruleText(rule: object): string {
  const doc = new Document(rule, { aliasDuplicateObjects: false });
  visit(doc.get('when') as never, {
    Map: (_, map) => void (map.flow = map.items.every((pair) => isScalar(pair.value))),
  });
  visit(doc, { Seq: (_, seq) => void (seq.flow = seq.items.every((item) => isScalar(item))) });
  visit(doc.get('confidence') as never, { Map: (_, map) => void (map.flow = true) });
  visit(doc.get('examples') as never, {
    Map: (key, map) =>
      void (map.flow =
        key !== null &&
        map.items.every((pair) => isScalar(pair.value) || isMap(pair.value) || isSeq(pair.value)) &&
        !map.has('near_miss')),
  });
  doc.contents!.commentBefore = ' yaml-language-server: $schema=../../schemas/rules/intent.schema.json';
  return formatRuleText(doc.toString({ flowCollectionPadding: false }), 'intent')!;
}

function conditionFor(fact: FactDeclaration, value: FactValue): object {
  if (fact.type === 'boolean') return { fact: fact.name, is: value };
  if (fact.type === 'count') return { fact: fact.name, is: 'gte', value: 1 };
  return { fact: fact.name, is: fact.type === 'list' ? 'includes_any' : 'eq', value };
}

/** Events to draft rules for. */
interface Events {
  readonly texts: readonly string[];
  /** Administration, which states no amount, as well. */
  readonly all: boolean;
  /** Contracts that emit them. */
  readonly addresses: readonly string[];
  /** Name of the family; undefined: that of the first event. */
  readonly title?: string | undefined;
  /** Lines on events that cannot be drafted. */
  readonly leftOut: readonly string[];
  readonly recording: string | null;
}

/** Intents that an act at an unknown contract is usually a part of come after this one. */
const BEFORE = 'WithdrawalRequest';

/** Drafts shape, protocol, words, intent and examples for events. */
export function scaffold(events: Events, options: NewRuleOptions, rulebook: Rulebook, io: CliIo): void {
  const { addresses, title, recording } = events;
  const { guesses, leftOut } = guessAll(events, rulebook, options.own ?? false);
  for (const address of addresses) {
    const read = checkAddress(address);
    if (isFault(read)) throw new CliError(`${read.code}: ${read.message}`);
  }
  const slug = slugOf(options.name ?? title ?? guesses[0]!.signature.name);
  const before = rankOf(rulebook);
  const left = [...leftOut, ...events.leftOut];
  emitFiles(writeDraft({ slug, addresses, guesses, leftOut: left, recording, before }), options.dir, io);
}

/** Given as texts, or in an ABI file. */
export function eventsGiven({ abi, event = [], address }: NewRuleOptions): Events {
  const addresses = address === undefined ? [] : [address];
  if (abi === undefined) return { texts: event, all: true, addresses, leftOut: [], recording: null };
  const texts = readAbi(abi).flatMap(({ kind, text }) => (kind === 'event' ? text : []));
  return { texts, all: false, addresses, title: basename(abi, extname(abi)), leftOut: [], recording: null };
}

/** Those of a transaction that no shape knows, where a table has their signatures. */
export function unknownEvents(examined: ExaminedTx, rulebook: Rulebook): Events {
  const { tx, recording } = examined;
  const known = new Map<string, string>();
  const emitters = new Set<string>();
  const leftOut: string[] = [];
  for (const { log, contract, reasons } of unrecognised(examined, rulebook)) {
    if (log === null || reasons.some(({ shape }) => shape !== null)) continue;
    const [topic0, ...topics] = tx.logs[log]!.topics;
    const emitter = checksumAddress(contract);
    const named = topic0 && eventNamed(rulebook.signatures, topic0, topics.length + 1);
    if (named) {
      known.set(topic0, named.signature);
      emitters.add(emitter);
    } else
      leftOut.push(
        `topic0 ${topic0 ?? '(anonymous)'} of ${emitter}: take its signature from the contract's ABI`,
      );
  }
  if (known.size === 0)
    throw new CliError(
      ['no event of this transaction is unrecognised and has a known signature', ...leftOut].join('\n'),
    );
  const name = recording.name === tx.hash ? null : recording.name;
  return { texts: [...known.values()], all: true, addresses: [...emitters], leftOut, recording: name };
}

function rankOf({ intentKinds }: Rulebook): string {
  if (intentKinds.has(BEFORE)) return BEFORE;
  return [...intentKinds.values()].sort((a, b) => a.rank - b.rank).at(-1)!.kind;
}

/** One guess per event. */
function guessAll({ texts, all }: Events, rulebook: Rulebook, own: boolean) {
  const guesses: Guess[] = [];
  const leftOut: string[] = [];
  for (const text of texts) {
    const guess = guessMeaning(text, rulebook, own);
    const known = knownTo(guess, rulebook);
    if (known !== null) leftOut.push(`${guess.text}, known${known}`);
    else if (!all && guess.isOwn && guess.amount === null) leftOut.push(`${guess.text}: it states no amount`);
    else guesses.push(guess);
  }
  if (guesses.length === 0) throw new CliError(['nothing to draft', ...leftOut].join('\n'));
  return { guesses, leftOut };
}

/** ` to <shapes>`, empty for the events of token standards; null for an event that the rules do not know. */
function knownTo({ signature }: Guess, { events }: Rulebook): string | null {
  const { id, topicCount, canonical } = signature;
  const shapes = events.get(eventKey(id, topicCount))?.mappings.map(({ shape }) => shape) ?? [];
  if (shapes.length > 0) return ` to ${[...new Set(shapes)].join(', ')}`;
  return /^(Transfer|Approval|ApprovalForAll)\(/.test(canonical) ? '' : null;
}

/** Prints the files of a draft or, with `dir`, writes those that do not exist. */
export function emitFiles(files: ReadonlyMap<string, string>, dir: string | undefined, io: CliIo): void {
  if (dir === undefined) {
    for (const [path, text] of files) io.out(`# ${path}\n${text}`);
    return;
  }
  const taken = [...files.keys()].filter((path) => existsSync(join(dir, path)));
  for (const [path, text] of files) {
    if (taken.includes(path)) continue;
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
    io.out(`wrote ${join(dir, path)}`);
  }
  for (const path of taken)
    io.out(`${join(dir, path)} exists and is left alone; it needs\n${files.get(path)!}`);
  io.out(
    `next: RULES_DIR=${dir} txreport rules lint, then test; known kinds are shown by the rules in force`,
  );
}
