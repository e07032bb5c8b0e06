function refuse(): never {
  throw new TypeError('the rulebook is frozen');
}

/** `Object.freeze` does not stop `Map.set`: the mutators themselves must refuse. */
class FrozenMap<K, V> extends Map<K, V> {
  constructor(entries: Iterable<readonly [K, V]>) {
    super();
    for (const [key, value] of entries) super.set(key, value);
    Object.freeze(this);
  }
  override set = refuse;
  override delete = refuse;
  override clear = refuse;
}

class FrozenSet<T> extends Set<T> {
  constructor(values: Iterable<T>) {
    super();
    for (const value of values) super.add(value);
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
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner as unknown);
  return value;
}
