/**
 * Makes equal objects and arrays one object. Rules repeat each other (`signer`, the first indexed account,
 * an empty list): sharing cuts them to a third. Sets are kept; Maps are rebuilt.
 */
export function shareEqual<T>(value: T): T {
  const done = new Map<object, object>();
  const byContent = new Map<string, object>();
  const numbers = new Map<unknown, number>();
  const share = (item: unknown): unknown => {
    if (typeof item !== 'object' || item === null) return item;
    let shared = done.get(item);
    if (!shared) {
      shared = sharedOf(item);
      if (!numbers.has(shared)) numbers.set(shared, numbers.size);
      done.set(item, shared);
    }
    return shared;
  };
  /** Parts are already shared: equal ones have one number. */
  const contentOf = (item: object): string =>
    `${Array.isArray(item)} ${Object.entries(item)
      .map(([key, part]) => `${key} ${numbers.get(part) ?? `${typeof part} ${JSON.stringify(String(part))}`}`)
      .join()}`;
  const sharedOf = (item: object): object => {
    if (item instanceof Set) return item;
    if (item instanceof Map) return new Map([...item].map(([key, part]) => [key, share(part)] as const));
    const copy = (Array.isArray(item) ? [...item] : { ...item }) as Record<string, unknown>;
    for (const key of Object.keys(copy)) copy[key] = share(copy[key]);
    const content = contentOf(copy);
    const known = byContent.get(content);
    if (!known) byContent.set(content, copy);
    return known ?? copy;
  };
  return share(value) as T;
}
