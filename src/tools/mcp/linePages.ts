export interface LinePage extends Record<string, unknown> {
  readonly explanation: string;
  readonly total_lines: number;
  /** Where the next page starts; null on the last. */
  readonly next_offset: number | null;
}

/** About 1,000 tokens of English and hexadecimal digits. */
const PAGE_CHARACTERS = 3_000;

/** Whole lines from `offset` on, as many as a page holds; at least one. */
export function linesFrom(lines: readonly string[], from: unknown): LinePage {
  const offset = typeof from === 'number' ? from : 0;
  let end = offset;
  for (let size = 0; end < lines.length; end++) {
    size += lines[end]!.length + 1;
    if (size > PAGE_CHARACTERS && end > offset) break;
  }
  return {
    explanation: lines.slice(offset, end).join('\n'),
    total_lines: lines.length,
    next_offset: end < lines.length ? end : null,
  };
}

/** A page as text, with the way to the next one. */
export function pageText({ explanation, next_offset: next }: LinePage): string {
  return next === null ? explanation : `${explanation}\n(more lines: ask again with offset ${next})`;
}
