import { reportOf } from './recorded.ts';
import { getAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { verifyReport } from '../../src/tools/verify/verifyReport.ts';
import type { TxReport } from '../../src/model/generated/report.ts';
import { mutationTable } from './mutationTable.ts';

describe('a falsehood anywhere in a report', () => {
  it('a payment that rests on an approval, or on one log twice, is refused', async () => {
    const { report, answers } = await reportOf('approval');
    const log = (
      answers.receipt as { logs: { logIndex: string; address: string; data: string; topics: string[] }[] }
    ).logs[0]!;
    const [owner, spender] = log.topics.slice(1).map((topic) => getAddress(`0x${topic.slice(26)}`)) as [
      string,
      string,
    ];
    const forged = structuredClone(report) as TxReport;
    forged.movements = [
      {
        from: owner,
        to: spender,
        asset_id: `eip155:1/erc20:${log.address}`,
        amount_raw: BigInt(log.data).toString(),
        kind: 'transfer',
        evidence: { kind: 'log', frame_path: null, log_index: Number(log.logIndex), contract: report.tx.to! },
      },
    ];
    const messages = verifyReport(forged, answers).map(({ message }) => message);
    expect(messages).toContain(`log ${Number(log.logIndex)} is an approval, which moves nothing`);
    const twice = structuredClone(forged) as TxReport;
    twice.movements!.push(twice.movements![0]!);
    expect(verifyReport(twice, answers).map(({ message }) => message)).toContain(
      `log ${Number(log.logIndex)} already stands for this movement`,
    );
  });

  it('is found, at every field of the schema', { timeout: 300_000 }, async () => {
    const { rows, kinds, missed, untold } = await mutationTable();
    const always = [...kinds.values()].filter(({ told, independent }) => independent === told).length;
    console.log(
      `${kinds.size} kinds of falsehood in ${rows.length} reports, ${always} found every time without the analysis`,
    );
    expect(missed).toEqual([]);
    expect(untold).toEqual([]);
    for (const { report, tried, anew } of rows) expect([report, anew]).toEqual([report, tried]);
    expect(kinds.size).toBeGreaterThanOrEqual(480);
    expect(always).toBeGreaterThanOrEqual(200);
  });
});
