/**
 * Prints measures of the code base, counted over `src`: size, complexity, kind literals, comments, dead exports, and the
 * lines of each room. Fails where one is over its limit: `LIMITS` here, and the lines of each room in
 * `scripts/houseBudget.json`. A commit that raises that file says what the lines buy in a line `Bought: …` of its body.
 * usage: npm run house [-- FOLDER]   (FOLDER: another checkout, its `src` and `rules` are read instead; nothing fails)
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

const MAX_LINE = 110;
/** Of rule files; `txreport rules fmt` breaks longer ones. */
const MAX_RULE_LINE = 140;
const BUDGET_FILE = 'scripts/houseBudget.json';
const ROOT = resolve(process.argv[2] ?? '.');
const BIN = resolve(import.meta.dirname, '../node_modules/.bin');
/** Words that make a reader guess instead of naming the thing. */
const RIDDLES = {
  'what, whoever, whose, of which': /\b(what|whatever|who|whoever|whom|whose|of which)\b/i,
  'told, stands, nobody': /\b(tell|tells|told|stand|stands|stood|nobody)\b/i,
};
const RIDDLE = new RegExp(
  Object.values(RIDDLES)
    .map(({ source }) => source)
    .join('|'),
  'i',
);
/** The most of each measure. */
const LIMITS = {
  'files over 300 lines': 0,
  [`lines over ${MAX_LINE} characters`]: 0,
  [`lines of rules over ${MAX_RULE_LINE} characters`]: 0,
  'functions of complexity over 15': 0,
  'functions of complexity over 10': 50,
  // Young collections keep their values, whatever became of the keys: `memoizeFor` instead.
  WeakMaps: 0,
  'exports nobody imports': 0,
  'riddling comments, in percent': 1,
  'subjects of commits over 72 characters': 4,
  'budgets raised without a reason': 0,
};

interface Source {
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
}

const sources: Source[] = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.includes('generated'))
  .sort()
  .map((path) => {
    const text = readFileSync(join(ROOT, 'src', path), 'utf8');
    return { path, text, lines: text.trimEnd().split('\n') };
  });

function count(pattern: RegExp, among: readonly Source[] = sources): number {
  return among.reduce((sum, { text }) => sum + (text.match(pattern)?.length ?? 0), 0);
}

/** Comments, consecutive `//` lines taken together, without their markers. */
function comments(): string[] {
  const found: string[] = [];
  for (const { text } of sources) {
    for (const [block] of text.matchAll(/\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/[^\n]*\n)+|[ \t]\/\/ [^\n]*/gm))
      found.push(block.replace(/^[ \t]*(?:\/\/|\/\*\*?|\*\/?)/gm, ' '));
  }
  return found;
}

