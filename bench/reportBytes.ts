import type { ReportJson } from '../src/lib/reportJson.ts';

/** Size of a report as sent. */
export function reportBytes(json: ReportJson): number {
  return typeof json === 'string' ? Buffer.byteLength(json) : json.reduce((sum, piece) => sum + piece.byteLength, 0);
}
