import { judge, type Read } from '../analyze.ts';
import { fetchContext } from '../stages/1-fetch/context/fetchContext.ts';
import { fetchTransaction } from '../stages/1-fetch/fetchTransaction.ts';
import { LargeAnswer } from '../stages/1-fetch/rpc/rpcEndpoint.ts';
import type { Session } from '../stages/1-fetch/rpc/session.ts';
import { planContext } from '../stages/1-fetch/context/planContext.ts';
import type { PriceSourceName } from '../stages/1-fetch/prices/priceSources.ts';
import type { Upstream } from '../stages/1-fetch/rpc/upstream.ts';
import { buildReport } from '../stages/9-report/buildReport.ts';
import { createReportValidator } from '../stages/9-report/reportValidator.ts';
import { canonicalize } from '../stages/2-canonical/canonicalize.ts';
import { readBlockHeader } from '../evm/blockHeader.ts';
import { SHIPPED_RULES } from '../rules/read/listFiles.ts';
import { cachedRulebook } from './cache/rulebookCache.ts';
import { createLargeAnalyses, type LargeAnalyses } from './workers/largeAnalyses.ts';
import type { Config } from './config.ts';
import type { CreateAnalyze } from './server.ts';
import type { Log } from '../lib/log.ts';
import type { Analyze, AnalyzeOptions } from './http/analyze.ts';
import type { Hash } from '../model/hex.ts';
import type { CanonicalTx } from '../model/canonicalTx.ts';
import type { ReportJson } from '../lib/reportJson.ts';
import type { TxReport } from '../model/generated/report.ts';
import type { Rulebook } from '../model/rulebook.ts';
import type { RawContext, RawTransaction } from '../model/upstream.ts';

export interface AnalyzerDeps {
  readonly upstream: Upstream;
  /** The rulebook in force, asked once per analysis. */
  readonly rulebook: () => Rulebook;
  readonly validate: (report: TxReport) => void;
  readonly maxTokens: number;
  /** Price sources to ask; left out or null: the standard ones. */
  readonly priceSources?: readonly PriceSourceName[] | null;
  /** Services asked for names of accounts; left out or null: none. */
  readonly names?: readonly 'ens'[] | null;
  /** Analyses transactions with large answers; default: they are analysed here and everything else waits. */
  readonly large?: LargeAnalyses;
  /** Makes the JSON of a report; default: one text, by `JSON.stringify`. */
  readonly serialise?: (report: TxReport) => ReportJson;
}

/** Called after each stage; `elsewhere`: milliseconds of it that passed inside another stage. */
type Stage = (name: string, elsewhere?: number) => void;

/** Two or three round trips to the node, the pure pipeline, the schema check. */
export function createAnalyze(deps: AnalyzerDeps): Analyze {
  const { upstream, validate, large, serialise = JSON.stringify } = deps;

  /** Runs every stage. The memory of everything but the report is free once it returns. */
  async function reportOf(hash: Hash, options: AnalyzeOptions, stage: Stage): Promise<TxReport> {
    const rulebook = deps.rulebook();
    const found = await fetchAndRead(hash, rulebook, options, stage);
    const report = buildReport(await judge(found, found.context, rulebook, stage));
    stage('report');
    return report;
  }

  /** Stages 1 and 2. Releases the node's raw answers on return: most of the memory of a large transaction. */
  async function fetchAndRead(hash: Hash, rulebook: Rulebook, options: AnalyzeOptions, stage: Stage) {
    const session = upstream.open({ ...options, subject: hash, largeBytes: large?.largeBytes });
    const { header, tx, context, reading } = await fetchAnswers(session, hash, { ...deps, rulebook });
    stage('fetch', -reading);
    stage('canonical', reading);
    return { header, tx, context };
  }

  return async (hash, options) => {
    let last = performance.now();
    const stage: Stage = (name, elsewhere = 0) => {
      const now = performance.now();
      options.onStage?.(name, now - last + elsewhere);
      last = now;
    };
    let report: TxReport;
    try {
      report = await reportOf(hash, options, stage);
    } catch (error) {
      if (large && error instanceof LargeAnswer) return large.run(hash, options);
      throw error;
    }
    validate(report);
    const json = serialise(report);
    stage('validate');
    return { json, intentKind: report.classification.intent_kind };
  };
}

type FetchSettings = Pick<AnalyzerDeps, 'upstream' | 'maxTokens' | 'priceSources' | 'names'> & {
  readonly rulebook: Rulebook;
};

