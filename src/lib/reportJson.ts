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

/** Characters of a piece: reading one from another process takes the service less than a millisecond. */
const PIECE_LENGTH = 262_144;
/** A report's lists of a transaction's size lie no deeper: what is below is small, and written at once. */
const DEEPEST = 4;

/** `JSON.stringify(report)` in pieces: the whole text would be built twice before it is sent. */
export function jsonPieces(report: object): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let text = '';
  const write = (part: string): void => {
    text += part;
    if (text.length < PIECE_LENGTH) return;
    pieces.push(Buffer.from(text));
    text = '';
  };
  writeJson(report, DEEPEST, write);
  pieces.push(Buffer.from(text));
  return pieces;
}

function writeJson(value: unknown, depth: number, write: (part: string) => void): void {
  if (depth === 0 || typeof value !== 'object' || value === null) return write(JSON.stringify(value));
  const isList = Array.isArray(value);
  write(isList ? '[' : '{');
  let separator = '';
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    write(isList ? separator : `${separator}${JSON.stringify(key)}:`);
    writeJson(item, depth - 1, write);
    separator = ',';
  }
  write(isList ? ']' : '}');
}
