import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export const DOCS = join(import.meta.dirname, '../../docs');

export interface Fence {
  readonly language: string;
  readonly text: string;
  /** 1-based line of its first line in the page. */
  readonly line: number;
  /** Why a reader's machine alone can run it; null when it runs anywhere. */
  readonly notRun: string | null;
}

export interface Guide {
  readonly name: string;
  readonly text: string;
  readonly fences: readonly Fence[];
}

/** The guides with what they show between fences, in order. */
export function readGuides(): Guide[] {
  return readdirSync(DOCS)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => {
      const text = readFileSync(join(DOCS, name), 'utf8');
      const fences = [...text.matchAll(/(?:<!-- not run: (.*) -->\n)?^```(\w+)\n([\s\S]*?)^```$/gm)].map(
        ([, notRun, language, body], i, all) => ({
          language: language!,
          text: body!,
          notRun: notRun ?? null,
          line: text.slice(0, all[i]!.index).split('\n').length + (notRun === undefined ? 1 : 2),
        }),
      );
      return { name, text, fences };
    });
}
