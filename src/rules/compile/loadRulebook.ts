import type { CompiledRules, Rulebook } from '../../model/rulebook.ts';
import { checkExamples, checkFactExamples } from '../lint/checkExamples.ts';
import { checkLifecycle, checkRules } from '../lint/checkRules.ts';
import { compileEntities } from './compileEntities.ts';
import { compileLexicon, compileVocabulary, type Vocabulary } from './compileVocabulary.ts';
import { compileFindings } from './compileFindings.ts';
import { compileIntents } from './compileIntents.ts';
import { compilePricing } from './compilePricing.ts';
import { compileProtocols } from './compileProtocols.ts';
import { compileShapes } from './compileShapes.ts';
import { compileTables, readIndexes } from './compileTables.ts';
import { digestFiles } from './digest.ts';
import { expandItems } from './expandItems.ts';
import { indexFacts, type FactVocabulary } from './facts.ts';
import type { FactIndex } from '../../model/intent.ts';
import { checkPlaceholders } from '../lint/checkPlaceholders.ts';
import {
  checkBlocks,
  checkIndexed,
  checkKnownNames,
  checkLegs,
  checkProtocolAddresses,
  checkRanks,
  checkTests,
  checkUsedWords,
} from '../lint/checkSilent.ts';
import { checkSources } from '../lint/checkSources.ts';
import { checkWeak } from '../lint/checkWeak.ts';
import { checkWords } from '../lint/checkWords.ts';
import { RulebookError, sortProblems, WARNINGS, type Problem, type ProblemCode } from '../read/problems.ts';
import { namesOf, type FindSignature } from '../exampleNames.ts';
import type {
  RawEntityFile,
  RawExamples,
  RawFinding,
  RawHead,
  RawIntent,
  RawProtocol,
  RawShape,
  RawVocabulary,
} from '../../model/generated/rules.ts';
import { readRuleFiles, type EditedTexts, type FileKind, type RuleFile } from '../read/readRuleFiles.ts';
import { prepare } from '../prepare.ts';
import { ProblemSink, Spot, applyOverlays, knownSlugs, readItems, type RuleItem } from './ruleItem.ts';

/** Version of the rule language this loader reads. */
const ENGINE = 1;

export interface LoadOptions {
  /** Facts that rules may use. Without them fact names and values are not checked: for tests only. */
  readonly facts?: FactVocabulary;
  /** Texts in place of files, or as further files of the directories. */
  readonly edits?: EditedTexts | undefined;
  /** Read the files of examples: all, or of one slug. Of others, conditions and examples are not checked. */
  readonly examples?: boolean | string | undefined;
  /** Seconds since 1970: for authors, with checks that mean nothing to a running service. */
  readonly now?: number;
}

/** A ruleset for tools: the compiled book, its source items and all problems. */
export interface Ruleset {
  readonly version: string;
  /** Of all files; reports name it. */
  readonly digest: () => string;
  /** Null when there are problems. Made when first asked for. */
  readonly rulebook: Rulebook | null;
  readonly problems: readonly Problem[];
  /** Sound places that an author should look at again. */
  readonly warnings: readonly Problem[];
  readonly files: readonly RuleFile[];
  /** Items in force by kind, sorted by slug. */
  readonly shapes: readonly RuleItem<RawShape>[];
  readonly protocols: readonly RuleItem<RawProtocol>[];
  readonly entities: readonly RuleItem<RawEntityFile>[];
  readonly intents: readonly RuleItem<RawIntent>[];
  readonly findings: readonly RuleItem<RawFinding>[];
  /** Files of examples, where they were asked for. */
  readonly examples: readonly RuleItem<RawExamples>[];
  /** Signatures by the names that examples of a shape (null: of an intent) use. */
  readonly signatureNames: (shape: string | null) => FindSignature;
  readonly facts: FactIndex | null;
  readonly words: Vocabulary;
  /** Named lists of words. */
  readonly lists: ReadonlyMap<string, readonly (string | number)[]>;
}

interface RawRuleset {
  readonly name: string;
  readonly version: string;
  readonly engine: number;
}

