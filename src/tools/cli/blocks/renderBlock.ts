import { groupBy } from '../../../lib/lists.ts';
import type { Amount, Finding } from '../../../model/generated/finding.ts';
import type { TxReport } from '../../../model/generated/report.ts';
import type { BlockReports } from '../../../service/analyzeBlock.ts';
import { accountsOf } from '../../wording/accounts.ts';
import { assetsOf, moneyText, signedQuantity } from '../../wording/amounts.ts';
import { lower, plural, shortHex, words } from '../../wording/text.ts';
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

/** Plain names of the shipped findings' steps; other steps keep their own. */
const STEPS: Readonly<Record<string, string>> = {
  mover: 'trade that moved the price',
  run: 'arbitrage right after',
  front: 'first trade',
  back: 'last trade',
};
const stepName = (step: string): string => STEPS[step] ?? lower(step);

/** One line per transaction: its part in findings, then the label, which may be long and cut. */
export function linesOfTransactions({ reports, findings }: BlockView): readonly string[] {
  return reports.map((report, i) => {
    const parts = inBlock(report, i, findings).findings.map(
      ({ finding, step }) => `${lower(finding)}: ${stepName(step)}`,
    );
    const { intent_label: label } = report.classification;
    return parts.length === 0 ? label : `[${parts.join(', ')}] ${label}`;
  });
}

/** A block as text for people. */
export function renderBlock(block: BlockView): string {
  const { number, reports, indexes, failures, findings } = block;
  const lines = linesOfTransactions(block);
  const book = bookOf(reports);
  const rows: string[][] = [];
  for (const [i, report] of reports.entries())
    rows[indexes[i]!] = [
      shortHex(report.tx.hash),
      book.account(report.classification.actor ?? report.tx.signer),
      moneyText(report.economics.net_usd_after_gas),
      lines[i]!,
    ];
  // Those without a report take the places left, in their order.
  let place = 0;
  for (const { tx_hash, error } of failures) {
    while (rows[place]) place++;
    rows[place] = [shortHex(tx_hash), '', '', `no report: ${error}`];
  }
  return [
    `Block ${number}: ${plural(rows.length, 'transaction')}`,
    '',
    ...alignColumns(
      [['#', 'transaction', 'actor', 'net after gas', 'what'], ...rows.map((row, i) => [String(i), ...row])],
      Infinity,
    ),
    '',
    ...(failures.length === 0
      ? []
      : [
          `! A part of the block: ${failures.length} of ${rows.length} transactions have no report, ` +
            'findings leave them out.',
        ]),
    findings.length === 0 ? 'No findings.' : 'Findings',
    ...findings.flatMap((finding) => renderFinding(finding, book)),
    '',
  ].join('\n');
}

/** The names and assets that the reports of a block state. */
function bookOf(reports: readonly TxReport[]) {
  const books = reports.map(accountsOf);
  const account = (address: string): string =>
    books.map((book) => book.of(address)).find(({ named }) => named)?.name ?? shortHex(address);
  return { account, assets: new Map(reports.flatMap((report) => [...assetsOf(report)])) };
}
type BlockBook = ReturnType<typeof bookOf>;

function renderFinding(finding: Finding, { account, assets }: BlockBook): string[] {
  const { id, status, confidence, entity, venues, transactions, amounts, caveats } = finding;
  const steps = groupBy(transactions, ({ step }) => step);
  const by = entity.map(account).join(', ');
  const places = venues.map(({ venue }) => {
    const [name, hex] = [account(venue), shortHex(venue)];
    return name === hex ? hex : `${name} (${hex})`;
  });
  return [
    `  ${words(finding.finding)} ${id}, ${status}, ${confidence}${by && `, by ${by}`}`,
    ...(places.length > 0 ? [`    at ${places.join(', ')}`] : []),
    ...[...steps].map(
      ([step, parts]) => `    ${stepName(step)}: ${parts.map(({ tx_hash }) => shortHex(tx_hash)).join(', ')}`,
    ),
    ...amounts.map((amount) => `    ${shownLine(amount, { account, assets })}`),
    ...caveats.map(({ text }) => `    ! ${text}`),
  ];
}

function shownLine(amount: Amount, { account, assets }: BlockBook): string {
  const { role, account: whose, amount_raw: raw, usd, reason, asset_id: id } = amount;
  const of = role === 'loss' && whose !== null ? ` of ${account(whose)}` : '';
  if (raw === null || id === null) return `${lower(role)}${of}: not computed, ${reason}`;
  const worth = usd.available ? ` (${moneyText(usd)})` : '';
  return `${lower(role)}${of}: ${signedQuantity(BigInt(raw), assets.get(id), id)}${worth}`;
}
