import { DIGITS } from './hex.ts';

/** What is filed under one topic and number of topics, and what else begins with the same digits. */
interface Filed<T> {
  readonly topic: string;
  readonly topicCount: number;
  readonly spec: T;
  readonly next: Filed<T> | undefined;
}

/** By the number that a topic begins with. */
type TopicIndex<T> = ReadonlyMap<number, Filed<T>>;

/**
 * What the rulebook files under `<topic0>:<topic count>`. Every log asks, and most are filed nowhere: a number tells that
 * without reading the texts of the rulebook, which are far from the processor.
 */
export function filedUnder<T>(
  specs: ReadonlyMap<string, T>,
  topic: string,
  topicCount: number,
): T | undefined {
  let index = INDEXES.get(specs) as TopicIndex<T> | undefined;
  if (!index) INDEXES.set(specs, (index = indexOf(specs)));
  for (let filed = index.get(numberOf(topic)); filed; filed = filed.next)
    if (filed.topicCount === topicCount && filed.topic === topic) return filed.spec;
  return undefined;
}

/** One per map of the rulebook. */
const INDEXES = new WeakMap<ReadonlyMap<string, unknown>, TopicIndex<unknown>>();

function indexOf<T>(specs: ReadonlyMap<string, T>): TopicIndex<T> {
  const index = new Map<number, Filed<T>>();
  for (const [key, spec] of specs) {
    const [topic, count] = key.split(':') as [string, string];
    const number = numberOf(topic);
    index.set(number, { topic, topicCount: Number(count), spec, next: index.get(number) });
  }
  return index;
}

/** Of the first seven digits, which are enough to tell most topics apart and fit a small integer. Other characters do no harm. */
function numberOf(topic: string): number {
  let number = 0;
  for (let i = 2; i < 9; i++) number = (number << 4) | DIGITS[topic.charCodeAt(i)]!;
  return number;
}
