import { whyUnfilled } from '../../../lib/labelTemplate.ts';
import { checksumAddress } from '../../../evm/address.ts';
import type { Evidence } from '../../../model/canonicalTx.ts';
import type { Motif } from '../../../model/motif.ts';
import type { CaveatCode } from '../../../model/intent.ts';
import type { JoinReason } from '../../../model/primitive.ts';
import type { IntentRule, Rulebook } from '../../../model/rulebook.ts';
import { computeEconomics } from '../../../stages/8-economics/computeEconomics.ts';
import { writeCaveats } from '../../../stages/9-report/caveats.ts';
import { audited } from '../../../stages/9-report/contradictions.ts';
import { didYouMean } from '../../../rules/compile/didYouMean.ts';
import { show } from '../../../rules/compile/facts.ts';
import { CliError, type CliIo } from '../cliIo.ts';
import { conditionLines, fateOf, nearMisses, otherCandidates } from './fates.ts';
import { examineTx, loadTx, type ExaminedTx, type SubjectReading } from './loadTx.ts';
import { recordingPlaces } from './recordings.ts';
import { openSoundRuleset, rulesetDirs, type SoundRuleset } from './rulesets.ts';
import { unrecognised, unrecognisedLines, type Unrecognised } from './whyNot.ts';

export interface ExplainOptions {
  readonly rule?: string;
  readonly actor?: string;
  readonly dirs?: readonly string[];
  readonly recordings?: readonly string[];
  readonly full: boolean;
  readonly facts: boolean;
}

/** A rule with at most this many unmet tests, and twice as many met, counts as a near miss. */
const NEAR = 2;
/** Lines about unrecognised events and calls. */
const MOST_UNKNOWN = 40;

/** Prints how a transaction was classified and why: motifs, candidates, the winning rule, rules that lost. */
export async function explainTx(what: string, options: ExplainOptions, io: CliIo): Promise<void> {
  const dirs = rulesetDirs(options.dirs);
  const ruleset = openSoundRuleset(dirs);
  checkOptions(options, ruleset.rulebook);
  const recording = await loadTx(what, ruleset.rulebook, recordingPlaces(options.recordings, dirs));
  const examined = await examineTx(recording, ruleset.rulebook, options.actor?.toLowerCase());
  printTransaction(examined, unrecognised(examined, ruleset.rulebook, options.full), io);
  const page = { ruleset, options, io };
  printReading(examined, examined.reading, page);
  const others = otherCandidates(examined);
  if (options.full || options.rule !== undefined)
    for (const account of others) printReading(examined, await examined.readAs(account), page);
  else if (others.length > 0)
    io.out(`\n${others.length} more candidate(s): --full reads as each of them, --actor as any account`);
}

function checkOptions({ rule, actor }: ExplainOptions, { intents }: Rulebook): void {
  const slugs = intents.map(({ slug }) => slug);
  if (rule !== undefined && !slugs.includes(rule))
    throw new CliError(`there is no rule ${didYouMean(rule, slugs)}; --full lists every rule`);
  if (actor !== undefined && !/^0x[0-9a-fA-F]{40}$/.test(actor))
    throw new CliError(`${actor} is not an address`);
}

function printTransaction(
  { tx, recording, primitives, motifs, attribution }: ExaminedTx,
  unknown: readonly Unrecognised[],
  io: CliIo,
): void {
  const name = recording.name === tx.hash ? '' : ` (${recording.name})`;
  io.out(`transaction ${tx.hash}${name}, ${tx.dialect}, ${tx.frames.length} frames, ${tx.logs.length} logs`);
  io.out(`\n${primitives.length} primitives, ${motifs.length} motifs`);
  for (const motif of motifs) {
    io.out(`  ${motifLine(motif)}`);
    for (const { evidence, reason } of motif.others ?? [])
      io.out(`      also ${placeOf(evidence, tx)}: gave way, ${WHY_IT_GAVE_WAY[reason]}`);
    for (const i of motif.claims) if (!i.holds) io.out(`      ✗ ${i.name}`);
  }
  const lines = unrecognisedLines(unknown);
  for (const line of lines.slice(0, MOST_UNKNOWN)) io.out(line);
  if (lines.length > MOST_UNKNOWN)
    io.out(`  … and ${lines.length - MOST_UNKNOWN} more lines; --full prints all`);
  printAttribution(attribution, io);
}

