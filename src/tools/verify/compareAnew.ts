import type { TxReport } from '../../model/generated/report.ts';
import type { Finding } from './finding.ts';

/** Result of comparing a report with one made anew from the node's answers. */
export interface Comparison {
  readonly findings: readonly Finding[];
  /** Why the reports could not be compared; null when they were. */
  readonly notCompared: string | null;
}

/** Most differences listed for one report: one wrong word can shift everything behind it. */
const MOST_DIFFERENCES = 50;

/**
 * Holds a report against one made anew of the same transaction, word for word, where engine and ruleset are
 * the same. Between trace dialects `engine.trace_dialect` and the `frame_path` of log evidence may differ.
 */
export function compareAnew(claimed: TxReport, anew: TxReport): Comparison {
  // Reports of this service always name their engine: one without is compared, and the missing key is a
  // difference.
  const engine = claimed.engine ?? anew.engine;
  const other = (['version', 'ruleset_digest'] as const).find((key) => engine?.[key] !== anew.engine?.[key]);
  if (other !== undefined) {
    return {
      findings: [],
      notCompared: `made with ${other} ${engine?.[other]}, here it is ${anew.engine?.[other]}`,
    };
  }
  const acrossDialects = claimed.engine?.trace_dialect !== anew.engine?.trace_dialect;
  const [left, right] = [claimed, anew].map((report) => comparable(report, acrossDialects));
  const findings: Finding[] = [];
  differences(left, right, '', findings);
  if (findings.length === 0 && JSON.stringify(left) !== JSON.stringify(right))
    findings.push({ check: 'anew', at: '', message: 'the keys are in another order' });
  return { findings, notCompared: null };
}

/** A copy without the parts in which two dialects may differ. */
function comparable(report: TxReport, acrossDialects: boolean): unknown {
  if (!acrossDialects) return report;
  return JSON.parse(JSON.stringify(report), (key, value: unknown) => {
    if (key === 'trace_dialect') return undefined;
    const logEvidence =
      value !== null && typeof value === 'object' && 'log_index' in value && value.log_index !== null;
    return logEvidence && 'frame_path' in value ? { ...value, frame_path: null } : value;
  });
}

const isHolder = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object';

/** Lists the JSON pointers (RFC 6901) at which two values differ, parents before children. */
function differences(left: unknown, right: unknown, at: string, found: Finding[]): void {
  if (found.length >= MOST_DIFFERENCES) return;
  if (isHolder(left) && isHolder(right) && Array.isArray(left) === Array.isArray(right)) {
    for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
      differences(left[key], right[key], `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, found);
    }
    return;
  }
  if (Object.is(left, right)) return;
  found.push({ check: 'anew', at, message: `reads ${shown(left)}, analysed anew it is ${shown(right)}` });
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
