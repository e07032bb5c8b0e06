import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { jsonPieces } from '../../../src/lib/reportJson.ts';

const example = JSON.parse(
  readFileSync(new URL('../../../schemas/examples/tx-report.json', import.meta.url), 'utf8'),
) as Record<string, unknown>;
const long = {
  ...example,
  absent: undefined,
  empty: {},
  none: [],
  words: Array.from({ length: 20_000 }, (_, i) => ({
    id: `m-${i}`,
    text: '𝕏"é',
    deep: [[[[i]]]],
    gone: undefined,
  })),
};

describe('a report in pieces', () => {
  it.each([['small', example] as const, ['long', long] as const])(
    '%s: the text of JSON.stringify',
    (_, report) => {
      expect(Buffer.concat(jsonPieces(report)).toString()).toBe(JSON.stringify(report));
    },
  );

  it('none of a long one is much longer than a quarter of a megabyte', () => {
    const sizes = jsonPieces(long).map(({ length }) => length);
    expect(sizes.length).toBeGreaterThan(2);
    expect(Math.max(...sizes)).toBeLessThan(400_000);
  });
});
