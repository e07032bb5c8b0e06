import { writeFileSync } from 'node:fs';
import { getAddress, isAddress } from 'viem/utils';
import { Command } from 'commander';
import { CliError } from './cliIo.ts';
import type { TxReport } from '../../model/generated/report.ts';
import type { LedgerEvent } from '../ledger/ledgerEvent.ts';
import type { LedgerFormat } from '../ledger/ledgerFormat.ts';
import type { Commodities } from '../ledger/commodities.ts';
import type { CurrencyMap } from '../ledger/currencyMap.ts';

const HELP = `
Reports come from files or standard input (-), as analyze --json and batch write them. One row is
one economic event of the account; a transaction that does not concern the account has none. Cost
bases and lots are left to the tax program. Transfers among several accounts given together are one
transfer, no gain or loss. Tokens that imitate others, spam and transfers that nothing shows to be
real are left out and counted on standard error.

Examples:
  txreport batch hashes.txt --out reports.ndjson
  txreport ledger reports.ndjson --account 0x… --out koinly.csv
  txreport ledger reports.ndjson --account 0x… --format beancount --out journal.beancount
  txreport ledger reports.ndjson --account 0x… --format ./cointracking.yaml

Exit status: 0 written, 2 called wrongly, a file cannot be read, or no account has an event`;

interface LedgerOptions {
  readonly account: readonly string[];
  readonly format: string;
  readonly out?: string;
  readonly doubtful?: string;
  readonly currencies?: string;
  readonly from?: string;
  readonly to?: string;
}

/** `txreport ledger`: reports as ledgers of tax programs and bookkeeping. */
export const ledgerCommand = new Command('ledger')
  .description('write what reports say of an account for tax programs and bookkeeping')
  .argument('[files...]', 'reports, one document or NDJSON', ['-'])
  .requiredOption('--account <address...>', 'the account, or several that belong together')
  .option('--format <name>', 'koinly, double-entry, beancount, hledger, ledger, or a YAML file', 'koinly')
  .option('--out <file>', 'write to a file instead of standard output')
  .option('--doubtful <file>', 'write what is left out as doubtful to this file')
  .option('--from <date>', 'write from this day on (UTC); earlier reports count for the balances')
  .option('--to <date>', 'write up to this day, not included')
  .option('--currencies <file>', 'read and keep here which placeholder stands for which unlisted asset')
  .addHelpText('after', HELP)
  .action(ledger);

async function ledger(files: readonly string[], options: LedgerOptions): Promise<void> {
  const accounts = readAccounts(options.account);
  const day = [options.from, options.to].find((date) => date !== undefined && !isDay(date));
  if (day !== undefined) throw new CliError(`not a day as 2024-01-31: ${day.slice(0, 100)}`);
  const { readFormat } = await import('../ledger/ledgerFormat.ts');
  const format = readFormat(options.format);
  const book = await readBook(reportsOf(files), accounts);
  const silent = [...accounts].filter((account) => !book.concerned.has(account));
  if (silent.length === accounts.size)
    throw new CliError(`no event of ${silent.join(', ')} in these reports`);
  if (silent.length > 0) say(`no event of ${silent.join(', ')} in these reports`);
  await writeBook(book, format, options);
}

/** The accounts of a ledger. Throws `CliError` for a text that is no address. */
export function readAccounts(texts: readonly string[]): ReadonlySet<string> {
  const wrong = texts.find((text) => !isAddress(text, { strict: false }));
  if (wrong !== undefined) throw new CliError(`not an address: ${wrong.slice(0, 100)}`);
  return new Set(texts.map((text) => getAddress(text.toLowerCase())));
}

async function* reportsOf(files: readonly string[]): AsyncGenerator<TxReport> {
  const { readValidReports } = await import('./readReports.ts');
  for (const file of files) yield* readValidReports(file);
}

const isDay = (date: string): boolean => /^\d{4}-\d\d-\d\d$/.test(date) && !Number.isNaN(Date.parse(date));

const say = (message: string): void => void process.stderr.write(`${message}\n`);

type Book = Awaited<ReturnType<typeof readBook>>;

