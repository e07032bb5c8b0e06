/** All that JSON writes as it stands. */
const PLAIN = /^[^"\\\u0000-\u001f\ud800-\udfff]*$/;

/** A text as JSON, whatever it holds. */
export function text(value: string | null): string {
  return value !== null && PLAIN.test(value) ? `"${value}"` : JSON.stringify(value);
}

/** A text that holds nothing to escape. */
export function word(value: string): string {
  return `"${value}"`;
}

export function wordOrNull(value: string | null): string {
  return value === null ? 'null' : `"${value}"`;
}

export function numbers(items: readonly number[]): string {
  if (items.length === 0) return '[]';
  let json = `[${items[0]!}`;
  for (let i = 1; i < items.length; i++) json += `,${items[i]!}`;
  return `${json}]`;
}

/** A list, each item written by a function. */
export function list<T>(items: readonly T[], write: (item: T) => string): string {
  if (items.length === 0) return '[]';
  let json = `[${write(items[0]!)}`;
  for (let i = 1; i < items.length; i++) json += `,${write(items[i]!)}`;
  return `${json}]`;
}
