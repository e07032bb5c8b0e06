import { existsSync, writeFileSync } from 'node:fs';
import { Document, isMap, isScalar, isSeq, visit } from 'yaml';
import { defaultFact, show } from '../../../rules/compile/facts.ts';
import { factsAbout } from '../../../stages/7-intent/intentInput.ts';
import { SubjectView } from '../../../stages/7-intent/facts/subjectView.ts';
import type { FactValue, FactDeclaration } from '../../../model/intent.ts';
import { CliError, type CliIo } from '../cliIo.ts';
import { formatRuleText } from './formatRules.ts';
import { examineTx, loadTx, type ExaminedTx } from './loadTx.ts';
import { openSoundRuleset, rulesetDirs, type SoundRuleset } from './rulesets.ts';
import type { ScaffoldOptions } from './scaffold/scaffold.ts';

export interface NewRuleOptions extends ScaffoldOptions {
  readonly tx?: string;
  readonly examples?: string;
  readonly slug?: string;
  readonly intent?: string;
  readonly out?: string;
  readonly dirs?: readonly string[];
  readonly recordings?: readonly string[];
}

/** Facts a first draft tests, where the transaction has them: the actor's acts, and where value went. */
const TELLING = [
  'actor.sides',
  'actor.sent.assets',
  'actor.received.assets',
  'actor.received.minted_erc20',
  'actor.sent.burnt',
  'actor.received.nfts',
  'actor.sent.nfts',
  'noneconomic.approvals',
  'noneconomic.zero_transfers',
  'tx.authorizations',
  'tx.contracts_created',
  'tx.outcome',
  'noneconomic.events',
];

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
  const { scaffoldEvents, scaffoldTx } = await import('./scaffold/scaffold.ts');
  if (options.tx === undefined) return scaffoldEvents(options, rulebook, io);
  const recording = await loadTx(options.tx, rulebook, options.recordings ?? []);
  const examined = await examineTx(recording, rulebook);
  if (options.dir !== undefined) return scaffoldTx(examined, options, rulebook, io);
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
