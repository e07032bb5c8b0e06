/** Whether two lists hold the same texts, each the same number of times. */
export function sameInAnyOrder(some: readonly string[], others: readonly string[]): boolean {
  if (some.length !== others.length) return false;
  const counts = new Map<string, number>();
  for (const text of others) counts.set(text, (counts.get(text) ?? 0) + 1);
  for (const text of some) {
    const left = counts.get(text) ?? 0;
    if (left === 0) return false;
    counts.set(text, left - 1);
  }
  return true;
}
