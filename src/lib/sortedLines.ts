/**
 * Whole lines of a text sorted by its lines' first characters that begin with `prefix`. Binary search on the
 * text itself: a table of thousands of lines costs nothing at start, where a map of them would.
 */
export function linesStarting(text: string, prefix: string): string[] {
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const start = text.lastIndexOf('\n', middle - 1) + 1;
    if (isBefore(text, start, prefix)) low = lineEnd(text, middle) + 1;
    else high = start;
  }
  const found: string[] = [];
  for (let at = low; text.startsWith(prefix, at) && at < text.length; at = lineEnd(text, at) + 1)
    found.push(text.slice(at, lineEnd(text, at)));
  return found;
}

/** Whether the text from `start` sorts before `prefix`; compares as little as it must, copies nothing. */
function isBefore(text: string, start: number, prefix: string): boolean {
  for (let i = 0; i < prefix.length; i++) {
    const difference = text.charCodeAt(start + i) - prefix.charCodeAt(i);
    // Past the end of the text the difference is NaN: shorter sorts first.
    if (difference !== 0) return !(difference > 0);
  }
  return false;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}
