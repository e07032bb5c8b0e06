import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { SHIPPED_RULES } from '../../src/rules/read/listFiles.ts';
import { runRules } from './runRules.ts';

const FOLDER = join(import.meta.dirname, 'strangers');

/** Protocols that the shipped rules do not know, each written as the tutorial of rules/README.md says. */
describe.each(readdirSync(FOLDER))('%s, in an overlay of its own', (name) => {
  const dir = join(FOLDER, name);
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.yaml'),
  );
  const texts = files.map((path) => readFileSync(join(dir, path), 'utf8'));
  const slugs = texts
    .map((text) => (parse(text) as { slug?: string }).slug)
    .filter((slug) => slug !== undefined);

  it('is found on made-up transactions, and a forged event is not', async () => {
    expect((await runRules('lint', SHIPPED_RULES, dir)).out).toMatch(/^ok/);
    const runs: string[] = [];
    for (const slug of slugs) {
      const { out, err } = await runRules('test', SHIPPED_RULES, dir, '--rule', slug);
      runs.push(out, err);
    }
    expect(runs.join('\n')).not.toContain('FAIL');
    expect(runs.join('\n')).toMatch(/[24] of [24] examples/);
    expect(texts.join('\n')).toContain('motifs: []');
  });

  it('takes at most 35 lines', () => {
    const lines = texts.reduce((n, text) => n + text.trimEnd().split('\n').length, 0);
    expect(lines).toBeLessThanOrEqual(35);
  });
});
