import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatRuleText } from '../../src/tools/cli/rules/formatRules.ts';
import { PROBLEM_CASES } from '../unit/rules/problemCases.ts';
import { INTENT, SMALL, writeRuleset } from '../unit/rules/smallRuleset.ts';
import { runRules } from './runRules.ts';

describe('rules lint', () => {
  it('says what a sound ruleset holds', async () => {
    const dir = writeRuleset(SMALL);
    const run = await runRules('lint', dir);
    expect(run).toMatchObject({ code: 0, err: '' });
    expect(run.out).toMatch(
      /^ok: 1 shapes, 1 protocols, 2 entity files, 1 intent rules; version 1\.2\.3, sha256:[0-9a-f]{64}$/,
    );
  });

  it('lists problems as file:line:column, as JSON and as annotations', async () => {
    const dir = writeRuleset(SMALL, {
      'intents/direct.yaml': INTENT.replace('motif.swap.count, is: eq', 'motif.swap.cuont, is: eq'),
    });
    const text = await runRules('lint', dir);
    expect(text.code).toBe(1);
    expect(text.out).toBe(
      `${dir}/intents/direct.yaml:7:14 unknown_fact: motif.swap.cuont (did you mean motif.swap.count?)`,
    );
    const json = await runRules('lint', dir, '--format', 'json');
    expect(JSON.parse(json.out)).toMatchObject({ problems: [{ line: 7, column: 14, code: 'unknown_fact' }] });
    expect((await runRules('lint', dir, '--format', 'github')).out).toContain(
      ',line=7,col=14,title=unknown_fact::',
    );
  });

  it('names every one of many mistakes at once, each where it is', async () => {
    // Examples are judged once the rules have no other problem.
    const judgedLater = ['impossible_facts', 'skipped_example', 'trivial_near_miss'];
    const single = PROBLEM_CASES.filter(
      ({ code: problem, files, at }) =>
        !judgedLater.includes(problem) &&
        Object.keys(files).join() === 'intents/direct.yaml' &&
        typeof files['intents/direct.yaml'] === 'string' &&
        files['intents/direct.yaml'].startsWith('slug: direct\n') &&
        at.startsWith('intents/direct.yaml:'),
    );
    const broken = single.map(
      ({ files }, i) =>
        [
          `intents/mistake-${i}.yaml`,
          (files['intents/direct.yaml'] as string).replace('slug: direct', `slug: mistake-${i}`),
        ] as const,
    );
    const dir = writeRuleset(SMALL, Object.fromEntries(broken));
    const { code, out } = await runRules('lint', dir);
    expect(code).toBe(1);
    const missing = single
      .map(({ code: problem, at }, i) => `${dir}/${at.replace('direct', `mistake-${i}`)} ${problem}: `)
      .filter((line) => !out.includes(line));
    expect(missing).toEqual([]);
    expect(new Set(single.map(({ code: problem }) => problem)).size).toBeGreaterThanOrEqual(30);
  });

  it('explains its codes', async () => {
    expect((await runRules('lint', '--codes')).out).toMatch(/^unquoted_hex +a hex value without quotes/m);
  });
});

describe('rules test', () => {
  it('passes examples that come out as they should, and writes JUnit', async () => {
    const dir = writeRuleset(SMALL);
    const run = await runRules('test', dir, '--junit', join(dir, 'out.xml'));
    expect(run).toEqual({ code: 0, out: '3 of 3 examples of 2 rules passed', err: '' });
    expect(readFileSync(join(dir, 'out.xml'), 'utf8')).toContain(
      '<testsuite name="direct" tests="2" failures="0">',
    );
  });

  it('tells which test of a failing match does not hold, and which near miss matches', async () => {
    const dir = writeRuleset(SMALL, {
      'intents/direct.yaml': INTENT.replace('motif.swap.count: 1}', 'motif.swap.count: 3}').replace(
        'motif.swap.count: 2}',
        'motif.swap.count: 1, actor.received.assets: 4}',
      ),
    });
    const run = await runRules('test', dir, '--junit', join(dir, 'out.xml'));
    expect(run.code).toBe(1);
    expect(run.out).toContain(
      `FAIL ${dir}/intents/direct.yaml:11:11 direct match #1\n     motif.swap.count eq 1, but it is 3`,
    );
    expect(run.out).toContain(
      'direct near_miss #1\n     matches, though it should not; the rule does not use actor.received.assets',
    );
    expect(run.out).toContain('1 of 3 examples');
    expect(readFileSync(join(dir, 'out.xml'), 'utf8')).toContain(
      '<failure message="motif.swap.count eq 1, but it is 3">',
    );
  });

  it('fails when nothing was tested, and when a recording is missing', async () => {
    expect(await runRules('test', writeRuleset(SMALL), '--rule', 'nobody')).toMatchObject({
      code: 1,
      err: 'there is no rule nobody',
    });
    const dir = writeRuleset(SMALL, {
      'intents/direct.yaml': INTENT.replace('{facts: {motif.swap.count: 2}}', '{recording: never-made}'),
    });
    const run = await runRules('test', dir);
    expect(run.code).toBe(1);
    expect(run.out).toContain('no recording never-made');
  });
});

