// Proves the scenarios against the chain itself, without a line of txreport: what they promise is what happened.
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { disagreements, unbalanced } from './check.ts';
import { recordAll } from './recording.ts';
import { ALL, CORE, runStory, type Story } from './story.ts';

let story: Story;
const readIfThere = (file: URL) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
};

beforeAll(async () => {
  story = await runStory({ scenarios: ALL });
});
afterAll(() => story?.stop());

describe('the story on a live devnet', () => {
  it.each(ALL.map((scenario, index) => ({ name: scenario.name, title: scenario.title, index })))(
    '$name: $title',
    async ({ index }) => {
      const told = story.told[index]!;
      const deltas = await story.measure(told.hash);
      expect(await disagreements(story.ctx, told, deltas)).toEqual([]);
      expect(await unbalanced(story.ctx, told, deltas)).toEqual([]);
    },
  );

  it('has enough variety and unique names', () => {
    expect(CORE.length).toBeGreaterThanOrEqual(24);
    expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length);
  });

  it('is what test/recordings holds (else: npx tsx test/devnet/record.ts)', async () => {
    const folder = new URL('../recordings/', import.meta.url);
    const files = await recordAll(story);
    const stale = [...files]
      .filter(([name, content]) => readIfThere(new URL(name, folder)) !== content)
      .map(([name]) => name);
    expect(stale).toEqual([]);
    expect(
      readdirSync(folder)
        .filter((name) => name.endsWith('.json'))
        .sort(),
    ).toEqual([...files.keys()].sort());
  });

  it('repeats itself exactly: same hashes, same block, on a second devnet', async () => {
    const again = await runStory({ scenarios: ALL });
    try {
      expect(again.told.map(({ hash }) => hash)).toEqual(story.told.map(({ hash }) => hash));
      const [one, two] = await Promise.all(
        [story, again].map((s) => s.devnet.rpc('eth_getBlockByNumber', ['latest', false])),
      );
      expect(two.hash).toBe(one.hash);
    } finally {
      await again.stop();
    }
  });
});
