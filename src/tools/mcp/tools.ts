import { readFileSync } from 'node:fs';
import { explainTx } from '../cli/rules/explainTx.ts';
import { CliError } from '../cli/cliIo.ts';
import { AnalysisError } from '../../lib/errors.ts';
import type { AnalyzeRequest, TxReport } from '../../model/generated/report.ts';
import type { Rulebook } from '../../model/rulebook.ts';
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
  const { tx_hash: hash, chain } = input as Partial<AnalyzeRequest>;
  if (typeof hash !== 'string' || !new RegExp(REQUEST.properties.tx_hash.pattern).test(hash))
    throw new ToolInputError(`invalid tx_hash \`${String(hash).slice(0, 100)}\``);
  if (chain !== undefined && !REQUEST.properties.chain.enum.includes(chain))
    throw new ToolInputError(`unsupported chain \`${String(chain).slice(0, 100)}\``);
  return hash;
}

function analyzeTool({ analyze }: ToolDeps): Tool {
  return {
    definition: {
      name: 'analyze',
      title: 'Analyze a transaction',
      description:
        'The report of one Ethereum mainnet transaction: what it was for, who acted, what every account gained and lost, and the on-chain evidence of every claim. ' +
        'First a summary of what is proven, then the report as JSON. In the report, statements with status Suspected are guesses and must be told as such.',
      inputSchema: { type: 'object', required: ['tx_hash'], properties: REQUEST.properties },
      outputSchema: {
        type: 'object',
        required: ['summary', 'report'],
        properties: {
          summary: {
            type: 'string',
            description: 'Plain sentences made only of what is proven in the report.',
          },
          report: {
            type: 'object',
            description:
              'TxReport, as POST /analyze answers it; schema: schemas/http/tx-report.schema.json of the package.',
          },
        },
      },
      annotations,
    },
    async call(input, signal) {
      const json = await analyze(hashOf(input), signal);
      const report = JSON.parse(json) as TxReport;
      const summary = summarize(report);
      return { content: [text(summary), text(json)], structuredContent: { summary, report } };
    },
  };
}

function explainTool(): Tool {
  return {
    definition: {
      name: 'explain',
      title: 'Explain a verdict',
      description:
        'Why a transaction was classified as it was: motifs found, candidates for the actor, the conditions of the rule that won with their actual values, rules that lost or nearly matched. ' +
        'A verdict or motif marked Suspected is a guess. With rule: that rule, condition by condition, for every candidate.',
      inputSchema: {
        type: 'object',
        required: ['tx_hash'],
        properties: {
          tx_hash: REQUEST.properties.tx_hash,
          chain: REQUEST.properties.chain,
          rule: {
            type: 'string',
            description: 'Slug of a rule, as list_intents names them.',
            maxLength: 128,
          },
        },
      },
      outputSchema: {
        type: 'object',
        required: ['explanation'],
        properties: { explanation: { type: 'string' } },
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
      const explanation = lines.join('\n');
      if (code !== 0) throw new ToolInputError(explanation);
      return { content: [text(explanation)], structuredContent: { explanation } };
    },
  };
}

function listIntentsTool({ rulebook }: ToolDeps): Tool {
  return {
    definition: {
      name: 'list_intents',
      title: 'List intents',
      description:
        'Every kind of intent a report can name, best first: its category, whether it can be the headline or only a part, and the rules that recognise it.',
      inputSchema: { type: 'object', properties: {} },
      outputSchema: {
        type: 'object',
        required: ['ruleset', 'intents'],
        properties: { ruleset: { type: 'string' }, intents: { type: 'array', items: { type: 'object' } } },
      },
      annotations: { ...annotations, openWorldHint: false },
    },
    call() {
      const intents = [...rulebook.intentKinds.values()]
        .sort((a, b) => a.rank - b.rank)
        .map(({ kind, category, headline }) => ({
          kind,
          category,
          headline,
          rules: rulebook.intents
            .filter((rule) => rule.intent === kind && rule.status !== 'deprecated')
            .map(({ slug, version, proof }) => ({ slug, version, proof })),
        }));
      const answer = { ruleset: rulebook.version, intents };
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
      return { isError: true, content: [text(`analysis failed: ${error.message}`)] };
    if (error instanceof ToolInputError || error instanceof CliError)
      return { isError: true, content: [text(error.message)] };
    throw error;
  }
}
