import fc from 'fast-check';
import { expect, it } from 'vitest';
import { linesOf } from '../../../src/lib/tableLines.ts';

it('finds exactly the lines that a plain search finds', () => {
  const word = fc.stringMatching(/^[ab]{1,3}$/);
  const line = fc.tuple(word, fc.stringMatching(/^[ab ]{0,4}$/)).map(([key, rest]) => `${key} ${rest}`);
  fc.assert(
    fc.property(fc.array(line), word, fc.boolean(), (lines, key, ended) => {
      const text = lines.join('\n') + (ended && lines.length > 0 ? '\n' : '');
      expect(linesOf(text, key)).toEqual(lines.filter((one) => one.startsWith(`${key} `)));
    }),
    { numRuns: 500 },
  );
});
