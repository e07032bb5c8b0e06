// Falsehoods in reports of every kind, and which half of `verify` finds them.
import { publishedSchemaErrors } from '../../src/tools/cli/readReports.ts';
import { compareAnew, verifyReport } from '../../src/tools/verify/verifyReport.ts';
import type { TxReport } from '../../src/model/generated/report.ts';
import type { RawAnswers } from '../../src/tools/verify/rawChain.ts';
import { falsehoodsOf, type Falsehood } from './falsehoods.ts';
import { reportOf, RULES } from './recorded.ts';
import { schemaFields, withField } from './schemaFields.ts';

/** One recording per kind of report; with a price where its figures in dollars are told about too. */
export const KINDS: readonly (readonly [recording: string, dollars?: bigint])[] = [
  ['native-transfer'],
  ['swap-v2-eth-usdc', 3_000n],
  ['swap-v3-two-hops'],
  ['add-liquidity-v3'],
  ['aave-borrow'],
  ['aave-liquidation', 2n],
  ['arbitrage-builder', 3_000n],
  ['arbitrage-flashloan'],
  ['round-trip', 1n],
  ['cow-two-orders'],
  ['userop-paymaster'],
  ['userop-swap', 3_000n],
  ['safe-multisend'],
  ['safe-refund', 2n],
  ['nft-sale'],
  ['approval'],
  ['deployment'],
  ['reverted-slippage'],
  ['reverted-custom'],
  ['vault-deposit'],
  ['7702-sponsored'],
  ['stake'],
  ['spam-forged'],
];

/** Falsehoods tried of one kind in one report. */
const MOST_TRIES = 2;

export interface Row {
  readonly report: string;
  /** Kinds of falsehood: a field and what was done to it. */
  readonly kinds: Set<string>;
  tried: number;
  anew: number;
  independent: number;
}

export interface MutationTable {
  readonly rows: readonly Row[];
  /** By kind of falsehood: how often it was told, and how often the independent half found it. */
  readonly kinds: ReadonlyMap<string, { told: number; independent: number }>;
  /** Falsehoods that neither half found. */
  readonly missed: readonly string[];
  /** Fields of the schema that no falsehood was about. */
  readonly untold: readonly string[];
}

/** Every field of every report falsified, one at a time, and every field of the schema that no report has. */
export async function mutationTable(): Promise<MutationTable> {
  const rows: Row[] = [];
  const kinds = new Map<string, { told: number; independent: number }>();
  const missed: string[] = [];
  const untold = schemaFields();
  const tell = (
    row: Row,
    { report, answers }: Claimed,
    { field, at, kind, report: forged }: Falsehood,
  ): void => {
    const claimed = forged as TxReport;
    const count = kinds.get(`${field} ${kind}`) ?? { told: 0, independent: 0 };
    kinds.set(`${field} ${kind}`, count);
    count.told++;
    row.kinds.add(`${field} ${kind}`);
    row.tried++;
    untold.delete(field);
    // Words of the engine are what decides whether reports are compared at all: the command says so.
    const comparison = compareAnew(claimed, report);
    const anew = comparison.findings.length > 0 || comparison.notCompared !== null;
    const independent = verifyReport(claimed, answers, RULES).length > 0;
    if (anew) row.anew++;
    if (independent) row.independent++;
    if (independent) count.independent++;
    if (!anew && !independent) missed.push(`${row.report} ${at} ${kind}`);
  };
  const all: Claimed[] = [];
  for (const [name, dollars] of KINDS) {
    const claimed = await reportOf(name, dollars);
    const row: Row = { report: name, kinds: new Set(), tried: 0, anew: 0, independent: 0 };
    rows.push(row);
    all.push(claimed);
    const tried = new Map<string, number>();
    for (const falsehood of falsehoodsOf(claimed.report)) {
      const key = `${falsehood.field} ${falsehood.kind}`;
      tried.set(key, (tried.get(key) ?? 0) + 1);
      if (tried.get(key)! > MOST_TRIES) continue;
      if (publishedSchemaErrors(falsehood.report as object).length === 0) tell(row, claimed, falsehood);
      // What the schema refuses, `verify` does not even look at.
      else untold.delete(falsehood.field);
    }
  }
  for (const field of untold)
    for (const [i, claimed] of all.entries()) {
      const report = withField(claimed.report, field);
      if (report === null) continue;
      if (publishedSchemaErrors(report as object).length > 0) {
        untold.delete(field);
        continue;
      }
      tell(rows[i]!, claimed, { at: field, field, kind: 'value', report });
      break;
    }
  return { rows, kinds, missed, untold: [...untold] };
}

interface Claimed {
  readonly report: TxReport;
  readonly answers: RawAnswers;
}

/** The counts as Markdown, and the kinds that the independent half misses. */
export function asMarkdown({ rows, kinds }: MutationTable): string {
  const sum = (key: 'tried' | 'anew' | 'independent'): number => rows.reduce((n, row) => n + row[key], 0);
  const open = [...kinds].filter(([, { told, independent }]) => told > independent).sort();
  return [
    'Written by `npm run verify:table`: reports of recorded transactions in which one place is changed, left out, repeated,',
    'reordered or made up, field by field; a list whose order states nothing is not reordered. The first half of `verify` analyses',
    'anew and compares word for word; the second shares no code with the analysis. `test/verify/falsehoods.test.ts` holds that none is missed.',
    '',
    `${sum('tried')} falsehoods of ${kinds.size} kinds in ${rows.length} reports: ${sum('anew')} found by analysing anew,`,
    `${sum('independent')} by the independent half, which finds ${kinds.size - open.length} kinds every time. The others, with how often it found them:`,
    '',
    // Lines of the page's width.
    open
      .map(([kind, { told, independent }]) => `\`${kind}\` ${independent} of ${told}`)
      .join(', ')
      .replace(/(.{90,125}), /g, '$1,\n'),
    '',
  ].join('\n');
}
