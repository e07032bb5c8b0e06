import type { Address, Hash, Hex } from '../../../model/hex.ts';
import { AnalysisError, type ErrorCode } from '../../../lib/errors.ts';
import { readList } from '../shape.ts';
import type { SharedTexts } from '../sharedTexts.ts';

/** What a log says, wherever it is told. */
export interface LogContent {
  readonly address: Address;
  readonly topics: readonly Hash[];
  readonly data: Hex;
}

/** What errors call a log and its topics: put together nowhere else, a log is read far too often. */
export interface LogWording {
  readonly log: string;
  readonly topics: string;
  readonly topic: string;
}

export function readTopics(
  value: unknown,
  code: ErrorCode,
  wording: LogWording,
  texts: SharedTexts,
): readonly Hash[] {
  const list = readList(value, code, wording.topics);
  if (list.length > 4) throw new AnalysisError(code, `${wording.log} has more than four topics`);
  return list.map((topic) => texts.hash(topic, code, wording.topic));
}

export function sameLog(a: LogContent, b: LogContent): boolean {
  return a.address === b.address && a.data === b.data && sameTopics(a.topics, b.topics);
}

/** Whether an unchecked log says the same letter by letter as one that is checked. */
export function repeatsLog(raw: Readonly<Record<string, unknown>>, log: LogContent): boolean {
  return (
    raw['address'] === log.address &&
    raw['data'] === log.data &&
    Array.isArray(raw['topics']) &&
    sameTopics(raw['topics'], log.topics)
  );
}

function sameTopics(a: readonly unknown[], b: readonly Hash[]): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < b.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
