import { stripVTControlCharacters } from 'node:util';

/** A cell, or one that is aligned to the right. */
type Cell = string | { readonly right: string };
export type Row = readonly Cell[];

/** Columns of a terminal; without one (a file, a pipe) lines are not broken. */
export const terminalWidth = (): number => columnsOf(process.stdout.columns) ?? Infinity;

/** A terminal that says it has no columns counts as one of 80. */
export const columnsOf = (columns: number | undefined): number | undefined => (columns === 0 ? 80 : columns);

const widthOf = (text: string): number => [...stripVTControlCharacters(text)].length;

/** Rows with their columns padded to the same width; colours do not count. Only the last cell is broken. */
export function alignColumns(rows: readonly Row[], room: number): string[] {
  const widths: number[] = [];
  const textOf = (cell: Cell): string => (typeof cell === 'string' ? cell : cell.right);
  for (const row of rows)
    row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, widthOf(textOf(cell)))));
  return rows.flatMap((row) => {
    const cells = row.map((cell, i) => {
      const fill = ' '.repeat(widths[i]! - widthOf(textOf(cell)));
      return typeof cell === 'string' ? cell + fill : fill + cell.right;
    });
    const last = cells.pop() ?? '';
    const before = cells.map((cell) => `${cell}  `).join('');
    return wrap((before + last).trimEnd(), room, Math.min(widthOf(before), Math.floor(room / 2)));
  });
}

/** A text in lines of at most `room` columns, broken at spaces; further lines are indented. */
export function wrap(text: string, room: number, indent = 0): string[] {
  if (widthOf(text) <= room) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/(?<= )(?! )/)) {
    if (line.trim() !== '' && widthOf(line + word.trimEnd()) > room) {
      lines.push(line.trimEnd());
      line = ' '.repeat(Math.max(indent, 0)) + word;
    } else line += word;
  }
  return [...lines, line.trimEnd()];
}
