import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { AnalysisError, ERROR_TEXT } from '../../lib/errors.ts';
import type { TxReport } from '../../model/generated/report.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import { CliError, requireTxHash } from '../cli/cliIo.ts';
import { explainTx } from '../cli/rules/explainTx.ts';
import { LINES_OUT, MOST_PAGE, OFFSET, outline, PAGE, pageOf, SECTIONS, type ListPage } from './pages.ts';
import { TOOLS } from './toolList.ts';
import { summarize } from './summarize.ts';

/** The serialised report of a hash; rejects with an `AnalysisError`. */
export type Analyze = (hash: string, signal: AbortSignal) => Promise<string>;

const text = (value: string): CallToolResult['content'][number] => ({ type: 'text', text: value });

/** A text for the model, and the same for programs. */
export const answer = (value: string, structuredContent: Record<string, unknown>): CallToolResult => ({
  content: [text(value)],
  structuredContent,
});

/** About 1,000 tokens of English and hexadecimal digits. */
const PAGE_CHARACTERS = 3_000;

/** Whole lines from `offset` on, as many as a page holds and at least one, with notes for programs. */
export function pageAnswer(all: readonly string[], offset: number, more: object = {}): CallToolResult {
  let end = offset;
  for (let size = 0; end < all.length; end++) {
    size += all[end]!.length + 1;
    if (size > PAGE_CHARACTERS && end > offset) break;
  }
  const next_offset = end < all.length ? end : null;
  const lines = all.slice(offset, end).join('\n');
  const rest = next_offset === null ? '' : `\n(more lines: ask again with offset ${next_offset})`;
  return answer(lines + rest, { lines, total_lines: all.length, next_offset, ...more });
}

interface Tool<Input extends z.ZodRawShape> {
  readonly title: string;
  /** The description behind the tool's own sentence. */
  readonly more: string;
  readonly input: Input;
  readonly output: z.ZodRawShape;
  /** Whether it asks a node. */
  readonly asksNode?: boolean;
}

type Run<Input extends z.ZodRawShape> = (
  input: z.output<z.ZodObject<Input>>,
  signal: AbortSignal,
) => Promise<CallToolResult>;

/** Registers a tool; its failures are answers that the model can read. */
export function addTool<Input extends z.ZodRawShape>(
  mcp: McpServer,
  name: keyof typeof TOOLS,
  { title, more, input, output, asksNode = true }: Tool<Input>,
  run: Run<Input>,
): void {
  const config = {
    title,
    description: `${TOOLS[name]} ${more}`,
    inputSchema: z.strictObject(input),
    outputSchema: z.object(output),
    // They change nothing.
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: asksNode },
  };
  mcp.registerTool(name, config, (given: unknown, { signal }: { readonly signal: AbortSignal }) =>
    answered(() => run(given as Parameters<Run<Input>>[0], signal)),
  );
}

export const TRANSACTION = {
  tx_hash: z
    .string()
    .max(500)
    .describe('Transaction hash as the user gave it: in any letter case, or an explorer’s link to it.'),
  chain: z.enum(['ethereum', 'mainnet', 'eth', '1']).optional().describe('Only Ethereum mainnet.'),
};

/** Longest summary: about 800 tokens. */
const MOST_SUMMARY = 2_400;
/** Longest piece of a whole report in one answer: about 14,000 tokens. */
const MOST_REPORT = 40_000;

/** The report, in pieces where it is long. */
function fullAnswer(json: string, summary: string, cursor: number): CallToolResult {
  if (json.length <= MOST_REPORT) return answer(summary, { summary, report: JSON.parse(json) as TxReport });
  const end = Math.min(cursor + MOST_REPORT, json.length);
  const next_cursor = end < json.length ? end : null;
  const report_part = json.slice(cursor, end);
  const more = next_cursor === null ? '' : `; more: ask again with cursor ${next_cursor}`;
  const place = `report_part holds characters ${cursor} to ${end} of ${json.length}${more}`;
  return {
    content: [...(cursor === 0 ? [text(summary)] : []), text(place)],
    structuredContent: { summary, report_part, next_cursor, total_characters: json.length },
  };
}

const ANALYZE = {
  title: 'Analyze a transaction',
  more:
    'Ethereum mainnet only. Answers a short summary. Ask for sections to see parts of ' +
    'the report (long lists come in pages), or for detail "full" to get all of it (in pieces where ' +
    'it is long). Statements with status Suspected are guesses: say so.',
  input: {
    ...TRANSACTION,
    detail: z.enum(['summary', 'full']).default('summary'),
    sections: z.array(z.enum(SECTIONS)).default([]),
    offset: z.int().min(0).max(1_000_000).default(0).describe('First entry of long lists.'),
    limit: z.int().min(1).max(MOST_PAGE).default(PAGE),
    cursor: z.int().min(0).default(0).describe('next_cursor of the piece before, with detail "full".'),
  },
  output: {
    summary: z.string().optional().describe('Plain sentences; a guess is called one.'),
    outline: z.looseObject({}).optional().describe('Verdict, and the number of entries per section.'),
    sections: z.looseObject({}).optional().describe('Sections; lists as {total, next_offset, entries}.'),
    report: z.looseObject({}).optional().describe('The whole TxReport, as POST /analyze answers it.'),
    report_part: z.string().optional().describe('A piece of its JSON, where it is long.'),
    next_cursor: z.int().nullable().optional().describe('The next piece; null on the last.'),
    total_characters: z.int().optional(),
  },
};

/** `movements: 3 of 5 entries (ask again with offset 3), tx`. */
function summarySizes(parts: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(parts).map(([name, part]) => {
    const { total, entries, next_offset: next } = (part ?? {}) as Partial<ListPage>;
    if (total === undefined || entries === undefined) return name;
    const more = next === null ? '' : ` (ask again with offset ${next})`;
    return `${name}: ${entries.length} of ${total} entries${more}`;
  });
  return texts.join(', ');
}

