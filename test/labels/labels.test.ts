// Every sentence true: the headline of each recorded transaction, held against its movements, acts and positions.
// And every act told once: no side of a movement belongs to two of them.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { judge, read } from '../../src/analyze.ts';
import { AnalysisError } from '../../src/lib/errors.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import { allRecordings } from '../../src/tools/cli/rules/recordings.ts';
import { corpus, CORPUS, REPLAY_AVAILABLE, warnIfAbsent } from '../support/replayNode.ts';
import { functionCalled } from '../../src/evm/decodeArguments.ts';
import { violationsOf } from './labelCheck.ts';
import { sharedSides } from './movementSides.ts';

const rulebook = loadRules();
warnIfAbsent('the check of labels over the corpora');

async function violations(files: readonly string[]): Promise<{ checked: number; found: string[] }> {
  const found: string[] = [];
  let checked = 0;
  for (const { name, raw, context } of files.flatMap((file) => allRecordings([file]))) {
    try {
      const analysis = await judge(read(raw, context), context, rulebook);
      const { status, kind, label } = analysis.verdict;
      checked++;
      for (const problem of [...violationsOf(analysis, rulebook), ...sharedSides(analysis)])
        found.push(`${name} ${raw.hash.slice(0, 10)} ${status} ${kind} "${label}": ${problem}`);
    } catch (error) {
      if (!(error instanceof AnalysisError)) throw error;
    }
  }
  return { checked, found };
}

it('labels of the own recordings are true, and no act is told twice', async () => {
  const { checked, found } = await violations([join(import.meta.dirname, '../recordings')]);
  expect(found).toEqual([]);
  expect(checked).toBeGreaterThan(90);
});

it.skipIf(!REPLAY_AVAILABLE)(
  'and those of every recorded mainnet transaction',
  { timeout: 600_000 },
  async () => {
    const files = [...CORPUS, 'blocks-2024.ndjson.gz'].map(corpus).filter((file) => existsSync(file));
    const { checked, found } = await violations(files);
    expect(found).toEqual([]);
    expect(checked).toBeGreaterThan(3_500);
  },
);

it.skipIf(!REPLAY_AVAILABLE)('nine of ten calls of real transactions have the name of their function', () => {
  const files = [...CORPUS, 'blocks-2024.ndjson.gz'].filter((name) => !name.startsWith('mev-blocks'));
  const calls = allRecordings(files.map(corpus).filter((file) => existsSync(file)))
    .map(({ raw, context }) => read(raw, context).tx)
    .filter(({ to, input }) => to !== null && input.length >= 10);
  const named = calls.filter(({ input }) => functionCalled(rulebook.signatures, input) !== null);
  expect(calls.length).toBeGreaterThan(500);
  expect(named.length / calls.length).toBeGreaterThan(0.9);
});