/**
 * Loads, checks and compiles the rules of the base directory and its overlays into one book.
 * Throws `RulebookError` with every problem found; nothing is ever loaded in part.
 */
export function loadRulebook(dirs: readonly string[], options: LoadOptions = {}): Rulebook {
  const { rulebook, problems } = readRuleset(dirs, options);
  if (rulebook === null) throw new RulebookError(problems);
  return rulebook;
}

/** As `loadRulebook`, but hands problems back instead of throwing, together with the source items. */
export function readRuleset(dirs: readonly string[], options: LoadOptions = {}): Ruleset {
  const { files, tables, problems } = readRuleFiles(dirs, {
    edits: options.edits,
    examples: options.examples,
    recordings: options.now !== undefined,
  });
  const sink = new ProblemSink();
  const items = expandItems(readItems(files, sink));
  const version = readVersion(items, files, dirs, sink);
  const words = compileVocabulary(items);
  const facts = options.facts ? indexFacts(options.facts, words.motifKinds.keys()) : null;

  const inForce = <T extends { readonly slug: string }>(kind: FileKind): RuleItem<T>[] => {
    const list = applyOverlays<T>(items, kind);
    checkLifecycle(list as readonly RuleItem[] as readonly RuleItem<RawHead>[], knownSlugs(files, kind));
    return list;
  };
  const shapes = inForce<RawShape>('shape');
  const protocols = inForce<RawProtocol>('protocol');
  const entities = inForce<RawEntityFile>('entity');
  const intents = inForce<RawIntent>('intent');
  const findings = inForce<RawFinding>('finding');
  const knownShapes = knownSlugs(files, 'shape');
  const spoken = compileProtocols(protocols, shapes, {
    knownShapes,
    motifKinds: words.motifKinds,
    indexes: readIndexes(tables, sink),
  });
  const { events, calls } = compileShapes(shapes, spoken.protocolsByShape, words);
  const home = items.find((i) => i.file.kind === 'ruleset') ?? null;
  const known = compileEntities(entities, home);
  const pricing = compilePricing(entities, spoken.protocols);
  const placed = compileIntents(intents, words, facts);
  const signatureNames = namesOf(shapes);
  const findingRules = compileFindings(findings, words, signatureNames(null));
  const examples = items.filter((i) => i.file.kind === 'example') as RuleItem<RawExamples>[];
  const tested = typeof options.examples === 'string' ? options.examples : null;
  const isTested = ({ value: { slug } }: RuleItem<{ readonly slug: string }>): boolean =>
    slug === (tested ?? slug);
  const rules = placed.filter(({ item }) => isTested(item));
  const own = { shapes: shapes.filter(isTested), intents: intents.filter(isTested) };
  checkExamples({ ...own, examples, signatureNames, words }, knownShapes);
  checkSources(shapes);
  checkLegs(shapes, words, options.now !== undefined);
  checkProtocolAddresses(protocols, known.knownTokens);
  if (options.now !== undefined) {
    checkBlocks(protocols, entities, options.now);
    checkUsedWords(items);
  }
  if (facts) {
    checkTests(rules, facts);
    checkWords({ shapes, protocols, entities, intents, words, facts }, own.intents);
    checkRules(placed, { words, facts });
    checkPlaceholders(shapes, own.intents, { words, tables });
    if (sink.problems.length === 0) checkFactExamples(rules, { words, facts });
  }

  const contracts = [...spoken.protocols, ...known.entities.values()];
  const texts = compileTables(tables, sink, new Set(contracts.map(({ slug }) => slug)));
  if (options.now !== undefined) {
    checkIndexed(shapes, texts.signatures.events);
    checkKnownNames(protocols, { ...known, ...texts });
    checkRanks(placed, words);
    checkWeak({ shapes, protocols, intents, words });
  }
  const lexicon = compileLexicon(items, words);

  const found = sortProblems([...problems, ...sink.problems]);
  const warnings = found.filter(({ code }) => WARNINGS.has(code));
  const faults = found.filter(({ code }) => !WARNINGS.has(code));
  const all = withoutBase(causesOf(faults, files), dirs);
  const digest = (): string => digestFiles(files, tables);
  const lists = new Map(
    items.flatMap((i) =>
      i.file.kind === 'vocabulary' ? Object.entries((i.value as RawVocabulary).lists ?? {}) : [],
    ),
  );
  let made: Rulebook | null = null;
  const compiledRules = (): CompiledRules => ({
    version,
    digest: digest(),
    events,
    calls,
    protocols: new Map(spoken.protocols.map((p) => [p.slug, p] as const)),
    protocolAt: new Map(
      spoken.protocols.flatMap(({ slug, addresses }) => [...addresses].map((a) => [a, slug] as const)),
    ),
    ...known,
    multicall: known.multicall!,
    pricing,
    unlimited: words.unlimited,
    motifKinds: words.motifKinds,
    intentKinds: words.intentKinds,
    intents: placed.map(({ rule }) => rule),
    findings: findingRules,
    ...texts,
    lexicon,
  });
  return {
    version,
    words,
    lists,
    digest,
    problems: all,
    warnings,
    files,
    shapes,
    protocols,
    entities,
    intents,
    findings,
    examples,
    signatureNames,
    facts,
    get rulebook(): Rulebook | null {
      return all.length > 0 ? null : (made ??= prepare(compiledRules()));
    },
  };
}

