import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import type { SimulationRequest } from '../../model/simulation.ts';
import { readAny } from '../preview/readRequest.ts';
import { asReport, type PreviewReport } from '../preview/preview.ts';
import { summarize } from './summarize.ts';
import { annotations, answered, text } from './tools.ts';
import { TOOLS } from './toolList.ts';

export type Preview = (request: SimulationRequest, signal: AbortSignal) => Promise<PreviewReport>;

const HEX = z.string().max(1_000_000);
const CALL = {
  to: HEX.optional().describe('Recipient or contract; left out: a contract is created.'),
  data: HEX.optional().describe('Calldata.'),
  value: HEX.optional().describe('Wei, as 0x… or decimal.'),
};

/** Registers `preview_transaction`. */
export function registerPreview(mcp: McpServer, preview: Preview): void {
  const inputSchema = z.strictObject({
    raw: HEX.optional().describe('A signed transaction, 0x…; all else is then left out.'),
    from: HEX.optional().describe('Sender.'),
    ...CALL,
    calls: z.array(z.strictObject(CALL)).max(32).optional().describe('Several calls as one act (EIP-5792).'),
    typed_data: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('EIP-712 typed data that `from` is asked to sign (eth_signTypedData_v4), in place of calls.'),
    gas: HEX.optional().describe('Gas limit.'),
    block: z.string().max(80).default('latest').describe('The state after this block.'),
  });
  const outputSchema = z.object({
    summary: z.string(),
    warnings: z.array(z.looseObject({ code: z.string(), text: z.string() })),
    simulated: z.looseObject({}),
  });
  mcp.registerTool(
    'preview_transaction',
    {
      title: 'Preview a transaction',
      description:
        `${TOOLS.preview_transaction} Simulated on the state of a node: nothing is sent. Typed data are ` +
        'permits, orders, transactions of smart accounts. Give the warnings to the user first. ' +
        'State, prices and order in the block may change the outcome.',
      inputSchema,
      outputSchema,
      annotations,
    },
    ({ raw, block, gas, typed_data: typed, ...fields }, { signal }) =>
      answered(async () => {
        const signing = typed && { method: 'eth_signTypedData_v4', params: [fields.from, typed] };
        const request = await readAny(raw ?? signing ?? fields, { block, gas });
        const report = await preview(request, signal);
        const { warnings, simulated } = report;
        const summary = summarize(asReport(report));
        const lines = [...warnings.map((one) => `Warning (${one.code}): ${one.text}`), summary];
        return {
          content: [text(lines.join('\n'))],
          structuredContent: { summary, warnings: [...warnings], simulated },
        };
      }),
  );
}
