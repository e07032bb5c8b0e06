/**
 * A pure function of a text that remembers its latest answers, between `limit` and twice as many: the newer half is kept
 * when the older is dropped. For what recurs from one transaction to the next and costs more than looking it up.
 */
export function memoised<T extends {}>(compute: (text: string) => T, limit: number): (text: string) => T {
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
