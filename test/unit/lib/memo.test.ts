import { describe, expect, it } from 'vitest';
import { memoize } from '../../../src/lib/memo.ts';

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
