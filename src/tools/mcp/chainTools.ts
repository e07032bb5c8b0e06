import { stripVTControlCharacters } from 'node:util';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import type { TxReport } from '../../model/generated/report.ts';
import type { SimulationRequest } from '../../model/simulation.ts';
import { analyzeOneBlock } from '../cli/blocks/oneBlock.ts';
import { renderBlock } from '../cli/blocks/renderBlock.ts';
import { CliError, requireTxHash } from '../cli/cliIo.ts';
import { openVerifier } from '../cli/openVerifier.ts';
import { publishedSchemaErrors } from '../cli/readReports.ts';
import { renderTree } from '../cli/traceCommand.ts';
import { readCurrencyMap } from '../ledger/commodities.ts';
import { formatNames, readFormat } from '../ledger/ledgerFormat.ts';
import { readAccounts, readBook, writerOf } from '../ledger/writeBook.ts';
import type { Engine } from '../openEngine.ts';
import { asReport, type PreviewReport } from '../preview/preview.ts';
import { readAny } from '../preview/readRequest.ts';
import type { Traces } from '../trace/openTraces.ts';
import { LINES_OUT, OFFSET } from './pages.ts';
import { summarize } from './summarize.ts';
import { addTool, answer, pageAnswer, TRANSACTION, type Analyze } from './tools.ts';

/** Most findings of a block or report in one answer. */
const MOST_FINDINGS = 20;
/** Most transactions and accounts in one ledger. */
const MOST_BOOKED = 50;

interface ChainDeps {
  readonly analyze: Analyze;
  /** Runs work in one of the places that all tools share; refuses it where they and the queue are full. */
  readonly placed: <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;
  readonly analyzer: Engine;
  readonly traces: Traces;
  readonly preview: (request: SimulationRequest, signal: AbortSignal) => Promise<PreviewReport>;
  readonly rpcUrl: string;
}

/** Registers `preview_transaction`, `trace`, `block`, `verify` and `ledger`. */
export function registerChainTools(mcp: McpServer, deps: ChainDeps): void {
  registerPreview(mcp, deps);
  registerTrace(mcp, deps);
  registerBlock(mcp, deps);
  registerVerify(mcp, deps);
  registerLedger(mcp, deps);
}

const HEX = z.string().max(1_000_000);
const CALL = {
  to: HEX.optional().describe('Recipient or contract; left out: a contract is created.'),
  data: HEX.optional().describe('Calldata.'),
  value: HEX.optional().describe('Wei, as 0x… or decimal.'),
};

function registerPreview(mcp: McpServer, { preview }: ChainDeps): void {
  const tool = {
    title: 'Preview a transaction',
    more:
      'Simulated on the state of a node: nothing is sent. Typed data are ' +
      'permits, orders, transactions of smart accounts. Give the warnings to the user first. ' +
      'State, prices and order in the block may change the outcome.',
    input: {
      raw: HEX.optional().describe('A signed transaction, 0x…; all else is then left out.'),
      from: HEX.optional().describe('Sender.'),
      ...CALL,
      calls: z
        .array(z.strictObject(CALL))
        .max(32)
        .optional()
        .describe('Several calls as one act (EIP-5792).'),
      typed_data: z
        .record(z.string(), z.unknown())
        .optional()
        .describe(
          'EIP-712 typed data that `from` is asked to sign (eth_signTypedData_v4), in place of calls.',
        ),
      gas: HEX.optional().describe('Gas limit.'),
      block: z.string().max(80).default('latest').describe('The state after this block.'),
    },
    output: {
      summary: z.string(),
      warnings: z.array(z.looseObject({ code: z.string(), text: z.string() })),
      simulated: z.looseObject({}),
    },
  };
  addTool(mcp, 'preview_transaction', tool, async ({ raw, block, gas, typed_data, ...fields }, signal) => {
    const signing = typed_data && { method: 'eth_signTypedData_v4', params: [fields.from, typed_data] };
    const report = await preview(await readAny(raw ?? signing ?? fields, { block, gas }), signal);
    const { warnings, simulated } = report;
    const summary = summarize(asReport(report));
    const lines = [...warnings.map((one) => `Warning (${one.code}): ${one.text}`), summary];
    return answer(lines.join('\n'), { summary, warnings, simulated });
  });
}

function registerTrace(mcp: McpServer, { placed, traces }: ChainDeps): void {
  const tool = {
    title: 'Trace a transaction',
    more: 'Long trees come in pages.',
    input: {
      ...TRANSACTION,
      verbose: z.boolean().default(false).describe('Reads unfolded, full addresses and arguments, gas.'),
      offset: OFFSET,
    },
    output: LINES_OUT,
  };
  addTool(mcp, 'trace', tool, async ({ tx_hash, verbose, offset }, signal) => {
    const hash = requireTxHash(tx_hash);
    const { tree, report } = await placed(() => traces(hash), signal);
    const rendered = stripVTControlCharacters(renderTree(tree, report, verbose));
    return pageAnswer(rendered.trimEnd().split('\n'), offset);
  });
}

