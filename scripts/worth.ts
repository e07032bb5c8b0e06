/**
 * Switches off one pass at a time and prints how many reports move over the recordings at hand. A pass that moves
 * nothing goes; one that moves less than its lines are worth is named in the commit that keeps it.
 * The passes are switched in a copy of `src` under the temporary folder: `src` itself knows of no switch.
 * usage: npm run worth [-- --only PASS,… --every N RECORDINGS…]   (PASS: a name of `worthPasses.ts`; folders or files)
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { TxReport } from '../src/model/generated/report.ts';
import type { Rulebook } from '../src/model/rulebook.ts';
import { loadRules } from '../src/service/loadRules.ts';
import { allRecordings, type Recording } from '../src/tools/cli/rules/recordings.ts';
import { CORPUS, corpus, REPLAY_AVAILABLE } from '../test/support/replayNode.ts';
import { PASSES } from './worthPasses.ts';

type Analyze = (
  raw: Recording['raw'],
  context: Recording['context'],
  rulebook: Rulebook,
) => Promise<TxReport>;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, every: { type: 'string', default: '1' } },
});

/** Switches of the copied passes: the one that is off, and those that the last analysis reached. */
const worth = Object.assign(globalThis, { passOff: '', passesReached: new Set<string>() });

/** The pipeline of a copy of the sources with a switch in each pass. */
async function switchable(folder: string, passes: readonly string[]): Promise<Analyze> {
  const root = resolve(import.meta.dirname, '..');
  cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true });
  for (const name of ['node_modules', 'rules', 'schemas', 'package.json', 'tsconfig.json'])
    symlinkSync(join(root, name), join(folder, name));
  for (const name of passes) {
    const { file, before, returns } = PASSES[name]!;
    const path = join(folder, 'src/stages', file);
    const [head, tail, ...more] = readFileSync(path, 'utf8').split(before);
    if (tail === undefined || more.length > 0) throw new Error(`${file}: not once: ${before}`);
    const off = `if ((globalThis as any).passesReached.add('${name}') && (globalThis as any).passOff === '${name}') return ${returns};`;
    writeFileSync(path, `${head}${off}\n${before}${tail}`);
  }
  const { analyzeRaw } = (await import(join(folder, 'src/analyze.ts'))) as { analyzeRaw: Analyze };
  return analyzeRaw;
}

/** Those named, else this repository's and the recorded mainnet transactions beside it. */
function* recordings(every: number): Iterable<Recording> {
  const places =
    positionals.length > 0 ? positionals : [undefined, ...(REPLAY_AVAILABLE ? CORPUS.map(corpus) : [])];
  for (const place of places)
    for (const [i, recording] of allRecordings(place === undefined ? [] : [place]).entries())
      if (i % every === 0) yield recording;
}

/** Parts of a report that are counted apart. */
const PARTS: Readonly<Record<string, (report: TxReport) => unknown>> = {
  reports: ({ engine: _, ...report }) => report,
  headlines: ({ classification }) => [classification.intent_kind, classification.intent_label],
  statuses: ({ classification }) => [classification.status, classification.confidence],
  positions: ({ position_effects }) => position_effects,
  acts: ({ motifs }) => motifs?.map(({ kind, parent_id }) => [kind, parent_id]),
};

const rulebook = loadRules();
const passes = values.only?.split(',') ?? Object.keys(PASSES);
const moved = new Map(passes.map((name) => [name, Object.keys(PARTS).map((): string[] => [])]));
const folder = mkdtempSync(join(tmpdir(), 'worth-'));
let count = 0;
try {
  const analyze = await switchable(folder, passes);
  const partsOf = async ({ raw, context }: Recording, off: string): Promise<string[]> => {
    worth.passOff = off;
    worth.passesReached.clear();
    const report = await analyze(raw, context, rulebook);
    return Object.values(PARTS).map((part) => JSON.stringify(part(report)) ?? '');
  };
  for (const recording of recordings(Number(values.every))) {
    const whole = await partsOf(recording, '').catch(() => null);
    if (whole === null) continue;
    count++;
    const reached = [...worth.passesReached];
    for (const name of reached) {
      const without = await partsOf(recording, name);
      without.forEach((part, i) => part !== whole[i] && moved.get(name)![i]!.push(recording.name));
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const width = Math.max(...passes.map((name) => name.length));
const row = (name: string, cells: readonly unknown[]): string =>
  `${name.padEnd(width)} ${cells.map((cell) => String(cell).padStart(9)).join(' ')}`;
console.log(row(`of ${count}`, Object.keys(PARTS)));
for (const [name, parts] of moved) {
  console.log(
    row(
      name,
      parts.map(({ length }) => length),
    ),
  );
  if (values.only) for (const which of parts[0]!.slice(0, 20)) console.log(`  ${which}`);
}
