import { createReadStream } from 'node:fs';
import { AnalysisError, failureOf, isRefusal } from '../../../lib/errors.ts';
import { pastedHash } from '../../pasted.ts';
import { openBlocks } from '../blocks/oneBlock.ts';
import { jsonRows, rowsOf } from '../blocks/tables.ts';
import { defectText } from '../cliIo.ts';
import { openAnalyzer } from '../openAnalyzer.ts';
import { streamed } from './guards.ts';
import { splitLines } from './hashLines.ts';
import type { BatchOptions } from './runBatch.ts';
import type { BlockFailure } from '../../../service/analyzeBlock.ts';
import type { Finding } from '../../../model/generated/finding.ts';
import type { TxReport } from '../../../model/generated/report.ts';

/** Failures that asking again does not mend, besides refusals. */
const FINAL = /^(?:invalid_input|(?:transaction|block)_not_found|wrong_chain|internal)$/;

/** The reports of one line, serialised, with their positions in the block. */
interface Found {
  readonly reports: readonly string[];
  readonly indexes: readonly (number | null)[];
  readonly failures: readonly BlockFailure[];
  readonly findings: readonly Finding[];
}

/**
 * Runs `txreport batch --rows`: one JSON object per input line, in any order; failures are rows too. A line
 * is a hash or the number of a block, the text after it is the key of its row. Returns the exit status: 0
 * once all lines are read.
 */
export async function batchRows(list: string, { concurrency, format }: BatchOptions): Promise<number> {
  await using analyzer = await openAnalyzer();
  await using blocks = await openBlocks(() => {});

  async function contentOf(hash: string | null, block: number | undefined): Promise<string> {
    if (hash !== null) {
      const reports = [await analyzer.analyze(hash)];
      return content({ reports, indexes: [null], failures: [], findings: [] }, false);
    }
    if (block === undefined) throw refused('invalid_input', 'neither a hash nor a block number');
    const found = await blocks.analyze(BigInt(block));
    if (found === null) throw refused('block_not_found', 'the node does not have this block');
    return content(found, true);
  }

  /** The row's content as JSON text, without its braces. */
  function content({ reports, indexes, failures, findings }: Found, isBlock: boolean): string {
    const failed = isBlock
      ? `,"failures":${JSON.stringify(failures.map((one) => ({ tx_hash: one.tx_hash, ...errorOf(one) })))}`
      : '';
    if (format !== 'tables')
      return (isBlock ? `"reports":[${reports.join()}]` : `"report":${reports[0]}`) + failed;
    const parsed = reports.map((text, i) => {
      const report = JSON.parse(text) as TxReport;
      return [indexes[i] ?? report.tx.index ?? 0, report] as const;
    });
    const rows = jsonRows(rowsOf(parsed, { findings, motifKinds: blocks.rulebook.motifKinds }));
    return `"tables":${JSON.stringify(rows)}${failed}`;
  }

  async function rowOf(line: string): Promise<string> {
    const [, word = '', rest = ''] = /^\s*"?([^\s,;"]*)"?[\s,;]*(.*)$/s.exec(line)!;
    const hash = pastedHash(word);
    const block = hash === null && /^\d{1,15}$/.test(word) ? Number(word) : undefined;
    const head = JSON.stringify({ key: rest || line, tx_hash: hash ?? undefined, block }).slice(0, -1);
    try {
      return `${head},${await contentOf(hash, block)}}\n`;
    } catch (error) {
      return `${head},"error":${JSON.stringify(errorOf(failedOf(error, word)))}}\n`;
    }
  }

  const input = list === '-' ? process.stdin : createReadStream(list);
  // Whole lines of any length: the key must come back as it was.
  const lines = splitLines(input as AsyncIterable<Buffer>, Infinity);
  const work = async (): Promise<void> => {
    for (let next = await lines.next(); !next.done; next = await lines.next())
      await streamed(process.stdout, await rowOf(next.value.replace(/\r$/, '')));
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return 0;
}

type Failed = ReturnType<typeof failureOf>;
const refused = (code: string, error: string): Failed => ({ code, error });

/** A failure of the analysis or the line; a defect of the program is also on standard error. */
function failedOf(error: unknown, word: string): Failed {
  if (!(error instanceof Error)) return error as Failed;
  if (!(error instanceof AnalysisError)) process.stderr.write(`${word}: ${defectText(error)}\n`);
  return failureOf(error);
}

const errorOf = ({ code, error: text }: Failed) => ({
  code,
  text,
  retryable: !isRefusal(code) && !FINAL.test(code),
});
