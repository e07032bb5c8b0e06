import { FOLDER, reportOf, RULES } from './recorded.ts';
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { TxReport } from '../../src/model/generated/report.ts';
import { compareAnew, verifyReport } from '../../src/tools/verify/verifyReport.ts';
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

  it('finds a recipient that the node changed in the receipt, by its bloom filter', async () => {
    const { report, answers } = await reportOf('token-transfer');
    const changed = structuredClone(answers);
    const receipt = changed.receipt as { logs: { topics: string[] }[] };
    receipt.logs[0]!.topics[2] = `0x${'0'.repeat(24)}${'d'.repeat(40)}`;
    const messages = verifyReport(report, changed).map(({ message }) => message);
    expect(messages).toContain('the logs of the receipt are not those of its bloom filter');
  });
});

describe('a comparison across trace dialects', () => {
  const dialect = (report: TxReport, name: string): TxReport => ({
    ...report,
    engine: { ...report.engine!, trace_dialect: name },
  });

  it('leaves out the dialect of the engine, and no other key of that name', async () => {
    const { report } = await reportOf('token-transfer');
    const [claimed, anew] = [dialect(report, 'parity'), dialect(report, 'call_tracer')];
    expect(compareAnew(claimed, anew).findings).toEqual([]);
    const forged = { ...claimed, tx: { ...claimed.tx, trace_dialect: { verdict: 'guilty' } } };
    expect(compareAnew(forged as TxReport, anew).findings.map(({ at }) => at)).toEqual(['/tx/trace_dialect']);
  });
});
