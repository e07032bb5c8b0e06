import type { TxReport } from '../../model/generated/report.ts';
import { walk } from './checkEvidence.ts';
import type { Report } from './finding.ts';

/** Lists in which equal entries have a meaning: positions in a path, two like payments, two like acts. */
const MAY_REPEAT = /\/(frame_path|assets_in|assets_out|fragments|path|log_range|movements\/\d+\/evidence)$/;

/** No list names one thing twice. */
export function checkLists(report: TxReport, find: Report): void {
  for (const [value, at] of walk(report)) {
    if (!Array.isArray(value) || value.length < 2 || MAY_REPEAT.test(at)) continue;
    const texts = value.map((entry) => JSON.stringify(entry));
    if (new Set(texts).size < texts.length) find('list', at, 'names one thing twice');
  }
}
