import { z } from 'zod';
import type { Movement, TxReport } from '../../model/generated/report.ts';
import { assetsOf } from '../wording/amounts.ts';

/** Parts of a report that can be asked for one by one. */
export const SECTIONS = [
  'tx',
  'execution',
  'classification',
  'economics',
  'inventory_deltas',
  'position_effects',
  'motifs',
  'attribution',
  'allowances',
  'movements',
  'accounts',
] as const satisfies readonly (keyof TxReport)[];
type Section = (typeof SECTIONS)[number];

/** Entries of a list in one answer unless `limit` says otherwise. */
export const PAGE = 20;
export const MOST_PAGE = 200;

/** Verdict and actor, and the number of entries of each list section. */
export function outline(report: TxReport): Record<string, unknown> {
  const { intent_kind, intent_label, status, confidence, actor } = report.classification;
  const sizes = SECTIONS.flatMap((name) => {
    const value = report[name];
    return Array.isArray(value) ? [[name, value.length] as const] : [];
  });
  return { intent_kind, intent_label, status, confidence, actor, entries: Object.fromEntries(sizes) };
}

/** A page of a list section. */
export interface ListPage {
  readonly total: number;
  readonly offset: number;
  /** Where the next page starts; null on the last. */
  readonly next_offset: number | null;
  readonly entries: readonly unknown[];
}

/** One section; of a list one page, with where the next begins. Movements carry symbol and decimals. */
export function pageOf(
  report: TxReport,
  name: Section,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): unknown {
  const value = report[name];
  if (!Array.isArray(value)) return value ?? null;
  const end = Math.min(offset + limit, value.length);
  const entries = value.slice(offset, end);
  return {
    total: value.length,
    offset,
    next_offset: end < value.length ? end : null,
    entries: name === 'movements' ? withUnits(report, entries as Movement[]) : entries,
  } satisfies ListPage;
}

function withUnits(report: TxReport, movements: readonly Movement[]): object[] {
  const assets = assetsOf(report);
  return movements.map((movement) => {
    const { symbol = null, decimals = null } = assets.get(movement.asset_id) ?? {};
    return { ...movement, symbol, decimals };
  });
}

/** The start of a page of lines, and its content: parts of tools' schemas. */
export const OFFSET = z.int().min(0).default(0).describe('First line: next_offset of the page before.');
export const LINES_OUT = {
  lines: z.string().describe('Lines of one page.'),
  total_lines: z.int(),
  next_offset: z.int().nullable().describe('The next page; null on the last.'),
};
