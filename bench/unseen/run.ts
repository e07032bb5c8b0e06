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
import type { Verdict } from '../../src/model/intent.ts';
import type { Rulebook } from '../../src/model/rulebook.ts';

const HELP = `npm run bench:unseen -- [--floor L2=0.85 …] [--proven L1=120 …] [--no-names] [--verbose] [--json FILE] [FILE…]

Takes every right answer of labelled recordings that rests on a protocol known by address or creation, and analyses
the transaction again with less knowledge:
  L1  without the files of its protocols
  L2  also without the shapes that only they use
  L3  also without every event and call entry that they used in this transaction (ERC standards stay)
Prints how many stay right, how many become wrong, and how many are wrong and Proven, by level and intent; how many
of the right and Proven stay so; and all answers on transactions of the newest year, with all rules and by level.

FILE         corpus files in ../shared/corpus; default: all with labels
--floor      least share right at a level; less, or any answer wrong and Proven, exits with 1
--proven     least of the right and Proven answers that stay so at a level, as a number of them, which no listing
             lowers, or as a share; of the newest year: new=0.4
--no-names   also without the tables of signatures (structure alone)
--verbose    one line per wrong answer
--json FILE  every answer`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    floor: { type: 'string', multiple: true, default: [] },
    proven: { type: 'string', multiple: true, default: [] },
    names: { type: 'boolean', default: true },
    verbose: { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});

interface Answer {
  readonly id: string;
  readonly hash: Hash;
  /** `all`: with every rule. */
  readonly level: 'all' | Level;
  readonly year: number;
  readonly labels: readonly string[];
  readonly kind: string;
  readonly rule: string;
  readonly right: boolean;
  readonly proven: boolean;
  /** How the answer with all rules came out; wrong and Proven counts against L1 only where it is new. */
  readonly full: string;
  readonly fullProven: boolean;
}

/** Answers with all rules, and by level where that one is right and rests on a protocol known by address. */
async function answersFor(label: Labelled): Promise<Answer[]> {
  const { tx, header } = label.found;
  const labels = label.intents;
  const full = await classify(label, rulebook);
  const answer = (level: Answer['level'], { kind, rule, status }: Verdict): Answer => ({
    id: label.id,
    hash: label.hash,
    level,
    year: new Date(header.timestamp * 1000).getUTCFullYear(),
    labels,
    kind,
    rule: rule?.slug ?? 'fallback',
    right: labels.includes(kind),
    proven: status === 'Proven',
    full: full.kind,
    fullProven: full.status === 'Proven',
  });
  const answers = [answer('all', full)];
  const hidden = protocolsOf(findPrimitives(tx, buildValueFlow(tx, rulebook), rulebook));
  if (hidden.size === 0 || !labels.includes(full.kind)) return answers;
  for (const level of LEVELS) {
    const less = without(rulebook, hidden, level, tx);
    const known = values.names ? less : withoutNames(less);
    answers.push(answer(level, await classify(label, known)));
  }
  return answers;
}

/** Prepared anew: names are looked up once per rulebook. */
function withoutNames({ prepared: _, ...compiled }: Rulebook): Rulebook {
  return prepare({
    ...compiled,
    signatures: { ...compiled.signatures, events: { text: '' }, functions: { text: '' } },
  });
}

const share = (part: number, of: number): string =>
  `${part}/${of}${of > 0 ? ` ${((100 * part) / of).toFixed(0)}%` : ''}`;

const isRight = ({ right }: Answer): boolean => right;
const isRightAndProven = ({ right, proven }: Answer): boolean => right && proven;

/** What stays Proven of what is right and Proven with all rules; and the newest year. */
function printProof(answers: readonly Answer[]): void {
  const stays = LEVELS.map((level) => {
    const at = answers.filter((a) => a.level === level && a.fullProven);
    return `${level} ${share(at.filter(isRightAndProven).length, at.length)}`;
  });
  console.log(`stay right and Proven: ${stays.join(', ')}`);
  const newest = newestYear(answers);
  for (const level of ['all', ...LEVELS]) {
    const at = newest.filter((a) => a.level === level);
    const [right, proven] = [isRight, isRightAndProven].map((is) => share(at.filter(is).length, at.length));
    console.log(`newest year ${newest[0]?.year}, ${level}: right ${right}, right and Proven ${proven}`);
  }
}

function newestYear(answers: readonly Answer[]): Answer[] {
  const newest = Math.max(...answers.map(({ year }) => year));
  return answers.filter(({ year }) => year === newest);
}

function printTable(answers: readonly Answer[]): void {
  console.log(`${''.padEnd(20)}${LEVELS.map((level) => `${level} right`.padStart(16)).join('')}`);
  const row = (name: string, of: readonly Answer[]): void => {
    const cells = LEVELS.map((level) => {
      const at = of.filter((a) => a.level === level);
      const right = at.filter((a) => a.right).length;
      return share(right, at.length).padStart(16);
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

  const blind = answers.filter(({ level }) => level !== 'all');
  printTable(blind);
  printProof(answers);
  const wrong = blind.filter((a) => !a.right);
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
  const isBelow = (text: string, of: readonly Answer[], is: (a: Answer) => boolean): boolean => {
    const [level, least] = text.split('=');
    const at = of.filter((a) => a.level === (level === 'new' ? 'all' : level));
    const count = at.filter(is).length;
    const reached = Number(least) < 1 ? count / at.length : count;
    const below = !(reached >= Number(least));
    if (below) console.error(`${level}: ${reached} ${is.name}, the floor is ${least}`);
    return below;
  };
  const newest = newestYear(answers);
  const proven = answers.filter(({ fullProven }) => fullProven);
  return [
    ...values.floor.map((text) => isBelow(text, answers, isRight)),
    ...values.proven.map((text) =>
      isBelow(text, text.startsWith('new=') ? newest : proven, isRightAndProven),
    ),
  ].some(Boolean);
}

if (values.help) console.log(HELP);
else process.exitCode = await main();
