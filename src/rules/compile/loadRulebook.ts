import { lazy } from '../../lib/lazy.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import { checkExamples, checkFactExamples } from '../lint/checkExamples.ts';
import { checkLifecycle, checkRules } from '../lint/checkRules.ts';
import { compileEntities } from './compileEntities.ts';
import { compileLexicon } from './compileLexicon.ts';
import { compileVocabulary, type Vocabulary } from './compileVocabulary.ts';
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
import { checkOverlays, checkSilent } from '../lint/checkSilent.ts';
import { checkSources } from '../lint/checkSources.ts';
import { checkWords } from '../lint/checkWords.ts';
import { isWarning, RulebookError, sortProblems, type Problem, type ProblemCode } from '../read/problems.ts';
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
import {
  ProblemSink,
  Spot,
  applyOverlays,
  knownSlugs,
  ofKind,
  readItems,
  type RuleItem,
} from './ruleItem.ts';

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
export interface Ruleset extends ReturnType<typeof rulesInForce> {
  readonly version: string;
  /** Of all files; reports name it. */
  readonly digest: () => string;
  /** Null when there are problems. Made when first asked for. */
  readonly rulebook: Rulebook | null;
  readonly problems: readonly Problem[];
  /** Sound places that an author should look at again. */
  readonly warnings: readonly Problem[];
  readonly files: readonly RuleFile[];
  /** Files of examples, where they were asked for. */
  readonly examples: readonly RuleItem<RawExamples>[];
  /** Signatures by the names that examples of a shape (null: of an intent) use. */
  readonly signatureNames: (shape: string | null) => FindSignature;
  readonly facts: FactIndex | null;
  readonly words: Vocabulary;
  /** Named lists of words. */
  readonly lists: ReadonlyMap<string, readonly (string | number)[]>;
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
  const { now, edits, examples: wanted } = options;
  const read = readRuleFiles(dirs, { edits, examples: wanted, recordings: now !== undefined });
  const { files, tables } = read;
  const sink = new ProblemSink();
  const items = expandItems(readItems(files, sink));
  const version = readVersion(items, files, dirs, sink);
  const words = compileVocabulary(items);
  const facts = options.facts ? indexFacts(options.facts, words.motifKinds.keys()) : null;
  const knownShapes = knownSlugs(files, 'shape');
  const rules = rulesInForce(items, files);
  const { shapes, protocols, entities, intents } = rules;

  const spoken = compileProtocols(protocols, shapes, {
    knownShapes,
    motifKinds: words.motifKinds,
    indexes: readIndexes(tables, sink),
  });
  const { events, calls } = compileShapes(shapes, spoken.protocolsByShape, words);
  const known = compileEntities(entities, items.find((i) => i.file.kind === 'ruleset') ?? null);
  const pricing = compilePricing(entities, spoken.protocols);
  const placed = compileIntents(intents, words, facts);
  const signatureNames = namesOf(shapes);
  const findings = compileFindings(rules.findings, words, signatureNames(null));
  const examples = ofKind<RawExamples>(items, 'example');

  const isTested = ({ value: { slug } }: RuleItem<{ readonly slug: string }>): boolean =>
    typeof wanted !== 'string' || slug === wanted;
  const own = { shapes: shapes.filter(isTested), intents: intents.filter(isTested) };
  checkExamples({ ...own, examples, signatureNames, words }, knownShapes);
  checkSources(shapes);
  checkSilent({ ...rules, words }, items, known.knownTokens, now);
  if (facts) {
    const tested = placed.filter(({ item }) => isTested(item));
    checkWords({ ...rules, words, facts }, own.intents);
    checkRules(placed, tested, { words, facts });
    checkPlaceholders(shapes, own.intents, { words, tables });
    if (sink.problems.length === 0) checkFactExamples(tested, { words, facts });
  }
  const contracts = [...spoken.protocols, ...known.entities.values()];
  const texts = compileTables(tables, sink, new Set(contracts.map(({ slug }) => slug)));
  if (now !== undefined) checkOverlays({ ...rules, words }, placed, { ...known, ...texts });
  const lexicon = compileLexicon(items, words);

  const found = sortProblems([...read.problems, ...sink.problems]);
  const faults = found.filter((one) => !isWarning(one));
  const problems = withoutBase(causesOf(faults, files), dirs);
  const digest = (): string => digestFiles(files, tables);
  const compiled = lazy(() =>
    prepare({
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
      findings,
      ...texts,
      lexicon,
    }),
  );
  return {
    ...rules,
    version,
    words,
    lists: new Map(
      ofKind<RawVocabulary>(items, 'vocabulary').flatMap(({ value }) => Object.entries(value.lists ?? {})),
    ),
    digest,
    problems,
    warnings: found.filter(isWarning),
    files,
    examples,
    signatureNames,
    facts,
    get rulebook(): Rulebook | null {
      return problems.length > 0 ? null : compiled();
    },
  };
}

/** The items that no overlay replaces, by kind, sorted by slug. */
function rulesInForce(items: readonly RuleItem[], files: readonly RuleFile[]) {
  const inForce = <T extends { readonly slug: string }>(kind: FileKind): readonly RuleItem<T>[] => {
    const list = applyOverlays<T>(items, kind);
    checkLifecycle(list as readonly RuleItem[] as readonly RuleItem<RawHead>[], knownSlugs(files, kind));
    return list;
  };
  return {
    shapes: inForce<RawShape>('shape'),
    protocols: inForce<RawProtocol>('protocol'),
    entities: inForce<RawEntityFile>('entity'),
    intents: inForce<RawIntent>('intent'),
    findings: inForce<RawFinding>('finding'),
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
  const rulesets = ofKind<{ name: string; version: string; engine: number }>(items, 'ruleset');
  for (const item of rulesets) {
    const { engine } = item.value;
    const message = `${engine}; this is engine ${ENGINE}`;
    if (engine !== ENGINE) new Spot(item, ['engine']).report('unsupported_engine', message);
  }
  const [base, ...overlays] = rulesets;
  const build = overlays.map((o) => `${o.value.name}.${o.value.version}`).join('.');
  return `${base?.value.version ?? '0.0.0'}${build && `+${build}`}`;
}
