/**
 * Keys of the outermost object of a JSON text, decoded, in order and with repetitions, which `JSON.parse`
 * merges silently. The text must be valid JSON with an object outermost.
 */
export function topLevelKeys(json: string): string[] {
  const keys: string[] = [];
  let depth = 0;
  let expectsKey = false;
  for (let i = 0; i < json.length; i++) {
    const c = json[i]!;
    if (c === '"') {
      const end = endOfString(json, i);
      if (depth === 1 && expectsKey) keys.push(JSON.parse(json.slice(i, end + 1)) as string);
      expectsKey = false;
      i = end;
    } else if (c === '{' || c === '[') {
      depth++;
      expectsKey = c === '{' && depth === 1;
    } else if (c === '}' || c === ']') depth--;
    else if (c === ',') expectsKey = depth === 1;
  }
  return keys;
}

function endOfString(json: string, start: number): number {
  let i = start + 1;
  while (json[i] !== '"') i += json[i] === '\\' ? 2 : 1;
  return i;
}