describe('rules fmt', () => {
  const UGLY = `# a comment\nversion:   1\nslug: "direct"   # who\nstatus: stable\nintent: 'DirectSwap'\nlabel: Swap\nexamples:\n    match: [ { facts: { motif.swap.count: 1 } } ]\n    near_miss:\n    - facts: {motif.swap.count:   2}\nwhen: {fact: motif.swap.count, is: eq, value: 1}\nrests_on: [ swap ]\nproof: structural\nconfidence: {known: High, family: Medium}\n`;

  it('orders keys, keeps comments and meaning, and has nothing to do the second time', async () => {
    const dir = writeRuleset(SMALL, { 'intents/direct.yaml': UGLY });
    const digest = (await runRules('lint', dir)).out;
    expect(await runRules('fmt', '--check', dir)).toMatchObject({
      code: 1,
      out: expect.stringContaining('would format') as string,
    });
    expect((await runRules('fmt', dir)).code).toBe(0);
    const text = readFileSync(join(dir, 'intents/direct.yaml'), 'utf8');
    expect(text).toMatch(/^# a comment\nslug: "direct" # who\nversion: 1\n/);
    expect(text.indexOf('when:')).toBeLessThan(text.indexOf('examples:'));
    expect(await runRules('fmt', '--check', dir)).toMatchObject({ code: 0 });
    expect((await runRules('lint', dir)).out).toBe(digest);
  });

  it('leaves what is not YAML alone', async () => {
    expect(formatRuleText('a: [', 'intent')).toBeNull();
    const dir = writeRuleset(SMALL, { 'intents/direct.yaml': 'a: [' });
    expect((await runRules('fmt', dir)).code).toBe(1);
    expect(readFileSync(join(dir, 'intents/direct.yaml'), 'utf8')).toBe('a: [');
  });
});

describe('rules lock', () => {
  it('notices a meaning that changed under its version, and only that', async () => {
    const dir = writeRuleset(SMALL);
    const path = join(dir, 'intents/direct.yaml');
    expect(await runRules('lock', '--check', dir)).toMatchObject({
      code: 1,
      err: expect.stringContaining('intent direct is not locked yet') as string,
    });
    expect(existsSync(join(dir, 'ruleset.lock'))).toBe(false);
    expect((await runRules('lock', dir)).code).toBe(0);
    expect((await runRules('lock', '--check', dir)).code).toBe(0);

    writeFileSync(path, `# more words\n${INTENT.replace('rests_on', 'summary: What it is for.\nrests_on')}`);
    expect((await runRules('lock', '--check', dir)).code).toBe(0);

    const changed = INTENT.replace('family: Medium', 'family: Low');
    writeFileSync(path, changed);
    expect(await runRules('lock', '--check', dir)).toMatchObject({
      code: 1,
      err: expect.stringContaining('intent direct means something else, but is still version 1') as string,
    });
    expect((await runRules('lock', dir)).code).toBe(1);
    writeFileSync(path, changed.replace('version: 1', 'version: 2'));
    expect(await runRules('lock', '--check', dir)).toMatchObject({
      code: 1,
      err: expect.stringContaining('locked at version 1, the rules have 2') as string,
    });
    expect((await runRules('lock', dir)).code).toBe(0);
    writeFileSync(path, INTENT);
    expect(await runRules('lock', dir)).toMatchObject({
      code: 1,
      err: expect.stringContaining('went back from version 2 to 1') as string,
    });
    expect((await runRules('lock', '--force', dir)).code).toBe(0);
    expect((await runRules('lock', '--check', dir)).code).toBe(0);
  });

  it('locks the words of the ruleset under its own version', async () => {
    const dir = writeRuleset(SMALL);
    await runRules('lock', dir);
    writeFileSync(join(dir, 'precedence.yaml'), 'order: [Unknown, DirectSwap, Part]\n');
    expect((await runRules('lock', '--check', dir)).err).toContain(
      'ruleset small means something else, but is still version 1.2.3',
    );
  });
});