/** Stages 1 and 2 with the node's raw answers; `reading`: milliseconds of stage 2. */
export async function fetchAnswers(session: Session, hash: Hash, settings: FetchSettings) {
  let tx!: CanonicalTx;
  let reading = 0;
  // Stage 2 before the second round trip: where it refuses a node's answers, another node is asked.
  const raw = await fetchTransaction(session, hash, (answers) => {
    const start = performance.now();
    tx = canonicalize(answers);
    reading = performance.now() - start;
  });
  return { raw, reading, ...(await fetchAround(session, raw, tx, settings)) };
}

/** Second round trip: the block, and the state and prices that the report needs. */
export async function fetchAround(
  session: Session,
  raw: RawTransaction,
  tx: CanonicalTx,
  settings: FetchSettings,
): Promise<Read & { context: RawContext }> {
  const { upstream, rulebook, maxTokens, priceSources, names } = settings;
  const plan = planContext(tx, raw, rulebook, maxTokens);
  // Loaded only where configured: normalising names takes large tables.
  const service = names && (await import('../stages/1-fetch/context/accountNames.ts'));
  const accountNames = service?.namesAround(tx, rulebook);
  const sources = { names: priceSources ?? null, priceApi: upstream.priceApi, accountNames };
  const context = await fetchContext(session, plan, sources);
  return { tx, header: readBlockHeader(context.block, tx), context };
}

/** Shared by every analysis of this configuration. */
export function analyzerDeps(config: Config, upstream: Upstream, rulebook: () => Rulebook): AnalyzerDeps {
  return { ...config, upstream, rulebook, validate: createReportValidator() };
}

/** The service's analysis: rules (watched if configured), schemas, processes for large transactions. */
export async function createServiceAnalyze(deps: Parameters<CreateAnalyze>[0]): Promise<Analyze> {
  const { upstream, config, log } = deps;
  const { rulesDirs: overlays } = config;
  const rules = await rulesInForce(overlays);
  const named = await naming(config.addressBook);
  let rulebook = named(rules);
  const { version: ruleset, digest } = rulebook;
  log.info({ ruleset, digest, ...(await overlayFiles(overlays, log)) }, 'rules loaded');
  const use = (next: Rulebook): unknown => (rulebook = named(next));
  const watch = config.rulesReload
    ? await (await import('./workers/watchRules.ts')).watchRules({ overlays, digest: rules.digest, log, use })
    : null;
  const large = createLargeAnalyses(config, () => rulebook);
  const analyze = createAnalyze({ ...analyzerDeps(config, upstream, () => rulebook), large });
  return Object.assign(analyze, { close: async () => void (await watch?.close(), await large.close()) });
}

/** How many files each entry of RULES_DIR has; one without any is most likely a mistake. */
async function overlayFiles(overlays: readonly string[], log: Log): Promise<{ overlay_files?: number[] }> {
  if (overlays.length === 0) return {};
  const { readRuleFiles } = await import('../rules/read/readRuleFiles.ts');
  const { files, tables } = readRuleFiles(overlays);
  const counts = overlays.map((_, i) => [...files, ...tables].filter(({ layer }) => layer === i).length);
  for (const [i, count] of counts.entries())
    if (count === 0) log.warn({ entry: i + 1 }, 'an entry of RULES_DIR holds no rules: 0 files');
  return { overlay_files: counts };
}

/** The shipped rules with overlays. The compiler is loaded only where the build has not compiled them. */
async function rulesInForce(overlays: readonly string[]): Promise<Rulebook> {
  const cached = overlays.length === 0 ? cachedRulebook(SHIPPED_RULES) : null;
  return cached ?? (await import('./loadRules.ts')).loadRules(overlays);
}

/** The configured rules with their address book. Throws `RulebookError` for rules that do not compile. */
export async function configuredRules(config: Pick<Config, 'rulesDirs' | 'addressBook'>): Promise<Rulebook> {
  const named = await naming(config.addressBook);
  return named(await rulesInForce(config.rulesDirs));
}

/** Replaces the shipped names of addresses by those of a file, where one is configured. */
async function naming(file: string | null): Promise<(rules: Rulebook) => Rulebook> {
  if (file === null) return (rules) => rules;
  const { withAddressBook } = await import('../rules/compile/compileTables.ts');
  return (rules) => withAddressBook(rules, file);
}
