import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { generateFactCatalogue, generateNamesSchema } from '../../scripts/generateRuleSchemas.ts';
import { ruleset } from '../unit/rules-content/scene.ts';
import { runRules } from './runRules.ts';

describe('the shipped rules', () => {
  it('have no problem', async () => {
    expect(await runRules('lint')).toMatchObject({ code: 0, err: '' });
  });

  it('come out as their examples say', async () => {
    const run = await runRules('test');
    expect(run.out).not.toContain('FAIL');
    expect(run.code).toBe(0);
  });

  it('have no condition that nothing ever made true', async () => {
    const run = await runRules('coverage');
    expect(run.code).toBe(0);
    expect(run.out).toMatch(/^\d+ recordings and \d+ other examples; \d+ rules/m);
    expect(run.out.split('\n').filter((line) => /never (true|evaluated)/.test(line))).toEqual([]);
  });

  it('have a match and a near miss each', () => {
    const bare = ruleset.intents.filter(
      ({ value }) =>
        (value.examples.match ?? []).length === 0 || (value.examples.near_miss ?? []).length === 0,
    );
    expect(bare.map(({ value }) => value.slug)).toEqual([]);
    expect(ruleset.intents.length).toBeGreaterThan(80);
  });

  it('have an example that states the label of each intent', () => {
    const bare = ruleset.intents.filter(
      ({ value }) => !(value.examples.match ?? []).some(({ expect }) => expect?.label !== undefined),
    );
    expect(bare.map(({ value }) => value.slug)).toEqual([]);
  });

  it('are laid out canonically', async () => {
    expect(await runRules('fmt', '--check')).toMatchObject({ code: 0, err: '' });
  });

  it('change their meaning only with their version', async () => {
    expect(await runRules('lock', '--check')).toMatchObject({ code: 0, err: '' });
  });

  it('have generated names and catalogue in step with vocabulary and registry (npm run generate)', () => {
    const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    expect(generateNamesSchema() === read('schemas/rules/names.schema.json')).toBe(true);
    expect(generateFactCatalogue() === read('rules/FACTS.md')).toBe(true);
  });
});
