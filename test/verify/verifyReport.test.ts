import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { analyzeRaw } from '../../src/analyze.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import { findRecording } from '../../src/tools/cli/rules/recordings.ts';
import type { TxReport } from '../../src/model/generated/report.ts';
import type { RawAnswers } from '../../src/tools/verify/rawChain.ts';
import { verifyReport } from '../../src/tools/verify/verifyReport.ts';
import { mutationsOf } from './mutations.ts';

const FOLDER = join(import.meta.dirname, '../recordings');
const names = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.replace('.json', ''));
const rulebook = loadRules();

async function reportOf(name: string): Promise<{ report: TxReport; answers: RawAnswers }> {
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
  return { report: await analyzeRaw(raw, context, rulebook), answers };
}

describe('verifying a report against the node', () => {
  it.each(names)('bears out every claim of %s', async (name) => {
    const { report, answers } = await reportOf(name);
    expect(verifyReport(report, answers)).toEqual([]);
  });

  it('finds every single changed amount, address, index and evidence', async () => {
    const tried = { amount: 0, address: 0, index: 0, evidence: 0 };
    const missed: string[] = [];
    for (const name of names) {
      const { report, answers } = await reportOf(name);
      for (const mutation of mutationsOf(report)) {
        tried[mutation.kind]++;
        if (verifyReport(mutation.report as TxReport, answers).length === 0)
          missed.push(`${name} ${mutation.at}`);
      }
    }
    expect(missed).toEqual([]);
    for (const count of Object.values(tried)) expect(count).toBeGreaterThanOrEqual(200);
  }, 300_000);
});
