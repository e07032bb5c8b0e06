import { checksumAddress } from 'viem';
import type { IntentRule } from '../../../model/rulebook.ts';
import type { RuleOutcome } from '../../../stages/7-intent/engine.ts';
import { CliError, type CliIo } from './cliIo.ts';
import { blockers, conditionLines, countMet, show } from './conditionLines.ts';
import { examineTx, type ExaminedTx, type SubjectReading } from './examineTx.ts';
import { loadTx } from './loadTx.ts';
import { openSoundRuleset, rulesetDirs, type SoundRuleset } from './rulesets.ts';

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

/** Prints what a transaction was taken for and why: motifs, candidates, the winning rule, those that lost or nearly matched. */
export async function explainTx(what: string, options: ExplainOptions, io: CliIo): Promise<number> {
  const ruleset = openSoundRuleset(rulesetDirs(options.dirs ?? []), io);
  if (ruleset === null) return 1;
  if (options.rule !== undefined && !ruleset.rulebook.intents.some((r) => r.slug === options.rule))
    throw new CliError(`there is no rule ${options.rule}`);
  if (options.actor !== undefined && !/^0x[0-9a-fA-F]{40}$/.test(options.actor))
    throw new CliError(`${options.actor} is not an address`);
  const recording = await loadTx(what, ruleset.rulebook, options.recordings ?? []);
  const examined = await examineTx(recording, ruleset.rulebook, options.actor?.toLowerCase());
  printTransaction(examined, io);
  await printReading(examined, examined.subject, ruleset, options, io);
  const others = examined.attribution.candidates
    .map((c) => c.account)
    .filter((account) => account !== examined.subject.account);
  if (!options.full && options.rule === undefined) {
    if (others.length > 0)
      io.out(
        `\n${others.length} more candidate(s): --full reads the transaction as each of them, --actor as any account`,
      );
    return 0;
  }
  for (const account of others)
    await printReading(examined, await examined.readAs(account), ruleset, options, io);
  return 0;
}

const short = (address: string): string => checksumAddress(address as `0x${string}`);

function printTransaction(
  { tx, recording, primitives, motifs, attribution, input }: ExaminedTx,
  io: CliIo,
): void {
  io.out(
    `transaction ${tx.hash}${recording.name === tx.hash ? '' : ` (${recording.name})`}, ${tx.dialect}, ${tx.frames.length} frames, ${tx.logs.length} logs`,
  );
  io.out(`\n${primitives.length} primitives, ${motifs.length} motifs`);
  for (const m of motifs) {
    const protocol = m.protocol ? `${m.protocol.slug} (${m.protocol.matchedBy})` : 'no protocol';
    const roles = m.participants.map((p) => `${p.role} ${short(p.account)}`).join(', ');
    const legs = [
      ...m.assetsOut.map((a) => `sent ${a.role} ${a.asset}`),
      ...m.assetsIn.map((a) => `received ${a.role} ${a.asset}`),
    ].join(', ');
    io.out(
      `  m-${m.index} ${m.kind}, ${protocol}, ${m.status}${m.parent === null ? '' : `, part of m-${m.parent}`}${roles && `; ${roles}`}${legs && `; ${legs}`}`,
    );
    for (const i of m.invariants) if (!i.holds) io.out(`      ✗ ${i.name}`);
  }
  const told = new Set(
    [
      ...primitives.flatMap((p) => p.evidence),
      ...[...input.flow.movements, ...input.flow.nonEconomic]
        .filter((m) => m.kind !== 'event')
        .map((m) => m.evidence),
    ].map((e) => e.log),
  );
  const untold = tx.logs.filter((log) => !told.has(log.index));
  for (const log of untold.slice(0, 20))
    io.out(
      `  event no shape knows: ${log.topics[0] ?? 'anonymous'} (${log.topics.length} topics) of ${short(log.address)}`,
    );
  if (untold.length > 20) io.out(`  … and ${untold.length - 20} more such events`);
  io.out(
    `\nactor ${attribution.actor === null ? 'none' : short(attribution.actor)}, mode ${attribution.mode}, submitter ${attribution.submitterRole}`,
  );
  for (const c of attribution.candidates) {
    io.out(
      `  ${c.elected ? '✓' : '✗'} ${short(c.account)} ${c.reasons.join(', ')}${c.rejectedBecause === null ? '' : `; rejected: ${c.rejectedBecause}`}`,
    );
  }
}

