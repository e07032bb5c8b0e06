import type { TxReport } from '../../model/generated/report.ts';
import { buildReport, type ReportInput } from './buildReport.ts';

/**
 * The report as sent: keys in the order they were written, no white space. `validate` checks it first, after
 * `onBuilt`.
 */
export function writeReport(
  input: ReportInput,
  validate: (report: TxReport) => void,
  onBuilt: () => void,
): string {
  const report = buildReport(input);
  onBuilt();
  validate(report);
  return JSON.stringify(report);
}
