import { FOLDER, reportOf, RULES } from './recorded.ts';
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { TxReport } from '../../src/model/generated/report.ts';
import { verifyReport } from '../../src/tools/verify/verifyReport.ts';
import { mutationsOf } from './mutations.ts';

const names = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.replace('.json', ''));

describe('verifying a report against the node', () => {
  it.each(names)('bears out every claim of %s', async (name) => {
    const { report, answers } = await reportOf(name);
    expect(verifyReport(report, answers, RULES)).toEqual([]);
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
  });
});
