import { describe, expect, it } from 'vitest';
import { shareEqual } from '../../../src/service/cache/rulebookCache.ts';

describe('equal parts of a rulebook', () => {
  it('become one object, at any depth and inside Maps', () => {
    const word = (): object => ({ op: 'first', of: [{ op: 'signer' }, { op: 'literal', value: '1' }] });
    const shared = shareEqual({ a: [word(), word()], b: new Map([['x', word()]]) });
    expect([shared.a, ...shared.b]).toEqual([
      [word(), word()],
      ['x', word()],
    ]);
    expect(shared.a[0]).toBe(shared.a[1]);
    expect(shared.b.get('x')).toBe(shared.a[0]);
  });

  it('stay apart where they differ: in a value, its type, a name or the kind of list', () => {
    const different: unknown[] = [
      {},
      [],
      { a: '1' },
      { a: 1 },
      { b: 1 },
      { a: 1, b: 1 },
      { a: null },
      { a: 'null' },
      { a: undefined },
      { a: 0n },
      { a: '1, b 1' },
      [1],
      { 0: 1 },
      [[1]],
      { a: [] },
      { a: {} },
    ];
    const shared = shareEqual(different);
    expect(shared).toEqual(different);
    expect(new Set(shared).size).toBe(different.length);
  });

  it('leaves the original and its Sets alone', () => {
    const set = new Set(['x']);
    const original = [
      { set, list: [1] },
      { set, list: [1] },
    ];
    const shared = shareEqual(original);
    expect(shared[0]!.set).toBe(set);
    expect(original[0]).not.toBe(original[1]);
  });
});