function printAttribution(
  { actor, mode, submitterRole, candidates }: ExaminedTx['attribution'],
  io: CliIo,
): void {
  const elected = actor === null ? 'none' : checksumAddress(actor);
  io.out(`\nactor ${elected}, mode ${mode}, submitter ${submitterRole}`);
  for (const c of candidates) {
    const rejected = c.rejectedBecause === null ? '' : `; rejected: ${c.rejectedBecause}`;
    io.out(`  ${c.elected ? '✓' : '✗'} ${checksumAddress(c.account)} ${c.reasons.join(', ')}${rejected}`);
  }
}

/** Why one of two that want the same side of a movement is a trigger or a part of the other. */
const WHY_IT_GAVE_WAY: Readonly<Record<JoinReason, string>> = {
  whole: 'which has all of its movements or sums it up',
  carried: 'it only carried on what the other took in or paid out',
  exact: 'only the other states the exact amounts in an event',
  listed: 'only the contract of the other is listed',
  inner: 'the other is in an inner call',
  first: 'the other came first',
};

function placeOf({ log, frame, contract }: Evidence, { logs, frames }: ExaminedTx['tx']): string {
  const call = `call ${frames[frame ?? 0]?.path.join('.') || 'at the root'}`;
  return `${log === null ? call : `log ${logs[log]!.logIndex}`} of ${checksumAddress(contract)}`;
}

function motifLine(m: Motif): string {
  const legs = [
    ...m.assetsOut.map((a) => `sent ${a.role} ${a.asset}`),
    ...m.assetsIn.map((a) => `received ${a.role} ${a.asset}`),
  ];
  const head = [
    `m-${m.index} ${m.kind}`,
    m.protocol ? `${m.protocol.slug} (${m.protocol.matchedBy})` : 'no protocol',
    m.status,
    ...(m.parent === null ? [] : [`part of m-${m.parent}`]),
    ...(m.reason === undefined ? [] : [WHY_IT_GAVE_WAY[m.reason]]),
  ];
  const participants = m.participants.map((p) => `${p.role} ${checksumAddress(p.account)}`);
  return [head, participants, legs].flatMap((part) => part.join(', ') || []).join('; ');
}

interface Page {
  readonly ruleset: SoundRuleset;
  readonly options: ExplainOptions;
  readonly io: CliIo;
}

function printReading(examined: ExaminedTx, reading: SubjectReading, page: Page): void {
  const { options, io } = page;
  const { facts } = reading.explained;
  const report = asReported(examined, reading, page.ruleset.rulebook);
  const { verdict } = report;
  const elected = reading.account === examined.attribution.actor ? ' (elected)' : '';
  const rule = verdict.rule ? `${verdict.rule.slug} v${verdict.rule.version}` : 'fallback, no rule matched';
  io.out(`\n== as ${checksumAddress(reading.account)}${elected}`);
  io.out(`${verdict.kind}: ${verdict.label}   [${verdict.status}, ${verdict.confidence}; ${rule}]`);
  if (verdict.status === 'Suspected') io.out(whySuspected(report));
  for (const word of verdict.unfilled) io.out(`  label without {${word}}: ${whyUnfilled(word)}`);
  if (verdict.fragments.length > 0) io.out(`fragments: ${verdict.fragments.map((f) => f.kind).join(', ')}`);
  if (options.facts)
    for (const [name, value] of [...facts].sort(([a], [b]) => (a < b ? -1 : 1)))
      io.out(`  ${name} = ${show(value)}`);
  if (options.full || options.rule !== undefined) printAllOutcomes(reading, page);
  else printVerdictReasons(reading, page);
}

