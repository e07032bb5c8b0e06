import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Bucket } from '../../../src/stages/4-primitives/bind/movementIndex.ts';

type Direction = 'before' | 'after';

const STEP = { before: -1, after: 1 } as const;

/** What a bucket answers, looked up item by item. */
function plainly(
  items: readonly number[],
  claimed: ReadonlySet<number>,
  start: number,
  direction: Direction,
): number {
  const step = direction === 'before' ? -1 : 1;
  for (
    let at = direction === 'before' ? Math.min(start, items.length - 1) : Math.max(start, 0);
    at >= 0 && at < items.length;
    at += step
  ) {
    if (!claimed.has(items[at]!)) return at;
  }
  return direction === 'before' ? -1 : items.length;
}

describe('a bucket of movements', () => {
  it.each([
    ['few', 1, 20],
    ['many', 65, 200],
  ])('finds the nearest free one among %s, as more and more are claimed', (_, least, most) => {
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
          const bucket = new Bucket(items);
          const claimed = new Set<number>();
          for (const { at, direction, take } of questions) {
            for (const place of take) claimed.add(3 * place);
            const start = at % size;
            expect(bucket.free(claimed, start, STEP[direction])).toBe(
              plainly(items, claimed, start, direction),
            );
          }
          // Beyond either end there is nothing.
          expect([bucket.free(claimed, -1, -1), bucket.free(claimed, size, 1)]).toEqual([-1, size]);
        },
      ),
      { numRuns: 300 },
    );
  });
});
