function refuse(): never {
  throw new TypeError('the rulebook is frozen');
}

/** Longer texts are prose: nothing compares them. */
const LONGEST_WORD = 80;

/**
 * The same text as the engine keeps it for words of the source: equal words are then one, and comparing them
 * is comparing two references. Texts read from files are not, and every kind, role and tag of a transaction
 * is compared with some of them.
 */
function interned<T>(value: T): T {
  if (typeof value !== 'string' || value.length > LONGEST_WORD) return value;
  for (const key in { [value]: 0 }) return key as T;
  return value;
}

/** `Object.freeze` does not stop `Map.set`: the mutators themselves must refuse. */
class FrozenMap<K, V> extends Map<K, V> {
  constructor(entries: Iterable<readonly [K, V]>) {
    super();
    for (const [key, value] of entries) super.set(interned(key), interned(value));
    Object.freeze(this);
  }
  override set = refuse;
  override delete = refuse;
  override clear = refuse;
}

class FrozenSet<T> extends Set<T> {
  constructor(values: Iterable<T>) {
    super();
    for (const value of values) super.add(interned(value));
    Object.freeze(this);
  }
  override add = refuse;
  override delete = refuse;
  override clear = refuse;
}

export function frozenMap<K, V>(entries: Iterable<readonly [K, V]>): ReadonlyMap<K, V> {
  return new FrozenMap(entries);
}

export function frozenSet<T>(values: Iterable<T>): ReadonlySet<T> {
  return new FrozenSet(values);
}

function freezeValues(collection: Map<unknown, unknown> | Set<unknown>): void {
  if (!(collection instanceof FrozenMap) && !(collection instanceof FrozenSet))
    throw new TypeError('a Map or Set of the rulebook is not frozen');
  for (const inner of collection.values()) deepFreeze(inner);
}

/** Freezes plain objects and arrays deeply, and the values of Maps and Sets, which must be frozen ones. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Map || value instanceof Set) {
    freezeValues(value);
    return value;
  }
  if (Object.isFrozen(value)) return value;
  const fields = value as Record<string, unknown>;
  for (const key of Object.keys(fields))
    if (typeof fields[key] === 'string') fields[key] = interned(fields[key]);
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner as unknown);
  return value;
}

/**
 * Freezes objects, arrays, Maps and Sets as `deepFreeze` does, after deserialisation gave them ordinary
 * Maps and Sets. Works in place: object identity is kept.
 */
export function refreeze<T>(value: T): T {
  const done = new Map<object, unknown>();
  const restore = (item: unknown): unknown => {
    if (typeof item !== 'object' || item === null) return interned(item);
    const known = done.get(item);
    if (known !== undefined) return known;
    if (item instanceof Set) return remember(item, frozenSet([...item].map(restore)));
    if (item instanceof Map)
      return remember(item, frozenMap([...item].map(([key, inner]) => [key, restore(inner)] as const)));
    done.set(item, item);
    const fields = item as Record<string, unknown>;
    for (const key of Object.keys(fields)) fields[key] = restore(fields[key]);
    return Object.freeze(item);
  };
  const remember = (from: object, to: unknown): unknown => (done.set(from, to), to);
  return restore(value) as T;
}
