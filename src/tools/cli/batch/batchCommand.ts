import { InvalidArgumentError, Option, Command } from 'commander';
import { CliError } from '../cliIo.ts';
import type { BatchOptions } from './runBatch.ts';
import { WHOLE, type Shard } from './hashLines.ts';

const HELP = `
The list holds one hash per line, in its first column; blank lines and # comments are skipped.
Without <list>, or with -, it is read from standard input.

With --out you can stop or kill the batch at any moment: the same command resumes it, loses no
report, writes none twice, and retries what failed. --errors lists the failures; at the end it holds
the hashes that still have no report. Ctrl-C finishes running analyses; a second Ctrl-C exits at
once.

One batch of hashes uses one processor core. --shard splits a list by hash among processes or
machines, always the same way.

--blocks analyzes whole blocks instead, two or three requests to the node per block and on all cores, with
reports in block order: numbers, from..to, hashes, latest-N (the newest N blocks), separated by
commas, or a file of them. It stops, resumes and retries likewise (its state is beside --out);
--shard then gives each part consecutive blocks. --findings adds sandwiches, back-runs and the like,
in <out>.findings.ndjson or the table findings. --only and --involving keep some reports; an
address counts where the transaction, a log or a frame names it.

Examples:
  txreport batch --blocks 17073191..17073200 --out reports.ndjson
  txreport batch --blocks latest-100 --only DirectSwap,AggregatedSwap > swaps.ndjson
  txreport batch --blocks 17000000..17009999 --format parquet --out tables
  txreport batch hashes.txt --out reports.ndjson
  cut -d, -f1 export.csv | txreport batch > reports.ndjson
  seq 0 3 | xargs -P 4 -I{} txreport batch hashes.txt --shard {}/4 --out reports-{}.ndjson

Refused transactions, of whose answers no report can be made because they are malformed or contradict
each other, are listed with the failures and counted; only --strict makes them a failure of the batch.

Exit status: 0 everything else has a report, 1 some failed, 2 wrong arguments or configuration,
3 the disk is full, read-only or closed to this user, 130 or 143 stopped by a signal`;

function whole(min: number, max: number) {
  return (text: string): number => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max))
      throw new InvalidArgumentError(`must be a whole number from ${min} to ${max}`);
    return value;
  };
}

function shard(text: string): Shard {
  const [index, count] = /^\d{1,6}\/\d{1,6}$/.test(text) ? text.split('/').map(Number) : [];
  if (index! < count!) return { index: index!, count: count! };
  throw new InvalidArgumentError('must be i/n with i from 0 to n-1');
}

/** Options that only whole blocks have. */
const OF_BLOCKS = ['findings', 'partition', 'only', 'involving', 'threads'] as const;

/** `txreport batch`: reports for a list of hashes, one JSON object per line. */
export const batchCommand = new Command('batch')
  .summary('analyze a list of transactions, one report per line (NDJSON)')
  .description('analyze a list of transactions and write their reports as NDJSON, in the order they finish')
  .argument('[list]', 'file of hashes, or - for standard input', '-')
  .option('-o, --out <file>', 'append reports here and resume from it (default: standard output)')
  .addOption(
    new Option(
      '--errors <file>',
      'of hashes: failures, one JSON object per line (default: next to --out)',
    ).conflicts('blocks'),
  )
  .option('-c, --concurrency <n>', 'analyses running at once', whole(1, 1_000), 8)
  .addOption(
    new Option('--shard <i/n>', 'only the i-th of n parts of the list, i from 0')
      .argParser(shard)
      .default(WHOLE, 'the whole list'),
  )
  .addOption(
    new Option('--give-up-after <n>', 'stop after this many failures of the node in a row; 0: never')
      .argParser(whole(0, 1_000_000))
      .default(50),
  )
  .option('--blocks <list>', 'whole blocks: numbers, from..to, hashes, latest-N, or a file of them')
  .addOption(
    new Option(
      '--format <format>',
      'one JSON object per line; flat tables in a folder (of --blocks) or in the rows (of --rows)',
    )
      .choices(['ndjson', 'parquet', 'tables'])
      .default('ndjson'),
  )
  .option('--threads <n>', 'threads of --blocks (default: one per core)', whole(1, 256))
  .option('--only <intents>', 'with --blocks: only reports of these intents, comma-separated')
  .option('--involving <addresses>', 'with --blocks: only transactions that name one of these addresses')
  .addOption(
    new Option('--partition <by>', 'with --format parquet: one folder per day and table').choices(['day']),
  )
  .option('--findings', 'with --blocks: also what several transactions of a block show together')
  .addOption(
    new Option(
      '--rows',
      'one JSON object per input line, failures too, for Spark and its like (see docs/operator.md)',
    ).conflicts(['out', 'errors', 'shard', 'blocks', ...OF_BLOCKS]),
  )
  .option('--rpc <urls>', 'node to ask, several comma-separated (default: RPC_URL)')
  .option('--strict', 'exit status 1 where a transaction was refused, too')
  .option('-q, --quiet', 'no progress and no summary')
  .addHelpText('after', HELP)
  .action(async (list: string, options: BatchOptions) => {
    process.exitCode = await batch(list, options);
  });

async function batch(list: string, options: BatchOptions): Promise<number> {
  const { format, blocks } = options;
  if (options.rows) {
    // It does not resume and gives no file: the engine that calls it keeps the rows.
    if (format === 'parquet') throw new CliError('--rows writes no Parquet: --format ndjson or tables');
    const { batchRows } = await import('./rowBatch.ts');
    return batchRows(list, options);
  }
  if (format === 'tables') throw new CliError('--format tables needs --rows');
  if (blocks !== undefined) {
    if (list !== '-') throw new CliError('give either a list of hashes or --blocks');
    const { batchBlocks } = await import('../blocks/blockBatch.ts');
    return batchBlocks({ ...options, blocks });
  }
  if (format !== 'ndjson' || OF_BLOCKS.some((option) => options[option] !== undefined))
    throw new CliError('--findings, --partition, --only, --involving, --threads and --format need --blocks');
  const { batchHashes } = await import('./hashBatch.ts');
  return batchHashes(list, options);
}
