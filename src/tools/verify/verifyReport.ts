import type { TxReport } from '../../model/generated/report.ts';
import { checkAllowances } from './checkAllowances.ts';
import { checkAttribution, checkLabelAmounts, checkVerdict } from './checkVerdict.ts';
import { checkClaims } from './checkClaims.ts';
import { checkReasons } from './checkReasons.ts';
import { checkRules } from './checkRules.ts';
import type { RuleFacts } from './ruleFacts.ts';
import { checkEconomics, checkSales } from './checkEconomics.ts';
import { checkAddresses, checkEvidence, checkLists } from './checkEvidence.ts';
import { checkCalls, checkIdentity } from './checkIdentity.ts';
import { checkMoney } from './checkMoney.ts';
import { checkMotifs } from './checkMotifs.ts';
import { checkOpenWords, checkTokens, checkWords } from './checkOpenWords.ts';
import { checkDeltas, checkMovements } from './checkMovements.ts';
import type { Finding, Report } from './finding.ts';
import { checkPrices, type PriceCheck } from './checkPrices.ts';
import type { ReadContract } from './fetchRawAnswers.ts';
import { readRawChain, type RawAnswers, type RawChain } from './rawChain.ts';

type Check = (report: TxReport, chain: RawChain, find: Report) => void;

/** The checks that share no code with the analysis, under the names under which they are listed as done. */
const INDEPENDENT: readonly (readonly [name: string, check: Check])[] = [
  ['identity, time and gas', checkIdentity],
  ['called functions and failed calls', checkCalls],
  ['evidence', checkEvidence],
  ['addresses', checkAddresses],
  ['movements', checkMovements],
  ['balance changes', checkDeltas],
  ['motifs and positions', checkMotifs],
  ['claims', checkClaims],
  ['allowances', checkAllowances],
  ['attribution', checkAttribution],
  ['money against the stated prices', (report, _chain, find) => checkMoney(report, find)],
  ['NFT sales', (report, _chain, find) => checkSales(report, find)],
  ['profit, counts and warnings', checkEconomics],
  ['assets and amounts in every place', (report, _chain, find) => checkWords(report, find)],
  ['reasons and parts left out', checkReasons],
  ['open words, roles and marks', checkOpenWords],
  ['lists', (report, _chain, find) => checkLists(report, find)],
  ['agreement of the parts', (report, _chain, find) => checkVerdict(report, find)],
];

/**
 * `fails`: a checked statement is wrong. `not verified`: the report was not compared with an analysis made
 * anew, and that was not accepted. `holds in part`: it was, and the checks listed hold.
 */
export type Verdict = 'holds' | 'holds in part' | 'not verified' | 'fails';

/** The checks `verify` ran on a report, and their findings. */
export interface Verification {
  readonly verdict: Verdict;
  readonly findings: readonly Finding[];
  readonly checked: readonly string[];
  readonly notChecked: readonly { readonly what: string; readonly why: string }[];
}

/** A report made anew of the same transaction, or why there is none. */
export type Anew = { readonly report: TxReport } | { readonly missing: string };

/**
 * Holds a report against the node's raw answers with checks that share no code with the analysis. Returns
 * the failures. The report must be valid against its published schema.
 */
export function verifyReport(report: TxReport, answers: RawAnswers, rules: RuleFacts | null = null) {
  const chain = readRawChain(answers);
  const findings: Finding[] = [];
  const find: Report = (check, at, message) => void findings.push({ check, at, message });
  for (const [, check] of INDEPENDENT) check(report, chain, find);
  checkLabelAmounts(report, rules, find);
  if (rules) checkRules(report, rules, find);
  return findings;
}

export interface VerifyInput {
  readonly answers: RawAnswers;
  readonly anew: Anew;
  /** The rule files that made the report; null where others are at hand. */
  readonly rules?: RuleFacts | null;
  /** A report that was not compared with an analysis made anew holds in part. */
  readonly acceptPart?: boolean;
  /** Reads a contract at the block of the transaction; without it tokens and feeds are not asked. */
  readonly read?: ReadContract;
  /** Read the sources of prices again as well. */
  readonly prices?: Omit<PriceCheck, 'read'> | null;
}

