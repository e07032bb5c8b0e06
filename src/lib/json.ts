import { attempt } from './attempt.ts';

/** The value of a JSON text; undefined for any other text, and for a buffer longer than a string can be. */
export const parseJson = (text: string | Buffer): unknown => attempt(() => JSON.parse(text.toString()));

/** A string, with the colon behind it if it is a key; or a bracket. */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\]]/g;

interface JsonKey {
  readonly key: string;
  /** Of its object; 1: the outermost. */
  readonly depth: number;
  /** Its object has the key already: `JSON.parse` merges the two silently. */
  readonly repeated: boolean;
}

/** The keys of a valid JSON text, decoded, in order and with repetitions. */
export function* jsonKeys(json: string): Generator<JsonKey> {
  const open: Set<string>[] = [];
  for (const [token, string, colon] of json.matchAll(TOKEN)) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    if (colon === undefined) continue;
    const [keys, key] = [open.at(-1)!, JSON.parse(string!) as string];
    yield { key, depth: open.length, repeated: keys.has(key) };
    keys.add(key);
  }
}
