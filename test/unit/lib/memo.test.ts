import { describe, expect, it } from 'vitest';
import { memoize, memoizePair } from '../../../src/lib/memo.ts';

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

  it('does the same of two texts, whose order counts', () => {
    const asked: string[] = [];
    const join = memoizePair((a, b) => (asked.push(`${a}-${b}`), `${a}-${b}`), 2);
    expect([
      join('a', 'b'),
      join('b', 'a'),
      join('a', 'b'),
      join('a', 'c'),
      join('b', 'a'),
      join('d', 'd'),
      join('a', 'b'),
    ]).toEqual(['a-b', 'b-a', 'a-b', 'a-c', 'b-a', 'd-d', 'a-b']);
    expect(asked).toEqual(['a-b', 'b-a', 'a-c', 'b-a', 'd-d', 'a-b']);
  });
});