/** Registers `analyze`, `explain` and `list_intents`. */
export function registerTools(mcp: McpServer, analyze: Analyze, rulebook: Rulebook): void {
  addTool(mcp, 'analyze', ANALYZE, async ({ tx_hash, detail, sections, cursor, ...page }, signal) => {
    const json = await analyze(requireTxHash(tx_hash), signal);
    const report = JSON.parse(json) as TxReport;
    if (sections.length > 0) {
      const parts = Object.fromEntries(sections.map((name) => [name, pageOf(report, name, page)]));
      return answer(`${summarySizes(parts)}, in structuredContent.sections`, { sections: parts });
    }
    const summary = summarize(report);
    if (detail === 'full') return fullAnswer(json, summary, cursor);
    const short =
      summary.length > MOST_SUMMARY ? `${summary.slice(0, MOST_SUMMARY)} … (ask for sections)` : summary;
    return answer(short, { summary: short, outline: outline(report) });
  });
  const explain = {
    title: 'Explain a verdict',
    more:
      'Also motifs found, candidates for the actor, and conditions with their values. ' +
      'A verdict or motif marked Suspected is a guess. With rule: that rule, ' +
      'condition by condition, for every candidate.',
    input: {
      ...TRANSACTION,
      rule: z.string().max(128).optional().describe('Slug of a rule, as list_intents names them.'),
      offset: OFFSET,
    },
    output: LINES_OUT,
  };
  addTool(mcp, 'explain', explain, async ({ tx_hash, rule, offset }) => {
    const lines: string[] = [];
    const line = (one: string): void => void lines.push(one);
    const options = { full: false, facts: false, ...(rule === undefined ? {} : { rule }) };
    await explainTx(requireTxHash(tx_hash), options, { out: line, err: line });
    return pageAnswer(lines.join('\n').split('\n'), offset);
  });
  const intents = {
    title: 'List intents',
    more: 'Best first, with category and whether it can be the headline.',
    input: {},
    output: { ruleset: z.string(), intents: z.array(z.looseObject({})) },
    asksNode: false,
  };
  addTool(mcp, 'list_intents', intents, async () => {
    const list = intentList(rulebook);
    return answer(list.intents.map(({ kind }) => kind).join(', '), list);
  });
}

/** Errors of the caller or the chain become an answer the model can read; others say that they happened. */
async function answered(run: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await run();
  } catch (error) {
    const refused = (message: string): CallToolResult => ({ isError: true, content: [text(message)] });
    if (error instanceof AnalysisError)
      return refused(['analysis failed: ' + error.message, ADVICE[error.code] ?? []].flat().join('. '));
    if (error instanceof CliError) return refused(error.message);
    process.stderr.write(`${(error as Error).stack}\n`);
    return refused(ERROR_TEXT.internal);
  }
}

const ADVICE: Readonly<Partial<Record<AnalysisError['code'], string>>> = {
  transaction_not_found: 'Check the hash with the user: only Ethereum mainnet is analysed.',
  transaction_pending: 'It is in no block yet; try again in a minute.',
  trace_unavailable: 'The node offers no traces; its operator can run txreport doctor.',
  upstream_rate_limited: 'Try again in a few seconds.',
  overloaded: 'Try again in a few seconds.',
};

/** The commonest questions, each about one transaction. */
const QUESTIONS = {
  what_happened: [
    'What did this transaction do?',
    'Analyze {tx} and say in plain words what it was for, who acted, and what they sent, received and paid ' +
      'in gas. Say which of it is proven and which is a guess.',
  ],
  who_gained_what: [
    'Who gained and who lost?',
    'Analyze {tx} and its section inventory_deltas. Make a table of the accounts that gained or lost, by ' +
      'name where there is one, with amounts and dollars, fees apart. Say what has no price.',
  ],
  what_may_be_taken: [
    'Which permissions did it leave behind?',
    'Analyze {tx} and its section allowances. List who may now spend what of whom, unlimited ones first, ' +
      'and whether the owner asked for it. Say how to revoke those the user does not know.',
  ],
} as const;

/** Registers a prompt for each of the commonest questions. */
export function registerPrompts(mcp: McpServer): void {
  for (const [name, [title, question]] of Object.entries(QUESTIONS))
    mcp.registerPrompt(
      name,
      { title, description: title, argsSchema: { tx_hash: z.string().max(500) } },
      ({ tx_hash }) => ({
        messages: [{ role: 'user', content: { type: 'text', text: question.replace('{tx}', tx_hash) } }],
      }),
    );
}

/** Every intent kind by rank, with the rules that recognise it. */
function intentList(rulebook: Rulebook) {
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
  return { ruleset: rulebook.version, intents };
}

/** Registers resources that need no transaction: the intents, and the rules that recognise them. */
export function registerResources(mcp: McpServer, rulebook: Rulebook): void {
  const json = (name: string, description: string, value: () => unknown): void => {
    const [uri, mimeType] = [`txreport://${name.toLowerCase()}`, 'application/json'];
    mcp.registerResource(name, uri, { description, mimeType }, () => ({
      contents: [{ uri, mimeType, text: JSON.stringify(value()) }],
    }));
  };
  json('Intents', 'Every intent kind, best first, with its rules.', () => intentList(rulebook));
  json('Rules', 'Every rule: slug, version, intent, proof and required motifs.', () =>
    rulebook.intents.map(({ slug, version, intent, status, proof, requiresAny: requires_any }) => {
      return { slug, version, intent, status, proof, requires_any };
    }),
  );
}
