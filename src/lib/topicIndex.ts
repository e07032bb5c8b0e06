/** By topic, then by how many topics there are. */
type TopicIndex<T> = ReadonlyMap<string, readonly (T | undefined)[]>;

/** What the rulebook files under `<topic0>:<topic count>`. Every log asks: found without putting that key together. */
export function filedUnder<T>(specs: ReadonlyMap<string, T>, topic: string, topicCount: number): T | undefined {
  let index = INDEXES.get(specs) as TopicIndex<T> | undefined;
  if (!index) INDEXES.set(specs, (index = indexOf(specs)));
  return index.get(topic)?.[topicCount];
}

/** One per map of the rulebook. */
const INDEXES = new WeakMap<ReadonlyMap<string, unknown>, TopicIndex<unknown>>();

function indexOf<T>(specs: ReadonlyMap<string, T>): TopicIndex<T> {
  const index = new Map<string, (T | undefined)[]>();
  for (const [key, spec] of specs) {
    const [topic, count] = key.split(':') as [string, string];
    let byCount = index.get(topic);
    if (!byCount) index.set(topic, (byCount = []));
    byCount[Number(count)] = spec;
  }
  return index;
}
