import { describe, expect, it } from 'vitest';
import { memoize, memoizeFor } from '../../../src/lib/memo.ts';

describe('memoize', () => {
  it('computes once while remembered, and forgets what was not used for long', () => {
    const asked: string[] = [];
    const length = memoize((text) => (asked.push(text), text.length), 2);
    expect([
      length('a'),
      length('a'),
      length('bb'),
      length('a'),
      length('ccc'),
      length('dddd'),
      length('bb'),
    ]).toEqual([1, 1, 2, 1, 3, 4, 2]);
    expect(asked).toEqual(['a', 'bb', 'ccc', 'dddd', 'bb']);
  });
});

describe('memoizeFor', () => {
  it('remembers for one object and the last argument, unseen by copies and texts of the object', () => {
    const asked: string[] = [];
    const joined = memoizeFor((of: { name: string }, by: string) => (asked.push(by), `${of.name}${by}`));
    const one = { name: 'a' };
    expect([joined(one, '1'), joined(one, '1'), joined(one, '2'), joined(one, '1')]).toEqual([
      'a1',
      'a1',
      'a2',
      'a1',
    ]);
    expect(asked).toEqual(['1', '2', '1']);
    const copy = { ...one, name: 'b' };
    expect([joined(copy, '1'), JSON.stringify(one), Object.keys(one)]).toEqual([
      'b1',
      '{"name":"a"}',
      ['name'],
    ]);
  });
});
