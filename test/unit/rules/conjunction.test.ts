import { describe, expect, it } from 'vitest';
import type { Condition } from '../../../src/model/rulebook.ts';
import { indexFacts } from '../../../src/rules/compile/facts.ts';
import type { FactDeclaration } from '../../../src/model/intent.ts';
import { conjunctionOf, implies } from '../../../src/rules/lint/conjunction.ts';
import { OPERATORS } from '../../../src/rules/compile/operators.ts';
import { FACTS } from './smallRuleset.ts';

const facts = indexFacts(FACTS, ['swap']);
const t = (fact: string, operator: string, value: unknown): Condition => ({ fact, operator, value });
const N = 'actor.received.assets';
const holds = (c: Condition): boolean => conjunctionOf(c, facts) !== null;
const follows = (a: Condition, b: Condition): boolean =>
  implies(conjunctionOf(a, facts)!, conjunctionOf(b, facts)!);

describe('logic of conditions', () => {
  it.each<[string, Condition]>([
    ['below zero', t(N, 'lt', 0)],
    ['hole at the only value', { all: [t(N, 'eq', 3), t(N, 'not_in', [1, 3])] }],
    ['range between two counts', { all: [t(N, 'gt', 1), t(N, 'lt', 3), t(N, 'ne', 2)] }],
    ['counts of thousands', { all: [t(N, 'gte', 5_000), t(N, 'lt', 2_000)] }],
    ['two texts', { all: [t('actor.sides', 'eq', 'both'), t('actor.sides', 'ne', 'both')] }],
    ['all values of an enum excluded', t('actor.sides', 'not_in', ['none', 'sent', 'received', 'both'])],
    [
      'has what it must lack',
      { all: [t('tx.tags', 'includes', 'a'), t('tx.tags', 'includes_none', ['a', 'b'])] },
    ],
    ['has what is not allowed', { all: [t('tx.tags', 'includes', 'a'), t('tx.tags', 'subset_of', ['b'])] }],
    ['not of any', { all: [t(N, 'eq', 1), { not: { any: [t(N, 'eq', 1), t(N, 'eq', 2)] } }] }],
    ['every alternative contradicts', { all: [t(N, 'eq', 1), { any: [t(N, 'gt', 1), t(N, 'lt', 1)] }] }],
    [
      'double negation',
      { all: [t('actor.is_signer', 'is', true), { not: { not: t('actor.is_signer', 'is', false) } }] },
    ],
  ])('unsatisfiable: %s', (_, c) => expect(holds(c)).toBe(false));

  it.each<[string, Condition]>([
    ['an open range', { all: [t(N, 'gte', 1), t(N, 'ne', 2)] }],
    ['lists can hold both', { all: [t('tx.tags', 'includes', 'a'), t('tx.tags', 'includes', 'b')] }],
    ['one alternative is left', { all: [t(N, 'eq', 1), { any: [t(N, 'gt', 1), t(N, 'lte', 1)] }] }],
    [
      'not all',
      { all: [t(N, 'eq', 1), { not: { all: [t(N, 'eq', 1), t('actor.is_signer', 'is', true)] } }] },
    ],
  ])('satisfiable: %s', (_, c) => expect(holds(c)).toBe(true));

  it.each<[string, Condition, Condition, boolean]>([
    ['narrower range', t(N, 'eq', 2), t(N, 'gte', 1), true],
    ['wider range', t(N, 'gte', 1), t(N, 'eq', 2), false],
    ['more demands', { all: [t(N, 'eq', 2), t('actor.is_signer', 'is', true)] }, t(N, 'eq', 2), true],
    ['another fact', t(N, 'eq', 2), t('actor.sent.assets', 'eq', 2), false],
    ['subset of texts', t('actor.sides', 'eq', 'sent'), t('actor.sides', 'in', ['sent', 'received']), true],
    [
      'complement of texts',
      t('actor.sides', 'ne', 'none'),
      t('actor.sides', 'in', ['sent', 'received', 'both']),
      true,
    ],
    [
      'list demands',
      { all: [t('tx.tags', 'includes', 'a'), t('tx.tags', 'includes', 'b')] },
      t('tx.tags', 'includes', 'a'),
      true,
    ],
    ['any of one', t('tx.tags', 'includes_any', ['a']), t('tx.tags', 'includes', 'a'), true],
    [
      'each of several',
      t('tx.tags', 'includes_any', ['a', 'b']),
      t('tx.tags', 'includes_any', ['a', 'b', 'c']),
      true,
    ],
    [
      'what cannot be expressed',
      t('tx.tags', 'includes', 'a'),
      { not: t('tx.tags', 'subset_of', ['a']) },
      false,
    ],
    [
      'what cannot be expressed, itself',
      { not: t('tx.tags', 'subset_of', ['a']) },
      { not: t('tx.tags', 'subset_of', ['a']) },
      true,
    ],
    ['any of several', t('tx.tags', 'includes_any', ['a', 'b']), t('tx.tags', 'includes', 'a'), false],
    ['an alternative', t(N, 'eq', 2), { any: [t(N, 'eq', 2), t('actor.is_signer', 'is', true)] }, true],
    [
      'the same alternatives',
      { any: [t(N, 'eq', 2), t(N, 'eq', 4)] },
      { any: [t(N, 'eq', 2), t(N, 'eq', 4)] },
      true,
    ],
    ['every alternative implies', { any: [t(N, 'eq', 2), t(N, 'eq', 4)] }, t(N, 'gte', 2), true],
    ['one alternative does not', { any: [t(N, 'eq', 2), t(N, 'eq', 4)] }, t(N, 'gte', 3), false],
  ])('%s', (_, a, b, expected) => expect(follows(a, b)).toBe(expected));

  it('agrees with the engine’s operators on every small case', () => {
    const values: Record<string, readonly unknown[]> = {
      [N]: [0, 1, 2, 3, 4],
      'actor.is_signer': [true, false],
      'actor.sides': ['none', 'sent', 'received', 'both'],
      'tx.tags': [[], ['a'], ['b'], ['a', 'b'], ['a', 'b', 'c']],
    };
    const tests = [...facts.values()].filter((f) => values[f.name]).flatMap((f) => atomsOf(f));
    const sets = tests.map((c) => ({ c, set: conjunctionOf(c, facts) }));
    const satisfies = (c: Condition, fact: string, value: unknown): boolean =>
      'not' in c
        ? !satisfies(c.not, fact, value)
        : 'fact' in c && OPERATORS[c.operator]!.holds(value as never, c.value);
    for (const a of sets) {
      const fact = factOf(a.c);
      const holding = values[fact]!.filter((v) => satisfies(a.c, fact, v));
      if (a.set === null) expect(holding).toEqual([]);
      for (const b of sets) {
        if (factOf(b.c) !== fact || a.set === null || b.set === null) continue;
        if (!implies(a.set, b.set)) continue;
        const broken = holding.filter((v) => !satisfies(b.c, fact, v));
        expect({ a: a.c, b: b.c, broken }).toEqual({ a: a.c, b: b.c, broken: [] });
      }
    }
  });
});

const factOf = (c: Condition): string => ('not' in c ? factOf(c.not) : (c as { fact: string }).fact);

function atomsOf(fact: FactDeclaration): Condition[] {
  const one: Record<string, readonly unknown[]> = {
    count: [0, 1, 3],
    boolean: [true, false],
    enum: ['none', 'both'],
    list: ['a', 'c'],
  };
  const many: Record<string, readonly unknown[]> = {
    count: [[1], [0, 2, 3]],
    enum: [['sent'], ['sent', 'both']],
    list: [['a'], ['a', 'b']],
    boolean: [],
  };
  const atoms = Object.entries(OPERATORS)
    .filter(([, { types }]) => types.includes(fact.type))
    .flatMap(([operator]) => {
      const takesList = ['in', 'not_in', 'includes_any', 'includes_none', 'subset_of'].includes(operator);
      return (takesList ? many : one)[fact.type]!.map((value) => t(fact.name, operator, value));
    });
  return [...atoms, ...atoms.map((c): Condition => ({ not: c }))];
}
