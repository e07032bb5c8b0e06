import {
  MOST_PAGE,
  PAGE,
  SECTIONS,
  linesFrom,
  outline,
  pageOf,
  pageText,
  type Detail,
  type Section,
} from './pages.ts';
import { readFileSync } from 'node:fs';
import { explainTx } from '../cli/rules/explainTx.ts';
import { CliError } from '../cli/cliIo.ts';
import { AnalysisError } from '../../lib/errors.ts';
import type { AnalyzeRequest, TxReport } from '../../model/generated/report.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import { readTxHash, whyNoTxHash } from '../client/txHash.ts';
import { intentList } from './resources.ts';
import { summarize } from './summarize.ts';

/** Result of a tool as MCP wants it: text for the model, the same as a value for programs. */
export interface ToolResult {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

export interface Tool {
  readonly definition: {
    name: string;
    title: string;
    description: string;
    inputSchema: JsonObject;
    outputSchema: JsonObject;
    annotations: typeof annotations;
  };
  call(input: Record<string, unknown>, signal: AbortSignal): Promise<ToolResult>;
}

type JsonObject = { type: 'object'; [key: string]: unknown };

export interface ToolDeps {
  /** The serialised report of a hash; rejects with an `AnalysisError`. */
  readonly analyze: (hash: string, signal: AbortSignal) => Promise<string>;
  readonly rulebook: Rulebook;
}

/** Invalid arguments of a tool; the text is for the model to read. */
class ToolInputError extends Error {}

const REQUEST = JSON.parse(
  readFileSync(new URL('../../../schemas/http/analyze-request.schema.json', import.meta.url), 'utf8'),
) as {
  properties: { tx_hash: JsonObject & { pattern: string }; chain: JsonObject & { enum: string[] } };
};
/** The tools change nothing; `openWorld`: they ask a node. */
const annotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: true };

const text = (value: string): ToolResult['content'][number] => ({ type: 'text', text: value });

function hashOf(input: Record<string, unknown>): string {
  const { tx_hash: text, chain } = input as Partial<AnalyzeRequest>;
  const hash = typeof text === 'string' ? readTxHash(text) : null;
  if (hash === null)
    throw new ToolInputError(
      `invalid tx_hash \`${String(text).slice(0, 100)}\`: ` +
        `${whyNoTxHash(typeof text === 'string' ? text : '')}`,
    );
  if (chain !== undefined && !REQUEST.properties.chain.enum.includes(chain))
    throw new ToolInputError(
      `unsupported chain \`${String(chain).slice(0, 100)}\`: only Ethereum mainnet is analysed`,
    );
  return hash;
}

const TX_HASH = {
  type: 'string',
  description:
    'Transaction hash as the user gave it: in any letter case, or an explorer’s link to the transaction.',
  maxLength: 500,
};

/** Longest summary: about 700 tokens. */
const MOST_SUMMARY = 2_400;

function isWhole(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
}

const isSections = (value: unknown): value is Section[] =>
  Array.isArray(value) && value.every((name) => (SECTIONS as readonly unknown[]).includes(name));

function detailOf({
  detail = 'summary',
  sections = [],
  offset = 0,
  limit = PAGE,
}: Record<string, unknown>): Detail {
  if (detail !== 'summary' && detail !== 'full')
    throw new ToolInputError('detail must be "summary" or "full"; for parts of the report give sections');
  if (!isSections(sections)) throw new ToolInputError(`sections must be a list of: ${SECTIONS.join(', ')}`);
  if (!isWhole(offset, 0, 1_000_000)) throw new ToolInputError('offset must be a whole number from 0');
  if (!isWhole(limit, 1, MOST_PAGE))
    throw new ToolInputError(`limit must be a whole number from 1 to ${MOST_PAGE}`);
  return { full: detail === 'full', sections, offset, limit };
}

function answerOf(json: string, detail: Detail): ToolResult {
  const report = JSON.parse(json) as TxReport;
  if (detail.sections.length > 0) {
    const sections = Object.fromEntries(detail.sections.map((name) => [name, pageOf(report[name], detail)]));
    return { content: [text(JSON.stringify(sections))], structuredContent: { sections } };
  }
  const summary = summarize(report);
  if (detail.full) return { content: [text(summary), text(json)], structuredContent: { summary, report } };
  const short =
    summary.length > MOST_SUMMARY ? `${summary.slice(0, MOST_SUMMARY)} … (ask for sections)` : summary;
  return { content: [text(short)], structuredContent: { summary: short, outline: outline(report) } };
}

