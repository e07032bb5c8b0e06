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

const REMEMBERED = Symbol('remembered');
type Remembered = { readonly of: object; readonly answers: { argument: unknown; value: unknown }[] };
let slots = 0;

/**
 * Remembers a result for an object, not its copies, as long as it lives, for the argument asked with last.
 * The values of a WeakMap would survive every young collection, whatever became of their keys. One property
 * serves all functions: with one each, objects of a kind would have many shapes.
 */
export function memoizeFor<K extends object, A, T>(compute: (of: K, argument: A) => T): typeof compute {
  const slot = slots++;
  return (of: K & { [REMEMBERED]?: Remembered }, argument) => {
    let own = of[REMEMBERED];
    if (own?.of !== of) own = of[REMEMBERED] = { of, answers: [] };
    const known = own.answers[slot];
    if (known && known.argument === argument) return known.value as T;
    const value = compute(of, argument);
    own.answers[slot] = { argument, value };
    return value;
  };
}