function registerBlock(mcp: McpServer, { placed }: ChainDeps): void {
  const tool = {
    title: 'Analyze a block',
    more:
      'Also a line per transaction. To answer whether one was sandwiched, ' +
      'give the block of its report. A finding that is Suspected is a guess.',
    input: { block: z.string().max(100).describe('Number, hash, or latest.'), offset: OFFSET },
    output: {
      ...LINES_OUT,
      number: z.int(),
      hash: z.string(),
      transactions: z.int(),
      total_findings: z.int(),
      findings: z.array(z.looseObject({ finding: z.string(), status: z.string() })),
      failures: z.int().describe('Transactions without a report.'),
    },
  };
  addTool(mcp, 'block', tool, async ({ block, offset }, signal) => {
    const found = await placed(() => analyzeOneBlock(block), signal);
    const reports = found.reports.map((json) => JSON.parse(json) as TxReport);
    const { hash, transactions, findings } = found;
    const [number, failures] = [Number(found.number), found.failures.length];
    const shown = { total_findings: findings.length, findings: findings.slice(0, MOST_FINDINGS) };
    const lines = renderBlock({ ...found, number, reports }).split('\n');
    return pageAnswer(lines, offset, { number, hash, transactions, ...shown, failures });
  });
}

function registerVerify(mcp: McpServer, { placed, analyzer, rpcUrl }: ChainDeps): void {
  const tool = {
    title: 'Verify a report',
    more:
      "Compared with the node's raw answers by checks that share no code with the " +
      'analysis, and with a new analysis. Each false statement is named with its place.',
    input: { report: z.looseObject({}).describe('A TxReport, whole, as POST /analyze answers it.') },
    output: {
      verdict: z.enum(['holds', 'holds in part', 'not verified', 'fails']),
      findings: z.array(z.object({ check: z.string(), at: z.string(), message: z.string() })),
      checked: z.array(z.string()),
      not_checked: z.array(z.object({ what: z.string(), why: z.string() })),
    },
  };
  addTool(mcp, 'verify', tool, async ({ report }, signal) => {
    const faults = publishedSchemaErrors(report);
    if (faults.length > 0) throw new CliError(`no report by the published schema: ${faults[0]}`);
    const verifyOne = await openVerifier(rpcUrl, analyzer, {});
    const verification = await placed(() => verifyOne(report as unknown as TxReport), signal);
    const { verdict, findings, checked, notChecked } = verification;
    const lines = findings.slice(0, MOST_FINDINGS).map(({ at, message }) => `${at}: ${message}`);
    return answer([verdict, ...lines].join('\n'), { verdict, findings, checked, not_checked: notChecked });
  });
}

function registerLedger(mcp: McpServer, { analyze }: ChainDeps): void {
  const tool = {
    title: 'Book transactions',
    more:
      'A row per economic event; transfers among the accounts are no gain or loss. ' +
      'Give every transaction of the period: no other is known. Cost bases are left to the program.',
    input: {
      tx_hashes: z.array(TRANSACTION.tx_hash).min(1).max(MOST_BOOKED),
      accounts: z.array(z.string().max(100)).min(1).max(MOST_BOOKED).describe('Addresses of one owner.'),
      format: z.enum(formatNames()).default('koinly'),
      offset: OFFSET,
    },
    output: {
      ...LINES_OUT,
      events: z.int().describe('Transactions with an event of the accounts.'),
      left_out: z
        .array(z.string())
        .describe('Assets of flows left out: imitations, spam, unproven transfers.'),
      not_concerned: z.array(z.string()).describe('Accounts without an event.'),
    },
  };
  addTool(mcp, 'ledger', tool, async ({ tx_hashes: hashes, accounts: given, format, offset }, signal) => {
    const accounts = readAccounts(given);
    async function* reports(): AsyncGenerator<TxReport> {
      for (const hash of hashes.map(requireTxHash)) yield JSON.parse(await analyze(hash, signal)) as TxReport;
    }
    const book = await readBook(reports(), accounts);
    const writer = writerOf(book, readFormat(format), readCurrencyMap(undefined));
    const doubtful = book.doubtful.flatMap(({ flows }) => flows.map(({ asset }) => writer.nameOf(asset)));
    return pageAnswer(writer.text(book.events).trimEnd().split('\n'), offset, {
      events: book.events.length,
      left_out: [...new Set(doubtful)],
      not_concerned: [...accounts].filter((account) => !book.concerned.has(account)),
    });
  });
}
