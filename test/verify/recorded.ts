import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { analyzeRaw } from '../../src/analyze.ts';
import type { TxReport } from '../../src/model/generated/report.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import { findRecording } from '../../src/tools/cli/rules/recordings.ts';
import type { PriceQuote } from '../../src/model/upstream.ts';
import { readRuleFacts } from '../../src/tools/verify/ruleFacts.ts';
import type { RawAnswers } from '../../src/tools/verify/rawChain.ts';

export const FOLDER = join(import.meta.dirname, '../recordings');
const rulebook = loadRules();
/** The rule files, as `verify` reads them. */
export const RULES = readRuleFacts([join(import.meta.dirname, '../../rules')]);

/**
 * The report of a recording, with the node's raw answers about it. `dollars`: what a whole unit of each
 * asset costs; without it nothing has a price.
 */
export async function reportOf(
  name: string,
  dollars?: bigint,
): Promise<{ report: TxReport; answers: RawAnswers }> {
  const { rpc } = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as {
    rpc: Record<string, unknown>;
  };
  const { raw, context } = findRecording(name, [FOLDER]);
  const answers = {
    tx: rpc['tx'],
    receipt: rpc['receipt'],
    block: rpc['block'],
    callTracer: rpc['callTracer'],
    parityTrace: rpc['trace'],
    prestateDiff: rpc['prestateDiff'],
  };
  const time = Number((rpc['block'] as { timestamp: string }).timestamp);
  const prices =
    dollars === undefined
      ? context.prices
      : ['native', ...context.tokens.keys()].map((asset) => price(asset as 'native', dollars, time));
  return { report: await analyzeRaw(raw, { ...context, prices }, rulebook), answers };
}

const price = (asset: PriceQuote['asset'], dollars: bigint, time: number): PriceQuote => ({
  asset,
  numerator: dollars,
  scale: 0,
  method: 'http',
  source: 'test',
  asOf: time,
  heartbeat: null,
  pool: null,
  confidenceBps: null,
});