/** Functions over each complexity limit, as oxlint counts them. */
function complexFunctions(limits: readonly number[]): number[] {
  const folder = mkdtempSync(join(tmpdir(), 'house-'));
  try {
    return limits.map((max) => {
      const config = join(folder, `${max}.json`);
      writeFileSync(
        config,
        JSON.stringify({ categories: { correctness: 'off' }, rules: { complexity: ['error', { max }] } }),
      );
      const { stdout } = spawnSync(join(BIN, 'oxlint'), ['-c', config, '--format', 'json', 'src'], {
        cwd: ROOT,
        encoding: 'utf8',
        maxBuffer: 1 << 26,
      });
      const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; message: string }[] };
      return diagnostics.filter(({ code, message }) => {
        const measured = Number(/complexity of (\d+)/.exec(message)?.[1]);
        return code.includes('complexity') && measured > max;
      }).length;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Exports and exported types no other file imports, by knip. */
function deadExports(): number {
  const { stdout } = spawnSync(join(BIN, 'knip'), ['--reporter', 'json', '--include', 'exports,types'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  const { issues } = JSON.parse(stdout) as { issues: { exports?: unknown[]; types?: unknown[] }[] };
  return issues.reduce((sum, { exports, types }) => sum + (exports?.length ?? 0) + (types?.length ?? 0), 0);
}

function motifKinds(): string[] {
  const vocabulary = join(ROOT, 'rules/vocabulary.yaml');
  if (!existsSync(vocabulary)) return [];
  const { motifs } = parse(readFileSync(vocabulary, 'utf8')) as { motifs: Record<string, unknown> };
  return Object.keys(motifs);
}

function longRuleLines(): number {
  const files = readdirSync(join(ROOT, 'rules'), { recursive: true, encoding: 'utf8' });
  return files
    .filter((name) => name.endsWith('.yaml'))
    .flatMap((name) => readFileSync(join(ROOT, 'rules', name), 'utf8').split('\n'))
    .filter((line) => line.length > MAX_RULE_LINE && line.trim().includes(' ')).length;
}

/** Runs git in the checkout; empty where it has no history. */
function git(...args: string[]): string {
  return spawnSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 26 }).stdout ?? '';
}

/** The last release: the newest tag, else the commit that last changed the version of `package.json`. */
function lastRelease(): string {
  const tag = git('describe', '--tags', '--abbrev=0').trim();
  return tag || git('log', '-1', '--format=%H', '-G"version": "', '--', 'package.json').trim();
}

type Budget = Readonly<Record<string, number>>;

/** Commits since the last release that raise a room's budget without a line `Bought: …`. */
function unexplainedRaises(since: string): number {
  const commits = git('log', '--format=%H', `${since}..HEAD`, '--', BUDGET_FILE).split('\n').filter(Boolean);
  return commits.filter((commit) => {
    const [before, after] = [`${commit}~1`, commit].map(
      (at) => JSON.parse(git('show', `${at}:${BUDGET_FILE}`) || 'null') as Budget | null,
    );
    if (!before || !after || /^Bought: \S/m.test(git('log', '-1', '--format=%b', commit))) return false;
    return Object.entries(after).some(([room, most]) => most > (before[room] ?? 0));
  }).length;
}

/** Lines by folder, of stages and tools by their subfolder. */
function rooms(): Map<string, number> {
  const counted = new Map<string, number>();
  for (const { path, lines: own } of sources) {
    const parts = path.split('/').slice(0, -1);
    const room = parts.slice(0, /^(stages|tools)$/.test(parts[0] ?? '') ? 2 : 1).join('/') || '(top)';
    counted.set(room, (counted.get(room) ?? 0) + own.length);
  }
  return new Map([...counted].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const late = sources.filter(({ path }) => /^stages\/[5-9]-/.test(path));
const kindLiteral = new RegExp(`'(?:${motifKinds().join('|')})'`, 'g');
const everyComment = comments();
const share = (pattern: RegExp): number =>
  Math.round((1000 * everyComment.filter((text) => pattern.test(text)).length) / everyComment.length) / 10;
const [over15, over10] = complexFunctions([15, 10]);
const lines = sources.flatMap((source) => source.lines);
const release = lastRelease();
const subjects = git('log', '--format=%s', `${release}..HEAD`).split('\n');

const rows: [string, number][] = [
  ['files in src, generated ones left out', sources.length],
  ['lines', lines.length],
  ['files over 300 lines', sources.filter((source) => source.lines.length > 300).length],
  [`lines over ${MAX_LINE} characters`, lines.filter((line) => line.length > MAX_LINE).length],
  [`lines of rules over ${MAX_RULE_LINE} characters`, longRuleLines()],
  ['functions of complexity over 15', over15!],
  ['functions of complexity over 10', over10!],
  ['motif kinds as literals in stages 5 to 9', count(kindLiteral, late)],
  ['WeakMaps', count(/new WeakMap/g)],
  ['exports nobody imports', deadExports()],
  ['comments', everyComment.length],
  ...Object.entries(RIDDLES).map(([words, pattern]): [string, number] => [
    `comments with ${words}, in percent`,
    share(pattern),
  ]),
  ['riddling comments, in percent', share(RIDDLE)],
  ['subjects of commits over 72 characters', subjects.filter((subject) => subject.length > 72).length],
  ['budgets raised without a reason', unexplainedRaises(release)],
];

const failures: string[] = [];
for (const [name, value] of rows) {
  const most = (LIMITS as Budget)[name];
  if (most !== undefined && value > most) failures.push(`${name}: ${value}, at most ${most}`);
  console.log(`${name.padEnd(52)}${String(value).padStart(8)}`);
}
const budget = JSON.parse(readFileSync(BUDGET_FILE, 'utf8')) as Budget;
console.log('\nlines by room, and the most of them');
for (const [room, size] of rooms()) {
  const most = budget[room] ?? 0;
  if (size > most) failures.push(`lines of src/${room}: ${size}, at most ${most} (${BUDGET_FILE})`);
  console.log(`${room.padEnd(52)}${String(size).padStart(8)}${String(most).padStart(8)}`);
}
if (process.argv[2] === undefined && failures.length > 0) {
  console.error(`\nover the limit:\n  ${failures.join('\n  ')}`);
  process.exitCode = 1;
}
