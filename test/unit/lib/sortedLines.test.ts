import fc from 'fast-check';
import { expect, it } from 'vitest';
import { linesStarting } from '../../../src/lib/sortedLines.ts';

it('finds exactly the lines that a plain search finds', () => {
  const word = fc.stringMatching(/^[ab]{0,4}$/);
  fc.assert(
    fc.property(fc.array(word.filter((line) => line !== '')), word, fc.boolean(), (lines, prefix, ended) => {
      const sorted = [...lines].sort();
      const text = sorted.join('\n') + (ended && lines.length > 0 ? '\n' : '');
      expect(linesStarting(text, prefix)).toEqual(sorted.filter((line) => line.startsWith(prefix)));
    }),
    { numRuns: 500 },
  );
});
