import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import type { TxReport } from '../../model/generated/report.ts';
import { readAccounts, readBook, writerOf } from '../ledger/writeBook.ts';
import { requireTxHash } from '../cli/cliIo.ts';
import { readCurrencyMap } from '../ledger/currencyMap.ts';
import { formatNames, readFormat } from '../ledger/ledgerFormat.ts';
import { LINES_OUT, linesFrom, OFFSET, pageText } from './pages.ts';
import { annotations, answered, text, TRANSACTION, type ToolDeps } from './tools.ts';
import { TOOLS } from './toolList.ts';

/** Most transactions in one ledger. */
const MOST = 50;

/** Registers `ledger`. */
export function registerLedger(mcp: McpServer, analyze: ToolDeps['analyze']): void {
  const outputSchema = z.object({
    ...LINES_OUT,
    events: z.int().describe('Transactions with an event of the accounts.'),
    left_out: z.array(z.string()).describe('Assets of flows left out: imitations, spam, unproven transfers.'),
    not_concerned: z.array(z.string()).describe('Accounts without an event.'),
  });
  mcp.registerTool(
    'ledger',
    {
      title: 'Book transactions',
      description:
        `${TOOLS.ledger} A row per economic event; transfers among the accounts are no gain or loss. ` +
        'Give every transaction of the period: no other is known. Cost bases are left to the program.',
      inputSchema: z.strictObject({
        tx_hashes: z.array(TRANSACTION.tx_hash).min(1).max(MOST),
        accounts: z.array(z.string().max(100)).min(1).max(MOST).describe('Addresses of one owner.'),
        format: z.enum(formatNames()).default('koinly'),
        offset: OFFSET,
      }),
      outputSchema,
      annotations,
    },
    ({ tx_hashes: hashes, accounts: given, format, offset }, { signal }) =>
      answered(async () => {
        const accounts = readAccounts(given);
        async function* reports(): AsyncGenerator<TxReport> {
          for (const hash of hashes.map(requireTxHash))
            yield JSON.parse(await analyze(hash, signal)) as TxReport;
        }
        const book = await readBook(reports(), accounts);
        const writer = writerOf(book, readFormat(format), readCurrencyMap(undefined));
        const page = linesFrom(writer.text(book.events).trimEnd().split('\n'), offset);
        const doubtful = book.doubtful.flatMap(({ flows }) => flows.map(({ asset }) => writer.nameOf(asset)));
        return {
          content: [text(pageText(page))],
          structuredContent: {
            ...page,
            events: book.events.length,
            left_out: [...new Set(doubtful)],
            not_concerned: [...accounts].filter((account) => !book.concerned.has(account)),
          },
        };
      }),
  );
}