/** The accounts' events by the reports, in order. Throws `CliError` for the first that cannot be booked. */
export async function readBook(reports: AsyncIterable<TxReport>, accounts: ReadonlySet<string>) {
  const { ledgerEvents, placeOf } = await import('../ledger/ledgerEvent.ts');
  const { configuredRules } = await import('../../service/analyzer.ts');
  const rules = await configuredRules({ rulesDirs: [], addressBook: null });
  const seen = new Set<string>();
  const concerned = new Set<string>();
  const booked: (ReturnType<typeof ledgerEvents> & { place: ReturnType<typeof placeOf> })[] = [];
  let repeated = 0;
  for await (const report of reports) {
    if (seen.has(report.tx.hash)) {
      repeated++;
      continue;
    }
    seen.add(report.tx.hash);
    const events = ledgerEvents(report, accounts, rules);
    for (const account of events.concerned) concerned.add(account);
    if (events.event || events.doubtful) booked.push({ ...events, place: placeOf(report) });
  }
  booked.sort(({ place: [a, b, c] }, { place: [d, e, f] }) => a - d || (b === e ? c - f : b - e));
  return {
    events: booked.flatMap(({ event }) => event ?? []),
    doubtful: booked.flatMap(({ doubtful }) => doubtful ?? []),
    rules,
    /** The accounts that some report concerns. */
    concerned,
    /** How many reports were given more than once. */
    repeated,
  };
}

/** How a book is written in a format, with the placeholders of `map` for assets the program does not know. */
export async function writerOf({ events, doubtful, rules }: Book, format: LedgerFormat, map: CurrencyMap) {
  const { commoditiesOf } = await import('../ledger/commodities.ts');
  const { writeLedger } = await import('../ledger/writeLedger.ts');
  const all = [...events, ...doubtful];
  const commodity = commoditiesOf(all, rules, format, map);
  const nameOf = commoditiesOf(all, rules);
  return {
    nameOf,
    text: (some: readonly LedgerEvent[], from?: string): string =>
      writeLedger(some, { format, rules, commodity, nameOf, from }),
  };
}

async function writeBook(book: Book, format: LedgerFormat, options: LedgerOptions): Promise<void> {
  const { readCurrencyMap } = await import('../ledger/currencyMap.ts');
  const { repeated } = book;
  const within = (events: readonly LedgerEvent[]): LedgerEvent[] =>
    events.filter(({ time }) => options.to === undefined || time < options.to);
  const doubtful = within(book.doubtful).filter(({ time }) => time >= (options.from ?? ''));
  const map = readCurrencyMap(mapFile(options));
  const { text, nameOf } = await writerOf(book, format, map);
  const flows = doubtful.reduce((sum, event) => sum + event.flows.length, 0);
  if (repeated > 0) say(`${repeated} reports were given more than once and are booked once`);
  if (flows > 0)
    say(
      `left out ${flows} flows in ${doubtful.length} transactions: tokens that imitate others or are ` +
        'marked as spam, and transfers that nothing shows to be real' +
        (options.doubtful === undefined ? '; --doubtful FILE writes them' : '') +
        `: ${namesOf(doubtful, nameOf)}`,
    );
  const written = text(within(book.events), options.from);
  if (options.doubtful !== undefined) write(options.doubtful, text(doubtful, options.from));
  if (options.out === undefined) process.stdout.write(written);
  else write(options.out, written);
  if (format.currency?.unlisted !== undefined) keepCurrencies(map, options);
}

const MOST_NAMED = 20;

/** The assets of some events, each once. */
function namesOf(events: readonly LedgerEvent[], nameOf: Commodities): string {
  const names = [...new Set(events.flatMap(({ flows }) => flows.map(({ asset }) => nameOf(asset))))];
  const more = names.length - MOST_NAMED;
  return names.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** Placeholders mean something only with the map: it lies beside the ledger unless another place is named. */
const mapFile = ({ currencies, out }: LedgerOptions): string | undefined =>
  currencies ?? (out === undefined ? undefined : `${out}.currencies.json`);

function keepCurrencies(map: CurrencyMap, options: LedgerOptions): void {
  const file = mapFile(options);
  if (map.size() === 0) return;
  if (file !== undefined) map.save(file);
  else say(`${map.size()} assets by placeholder: --currencies FILE keeps which`);
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new CliError(`cannot write ${file}: ${(error as Error).message}`);
  }
}
