import { AnalysisError, type ErrorCode } from '../../lib/errors.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A JSON object (not an array, not null), or throws `AnalysisError(code)` naming `what`. */
export function readObject(value: unknown, code: ErrorCode, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new AnalysisError(code, what);
  return value as Fields;
}

/** A JSON array; a missing or null one reads as empty, because nodes leave empty lists out. */
export function readList(value: unknown, code: ErrorCode, what: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new AnalysisError(code, what);
  return value;
}

/** True where a node left the field out or wrote null: the two mean the same in JSON-RPC answers. */
export function absent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}
