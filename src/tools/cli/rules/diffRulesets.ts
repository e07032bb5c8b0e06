import type { Rulebook } from '../../../model/rulebook.ts';
import { splitList } from '../../../lib/text.ts';
import type { CliIo } from '../cliIo.ts';
import { examineTx } from './loadTx.ts';
import { allRecordings, type Recording } from './recordings.ts';
import { openSoundRuleset, rulesetDirs } from './rulesets.ts';

/**
 * Judges every recording by two rulesets and lists the differences. `other` is one ruleset directory, or
 * several with commas; the left side is a command's default rulesets. Exit code 1 when anything differs.
 */
export async function diffRulesets(
  other: string,
  options: { dirs?: readonly string[]; recordings?: readonly string[] },
  io: CliIo,
): Promise<number> {
  const { rulebook: left } = openSoundRuleset(rulesetDirs(options.dirs));
  const { rulebook: right } = openSoundRuleset(splitList(other));
  io.out(`< ${left.version} ${left.digest}\n> ${right.version} ${right.digest}`);
  const recordings = allRecordings(options.recordings);
  const kinds = new Map<string, number>();
  let changed = 0;
  for (const recording of recordings) {
    const [a, b] = [await judge(recording, left), await judge(recording, right)];
    const keys = (Object.keys(a) as (keyof typeof a)[]).filter((key) => a[key] !== b[key]);
    if (keys.length === 0) continue;
    changed += 1;
    io.out(recording.name);
    for (const key of keys) io.out(`  ${key}: ${a[key]} → ${b[key]}`);
    const change = `${a.kind} → ${b.kind}`;
    if (a.kind !== b.kind) kinds.set(change, (kinds.get(change) ?? 0) + 1);
  }
  for (const [change, count] of [...kinds].sort((x, y) => y[1] - x[1] || (x[0] < y[0] ? -1 : 1)))
    io.out(`${String(count).padStart(6)}  ${change}`);
  io.out(`${changed} of ${recordings.length} verdicts differ`);
  return changed === 0 ? 0 : 1;
}

/** The comparable parts of a verdict, as text. */
async function judge(recording: Recording, rulebook: Rulebook) {
  const { reading, attribution } = await examineTx(recording, rulebook);
  const { verdict } = reading.explained;
  return {
    kind: verdict.kind,
    actor: attribution.actor ?? 'none',
    label: verdict.label,
    rule: verdict.rule ? `${verdict.rule.slug} v${verdict.rule.version}` : 'fallback',
    proof: `${verdict.status} ${verdict.confidence}`,
    fragments: verdict.fragments.map((f) => f.kind).join(', '),
  };
}
