import { describe, expect, it } from 'vitest';
import { evaluateOn, factNames, prepareIntent } from '../../../src/rules/engine.ts';
import type { FactValue } from '../../../src/model/intent.ts';
import type { Condition, IntentRule } from '../../../src/model/rulebook.ts';

function rule(slug: string, when: Condition): IntentRule {
  return {
    slug,
    version: 1,
    status: 'stable',
    intent: 'X',
    label: 'x',
    labelFallback: 'x',
    when,
    priority: 0,
    supersedes: [],
    proof: 'structural',
    confidence: { known: 'High', family: 'Medium' },
    restsOn: [],
    requiresAny: [],
    tags: [],
  };
}
const facts = new Map<string, FactValue>([
  ['n', 9],
  ['kind', 'both'],
  ['yes', true],
  ['tags', ['a', 'b']],
  ['none', []],
]);
const holds = async (fact: string, operator: string, value: unknown): Promise<boolean> =>
  (await evaluateOn(rule('r', { all: [{ fact, operator, value }] }), facts)).matched;

describe('evaluateOn', () => {
  it.each([
    ['n', 'eq', 9, true],
    ['n', 'eq', 10, false],
    ['n', 'ne', 10, true],
    ['n', 'gt', 10, false],
    ['n', 'gte', 9, true],
    ['n', 'lt', 10, true],
    ['n', 'lte', 8, false],
    ['kind', 'eq', 'both', true],
    ['kind', 'in', ['sent', 'both'], true],
    ['kind', 'not_in', ['sent', 'both'], false],
    ['tags', 'includes', 'a', true],
    ['tags', 'includes', 'ab', false],
    ['tags', 'includes_any', ['z', 'b'], true],
    ['tags', 'includes_none', ['z'], true],
    ['tags', 'subset_of', ['a', 'b', 'c'], true],
    ['tags', 'subset_of', ['a'], false],
    ['none', 'subset_of', ['a'], true],
    ['none', 'includes_any', ['a'], false],
    ['yes', 'is', true, true],
    ['yes', 'is', false, false],
  ] as const)('%s %s %s', async (fact, operator, value, expected) => {
    expect(await holds(fact, operator, value)).toBe(expected);
  });

  it('keeps every condition with its actual value, also of rules that fail', async () => {
    const outcome = await evaluateOn(
      rule('r', {
        all: [
          { fact: 'n', operator: 'gt', value: 10 },
          {
            any: [
              { fact: 'yes', operator: 'is', value: true },
              { fact: 'kind', operator: 'eq', value: 'sent' },
            ],
          },
          { not: { fact: 'n', operator: 'eq', value: 9 } },
        ],
      }),
      facts,
    );
    expect(outcome.matched).toBe(false);
    expect(outcome.conditions).toEqual({
      result: false,
      all: [
        { fact: 'n', operator: 'gt', expected: 10, actual: 9, result: false },
        {
          result: true,
          any: [
            { fact: 'yes', operator: 'is', expected: true, actual: true, result: true },
            { fact: 'kind', operator: 'eq', expected: 'sent', actual: 'both', result: false },
          ],
        },
        { result: false, not: { fact: 'n', operator: 'eq', expected: 9, actual: 9, result: true } },
      ],
    });
  });

  it('takes a rule whose condition is a single test', async () => {
    expect((await evaluateOn(rule('r', { fact: 'n', operator: 'eq', value: 9 }), facts)).matched).toBe(true);
  });

  it('gives each of several overlapping evaluations its own result', async () => {
    const prepared = prepareIntent(rule('r', { all: [{ fact: 'n', operator: 'eq', value: 9 }] }));
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, i) => prepared.evaluate(() => (i % 2 === 0 ? 9 : 8))),
    );
    expect(outcomes.map(({ matched }) => matched)).toEqual(outcomes.map((_, i) => i % 2 === 0));
  });

  it('fails loudly on a fact or an operator that does not exist', async () => {
    await expect(evaluateOn(rule('r', { fact: 'nope', operator: 'eq', value: 9 }), facts)).rejects.toThrow(
      /nope/,
    );
    await expect(
      evaluateOn(rule('r', { fact: 'n', operator: 'equal-ish', value: 9 }), facts),
    ).rejects.toThrow(/equal-ish/);
  });

  it('leaves the rules it is given as they were', async () => {
    const when = Object.freeze({
      all: Object.freeze([Object.freeze({ fact: 'n', operator: 'eq', value: 9 })]),
    }) as Condition;
    await evaluateOn(rule('r', when), facts);
    expect(when).toEqual({ all: [{ fact: 'n', operator: 'eq', value: 9 }] });
  });
});

describe('mayMatch', () => {
  const mayMatch = (when: Condition): boolean =>
    prepareIntent(rule('r', when)).mayMatch((name) => facts.get(name)!);
  const holds = { fact: 'n', operator: 'eq', value: 9 };
  const fails = { fact: 'n', operator: 'eq', value: 8 };

  it('is false where the tests rule the condition out, and only there', () => {
    expect(mayMatch({ all: [holds, { all: [fails] }] })).toBe(false);
    expect(mayMatch(fails)).toBe(false);
    expect(mayMatch({ all: [holds, { any: [fails, holds] }] })).toBe(true);
    expect(mayMatch({ any: [fails, { all: [holds, fails] }] })).toBe(false);
    expect(mayMatch({ not: holds })).toBe(false);
    expect(mayMatch({ all: [holds, { not: fails }] })).toBe(true);
  });
});

describe('factNames', () => {
  it('collects the facts of a whole tree', () => {
    expect([
      ...factNames({
        all: [
          { fact: 'a', operator: 'eq', value: 1 },
          {
            any: [{ fact: 'b', operator: 'eq', value: 1 }, { not: { fact: 'c', operator: 'eq', value: 1 } }],
          },
        ],
      }),
    ]).toEqual(['a', 'b', 'c']);
  });
});
