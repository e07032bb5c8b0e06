/** The cursor's place in a rule file, from the text before it: half-written YAML has no tree. */
export interface Cursor {
  /** Key of the value being written; null for a key. */
  readonly key: string | null;
  /** The word so far, back to a space, bracket, comma or quote. */
  readonly word: string;
  /** Inside a list. */
  readonly inList: boolean;
  /** Values of the keys in the same braces, such as `fact` beside `is`. */
  readonly beside: Readonly<Record<string, string>>;
  /** Keys of the lines above with less indentation, innermost first. */
  readonly above: readonly string[];
}

const PAIR = /([A-Za-z_][\w.]*):\s*("[^"]*"|[^,{}[\]]*)/g;
const WORD = /[\w.$-]*$/;

/** Reads the place of a position; `offset` counts characters of the text. */
export function cursorAt(text: string, offset: number): Cursor {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const line = text.slice(lineStart, offset);
  const lineEnd = text.indexOf('\n', offset);
  const whole = text.slice(lineStart, lineEnd < 0 ? text.length : lineEnd);
  const word = WORD.exec(line)![0];
  const before = line.slice(0, line.length - word.length);
  const inner = innermost(before);
  const pair = /([A-Za-z_][\w.]*):\s*"?$/.exec(inner.isList ? inner.before : before.slice(inner.from));
  const item = /^\s*-\s+"?$/.test(before);
  const above = keysAbove(text.slice(0, lineStart), indentOf(whole));
  const pairs = [...bracesAround(whole, offset - lineStart).matchAll(PAIR)];
  return {
    key: pair?.[1] ?? (item ? (above[0] ?? null) : null),
    word,
    inList: inner.isList || item,
    beside: Object.fromEntries(pairs.map(([, key, value]) => [key!, value!.trim().replace(/^"|"$/g, '')])),
    above,
  };
}

/** The bracket open at the end of a text: the text before it, and the start of its content. */
function innermost(text: string): {
  readonly isList: boolean;
  readonly before: string;
  readonly from: number;
} {
  const open: number[] = [];
  for (const [i, char] of [...text].entries()) {
    if (char === '{' || char === '[') open.push(i);
    if (char === '}' || char === ']') open.pop();
  }
  const at = open.at(-1);
  if (at === undefined) return { isList: false, before: text, from: 0 };
  return { isList: text[at] === '[', before: text.slice(0, at), from: at + 1 };
}

/** The text in the braces around a position, else the line. */
function bracesAround(line: string, at: number): string {
  const from = line.lastIndexOf('{', at - 1);
  const to = line.indexOf('}', at);
  return from < 0 ? line : line.slice(from + 1, to < 0 ? line.length : to);
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function keysAbove(text: string, indent: number): string[] {
  const keys: string[] = [];
  let limit = indent;
  for (const line of text.split('\n').reverse()) {
    const key = /^(\s*)(?:-\s+)?([A-Za-z_][\w]*):/.exec(line);
    if (!key || line.trim() === '' || key[1]!.length > limit || (key[1]!.length === limit && limit > 0))
      continue;
    if (key[1]!.length === limit) continue;
    keys.push(key[2]!);
    limit = key[1]!.length;
    if (limit === 0) break;
  }
  return keys;
}
