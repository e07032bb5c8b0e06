import { stripVTControlCharacters } from 'node:util';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import type { TxReport } from '../../model/generated/report.ts';
import { analyzeOneBlock } from '../cli/blocks/oneBlock.ts';
import { renderBlock } from '../cli/blocks/renderBlock.ts';
import { CliError, requireTxHash } from '../cli/cliIo.ts';
import { openVerifier } from '../cli/openVerifier.ts';
import { publishedSchemaErrors } from '../cli/readReports.ts';
import { renderTree } from '../cli/traceCommand.ts';
import type { Engine } from '../openEngine.ts';
import type { Traces } from '../trace/openTraces.ts';
import { LINES_OUT, linesFrom, OFFSET, pageText } from './pages.ts';
import { annotations, answered, text, TRANSACTION } from './tools.ts';
import { TOOLS } from './toolList.ts';

/** Most findings of a block in one answer. */
const MOST_FINDINGS = 20;

/** Runs work in one of the places that all tools share; refuses it where they and the queue are full. */
export type Placed = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/** Registers `trace`, `block` and `verify`. */
export function registerChainTools(
  mcp: McpServer,
  placed: Placed,
  { analyzer, traces, rpcUrl }: { analyzer: Engine; traces: Traces; rpcUrl: string },
): void {
  registerTrace(mcp, placed, traces);
  registerBlock(mcp, placed);
  registerVerify(mcp, placed, analyzer, rpcUrl);
}

function registerTrace(mcp: McpServer, placed: Placed, traces: Traces): void {
  mcp.registerTool(
    'trace',
    {
      title: 'Trace a transaction',
      description: `${TOOLS.trace} Long trees come in pages.`,
      inputSchema: z.strictObject({
        ...TRANSACTION,
        verbose: z.boolean().default(false).describe('Reads unfolded, full addresses and arguments, gas.'),
        offset: OFFSET,
      }),
      outputSchema: z.object(LINES_OUT),
      annotations,
    },
    ({ tx_hash, verbose, offset }, { signal }) =>
      answered(async () => {
        const hash = requireTxHash(tx_hash);
        const { tree, report } = await placed(() => traces(hash), signal);
        const lines = stripVTControlCharacters(renderTree(tree, report, verbose))
          .trimEnd()
          .split('\n');
        const page = linesFrom(lines, offset);
        return { content: [text(pageText(page))], structuredContent: page };
      }),
  );
}

function registerBlock(mcp: McpServer, placed: Placed): void {
  const outputSchema = z.object({
    ...LINES_OUT,
    number: z.int(),
    hash: z.string(),
    transactions: z.int(),
    total_findings: z.int(),
    findings: z.array(z.looseObject({ finding: z.string(), status: z.string() })),
    failures: z.int().describe('Transactions without a report.'),
  });
  mcp.registerTool(
    'block',
    {
      title: 'Analyze a block',
      description:
        `${TOOLS.block} Also a line per transaction. To answer whether one was sandwiched, ` +
        'give the block of its report. A finding that is Suspected is a guess.',
      inputSchema: z.strictObject({
        block: z.string().max(100).describe('Number, hash, or latest.'),
        offset: OFFSET,
      }),
      outputSchema,
      annotations,
    },
    ({ block, offset }, { signal }) =>
      answered(async () => {
        const found = await placed(() => analyzeOneBlock(block), signal);
        const reports = found.reports.map((json) => JSON.parse(json) as TxReport);
        const number = Number(found.number);
        const page = linesFrom(renderBlock({ ...found, number, reports }).split('\n'), offset);
        const { hash, transactions, findings, failures } = found;
        return {
          content: [text(pageText(page))],
          structuredContent: {
            ...page,
            number,
            hash,
            transactions,
            total_findings: findings.length,
            findings: findings.slice(0, MOST_FINDINGS),
            failures: failures.length,
          },
        };
      }),
  );
}

function registerVerify(mcp: McpServer, placed: Placed, analyzer: Engine, rpcUrl: string): void {
  const outputSchema = z.object({
    verdict: z.enum(['holds', 'holds in part', 'not verified', 'fails']),
    findings: z.array(z.object({ check: z.string(), at: z.string(), message: z.string() })),
    checked: z.array(z.string()),
    not_checked: z.array(z.object({ what: z.string(), why: z.string() })),
  });
  mcp.registerTool(
    'verify',
    {
      title: 'Verify a report',
      description:
        `${TOOLS.verify} Compared with the node's raw answers by checks that share no code with the ` +
        'analysis, and with a new analysis. Each false statement is named with its place.',
      inputSchema: z.strictObject({
        report: z.looseObject({}).describe('A TxReport, whole, as POST /analyze answers it.'),
      }),
      outputSchema,
      annotations,
    },
    ({ report }, { signal }) =>
      answered(async () => {
        const faults = publishedSchemaErrors(report);
        if (faults.length > 0) throw new CliError(`no report by the published schema: ${faults[0]}`);
        const verifyOne = await openVerifier(rpcUrl, analyzer, {});
        const { verdict, findings, checked, notChecked } = await placed(
          () => verifyOne(report as unknown as TxReport),
          signal,
        );
        const lines = findings.slice(0, MOST_FINDINGS).map(({ at, message }) => `${at}: ${message}`);
        return {
          content: [text([verdict, ...lines].join('\n'))],
          structuredContent: {
            verdict,
            findings: [...findings],
            checked: [...checked],
            not_checked: [...notChecked],
          },
        };
      }),
  );
}
