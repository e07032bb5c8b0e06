import { NOTHING } from './lists.ts';
import { AnalysisError, type ErrorCode } from './errors.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Whether a parsed JSON value is an object: not an array, not null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A JSON object, or throws `AnalysisError(code)` naming the field. */
export function readObject(value: unknown, code: ErrorCode, what: string): Fields {
  if (!isRecord(value)) throw new AnalysisError(code, what);
  return value;
}

/** A JSON array; a missing or null one reads as empty, because nodes leave empty lists out. */
export function readList(value: unknown, code: ErrorCode, what: string): readonly unknown[] {
  if (absent(value)) return [];
  if (!Array.isArray(value)) throw new AnalysisError(code, what);
  return value;
}

/** The items of an unchecked array; none where the value is something else. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : NOTHING;
}

/** Whether two texts differ; letter case and missing fields do not count. */
export function differ(a: unknown, b: unknown): boolean {
  return a !== b && typeof a === 'string' && typeof b === 'string' && a.toLowerCase() !== b.toLowerCase();
}

/** True where a node left the field out or wrote null: the two mean the same in JSON-RPC answers. */
export function absent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}
