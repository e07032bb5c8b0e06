// What a report says of a transaction that is not what it looks like, in few words.
import type { TxReport } from '../../src/model/generated/report.ts';

/** `symbol delta` of one account, with the marks of the asset. */
export const nets = (report: TxReport, subject: string): string[] =>
  report.inventory_deltas
    .filter((d) => d.subject === subject && d.delta_raw !== '0')
    .map((d) => `${d.asset.symbol} ${d.delta_raw}${d.flags.length > 0 ? ` (${d.flags.join(', ')})` : ''}`)
    .sort();

/** Kinds of the headline and its parts. */
export const kinds = (report: TxReport): string[] => [
  report.classification.intent_kind,
  ...report.classification.fragments.map(({ kind }) => kind),
];

/** Movements with value and without. */
export const counts = (report: TxReport): [economic: number, other: number] => [
  report.pipeline_stats.economic_movements,
  report.pipeline_stats.non_economic_movements,
];
