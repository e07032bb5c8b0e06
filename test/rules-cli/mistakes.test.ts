import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { openRuleset } from '../../src/tools/cli/rules/rulesets.ts';
import { SHIPPED_RULES } from '../../src/rules/read/listFiles.ts';
import { problemMeanings, type ProblemCode } from '../../src/rules/read/problems.ts';
import { writeRuleset } from '../unit/rules/smallRuleset.ts';
import { runRules } from './runRules.ts';

const FOLDER = join(import.meta.dirname, 'mistakes');
const SOUND = join(FOLDER, 'sound');

/** An overlay of every kind of file without a mistake; each file of the folder replaces one of its files. */
const sound = Object.fromEntries(
  readdirSync(SOUND, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.yaml'))
    .map((path) => [path, readFileSync(join(SOUND, path), 'utf8')]),
);

interface Mistake {
  readonly name: string;
  readonly file: string;
  readonly by: string;
  readonly at: string;
  readonly code: string;
  readonly says: string;
  readonly text: string;
}

/** One edit of a file of the sound overlay, or a further file. */
interface Slip {
  readonly name: string;
  readonly file: string;
  readonly code: string;
  readonly from?: string;
  readonly to?: string;
  readonly text?: string;
}
const slips = parse(readFileSync(join(import.meta.dirname, 'slips.yaml'), 'utf8')) as readonly Slip[];

const mistakes = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.yaml'))
  .map((name): Mistake => {
    const lines = readFileSync(join(FOLDER, name), 'utf8').split('\n');
    const [file, by, at, code, says] = lines.slice(0, 5).map((line) => line.replace(/^# \w+: ?/, ''));
    return { name, file: file!, by: by!, at: at!, code: code!, says: says!, text: lines.slice(5).join('\n') };
  });

describe('slips of a new author', () => {
  it.each(slips)('$name: $code', async ({ file, code, from = '', to = '', text }) => {
    expect(text ?? sound[file]!.split(from).length).toBe(text ?? 2);
    const dir = writeRuleset(sound, { [file]: text ?? sound[file]!.replace(from, () => to) });
    const { problems, warnings } = openRuleset([SHIPPED_RULES, dir]);
    if (code !== 'test') return expect([...problems, ...warnings].map((p) => p.code)).toContain(code);
    expect((await runRules('test', SHIPPED_RULES, dir, '--rule', 'burrow')).code).toBe(1);
  });
});

describe('mistakes of authors', () => {
  it('are at least 80, each in a file of its own', () => expect(mistakes.length).toBeGreaterThanOrEqual(80));

  it('the overlay that they are made in has none', async () => {
    const dir = writeRuleset(sound);
    expect((await runRules('lint', SHIPPED_RULES, dir)).code).toBe(0);
    expect((await runRules('test', SHIPPED_RULES, dir, '--rule', 'burrow-harvest')).code).toBe(0);
    expect((await runRules('test', SHIPPED_RULES, dir, '--rule', 'burrow')).code).toBe(0);
  });

  it.each(mistakes.filter(({ by }) => by === 'lint'))(
    '$name: $code at $at',
    ({ file, at, code, says, text }) => {
      const dir = writeRuleset(sound, { [file]: text });
      const { problems } = openRuleset([SHIPPED_RULES, dir]);
      const shown = problems.map(
        (p) => `${relative(dir, p.file)}:${p.line}:${p.column} ${p.code}: ${p.message}`,
      );
      const place = at === 'any' ? '' : `${file}:${at} `;
      expect(
        shown.filter((line) => line.includes(`${place}${code}: `) && line.includes(says)),
        shown.join('\n'),
      ).not.toEqual([]);
      expect(problemMeanings()[code as ProblemCode]).toBeTruthy();
      // The cause, and little besides.
      expect(problems.length, shown.join('\n')).toBeLessThanOrEqual(3);
    },
  );

  it.each(mistakes.filter(({ by }) => by === 'test'))(
    '$name: found by its example',
    async ({ file, at, says, text }) => {
      const dir = writeRuleset(sound, { [file]: text });
      const { out, code } = await runRules(
        'test',
        SHIPPED_RULES,
        dir,
        '--rule',
        file.startsWith('shapes') ? 'burrow' : 'burrow-harvest',
      );
      expect(code).toBe(1);
      expect(out).toContain(`${file}:${at}`);
      expect(out).toContain(says);
    },
  );
});