function analyzeTool({ analyze }: ToolDeps): Tool {
  return {
    definition: {
      name: 'analyze',
      title: 'Analyze a transaction',
      description:
        'What one Ethereum mainnet transaction was for, who acted, who gained and lost what, ' +
        'with on-chain evidence. ' +
        'Answers a short summary of what is proven. Ask for sections to see parts of the ' +
        'report (long lists come in pages), ' +
        'or for detail "full" to get all of it. Statements with status Suspected are guesses: say so.',
      inputSchema: {
        type: 'object',
        required: ['tx_hash'],
        properties: {
          tx_hash: TX_HASH,
          chain: REQUEST.properties.chain,
          detail: { type: 'string', enum: ['summary', 'full'], default: 'summary' },
          sections: { type: 'array', items: { type: 'string', enum: SECTIONS }, uniqueItems: true },
          offset: { type: 'integer', minimum: 0, default: 0, description: 'First entry of long lists.' },
          limit: { type: 'integer', minimum: 1, maximum: MOST_PAGE, default: PAGE },
        },
      },
      outputSchema: {
        type: 'object',
        properties: {
          summary: { type: 'string', description: 'Plain sentences, only of what is proven.' },
          outline: { type: 'object', description: 'Verdict, and the number of entries per section.' },
          sections: {
            type: 'object',
            description: 'The sections asked for; lists as {total, next_offset, entries}.',
          },
          report: { type: 'object', description: 'The whole TxReport, as POST /analyze answers it.' },
        },
      },
      annotations,
    },
    async call(input, signal) {
      const detail = detailOf(input);
      return answerOf(await analyze(hashOf(input), signal), detail);
    },
  };
}

function explainTool(): Tool {
  return {
    definition: {
      name: 'explain',
      title: 'Explain a verdict',
      description:
        'Why a transaction was classified as it was: motifs found, candidates for the actor, ' +
        'the conditions of the rule that won with their actual values, rules that lost or ' +
        'nearly matched. ' +
        'A verdict or motif marked Suspected is a guess. With rule: that rule, condition by ' +
        'condition, for every candidate.',
      inputSchema: {
        type: 'object',
        required: ['tx_hash'],
        properties: {
          tx_hash: TX_HASH,
          chain: REQUEST.properties.chain,
          rule: {
            type: 'string',
            description: 'Slug of a rule, as list_intents names them.',
            maxLength: 128,
          },
          offset: {
            type: 'integer',
            description: 'First line to answer: next_offset of the page before. Default 0.',
            minimum: 0,
          },
        },
      },
      outputSchema: {
        type: 'object',
        required: ['explanation'],
        properties: {
          explanation: { type: 'string', description: 'Lines of one page.' },
          total_lines: { type: 'integer' },
          next_offset: { type: ['integer', 'null'], description: 'The next page; null on the last.' },
        },
      },
      annotations,
    },
    async call(input) {
      const hash = hashOf(input);
      const { rule } = input;
      if (rule !== undefined && typeof rule !== 'string') throw new ToolInputError('rule must be a string');
      const lines: string[] = [];
      const line = (one: string): void => void lines.push(one);
      const code = await explainTx(
        hash,
        { full: false, facts: false, ...(rule === undefined ? {} : { rule }) },
        { out: line, err: line },
      );
      if (code !== 0) throw new ToolInputError(lines.join('\n'));
      const page = linesFrom(lines.join('\n').split('\n'), input['offset']);
      return { content: [text(pageText(page))], structuredContent: page };
    },
  };
}

function listIntentsTool({ rulebook }: ToolDeps): Tool {
  return {
    definition: {
      name: 'list_intents',
      title: 'List intents',
      description:
        'Every kind of intent a report can name, best first: its category, whether it can be ' +
        'the headline or only a part, and the rules that recognise it.',
      inputSchema: { type: 'object', properties: {} },
      outputSchema: {
        type: 'object',
        required: ['ruleset', 'intents'],
        properties: { ruleset: { type: 'string' }, intents: { type: 'array', items: { type: 'object' } } },
      },
      annotations: { ...annotations, openWorldHint: false },
    },
    call() {
      const answer = intentList(rulebook);
      return Promise.resolve({ content: [text(JSON.stringify(answer))], structuredContent: answer });
    },
  };
}

export const createTools = (deps: ToolDeps): Tool[] => [
  analyzeTool(deps),
  explainTool(),
  listIntentsTool(deps),
];

/** Runs a tool; errors of the caller or the chain become an answer the model can read. */
export async function callTool(
  tool: Tool,
  input: Record<string, unknown>,
  signal: AbortSignal,
): Promise<ToolResult> {
  try {
    return await tool.call(input, signal);
  } catch (error) {
    if (error instanceof AnalysisError)
      return { isError: true, content: [text(`analysis failed: ${error.message}${adviceOn(error)}`)] };
    if (error instanceof ToolInputError || error instanceof CliError)
      return { isError: true, content: [text(error.message)] };
    throw error;
  }
}

const ADVICE: Readonly<Partial<Record<AnalysisError['code'], string>>> = {
  transaction_not_found: 'Check the hash with the user: only Ethereum mainnet is analysed.',
  transaction_pending: 'It is in no block yet; try again in a minute.',
  trace_unavailable: 'The node offers no traces; its operator can run txreport doctor.',
  upstream_rate_limited: 'Try again in a few seconds.',
  overloaded: 'Try again in a few seconds.',
};

/** Advice after a failure, as a further sentence; empty where nothing helps. */
const adviceOn = ({ code }: AnalysisError): string => (ADVICE[code] === undefined ? '' : `. ${ADVICE[code]}`);