/** Caveats that limit a verdict's confidence, not its status. */
const LIMITS: ReadonlySet<CaveatCode> = new Set(['unknown_protocol', 'uncertain_motif', 'rule_limit']);

/** The verdict as the report has it: of the elected account also held against its positions and amounts. */
export function asReported(examined: ExaminedTx, { account, explained }: SubjectReading, rulebook: Rulebook) {
  const scene = { ...examined, verdict: explained.verdict, rulebook };
  if (account !== examined.subject.account) return scene;
  return audited({ ...scene, economics: computeEconomics(scene) });
}

/** One sentence: each doubt with its act and the claim of it that does not hold. */
export function whySuspected(report: Parameters<typeof writeCaveats>[0]): string {
  const doubts = writeCaveats(report).filter(({ code }) => !LIMITS.has(code));
  const reasons = doubts.map(({ text }) => text[0]!.toLowerCase() + text.slice(1).replace(/\.$/, ''));
  return `Suspected because ${[...new Set(reasons)].join(', and because ')}.`;
}

/** Every rule with every condition, or the one asked for. */
function printAllOutcomes(reading: SubjectReading, page: Page): void {
  const { options, io, ruleset } = page;
  const { outcomes, skipped } = reading.explained;
  const wanted = ruleset.rulebook.intents.find(({ slug }) => slug === options.rule);
  for (const rule of wanted ? [wanted] : outcomes.map((one) => one.rule)) printFate(rule, reading, page);
  if (options.full)
    io.out(`skipped, because motifs they require are missing: ${skipped.join(', ') || 'none'}`);
}

/** The winning rule, the matching rules it outranks, and near misses. */
function printVerdictReasons(reading: SubjectReading, page: Page): void {
  const { ruleset, io } = page;
  const { winner, outranked } = reading.explained;
  if (winner !== null) printFate(winner, reading, page);
  for (const loser of outranked) io.out(`lost: ${loser.slug}: ${whyLost(loser, winner!, ruleset)}`);
  for (const { slug, intent, unmet, met } of nearMisses(reading))
    if (unmet.length <= NEAR && met >= 2 * unmet.length)
      io.out(`near miss: ${slug} (${intent}): ${unmet.join('; ')}`);
}

/** A rule's fate, and its conditions where it was evaluated. */
function printFate(rule: IntentRule, reading: SubjectReading, { ruleset, io }: Page): void {
  const { fate, why, conditions } = fateOf(rule, reading);
  const words = {
    wins: () => 'wins',
    outranked: () => `loses: ${whyLost(rule, reading.explained.winner!, ruleset)}`,
    does_not_match: () => `does not match: ${why.join('; ')}`,
    skipped: () => `was skipped: ${why.join('; ')}`,
  }[fate]();
  io.out(`${rule.slug} v${rule.version} (${rule.intent}) ${words}`);
  for (const line of conditions ? conditionLines(conditions, '  ') : []) io.out(line);
}

/** Why one matching rule ranks behind another; the checks follow the order of the decision. */
function whyLost(loser: IntentRule, winner: IntentRule, { rulebook }: SoundRuleset): string {
  const rank = (rule: IntentRule): number => (rulebook.intentKinds.get(rule.intent)?.rank ?? -1) + 1;
  if (winner.supersedes.includes(loser.slug)) return `${winner.slug} supersedes it`;
  const behind = `${loser.intent} is no. ${rank(loser)} of the precedence list`;
  if (rank(loser) !== rank(winner)) return `${behind}, ${winner.intent} no. ${rank(winner)}`;
  if (loser.priority !== winner.priority)
    return `priority ${loser.priority} against ${winner.priority} of ${winner.slug}`;
  return `${winner.slug} asks for more facts, or comes first by name`;
}