async function printReading(
  examined: ExaminedTx,
  reading: SubjectReading,
  ruleset: SoundRuleset,
  options: ExplainOptions,
  io: CliIo,
): Promise<void> {
  const { verdict, outcomes, outranked, skipped, facts } = reading.explained;
  io.out(
    `\n== as ${short(reading.account)}${reading.account === examined.attribution.actor ? ' (elected)' : ''}`,
  );
  io.out(
    `${verdict.kind}: ${verdict.label}   [${verdict.status}, ${verdict.confidence}; ${verdict.rule ? `${verdict.rule.slug} v${verdict.rule.version}` : 'fallback, no rule matched'}]`,
  );
  if (verdict.fragments.length > 0) io.out(`fragments: ${verdict.fragments.map((f) => f.kind).join(', ')}`);
  if (options.facts)
    for (const [name, value] of [...facts].sort(([a], [b]) => (a < b ? -1 : 1)))
      io.out(`  ${name} = ${show(value)}`);

  const wanted = outcomes.filter((o) => options.rule === undefined || o.rule.slug === options.rule);
  const winner = ruleset.rulebook.intents.find((r) => r.slug === verdict.rule?.slug) ?? null;
  if (options.rule !== undefined && skipped.includes(options.rule)) printSkipped(options.rule, ruleset, io);
  if (options.full || options.rule !== undefined) {
    for (const o of wanted) printOutcome(o, winner, ruleset, io);
    if (options.full) io.out(`skipped, for want of the motifs they require: ${skipped.join(', ') || 'none'}`);
    return;
  }
  for (const o of wanted.filter((o) => o.rule === winner)) printOutcome(o, winner, ruleset, io);
  for (const slug of outranked)
    io.out(
      `lost: ${slug}: ${whyLost(ruleset.rulebook.intents.find((r) => r.slug === slug)!, winner!, ruleset)}`,
    );
  const near = wanted
    .filter((o) => !o.matched)
    .map((o) => ({ rule: o.rule, unmet: blockers(o.conditions), met: countMet(o.conditions) }))
    .filter((n) => n.unmet.length <= NEAR && n.met >= 2 * n.unmet.length);
  for (const { rule, unmet } of near.sort((a, b) => a.unmet.length - b.unmet.length))
    io.out(`near miss: ${rule.slug} (${rule.intent}): ${unmet.join('; ')}`);
}

function printOutcome(
  outcome: RuleOutcome,
  winner: IntentRule | null,
  ruleset: SoundRuleset,
  io: CliIo,
): void {
  const { rule, matched } = outcome;
  const fate =
    rule === winner
      ? 'wins'
      : matched
        ? `loses: ${whyLost(rule, winner!, ruleset)}`
        : `does not match: ${blockers(outcome.conditions).join('; ')}`;
  io.out(`${rule.slug} v${rule.version} (${rule.intent}) ${fate}`);
  // The engine leaves the result of the outermost node to the outcome.
  for (const line of conditionLines({ ...outcome.conditions, result: matched }, '  ')) io.out(line);
}

function printSkipped(slug: string, ruleset: SoundRuleset, io: CliIo): void {
  const rule = ruleset.rulebook.intents.find((r) => r.slug === slug)!;
  io.out(
    rule.status === 'deprecated'
      ? `${slug} is deprecated and not run`
      : `${slug} was skipped: no motif of kind ${rule.requiresAny.join(' or ')} in the transaction`,
  );
}

/** Why one matching rule stands behind another, in the order in which that is decided. */
function whyLost(loser: IntentRule, winner: IntentRule, { rulebook }: SoundRuleset): string {
  const rank = (rule: IntentRule): number => (rulebook.intentKinds.get(rule.intent)?.rank ?? -1) + 1;
  if (winner.supersedes.includes(loser.slug)) return `${winner.slug} supersedes it`;
  if (rank(loser) !== rank(winner))
    return `${loser.intent} is no. ${rank(loser)} of the precedence list, ${winner.intent} no. ${rank(winner)}`;
  if (loser.priority !== winner.priority)
    return `priority ${loser.priority} against ${winner.priority} of ${winner.slug}`;
  return `${winner.slug} asks for more facts, or comes first by name`;
}
