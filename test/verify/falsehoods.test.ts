import { reportOf } from './recorded.ts';
import { getAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { publishedSchemaErrors } from '../../src/tools/cli/readReports.ts';
import { compareAnew } from '../../src/tools/verify/compareAnew.ts';
import { verifyReport } from '../../src/tools/verify/verifyReport.ts';
import type { TxReport } from '../../src/model/generated/report.ts';
import { falsehoodsOf } from './falsehoods.ts';

/** One recording per kind of report. */
const KINDS = [
  'native-transfer',
  'swap-v2-eth-usdc',
  'swap-v3-two-hops',
  'add-liquidity-v3',
  'aave-borrow',
  'aave-liquidation',
  'arbitrage-flashloan',
  'cow-two-orders',
  'userop-paymaster',
  'safe-multisend',
  'nft-sale',
  'approval',
  'deployment',
  'reverted-slippage',
  'vault-deposit',
  '7702-sponsored',
  'stake',
  'spam-forged',
];

/** Falsehoods tried of one kind in one report. */
const MOST_TRIES = 2;

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

  it('is found by analysing anew, and by which independent check', { timeout: 300_000 }, async () => {
    const fields = new Map<string, { told: number; independent: number }>();
    const missed: string[] = [];
    for (const name of KINDS) {
      const { report, answers } = await reportOf(name);
      const tried = new Map<string, number>();
      for (const { field, at, kind, report: forged } of falsehoodsOf(report)) {
        const times = (tried.get(`${field} ${kind}`) ?? 0) + 1;
        tried.set(`${field} ${kind}`, times);
        if (times > MOST_TRIES) continue;
        if (publishedSchemaErrors(forged).length > 0) continue;
        const claimed = forged as TxReport;
        if (at.startsWith('/engine/')) continue;
        const count = fields.get(`${field} ${kind}`) ?? { told: 0, independent: 0 };
        fields.set(`${field} ${kind}`, count);
        count.told++;
        if (compareAnew(claimed, report).findings.length === 0) missed.push(`${name} ${at} ${kind}`);
        if (verifyReport(claimed, answers).length > 0) count.independent++;
      }
    }
    const kinds = [...fields.values()];
    const both = kinds.filter(({ told, independent }) => independent === told).length;
    console.log(
      `${kinds.length} kinds of falsehood: all found anew, ${both} of them each time without the analysis`,
    );
    expect(kinds.length).toBeGreaterThanOrEqual(300);
    expect(both).toBeGreaterThanOrEqual(150);
    expect(missed).toEqual([]);
  });
});
