import { AnalysisError } from '../../lib/errors.ts';
import type { TxReport } from '../../model/generated/report.ts';
import type { Engine } from '../openEngine.ts';
import { contractReader, fetchRawAnswers } from '../verify/fetchRawAnswers.ts';
import { readPriceRules, readRuleFacts, type RuleFacts } from '../verify/ruleFacts.ts';
import { verifyTwice, type Anew, type Verification } from '../verify/verifyReport.ts';
import { rulesetDirs } from './rules/rulesets.ts';

export interface VerifierOptions {
  /** Read the sources of prices again as well. */
  readonly prices?: boolean;
  /** A report of another engine or ruleset holds in part. */
  readonly acceptOtherRuleset?: boolean;
}

/** Verifies valid reports against a node; without an analyzer only by the independent checks. */
export async function openVerifier(
  rpcUrl: string,
  analyzer: Engine | null,
  { prices = false, acceptOtherRuleset = false }: VerifierOptions,
): Promise<(report: TxReport) => Promise<Verification>> {
  const dirs = rulesetDirs();
  const url = process.env['PRICE_API_URL'] ?? 'none';
  const priceApiUrl = url === 'none' || url === '' ? null : url;
  const sources = prices ? { rules: readPriceRules(dirs), priceApiUrl } : null;
  const rules = readRuleFacts(dirs);
  const acceptPart = acceptOtherRuleset || analyzer === null;
  return async (report) => {
    const answers = await fetchRawAnswers(rpcUrl, report.tx.hash);
    const anew = await analyzeAnew(report.tx.hash, analyzer);
    const read = contractReader(rpcUrl, report.tx.block_number);
    const own = isOwn(report, anew, rules) ? rules : null;
    return verifyTwice(report, { answers, anew, rules: own, acceptPart, read, prices: sources });
  };
}

/** Whether the rule files at hand made the report: by digest, or without an analysis by version. */
function isOwn(report: TxReport, anew: Anew, rules: RuleFacts): boolean {
  if ('report' in anew && report.engine)
    return report.engine.ruleset_digest === anew.report.engine?.ruleset_digest;
  return report.engine === undefined || report.engine.ruleset_version === rules.version;
}

async function analyzeAnew(hash: string, analyzer: Engine | null): Promise<Anew> {
  if (analyzer === null) return { missing: '--no-anew' };
  try {
    return { report: JSON.parse(await analyzer.analyze(hash)) as TxReport };
  } catch (error) {
    if (error instanceof AnalysisError) return { missing: `the analysis failed: ${error.message}` };
    throw error;
  }
}
