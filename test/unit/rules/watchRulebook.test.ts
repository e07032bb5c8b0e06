import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Rulebook } from '../../../src/model/rulebook.ts';
import { loadRulebook } from '../../../src/rules/compile/loadRulebook.ts';
import type { RulebookError } from '../../../src/rules/read/problems.ts';
import { watchRulebook, type RulebookWatch } from '../../../src/rules/read/watchRulebook.ts';
import { FACTS, INTENT, SMALL, writeRuleset } from './smallRuleset.ts';

describe('watchRulebook', () => {
  let watch: RulebookWatch | null = null;
  afterEach(() => watch?.close());

  it('swaps sound sets, keeps the last good one otherwise, and ignores changes of nothing', async () => {
    const dir = writeRuleset(SMALL);
    const path = join(dir, 'intents/direct.yaml');
    const swapped: Rulebook[] = [];
    const failed: RulebookError[] = [];
    const { digest } = loadRulebook([dir], { facts: FACTS });
    watch = watchRulebook(
      [dir],
      (book) => swapped.push(book),
      (error) => failed.push(error as RulebookError),
      { facts: FACTS, digest, intervalMs: 20 },
    );

    writeFileSync(path, INTENT.replace('label: Swap', 'label: Trade'));
    await vi.waitFor(() => expect(swapped.map((b) => b.intents[0]!.label)).toEqual(['Trade']), 30_000);

    writeFileSync(path, INTENT.replace('label: Swap', 'label: "{gift}"'));
    await vi.waitFor(() => expect(failed).toHaveLength(1), 30_000);
    expect(failed[0]!.problems.map((p) => p.code)).toContain('unknown_placeholder');

    writeFileSync(path, `# the good one again\n${INTENT.replace('label: Swap', 'label: Trade')}`);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([swapped.length, failed.length]).toEqual([1, 1]);

    writeFileSync(
      join(dir, 'intents/second.yaml'),
      INTENT.replace('slug: direct', 'slug: second')
        .replace('rests_on: [swap]\n', '')
        .replace(/when: .*/, 'when: {fact: actor.is_signer, is: true}'),
    );
    await vi.waitFor(() => expect(swapped.at(-1)!.intents).toHaveLength(2), 30_000);
  });
});
