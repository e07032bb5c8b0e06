import { expect, it } from 'vitest';
import { reconcile } from './reconcile.ts';

// A short run; `npm run test:long` is the long one, `--seed` gives others.
it('sixty random transactions on a live devnet reconcile with its balances, to the wei', async () => {
  const { tried, failures, kinds } = await reconcile(60, 3);
  expect(failures).toEqual([]);
  expect(tried).toBe(60);
  expect(kinds.size).toBeGreaterThan(25);
});