const OF_DIRECTORIES: ReadonlySet<ProblemCode> = new Set([
  'missing_directory',
  'too_many_files',
  'bad_archive',
]);

/** Of an overlay read by itself only that: everything else would follow from it. */
function withoutBase(problems: readonly Problem[], dirs: readonly string[]): readonly Problem[] {
  const missing = problems.filter(({ code }) => code === 'missing_file');
  if (missing.length < 3) return problems;
  const message =
    `${dirs[0] ?? 'this'} is an overlay, and its base is missing: ` +
    `set RULES_DIR=${dirs[0] ?? ''}, or name the base directory before it`;
  return [...problems.filter(({ code }) => OF_DIRECTORIES.has(code)), { ...missing[0]!, message }];
}

/** Problems that a word missing from the vocabulary brings about everywhere else. */
const CONSEQUENCES: ReadonlySet<ProblemCode> = new Set([
  'unknown_motif_kind',
  'unknown_intent_kind',
  'unknown_role',
  'unknown_fact',
  'unknown_list',
  'unspoken_kind',
  'unranked_intent',
  'unused_word',
]);

/** Without the problems that may only follow from one in the vocabulary. */
function causesOf(problems: readonly Problem[], files: readonly RuleFile[]): readonly Problem[] {
  const vocabularies = new Set(files.filter((f) => f.kind === 'vocabulary').map((f) => f.shownPath));
  const broken = problems.some((p) => vocabularies.has(p.file) && !CONSEQUENCES.has(p.code));
  return broken ? problems.filter((p) => vocabularies.has(p.file) || !CONSEQUENCES.has(p.code)) : problems;
}

/** Version of the base ruleset, with those of the overlays as SemVer build metadata: `1.2.0+acme.0.3.0`. */
function readVersion(
  items: readonly RuleItem[],
  files: readonly RuleFile[],
  dirs: readonly string[],
  sink: ProblemSink,
): string {
  for (const kind of ['ruleset', 'vocabulary', 'precedence'] as const) {
    if (files.some((f) => f.kind === kind && f.layer === 0)) continue;
    sink.report({
      file: `${dirs[0] ?? '(no directory)'}/${kind}.yaml`,
      line: 1,
      column: 1,
      code: 'missing_file',
      message: `the base ruleset needs ${kind}.yaml`,
    });
  }
  const rulesets = items.filter((i) => i.file.kind === 'ruleset') as RuleItem<RawRuleset>[];
  for (const item of rulesets) {
    if (item.value.engine !== ENGINE)
      new Spot(item, ['engine']).report(
        'unsupported_engine',
        `${item.value.engine}; this is engine ${ENGINE}`,
      );
  }
  const [base, ...overlays] = rulesets;
  const build = overlays.map((o) => `${o.value.name}.${o.value.version}`).join('.');
  return `${base?.value.version ?? '0.0.0'}${build && `+${build}`}`;
}
