import { fstatSync, readFileSync, writeFileSync } from 'node:fs';
import { getAddress, isAddress } from 'viem/utils';
import { Command } from 'commander';
import { CliError, type CommonOptions } from './cliIo.ts';
import type { LedgerEvent } from '../ledger/ledgerEvent.ts';
import type { LedgerFormat } from '../ledger/ledgerFormat.ts';
import type { Commodities } from '../ledger/commodities.ts';
import type { CurrencyMap } from '../ledger/currencyMap.ts';
import type { JournalFiles } from '../ledger/journal.ts';
import type { Chain } from '../ledger/openChain.ts';
import type { TxReport } from '../../model/generated/report.ts';

const HELP = `
Reports come from files or standard input (-), as analyze --json and batch write them, or, without
files but with --from and --to, from the node, which finds the account's transactions. One row is
one economic event of the account; a transaction that does not concern the account has none. Cost
bases and lots are left to the tax program. Transfers among several accounts given together are one
transfer, no gain or loss. Tokens that imitate others, spam and transfers that nothing shows to be
real are left out and counted on standard error.

Examples:
  txreport batch hashes.txt --out reports.ndjson
  txreport ledger reports.ndjson --account 0x… --out koinly.csv
  txreport ledger reports.ndjson --account 0x… --format beancount --out journal.beancount
  txreport ledger --account 0x… --from 2024-01-01 --to 2024-02-01 --format hledger --opening chain
  txreport ledger reports.ndjson --account 0x… --format ./cointracking.yaml

Exit status: 0 written, 2 called wrongly, a file cannot be read, or no account has an event`;

interface LedgerOptions extends CommonOptions {
  readonly account: readonly string[];
  readonly format: string;
  readonly out?: string;
  readonly doubtful?: string;
  readonly currencies?: string;
  readonly from?: string;
  readonly to?: string;
  readonly opening: readonly string[];
  readonly balances?: boolean;
}

/** `txreport ledger`: reports as ledgers of tax programs and bookkeeping. */
export const ledgerCommand = new Command('ledger')
  .description('write what reports say of an account for tax programs and bookkeeping')
  .argument('[files...]', 'reports, one document or NDJSON; none, with --from and --to: found by the node')
  .requiredOption('--account <address...>', 'the account, or several that belong together')
  .option('--format <name>', 'koinly, double-entry, beancount, hledger, ledger, or a YAML file', 'koinly')
  .option('--out <file>', 'write to a file instead of standard output')
  .option('--doubtful <file>', 'write what is left out as doubtful to this file')
  .option('--from <start>', 'write from this day (UTC) or block on; earlier reports count for the balances')
  .option('--to <end>', 'write up to this day, not included, or this block, included')
  .option('--opening <source...>', 'opening balances: chain, earlier files of the same book, or none', [
    'none',
  ])
  .option('--balances', 'ask the node for every token, not only those known to change without an event')
  .option('--rpc <urls>', 'node to ask, several comma-separated (default: RPC_URL)')
  .option('--currencies <file>', 'read and keep here which placeholder stands for which unlisted asset')
  .addHelpText('after', HELP)
  .action(ledger);

async function ledger(files: readonly string[], options: LedgerOptions): Promise<void> {
  const accounts = readAccounts(options.account);
  checkPeriod(options);
  const { readFormat } = await import('../ledger/ledgerFormat.ts');
  const format = readFormat(options.format);
  const isFinding = files.length === 0 && Boolean(options.from && options.to) && !isRedirected();
  const isAsked = isFinding || options.balances || options.opening.includes('chain');
  const chain = await chainOf(isAsked);
  try {
    const source = isFinding ? chain!.find([...accounts], options, say) : readFiles(files);
    const book = await readBook(source, accounts, chain);
    nameSilent(
      [...accounts].filter((account) => !book.concerned.has(account)),
      accounts.size,
    );
    const isObserved = isAsked || !options.opening.includes('none');
    await writeBook(book, { format, options, chain: isObserved ? chain : null });
  } finally {
    await chain?.close();
  }
}

/** Whether a file or another command is standard input: then the reports are there. */
function isRedirected(): boolean {
  const input = fstatSync(0);
  return input.isFIFO() || input.isFile();
}

/** The node's session, where it is asked for or known. */
async function chainOf(isAsked: boolean) {
  if (!isAsked && !process.env['RPC_URL']) return null;
  const { openChain } = await import('../ledger/openChain.ts');
  return openChain();
}

/** Names accounts without an event. Throws `CliError` where it is all of them. */
function nameSilent(silent: readonly string[], accounts: number): void {
  const text = `no event of ${silent.join(', ')} in these reports`;
  if (silent.length === accounts) throw new CliError(text);
  if (silent.length > 0) say(text);
}

/** The accounts of a ledger. Throws `CliError` for a text that is no address. */
export function readAccounts(texts: readonly string[]): ReadonlySet<string> {
  const wrong = texts.find((text) => !isAddress(text, { strict: false }));
  if (wrong !== undefined) throw new CliError(`not an address: ${wrong.slice(0, 100)}`);
  return new Set(texts.map((text) => getAddress(text.toLowerCase())));
}

