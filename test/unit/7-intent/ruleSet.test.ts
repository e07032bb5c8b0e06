import { describe, expect, it } from 'vitest';
import {
  add,
  cut,
  firstFrom,
  has,
  join,
  noRules,
  type RuleSet,
} from '../../../src/stages/7-intent/ruleSet.ts';

const COUNT = 100;
const setOf = (...places: number[]): RuleSet => {
  const set = noRules(COUNT);
  for (const place of places) add(set, place);
  return set;
};
const members = (set: RuleSet): number[] => {
  const found: number[] = [];
  for (let place = firstFrom(set, 0); place >= 0; place = firstFrom(set, place + 1)) found.push(place);
  return found;
};

describe('a set of rules', () => {
  it('tells its members in order, at the ends of words too', () => {
    expect(members(setOf(64, 0, 31, 99, 32, 63, 1))).toEqual([0, 1, 31, 32, 63, 64, 99]);
    expect(members(setOf(95))).toEqual([95]);
    expect(members(noRules(COUNT))).toEqual([]);
    expect(members(noRules(0))).toEqual([]);
  });

  it('finds none behind its last member, nor behind its end', () => {
    expect(firstFrom(setOf(99), 99)).toBe(99);
    expect(firstFrom(setOf(98), 99)).toBe(-1);
    expect(firstFrom(setOf(98), 128)).toBe(-1);
  });

  it('is joined and cut', () => {
    const set = setOf(1, 31, 70);
    join(set, setOf(31, 32));
    expect(members(set)).toEqual([1, 31, 32, 70]);
    cut(set, setOf(1, 32, 99));
    expect(members(set)).toEqual([1, 32]);
    expect([has(set, 1), has(set, 31), has(set, 32)]).toEqual([true, false, true]);
  });
});
