// npm run bench:unseen: how many right answers survive when the rules do not know their protocols. See HELP.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { prepare } from '../../src/rules/prepare.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import { buildValueFlow } from '../../src/stages/3-flow/buildValueFlow.ts';
import { findPrimitives } from '../../src/stages/4-primitives/findPrimitives.ts';
import { REPLAY_AVAILABLE, warnIfAbsent } from '../../test/support/replayNode.ts';
import { LEVELS, protocolsOf, without, type Level } from './hide.ts';
import { classify, labelled, LABELLED, type Labelled } from './labelled.ts';
import type { Hash } from '../../src/model/hex.ts';
import type { Rulebook } from '../../src/model/rulebook.ts';

const HELP = `npm run bench:unseen -- [--floor L2=0.85 …] [--no-names] [--verbose] [--json FILE] [FILE…]

Takes every right answer of labelled recordings that rests on a protocol known by address or creation, and analyses
the transaction again with less knowledge:
  L1  without the files of its protocols
  L2  also without the shapes that only they use
  L3  also without every event and call entry that they used in this transaction (ERC standards stay)
Prints how many stay right, how many become wrong, and how many are wrong and Proven, by level and intent.

FILE         corpus files in ../shared/corpus; default: all with labels
--floor      least share right at a level; less, or any answer wrong and Proven, exits with 1
--no-names   also without the tables of signatures (structure alone)
--verbose    one line per wrong answer
--json FILE  every answer`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    floor: { type: 'string', multiple: true, default: [] },
    names: { type: 'boolean', default: true },
    verbose: { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});

interface Answer {
  readonly id: string;
  readonly hash: Hash;
  readonly level: Level;
  readonly labels: readonly string[];
  readonly kind: string;
  readonly rule: string;
  readonly right: boolean;
  readonly proven: boolean;
  /** How the answer with all rules came out; wrong and Proven counts against L1 only where it is new. */
  readonly full: string;
}

async function answersFor(label: Labelled): Promise<Answer[]> {
  const { tx } = label.found;
  const labels = label.intents;
  const hidden = protocolsOf(findPrimitives(tx, buildValueFlow(tx, rulebook), rulebook));
  if (hidden.size === 0) return [];
  const full = await classify(label, rulebook);
  if (!labels.includes(full.kind)) return [];
  const answers: Answer[] = [];
  for (const level of LEVELS) {
    const less = without(rulebook, hidden, level, tx);
    const known = values.names ? less : withoutNames(less);
    const { kind, rule, status } = await classify(label, known);
    const right = labels.includes(kind);
    answers.push({
      id: label.id,
      hash: label.hash,
      level,
      labels,
      kind,
      rule: rule?.slug ?? 'fallback',
      right,
      proven: status === 'Proven',
      full: full.kind,
    });
  }
  return answers;
}

/** Prepared anew: names are looked up once per rulebook. */
function withoutNames({ prepared: _, ...compiled }: Rulebook): Rulebook {
  return prepare({ ...compiled, signatures: { events: '', functions: '' } });
}

function printTable(answers: readonly Answer[]): void {
  console.log(`${''.padEnd(20)}${LEVELS.map((level) => `${level} right`.padStart(16)).join('')}`);
  const row = (name: string, of: readonly Answer[]): void => {
    const cells = LEVELS.map((level) => {
      const at = of.filter((a) => a.level === level);
      const right = at.filter((a) => a.right).length;
      return `${right}/${at.length} ${((100 * right) / at.length).toFixed(0)}%`.padStart(16);
    });
    console.log(`${name.padEnd(20)}${cells.join('')}`);
  };
  for (const intent of [...new Set(answers.map((a) => a.full))].sort())
    row(
      intent,
      answers.filter((a) => a.full === intent),
    );
  row('all', answers);
}

let rulebook: Rulebook;

async function main(): Promise<number> {
  if (!REPLAY_AVAILABLE) {
    warnIfAbsent('bench:unseen');
    return 0;
  }
  rulebook = loadRules();
  const answers: Answer[] = [];
  const files = positionals.length > 0 ? positionals : LABELLED;
  for await (const label of labelled(files, rulebook)) answers.push(...(await answersFor(label)));

  printTable(answers);
  const wrong = answers.filter((a) => !a.right);
  const wrongProven = wrong.filter((a) => a.proven);
  const perLevel = LEVELS.map(
    (level) =>
      `${level} ${wrong.filter((a) => a.level === level).length} (${wrongProven.filter((a) => a.level === level).length} Proven)`,
  );
  console.log(`wrong: ${perLevel.join(', ')}`);
  if (values.verbose)
    for (const a of wrong)
      console.log(
        `${a.level} ${a.hash} ${a.labels.join('|')} -> ${a.kind} (${a.rule}${a.proven ? ', Proven' : ''})`,
      );
  if (values.json) writeFileSync(values.json, JSON.stringify(answers, null, 1));
  return belowFloor(answers) || wrongProven.length > 0 ? 1 : 0;
}

function belowFloor(answers: readonly Answer[]): boolean {
  return values.floor.some((text) => {
    const [level, least] = text.split('=');
    const at = answers.filter((a) => a.level === level);
    const share = at.filter((a) => a.right).length / at.length;
    const below = !(share >= Number(least));
    if (below) console.error(`${level}: ${share.toFixed(3)} right, the floor is ${least}`);
    return below;
  });
}

if (values.help) console.log(HELP);
else process.exitCode = await main();
