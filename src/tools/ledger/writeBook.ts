import { getAddress, isAddress } from 'viem/utils';
import { configuredRules } from '../../service/analyzer.ts';
import { CliError } from '../cli/cliIo.ts';
import { commoditiesOf, readCurrencyMap, type Commodities, type CurrencyMap } from './commodities.ts';
import { ledgerEvents, placeOf, type LedgerChange, type LedgerEvent } from './ledgerEvent.ts';
import { readText, writeText, type LedgerFormat } from './ledgerFormat.ts';
import { disputedChanges } from './tokenFlags.ts';
import { namesHolding, writeLedger, type JournalFiles } from './writeLedger.ts';
import type { Chain, PeriodOptions } from './openChain.ts';
import type { TxReport } from '../../model/generated/report.ts';

/** The place and the period of a ledger. */
export interface WriteOptions extends PeriodOptions {
  readonly out?: string;
  readonly doubtful?: string;
  readonly currencies?: string;
  readonly opening: readonly string[];
}

type Book = Awaited<ReturnType<typeof readBook>>;

/** The accounts of a ledger. Throws `CliError` for a text that is no address. */
export function readAccounts(texts: readonly string[]): ReadonlySet<string> {
  const wrong = texts.find((text) => !isAddress(text, { strict: false }));
  if (wrong !== undefined) throw new CliError(`not an address: ${wrong.slice(0, 100)}`);
  return new Set(texts.map((text) => getAddress(text.toLowerCase())));
}

/** The accounts' events by the reports, in order. Throws `CliError` for the first that cannot be booked. */
export async function readBook(
  reports: AsyncIterable<TxReport>,
  accounts: ReadonlySet<string>,
  chain: Chain | null = null,
) {
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
    const confirmed = await chain?.confirmed(report.tx.hash, disputedChanges(report, accounts));
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
export function writerOf({ events, doubtful, rules }: Book, format: LedgerFormat, map: CurrencyMap) {
  const all = [...events, ...doubtful];
  const naming = {
    format,
    rules,
    commodity: commoditiesOf(all, rules, format, map),
    nameOf: commoditiesOf(all, rules),
  };
  const text = (some: readonly LedgerEvent[], files: JournalFiles = {}): string =>
    writeLedger(some, { ...naming, ...files });
  return { ...naming, text };
}

interface Writing {
  readonly format: LedgerFormat;
  readonly options: WriteOptions;
  /** Null where balances are those of the reports. */
  readonly chain: Chain | null;
  readonly say: (message: string) => void;
}

/** Writes the files of a period, and names the movements left out. */
export async function writeBook(book: Book, { format, options, chain, say }: Writing): Promise<void> {
  const { to, out, opening, currencies = out && `${out}.currencies.json` } = options;
  const isEarlier = (event: LedgerEvent): boolean => isBefore(event, options.from ?? '0');
  // A day ends before its first block, a block is included.
  const end = to && !to.includes('-') ? `${Number(to) + 1}` : to;
  const isWithin = (event: LedgerEvent): boolean => end === undefined || isBefore(event, end);
  const own = book.events.filter(isWithin);
  const doubtful = book.doubtful.filter((event) => isWithin(event) && !isEarlier(event));
  const map = readCurrencyMap(currencies);
  const { commodity, nameOf, text } = writerOf(book, format, map);
  const previous = opening.filter((source) => !OPENINGS.has(source)).map(readText);
  const isContinued = !opening.includes('none');
  const isOpen = (change: LedgerChange): boolean => namesHolding(previous, change, { format, commodity });
  const asked = { all: options.balances === true, isContinued, isOpen, doubtful, nameOf, say };
  const { events, closing } = chain ? await chain.observe(own, options, asked) : { events: own };
  if (book.repeated > 0) say(`${book.repeated} reports were given more than once and are booked once`);
  const earlier = isContinued ? [] : events.filter(isEarlier);
  const written = events.filter((event) => !isEarlier(event));
  const ledger = text(written, { earlier, previous, leftOut: doubtful, ...(closing && { closing }) });
  writeDoubtful();
  writeText(out, ledger);
  keepCurrencies();

  function writeDoubtful(): void {
    // Journals name in comments the movements they leave out.
    const beside = options.doubtful ?? (format.journal || !out ? undefined : `${out}.doubtful`);
    if (doubtful.length > 0) say(leftOutText(doubtful, nameOf, beside));
    if (beside && (doubtful.length > 0 || options.doubtful)) writeText(beside, text(doubtful));
  }

  /** Placeholders mean something only with the map. */
  function keepCurrencies(): void {
    if (format.currency?.unlisted === undefined || map.size() === 0) return;
    if (currencies) writeText(currencies, map.text());
    else say(`${map.size()} assets by placeholder: --currencies FILE keeps which`);
  }
}

const OPENINGS: ReadonlySet<string> = new Set(['chain', 'none']);

/** Whether an event came before a day or block. */
const isBefore = ({ time, block }: LedgerEvent, start: string): boolean =>
  start.includes('-') ? time < start : block < Number(start);

/** Assets named in a message. */
const MOST_NAMED = 20;

function leftOutText(doubtful: readonly LedgerEvent[], nameOf: Commodities, file?: string): string {
  const flows = doubtful.flatMap((event) => event.flows);
  const names = [...new Set(flows.map(({ asset }) => nameOf(asset)))];
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  const where = file === undefined ? '; --doubtful FILE writes them' : ` (${file})`;
  return (
    `left out ${flows.length} flows in ${doubtful.length} transactions: tokens that imitate others or are ` +
    `marked as spam, and transfers that nothing shows to be real${where}: ` +
    `${names.slice(0, MOST_NAMED).join(', ')}${more}`
  );
}
