/** A report, serialised: a text, or its UTF-8 in pieces where it is large or comes from another thread. */
export type ReportJson = string | readonly Uint8Array[];

/** Size as sent. */
export function jsonBytes(json: ReportJson): number {
  return typeof json === 'string'
    ? Buffer.byteLength(json)
    : json.reduce((sum, piece) => sum + piece.byteLength, 0);
}

export function jsonText(json: ReportJson): string {
  return typeof json === 'string' ? json : Buffer.concat(json).toString('utf8');
}
