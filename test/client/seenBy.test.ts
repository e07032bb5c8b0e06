import { join } from 'node:path';
import { expect, it } from 'vitest';
import { analyzeRaw } from '../../src/analyze.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import { allRecordings } from '../../src/tools/cli/rules/recordings.ts';
import type { TxReport } from '../../src/tools/client/report.ts';
import { seenBy } from '../../src/tools/client/seenBy.ts';

const recording = allRecordings([join(import.meta.dirname, '../recordings/aave-borrow.json')])[0]!;
const report = JSON.parse(
  JSON.stringify(await analyzeRaw(recording.raw, recording.context, loadRules())),
) as TxReport;

it('tells a loan from the borrower’s side, and from nobody’s', () => {
  const side = seenBy(report, report.tx.signer.toLowerCase())!;
  expect(side.account).toBe(report.tx.signer);
  expect(side.paid_fee).toBe(true);
  expect(side.received.map(({ delta_raw }) => delta_raw)).toContain('8000000000');
  expect(side.positions.map(({ category, owner }) => [category, owner])).toContainEqual([
    'lending_debt',
    report.tx.signer,
  ]);
  expect(side.acts.map(({ motif }) => motif.kind)).toContain('borrow');
  expect(seenBy(report, `0x${'12'.repeat(20)}`)).toBeNull();
});

it('sums an account’s dollars at exact prices, and none where an asset has no price', () => {
  const { asset, ...rest } = report.inventory_deltas.find((d) => d.asset.symbol === 'USDC')!;
  const delta = (of: typeof asset, received: string, sent: string) => ({
    ...rest,
    asset: of,
    subject: report.tx.signer,
    delta_raw: (BigInt(received) - BigInt(sent)).toString(),
    inflow_raw: received,
    outflow_raw: sent,
  });
  const prices = [{ ...report.economics.valuation.prices![0]!, asset_id: asset.id, price_exact: '0.9995' }];
  const netOf = (...deltas: ReturnType<typeof delta>[]) => {
    const valuation = { ...report.economics.valuation, prices, refusals: [] };
    const economics = { ...report.economics, valuation };
    const changed = { ...report, economics, inventory_deltas: deltas, position_effects: [] };
    return seenBy(changed, report.tx.signer)!.net_usd;
  };
  // 0.000001 × 0.9995 less 12.345679 × 0.9995 is −12.339505161.
  expect(netOf(delta(asset, '1', '12345679'))).toEqual({ text: '$-12.34', available: true });
  const other = { ...asset, id: `eip155:1/erc20:0x${'12'.repeat(20)}` };
  expect(netOf(delta(asset, '5', '0'), delta(other, '3', '0'))).toEqual({
    text: '—',
    available: false,
    reason: `unpriced_asset: ${other.id} (no_source)`,
  });
});
