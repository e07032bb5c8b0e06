import { describe, expect, it } from 'vitest';
import { LIES, dialectsOf, tellLie } from './inconsistent.ts';

const cases = Object.keys(LIES).flatMap((name) => dialectsOf(name).map((dialect) => ({ name, dialect })));

/** A few recordings each; `npm run test:faults` takes all, and lies that come and go. */
describe('a node whose answers do not belong together', () => {
  it.each(cases)('always $name, $dialect: is refused, never believed', async ({ name, dialect }) => {
    const outcome = await tellLie(name, dialect, 1, 12);
    expect(outcome.believed).toEqual([]);
    expect(outcome.tried).toBeGreaterThan(5);
    expect(outcome.refused).toBe(outcome.tried);
  });
});
