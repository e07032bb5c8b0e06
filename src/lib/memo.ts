/**
 * Memoizes a pure function of a text. Keeps between `limit` and twice as many answers, dropping older ones.
 */
export function memoize<T extends {}>(compute: (text: string) => T, limit: number): (text: string) => T {
  let recent = new Map<string, T>();
  let older = new Map<string, T>();
  return (text) => {
    let value = recent.get(text);
    if (value !== undefined) return value;
    value = older.get(text) ?? compute(text);
    recent.set(text, value);
    if (recent.size >= limit) [older, recent] = [recent, new Map()];
    return value;
  };
}

/**
 * Remembers a result for an object, not its copies, as long as it lives, for the argument asked with last.
 * The values of a WeakMap would survive every young collection, whatever became of their keys.
 */
export function memoizeFor<K extends object, A, T>(
  compute: (of: K, argument: A) => T,
): (of: K, argument: A) => T {
  const slot = Symbol('remembered');
  return (of: K & { [slot]?: { readonly of: K; readonly argument: A; readonly value: T } }, argument) => {
    const known = of[slot];
    if (known && known.of === of && known.argument === argument) return known.value;
    const value = compute(of, argument);
    of[slot] = { of, argument, value };
    return value;
  };
}
