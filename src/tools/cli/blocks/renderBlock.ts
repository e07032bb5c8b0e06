import { shownAmount } from '../../../value/amount.ts';
import type { Amount, Finding } from '../../../model/generated/finding.ts';
import type { TxReport } from '../../../model/generated/report.ts';
import type { BlockReports } from '../../../service/analyzeBlock.ts';
import { shortHex } from '../../wording/text.ts';
import { alignColumns } from '../layout.ts';

/** A block's transactions, in order. */
interface BlockView extends Pick<BlockReports, 'indexes' | 'failures' | 'findings'> {
  readonly number: number;
  readonly reports: readonly TxReport[];
}

/** A transaction's place in its block and its part in findings. */
export function inBlock({ tx }: TxReport, index: number, findings: readonly Finding[]) {
  const parts = findings.flatMap(({ id, finding, status, transactions }) =>
    transactions
      .filter(({ tx_hash }) => tx_hash === tx.hash)
      .map(({ step }) => ({ id, finding, step, status })),
  );
  return { index, findings: parts };
}

const short = (text: string): string => shortHex(text, 8);

/** One line per transaction: its part in findings, then the label, which may be long and cut. */
export function linesOfTransactions({ reports, findings }: BlockView): readonly string[] {
  return reports.map((report, i) => {
    const parts = inBlock(report, i, findings).findings.map(({ finding, step }) => `${finding}: ${step}`);
    const { intent_label: label } = report.classification;
    return parts.length === 0 ? label : `[${parts.join(', ')}] ${label}`;
  });
}

/** A block as text for people. */
export function renderBlock(block: BlockView): string {
  const { number, reports, indexes, failures, findings } = block;
  const lines = linesOfTransactions(block);
  const rows: string[][] = [];
  for (const [i, report] of reports.entries())
    rows[indexes[i]!] = [
      short(report.tx.hash),
      short(report.classification.actor ?? report.tx.signer),
      report.economics.net_usd_after_gas.text,
      lines[i]!,
    ];
  // Those without a report take the places left, in their order.
  let place = 0;
  for (const { tx_hash, error } of failures) {
    while (rows[place]) place++;
    rows[place] = [short(tx_hash), '', '', `no report: ${error}`];
  }
  return [
    `Block ${number}: ${rows.length} transactions`,
    '',
    ...alignColumns(
      [['#', 'transaction', 'actor', 'net after gas', 'what'], ...rows.map((row, i) => [String(i), ...row])],
      Infinity,
    ),
    '',
    findings.length === 0 ? 'No findings.' : 'Findings',
    ...findings.flatMap(renderFinding),
    '',
  ].join('\n');
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

function shownLine({ role, account, amount, amount_raw, symbol, usd, reason, asset_id }: Amount): string {
  const what = role.replaceAll('_', ' ');
  const of = role === 'loss' && account !== null ? ` of ${short(account)}` : '';
  if (reason !== null) return `${what}${of}: not computed, ${reason}`;
  const shown = amount === null ? `${amount_raw} units` : shownAmount(amount);
  return `${what}${of}: ${shown} ${symbol ?? asset_id ?? ''}${usd.available ? ` (${usd.text})` : ''}`;
}
