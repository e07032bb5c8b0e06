import fc from 'fast-check';
import { expect, it } from 'vitest';
import { linesOf } from '../../../src/lib/tableLines.ts';

it('finds exactly the lines that a plain search finds', () => {
  const word = fc.stringMatching(/^[ab]{1,3}$/);
  const line = fc.tuple(word, fc.stringMatching(/^[ab ]{0,4}$/)).map(([key, rest]) => `${key} ${rest}`);
  fc.assert(
    fc.property(fc.array(line), word, fc.boolean(), (lines, key, ended) => {
      const text = lines.join('\n') + (ended && lines.length > 0 ? '\n' : '');
      expect(linesOf({ text }, key)).toEqual(lines.filter((one) => one.startsWith(`${key} `)));
    }),
    { numRuns: 500 },
  );
});

it('costs the same after rules of the same content are loaded anew', () => {
  const content = (): string =>
    Array.from({ length: 20_000 }, (_, i) => `${i} a line of the table\n`).join('');
  const tables = [{ text: content() }, { text: content() }];
  const [first, second] = tables.map((table) => {
    linesOf(table, '0');
    const start = performance.now();
    for (let i = 0; i < 20_000; i++) linesOf(table, '777');
    return performance.now() - start;
  });
  // Comparing the two texts at every look-up takes some hundred times as long.
  expect(second!).toBeLessThan(20 * first! + 5);
});