/** The comparison with an analysis made anew, and the independent checks; names the parts left unchecked. */
export async function verifyTwice(report: TxReport, input: VerifyInput): Promise<Verification> {
  const { answers, anew, read, prices, acceptPart, rules } = input;
  const findings: Finding[] = [];
  const find: Report = (check, at, message) => void findings.push({ check, at, message });
  const comparison =
    'report' in anew ? compareAnew(report, anew.report) : { findings: [], notCompared: anew.missing };
  const notChecked = [...missingAnswers(readRawChain(answers))];
  const checked = INDEPENDENT.map(([name]) => name);
  if (comparison.notCompared === null) checked.unshift('every word against a new analysis');
  else {
    notChecked.push({ what: WORDS_OF_THE_ANALYSIS, why: `not analysed anew: ${comparison.notCompared}` });
  }
  if (rules) checked.push('rule, category, tags, kinds, roles and protocols against the rule files');
  else notChecked.push({ what: 'words against the rule files', why: 'another ruleset made the report' });
  if (read) {
    await checkTokens(report, read, find);
    checked.push('symbols, names and decimals at the tokens');
  }
  const priced = (report.economics.valuation.prices ?? []).length > 0;
  if (read && prices) {
    notChecked.push(...(await checkPrices(report, { ...prices, read }, find)));
    checked.push('prices at their sources');
  } else if (priced) {
    notChecked.push({ what: 'prices against their sources', why: 'give --prices to read them again' });
  }
  const all = [...comparison.findings, ...verifyReport(report, answers, rules), ...findings];
  const verdict = verdictOf(all, comparison.notCompared === null, acceptPart);
  return { verdict, findings: all, checked, notChecked };
}

function verdictOf(findings: readonly Finding[], compared: boolean, acceptPart = false): Verdict {
  if (findings.length > 0) return 'fails';
  if (compared) return 'holds';
  return acceptPart ? 'holds in part' : 'not verified';
}

/** Parts covered only by the comparison with an analysis made anew. */
const WORDS_OF_THE_ANALYSIS = 'labels, names, symbols, protocols, confidence and the choice of the rule';

function* missingAnswers(chain: RawChain): Generator<Verification['notChecked'][number]> {
  if (chain.frames.size === 0) yield { what: 'native movements and frames', why: 'the node offers no trace' };
  if (chain.prestateDiff === null) {
    yield { what: 'balances against the state difference', why: 'the node offers no prestateTracer' };
  }
}

/** Result of comparing a report with one made anew from the node's answers. */
export interface Comparison {
  readonly findings: readonly Finding[];
  /** Why the reports could not be compared; null when they were. */
  readonly notCompared: string | null;
}

/** Trace APIs that this engine speaks: reports made by them differ in places only. */
const DIALECTS: ReadonlySet<string> = new Set(['call_tracer', 'parity']);

/** Most differences listed for one report: one wrong word can shift everything behind it. */
const MOST_DIFFERENCES = 50;

/**
 * Compares a report with a new one of the same transaction, word for word, where engine and ruleset are
 * the same. Between trace dialects `engine.trace_dialect` and the `frame_path` of log evidence may differ.
 */
export function compareAnew(claimed: TxReport, anew: TxReport): Comparison {
  // A report without its engine is compared: the missing key is a difference.
  const engine = claimed.engine ?? anew.engine;
  for (const key of ['version', 'ruleset_digest'] as const) {
    const [made, here] = [engine?.[key], anew.engine?.[key]];
    if (made !== here) return { findings: [], notCompared: `made with ${key} ${made}, here it is ${here}` };
  }
  const [own, other] = [claimed, anew].map((report) => report.engine?.trace_dialect ?? '');
  const acrossDialects = DIALECTS.has(own!) && own !== other;
  const [left, right] = [claimed, anew].map((report) => comparable(report, acrossDialects));
  const findings: Finding[] = [];
  differences(left, right, '', findings);
  if (findings.length === 0 && JSON.stringify(left) !== JSON.stringify(right))
    findings.push({ check: 'anew', at: '', message: 'the keys are in another order' });
  return { findings, notCompared: null };
}

/** A copy without the parts in which two dialects may differ. */
function comparable(report: TxReport, acrossDialects: boolean): unknown {
  if (!acrossDialects) return report;
  // By its place: a key of that name anywhere else is a difference.
  const { trace_dialect: _, ...engine } = report.engine ?? {};
  const text = JSON.stringify({ ...report, ...(report.engine ? { engine } : {}) });
  return JSON.parse(text, (_key, value: unknown) => {
    const isOfLog = isHolder(value) && 'frame_path' in value && (value['log_index'] ?? null) !== null;
    return isOfLog ? { ...value, frame_path: null } : value;
  });
}

const isHolder = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object';

/** Lists the JSON pointers (RFC 6901) at which two values differ, parents before children. */
function differences(left: unknown, right: unknown, at: string, found: Finding[]): void {
  if (found.length >= MOST_DIFFERENCES) return;
  if (isHolder(left) && isHolder(right) && Array.isArray(left) === Array.isArray(right)) {
    for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
      differences(left[key], right[key], `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, found);
    }
    return;
  }
  if (Object.is(left, right)) return;
  found.push({ check: 'anew', at, message: `reads ${shown(left)}, analysed anew it is ${shown(right)}` });
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
