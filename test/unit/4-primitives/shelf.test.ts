import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Shelf } from '../../../src/stages/4-primitives/bind/shelf.ts';

type Direction = 'before' | 'after';

/** What a shelf answers, looked up item by item. */
function plainly(
  items: readonly number[],
  taken: ReadonlySet<number>,
  start: number,
  direction: Direction,
): number {
  const step = direction === 'before' ? -1 : 1;
  for (
    let at = direction === 'before' ? Math.min(start, items.length - 1) : Math.max(start, 0);
    at >= 0 && at < items.length;
    at += step
  ) {
    if (!taken.has(items[at]!)) return at;
  }
  return direction === 'before' ? -1 : items.length;
}

describe('a shelf of movements', () => {
  it.each([
    ['few', 1, 20],
    ['many', 65, 200],
  ])('finds the nearest free one among %s, as more and more are taken', (_, least, most) => {
    const question = fc.record({
      at: fc.nat(most),
      direction: fc.constantFrom<Direction>('before', 'after'),
      take: fc.array(fc.nat(most), { maxLength: 30 }),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: least, max: most }),
        fc.array(question, { minLength: 1, maxLength: 12 }),
        (size, questions) => {
          const items = Array.from({ length: size }, (_item, i) => 3 * i);
          const shelf = new Shelf(items);
          const taken = new Set<number>();
          for (const { at, direction, take } of questions) {
            for (const place of take) taken.add(3 * place);
            const start = at % size;
            expect(shelf.free(taken, start, direction)).toBe(plainly(items, taken, start, direction));
          }
          // Beyond either end there is nothing.
          expect([shelf.free(taken, -1, 'before'), shelf.free(taken, size, 'after')]).toEqual([-1, size]);
        },
      ),
      { numRuns: 300 },
    );
  });
});