function checkPeriod({ from, to }: LedgerOptions): void {
  const wrong = [from, to].find((date) => date !== undefined && !isDay(date) && !isBlock(date));
  if (wrong !== undefined) throw new CliError(`not a day as 2024-01-31, nor a block: ${wrong.slice(0, 100)}`);
}

const isDay = (date: string): boolean => /^\d{4}-\d\d-\d\d$/.test(date) && !Number.isNaN(Date.parse(date));
const isBlock = (text: string): boolean => /^\d{1,12}$/.test(text);

const say = (message: string): void => void process.stderr.write(`${message}\n`);

type Book = Awaited<ReturnType<typeof readBook>>;

async function* readFiles(files: readonly string[]): AsyncGenerator<TxReport> {
  const { readValidReports } = await import('./readReports.ts');
  for (const file of files.length === 0 ? ['-'] : files) yield* readValidReports(file);
}

/** The accounts' events by the reports, in order. Throws `CliError` for the first that cannot be booked. */
export async function readBook(
  reports: AsyncIterable<TxReport>,
  accounts: ReadonlySet<string>,
  chain: Chain | null = null,
) {
  const { disputedChanges } = await import('../ledger/tokenFlags.ts');
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
    const disputed = chain ? disputedChanges(report, accounts) : [];
    const confirmed = chain ? await chain.confirmed(report.tx.hash, disputed) : undefined;
    const events = ledgerEvents(report, accounts, rules, confirmed);
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
  const naming = {
    format,
    rules,
    commodity: commoditiesOf(all, rules, format, map),
    nameOf: commoditiesOf(all, rules),
  };
  return {
    ...naming,
    text: (some: readonly LedgerEvent[], files: JournalFiles = {}): string =>
      writeLedger(some, { ...naming, ...files }),
  };
}

interface Writing {
  readonly format: LedgerFormat;
  readonly options: LedgerOptions;
  /** Null where balances are those of the reports. */
  readonly chain: Chain | null;
}

async function writeBook(book: Book, { format, options, chain }: Writing): Promise<void> {
  const { readCurrencyMap } = await import('../ledger/currencyMap.ts');
  const isEarlier = (event: LedgerEvent): boolean => isBefore(event, options.from);
  const isLater = (event: LedgerEvent): boolean => isAfter(event, options.to);
  const within = (events: readonly LedgerEvent[]): LedgerEvent[] =>
    events.filter((event) => !isEarlier(event) && !isLater(event));
  const doubtful = within(book.doubtful);
  const map = readCurrencyMap(mapFile(options));
  const { commodity, nameOf, text } = await writerOf(book, format, map);
  const previous = options.opening.filter((source) => !OPENINGS.has(source)).map(read);
  const isContinued = previous.length > 0 || options.opening.includes('chain');
  const own = book.events.filter((event) => !isLater(event));
  const asked = { options, isContinued, previous, format, commodity, nameOf, doubtful, say };
  const { events, closing } = chain ? await chain.observe(own, asked) : { events: own };
  const beside = doubtfulFile(options, format);
  if (book.repeated > 0) say(`${book.repeated} reports were given more than once and are booked once`);
  sayLeftOut(doubtful, nameOf, beside);
  const earlier = isContinued ? [] : events.filter(isEarlier);
  const written = text(
    events.filter((event) => !isEarlier(event)),
    { earlier, previous, leftOut: doubtful, ...(closing && { closing }) },
  );
  if (beside !== undefined && (doubtful.length > 0 || options.doubtful)) write(beside, text(doubtful));
  write(options.out, written);
  if (format.currency?.unlisted !== undefined) keepCurrencies(map, options);
}

/** Whether an event came before a day or block. */
const isBefore = ({ time, block }: LedgerEvent, start = '0'): boolean =>
  isDay(start) ? time < start : block < Number(start);

/** The file of the flows left out: journals name them in comments of their own. */
const doubtfulFile = ({ doubtful, out }: LedgerOptions, { journal }: LedgerFormat): string | undefined =>
  doubtful ?? (journal || !out ? undefined : `${out}.doubtful`);

/** Whether an event came after a period: a day ends before its first block, a block is included. */
const isAfter = (event: LedgerEvent, end: string | undefined): boolean =>
  end !== undefined && !isBefore(event, isDay(end) ? end : `${Number(end) + 1}`);

function sayLeftOut(doubtful: readonly LedgerEvent[], nameOf: Commodities, file: string | undefined): void {
  if (doubtful.length === 0) return;
  const flows = doubtful.reduce((sum, event) => sum + event.flows.length, 0);
  const where = file === undefined ? '; --doubtful FILE writes them' : ` (${file})`;
  say(
    `left out ${flows} flows in ${doubtful.length} transactions: tokens that imitate others or are marked ` +
      `as spam, and transfers that nothing shows to be real${where}: ${namesOf(doubtful, nameOf)}`,
  );
}

const OPENINGS: ReadonlySet<string> = new Set(['chain', 'none']);

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CliError(`--opening: cannot read ${file}: ${(error as Error).message}`);
  }
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

/** To standard output where no file is named. */
function write(file: string | undefined, text: string): void {
  if (file === undefined) return void process.stdout.write(text);
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new CliError(`cannot write ${file}: ${(error as Error).message}`);
  }
}
