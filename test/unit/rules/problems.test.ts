import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { loadRulebook, readRuleset } from '../../../src/rules/compile/loadRulebook.ts';
import {
  isWarning,
  problemMeanings,
  RulebookError,
  type Problem,
  type ProblemCode,
} from '../../../src/rules/read/problems.ts';
import { parseYamlTree } from '../../../src/rules/read/yamlTree.ts';
import { PROBLEM_CASES } from './problemCases.ts';
import { FACTS, INTENT, PROTOCOL, SHAPE, SMALL, TOKEN, writeRuleset, type Files } from './smallRuleset.ts';

const shown = (dir: string, problems: readonly Problem[]): string[] =>
  problems.map((p) => `${p.code} ${relative(dir, p.file)}:${p.line}:${p.column}`);

describe('problems of a ruleset', () => {
  it('the small ruleset has none', () => {
    const dir = writeRuleset(SMALL);
    expect(shown(dir, readRuleset([dir], { facts: FACTS }).problems)).toEqual([]);
  });

  it.each(PROBLEM_CASES.filter((c) => !c.at.startsWith('overlay/')))(
    '$code at $at',
    ({ code, files, at }) => {
      const dir = writeRuleset(SMALL, files);
      const { problems, rulebook } = readRuleset([dir], { facts: FACTS, examples: true });
      expect(shown(dir, problems).join('\n')).toContain(`${code} ${at}`);
      expect(rulebook).toBeNull();
    },
  );

  it('duplicate_kind: an overlay redefines a word', () => {
    const [base, overlay] = [
      writeRuleset(SMALL),
      writeRuleset({ 'vocabulary.yaml': 'motifs: {swap: {title: Again}}\n' }),
    ];
    expect(shown(overlay, readRuleset([base, overlay], { facts: FACTS }).problems)).toEqual([
      'duplicate_kind vocabulary.yaml:1:10',
    ]);
  });

  const messages = (files: Files): string[] =>
    readRuleset([writeRuleset(SMALL, files)], { facts: FACTS }).problems.map((p) => p.message);
  const withRule = (from: string, to: string) => ({ 'intents/direct.yaml': INTENT.replace(from, to) });

  it('name the word that was meant', () => {
    expect(messages(withRule('motif.swap.count, is', 'motif.swpa.count, is'))).toContain(
      'motif.swpa.count (did you mean motif.swap.count?)',
    );
    expect(messages(withRule('intent: DirectSwap', 'intent: DirectSawp'))).toContain(
      'DirectSawp (did you mean DirectSwap?)',
    );
    expect(messages(withRule('rests_on', 'rest_on'))).toContain('rest_on (did you mean rests_on?)');
    expect(
      messages(
        withRule(
          '{fact: motif.swap.count, is: eq, value: 1}',
          '{fact: motifs.protocols, is: includes, value: paris}',
        ),
      ),
    ).toContain('paris (did you mean pairs?)');
  });

  it('name the conditions that contradict each other', () => {
    const both =
      '{all: [{fact: motif.swap.count, is: gte, value: 2}, {fact: actor.sides, is: eq, value: both}, {fact: motif.swap.count, is: lt, value: 2}]}';
    expect(messages(withRule('{fact: motif.swap.count, is: eq, value: 1}', both))).toEqual([
      'motif.swap.count gte 2, and motif.swap.count lt 2',
    ]);
  });

  it('come with the cause first: a bad word in the vocabulary hides what follows from it', () => {
    const vocabulary = (SMALL['vocabulary.yaml'] as string).replace('title: Swap', 'titel: Swap');
    const { problems } = readRuleset([writeRuleset(SMALL, { 'vocabulary.yaml': vocabulary })], {
      facts: FACTS,
    });
    expect(problems.map(({ code, file }) => `${code} ${file.split('/').at(-1)}`)).toEqual([
      'missing_key vocabulary.yaml',
      'unknown_key vocabulary.yaml',
    ]);
  });

  it('never offer an address to paste for one with a wrong checksum', () => {
    const lower = TOKEN.toLowerCase();
    const [message] = messages({ 'protocols/pairs.yaml': PROTOCOL.replace(TOKEN, lower) });
    expect(message).toContain(lower);
    expect(message).not.toContain(TOKEN);
  });

  it('accept a declaration pasted from Solidity', () => {
    const pasted = SHAPE.replace('event: "Swap(', 'event: "event Swap(').replace(
      'indexed to)"',
      'indexed to);"',
    );
    expect(messages({ 'shapes/pair.yaml': pasted })).toEqual([]);
  });

  it('missing_directory, unreadable_file, too_many_files', () => {
    expect(readRuleset(['/nowhere'], { facts: FACTS }).problems.map((p) => p.code)).toContain(
      'missing_directory',
    );
    const dir = writeRuleset(SMALL);
    symlinkSync('/nowhere/at/all', join(dir, 'intents/link.yaml'));
    expect(shown(dir, readRuleset([dir], { facts: FACTS }).problems)).toEqual([
      'unreadable_file intents/link.yaml:1:1',
    ]);
    mkdirSync(join(dir, 'notes'));
    for (let i = 0; i < 5001; i++) writeFileSync(join(dir, `notes/${i}.md`), '');
    expect(readRuleset([dir], { facts: FACTS }).problems.map((p) => p.code)).toContain('too_many_files');
  });

  it('every code has a case, and there are enough of them', () => {
    const here = new Set([
      ...PROBLEM_CASES.map((c) => c.code),
      'missing_directory',
      'unreadable_file',
      'too_many_files',
      // silentMistakes.test.ts
      'future_block',
      'unused_word',
      'name_taken',
      'ranked_after_unknown',
      'broken_recording',
      // test/rules-cli/mistakes
      'leg_contradicts',
      'other_indexed',
      'draft_text',
      // test/rules-cli/overlays.test.ts
      'bad_archive',
      'other_role',
      // test/rules-cli/abi.test.ts
      'other_signature',
      'no_amount',
      'no_code',
      'not_on_chain',
    ]);
    const silent = Object.keys(problemMeanings()) as ProblemCode[];
    // Warnings: silentMistakes.test.ts
    expect(silent.filter((code) => !here.has(code) && !isWarning({ code }))).toEqual([]);
    expect(here.size).toBeGreaterThanOrEqual(70);
  });

  it('the schema says which codes are warnings, and what a problem is', () => {
    const text = readFileSync(new URL('../../../schemas/problem.schema.json', import.meta.url), 'utf8');
    const schema = JSON.parse(text) as { $defs: { SecondLook: { oneOf: { const: ProblemCode }[] } } };
    const warnings = (Object.keys(problemMeanings()) as ProblemCode[]).filter((code) => isWarning({ code }));
    expect(schema.$defs.SecondLook.oneOf.map((one) => one.const)).toEqual(warnings);
    const validate = new Ajv2020({ strict: true }).compile(schema);
    const dir = writeRuleset(SMALL, { 'intents/direct.yaml': 'slug: direct\nversion: x\n' });
    for (const problem of readRuleset([dir], { facts: FACTS }).problems)
      expect(validate(problem), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ file: '', line: 1, column: 1, code: 'no_such', message: '' })).toBe(false);
  });

  it('all problems come at once, in the order of the files, as one error', () => {
    const dir = writeRuleset(SMALL, {
      'intents/direct.yaml': 'slug: direct\nversion: x\n',
      'shapes/pair.yaml': (SMALL['shapes/pair.yaml'] as string).replace('kind: swap', 'kind: swop'),
      'protocols/pairs.yaml': 'slug: [',
      'entities/more.yaml': 'a: 1',
    });
    let error: unknown;
    try {
      loadRulebook([dir], { facts: FACTS });
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(RulebookError);
    const { problems, message } = error as RulebookError;
    expect(new Set(problems.map((p) => relative(dir, p.file)))).toEqual(
      new Set(['entities/more.yaml', 'intents/direct.yaml', 'protocols/pairs.yaml', 'shapes/pair.yaml']),
    );
    expect(
      [...problems].sort((a, b) =>
        a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line || a.column - b.column,
      ),
    ).toEqual(problems);
    expect(message).toContain('shapes/pair.yaml:9:11 unknown_motif_kind');
  });

  it('a broken file does not make sound ones look wrong', () => {
    const dir = writeRuleset(SMALL, {
      'shapes/pair.yaml': (SMALL['shapes/pair.yaml'] as string).replace(
        'any_emitter: true',
        'any_emitter: maybe',
      ),
    });
    expect(shown(dir, readRuleset([dir], { facts: FACTS }).problems)).toEqual([
      'wrong_type shapes/pair.yaml:6:14',
    ]);
  });

  it('hostile keys do not reach prototypes', () => {
    const dir = writeRuleset(SMALL, {
      'intents/evil.yaml': '__proto__: {polluted: yes}\nconstructor: {prototype: {polluted: yes}}\n',
    });
    readRuleset([dir], { facts: FACTS });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  const SIZE = 250_000;
  const repeat = (text: string): string => text.repeat(SIZE / text.length);
  it.each<[string, string, boolean]>([
    ['opened lists', repeat('['), false],
    ['opened maps', repeat('{a: '), false],
    ['nested dashes', repeat('- '), false],
    ['anchors', repeat('&a '), false],
    ['a bomb of aliases', 'a: &a [x, x]\nb: &b [*a, *a, *a]\nc: [*b, *b, *b]\n', false],
    ['many keys', Array.from({ length: SIZE / 10 }, (_, i) => `k${i}: 1\n`).join(''), true],
    ['many spaces', `a:${repeat(' ')}#`, true],
  ])('hostile YAML ends soon: %s', (_, text, wellFormed) => {
    const started = performance.now();
    const { tree, faults } = parseYamlTree(text);
    expect(performance.now() - started).toBeLessThan(15_000);
    expect(tree !== null).toBe(wellFormed);
    if (!wellFormed) expect(faults.length).toBeGreaterThan(0);
  });
});
