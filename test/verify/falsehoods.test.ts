import { reportOf, RULES } from './recorded.ts';
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
      `log ${Number(log.logIndex)} is already the evidence of this movement`,
    );
  });

  it.each<[string, string, string, (report: TxReport) => void]>([
    [
      'another amount in the label',
      'aave-borrow',
      '/classification/intent_label',
      ({ classification }) => {
        classification.intent_label = classification.intent_label.replace('8,000 USDC', '9,000 USDC');
      },
    ],
    [
      'a ground that the actor does not have',
      'userop-swap',
      '/attribution/ground',
      ({ attribution }) => {
        attribution.ground = 'signed';
      },
    ],
    [
      'a proof that rests on a claim',
      'userop-swap',
      '/attribution/ground',
      ({ attribution }) => {
        attribution.ground = 'claimed';
      },
    ],
    [
      'a confidence without proof',
      'vault-deposit',
      '/classification/confidence',
      ({ classification }) => {
        classification.confidence = 'High';
      },
    ],
    [
      'a Suspected verdict without its caveats',
      'vault-deposit',
      '/classification/caveats',
      ({ classification }) => {
        classification.caveats = [];
      },
    ],
    [
      'an actor that does not act itself',
      'swap-v2-eth-usdc',
      '/attribution/mode',
      ({ attribution }) => {
        attribution.mode = 'bot_contract';
      },
    ],
  ])('%s is found without the analysis', async (_, name, at, lie) => {
    const { report, answers } = await reportOf(name);
    expect(verifyReport(report as TxReport, answers)).toEqual([]);
    const forged = structuredClone(report) as TxReport;
    lie(forged);
    expect(verifyReport(forged, answers).map((finding) => finding.at)).toContain(at);
  });

  it.each<[string, string, (report: TxReport) => void]>([
    [
      'a rule of another intent',
      '/classification/intent_kind',
      ({ classification }) => {
        classification.matched_rule = 'wrap-native';
      },
    ],
    [
      'a category of another intent',
      '/classification/category',
      ({ classification }) => {
        classification.category = 'trade';
      },
    ],
    [
      'a proof without a proven act',
      '/classification/status',
      ({ motifs }) => {
        for (const motif of motifs) motif.status = 'Suspected';
      },
    ],
    [
      'a loan told as paid back',
      '/position_effects/0/effect',
      ({ position_effects: [effect] }) => {
        effect!.effect = 'decrease';
      },
    ],
    [
      'another category',
      '/classification/tags',
      ({ classification }) => {
        classification.tags = ['lending'];
      },
    ],
    [
      'another listed protocol',
      '/position_effects/0/protocol',
      ({ position_effects: [effect] }) => {
        effect!.protocol = { ...effect!.protocol!, slug: 'compound-v2' };
      },
    ],
    [
      'a symbol in one place',
      '/motifs/0/assets_in/0/asset',
      ({ motifs }) => {
        motifs[0]!.assets_in[0]!.asset = { ...motifs[0]!.assets_in[0]!.asset, symbol: 'USDT' };
      },
    ],
    [
      'a function that was not called',
      '/tx/method/signature',
      ({ tx }) => {
        tx.method = { ...tx.method!, signature: 'transfer(address,uint256)', name: 'transfer' };
      },
    ],
  ])('%s is found by rule files, calldata and the report itself', async (_, at, lie) => {
    const { report, answers } = await reportOf('aave-borrow');
    const forged = structuredClone(report) as TxReport;
    lie(forged);
    expect(verifyReport(forged, answers, RULES).map((finding) => finding.at)).toContain(at);
  });

  it('is found, at every field of the schema', async () => {
    const { rows, kinds, missed, untold } = await mutationTable();
    const always = [...kinds.values()].filter(({ told, independent }) => independent === told).length;
    console.log(
      `${kinds.size} kinds of falsehood in ${rows.length} reports, ${always} found every time without the analysis`,
    );
    expect(missed).toEqual([]);
    expect(untold).toEqual([]);
    for (const { report, tried, anew } of rows) expect([report, anew]).toEqual([report, tried]);
    expect(kinds.size).toBeGreaterThanOrEqual(550);
    expect(always / kinds.size).toBeGreaterThanOrEqual(0.95);
  });
});
