import { shownAmount } from '../../../value/amount.ts';
import type { Finding, FindingAmount } from '../../../model/finding.ts';
import type { TxReport } from '../../../model/generated/report.ts';

/** A transaction's place in its block and its part in findings. */
export interface InBlock {
  readonly index: number;
  readonly findings: readonly {
    readonly id: string;
    readonly finding: string;
    readonly step: string;
    readonly status: Finding['status'];
  }[];
}

export function inBlock({ tx }: TxReport, index: number, findings: readonly Finding[]): InBlock {
  const parts = findings.flatMap(({ id, finding, status, transactions }) =>
    transactions
      .filter(({ tx_hash }) => tx_hash === tx.hash)
      .map(({ step }) => ({ id, finding, step, status })),
  );
  const known = findings
    .flatMap(({ transactions }) => transactions)
    .find(({ tx_hash }) => tx_hash === tx.hash);
  return { index: known?.index ?? index, findings: parts };
}

const short = (text: string): string => `${text.slice(0, 8)}…${text.slice(-4)}`;

/** One line per transaction: its part in findings, then the label, which may be long and cut. */
export function linesOfTransactions(
  reports: readonly TxReport[],
  findings: readonly Finding[],
): readonly string[] {
  return reports.map((report, i) => {
    const parts = inBlock(report, i, findings).findings.map(({ finding, step }) => `${finding}: ${step}`);
    const { intent_label: label } = report.classification;
    return parts.length === 0 ? label : `[${parts.join(', ')}] ${label}`;
  });
}

/** A block as text for people. */
export function renderBlock(
  number: number,
  reports: readonly TxReport[],
  findings: readonly Finding[],
): string {
  const lines = linesOfTransactions(reports, findings);
  const rows = reports.map((report, i) => [
    String(i),
    short(report.tx.hash),
    short(report.classification.actor ?? report.tx.signer),
    report.economics.net_usd_after_gas.text,
    lines[i]!,
  ]);
  return [
    `Block ${number}: ${reports.length} transactions`,
    '',
    ...aligned([['#', 'transaction', 'actor', 'net after gas', 'what'], ...rows]),
    '',
    findings.length === 0 ? 'No findings.' : 'Findings',
    ...findings.flatMap(renderFinding),
    '',
  ].join('\n');
}

/** Rows with their columns under each other; the last one is left as it is. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  return rows.map((row) =>
    row.map((cell, i) => (i < row.length - 1 ? cell.padEnd(widths[i]!) : cell)).join('  '),
  );
}

function renderFinding({ id, finding, status, confidence, ...rest }: Finding): string[] {
  const steps = new Map<string, string[]>();
  for (const { step, tx_hash } of rest.transactions)
    steps.set(step, [...(steps.get(step) ?? []), short(tx_hash)]);
  const by = rest.entity.map(short).join(', ');
  const places = rest.venues.map(({ venue, protocol }) => `${protocol ?? 'unlisted'} ${short(venue)}`);
  return [
    `  ${finding.replaceAll('_', ' ')} ${id}, ${status}, ${confidence}${by && ` by ${by}`}`,
    ...(places.length > 0 ? [`    at ${places.join(', ')}`] : []),
    ...[...steps].map(([step, hashes]) => `    ${step}: ${hashes.join(', ')}`),
    ...rest.amounts.map((amount) => `    ${shownLine(amount)}`),
    ...rest.caveats.map(({ text }) => `    ! ${text}`),
  ];
}

function shownLine({
  role,
  account,
  amount,
  amount_raw,
  symbol,
  usd,
  reason,
  asset_id,
}: FindingAmount): string {
  const what = role.replaceAll('_', ' ');
  const of = role === 'loss' && account !== null ? ` of ${short(account)}` : '';
  if (reason !== null) return `${what}${of}: not computed, ${reason}`;
  const shown = amount === null ? `${amount_raw} units` : shownAmount(amount);
  return `${what}${of}: ${shown} ${symbol ?? asset_id ?? ''}${usd.available ? ` (${usd.text})` : ''}`;
}
