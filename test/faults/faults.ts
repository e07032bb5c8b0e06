/**
 * Tries every fault of the replaying node and every lie of one whose answers do not belong together, always and one time in
 * five, through the whole service, and prints how many analyses were tried and failed. Exits 1 when a fault that never stops
 * is not told by its right failure within the deadline, when one in five costs more than one analysis in a hundred, when a
 * lie is believed, or when a secret shows up anywhere.
 */
import { loadRules } from '../../src/service/loadRules.ts';
import { createAnalyze } from '../../src/service/analyzer.ts';
import { createReportValidator } from '../../src/stages/9-report/reportValidator.ts';
import { LIES, dialectsOf, tellLie } from './inconsistent.ts';
import { FAULTS, LIMITS, SECRETS, runFault, type Outcome } from './runFault.ts';
import { REPLAY_AVAILABLE, startReplayNode, warnIfAbsent } from '../support/replayNode.ts';
import type { CreateAnalyze } from '../../src/service/server.ts';

const COUNT = Number(process.argv[2] ?? 100);
let bad = 0;

function report(fault: string, when: string, outcome: Outcome, ok: boolean): void {
  const leaked = SECRETS.filter((secret) => outcome.said.includes(secret)).length;
  if (!ok || leaked > 0) bad++;
  const failed = outcome.tried - outcome.succeeded;
  const cells = [
    fault.padEnd(13),
    when.padEnd(12),
    String(outcome.tried).padStart(5),
    String(failed).padStart(6),
    `${Math.round(outcome.slowestMs)} ms`.padStart(9),
    ok ? 'ok ' : 'BAD',
    leaked > 0 ? `${leaked} SECRETS LEAKED` : '',
  ];
  console.log(cells.join('  ').trimEnd());
  const shown = ok ? 1 : 10;
  for (const [error, times] of [...outcome.errors].slice(0, shown))
    console.log(`${' '.repeat(15)}${times} × ${error}`);
}

console.log(
  `${'inconsistency'.padEnd(38)}  ${'dialect'.padEnd(7)}  ${'when'.padEnd(12)}  tried  refused  believed`,
);
for (const name of Object.keys(LIES))
  for (const dialect of dialectsOf(name))
    for (const share of [1, 0.2]) {
      const { tried, refused, believed } = await tellLie(name, dialect, share);
      const ok = believed.length === 0 && (share === 1 ? refused === tried : refused <= 0.01 * tried);
      if (!ok) bad++;
      console.log(
        `${name.padEnd(38)}  ${dialect.padEnd(7)}  ${(share === 1 ? 'always' : 'one in five').padEnd(12)}  ${String(tried).padStart(5)}  ${String(refused).padStart(7)}  ${String(believed.length).padStart(8)}  ${ok ? 'ok' : `BAD ${believed.slice(0, 3).join('; ')}`}`,
      );
    }
process.exitCode = bad > 0 ? 1 : 0;

if (!REPLAY_AVAILABLE) warnIfAbsent('the rest');
else {
  const rulebook = loadRules();
  const validate = createReportValidator();
  const whole: CreateAnalyze = ({ upstream, config }) =>
    createAnalyze({ upstream, rulebook: () => rulebook, validate, maxTokens: config.maxTokens });
  console.log(`${'fault'.padEnd(13)}  ${'when'.padEnd(12)}  tried  failed    slowest`);
  for (const [fault, expected] of Object.entries(FAULTS)) {
    const always = await runFault({
      createAnalyze: whole,
      fault,
      count: 20,
      choose: (r) => r.logs > 0 && r.succeeded,
    });
    const right =
      always.succeeded === 0 &&
      [...always.errors.keys()].every((error) => expected.test(error)) &&
      always.slowestMs < LIMITS.deadlineMs + 500;
    report(fault, 'always', always, right);
    const sometimes = await runFault({ createAnalyze: whole, fault, rate: 0.2, count: COUNT });
    report(fault, 'one in five', sometimes, sometimes.succeeded >= 0.99 * sometimes.tried);
  }
  const good = await startReplayNode();
  const beside = await runFault({ createAnalyze: whole, fault: 'reset', count: COUNT, others: [good.url] });
  report('reset', 'beside good', beside, beside.succeeded === beside.tried);
  await good.close();
  process.exitCode = bad > 0 ? 1 : 0;
}
