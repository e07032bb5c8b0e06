import { stripVTControlCharacters } from 'node:util';

export interface Cell {
  readonly text: string;
  readonly align?: 'left' | 'right';
}

const width = (text: string): number => [...stripVTControlCharacters(text)].length;

/** Rows with their columns padded to the same width; colours do not count. */
export function alignColumns(rows: readonly (readonly (string | Cell)[])[], gap = '  '): string[] {
  const cells = rows.map((row) =>
    row.map((cell): Cell => (typeof cell === 'string' ? { text: cell } : cell)),
  );
  const widths: number[] = [];
  for (const row of cells) row.forEach(({ text }, i) => (widths[i] = Math.max(widths[i] ?? 0, width(text))));
  return cells.map((row) =>
    row
      .map(({ text, align }, i) => {
        const fill = ' '.repeat(widths[i]! - width(text));
        return align === 'right' ? fill + text : text + fill;
      })
      .join(gap)
      .trimEnd(),
  );
}
