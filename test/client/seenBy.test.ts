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

it('sums an account’s dollars, and none where an asset has no price', () => {
  const delta = (raw: string, usd: object) => ({
    ...report.inventory_deltas[0]!,
    subject: report.tx.signer,
    delta_raw: raw,
    usd: usd as TxReport['inventory_deltas'][number]['usd'],
  });
  const priced = [
    delta('1', { text: '$3387.77', available: true }),
    delta('-2', { text: '$-3400.00', available: true }),
  ];
  const netOf = (deltas: typeof priced) =>
    seenBy({ ...report, inventory_deltas: deltas }, report.tx.signer)!.net_usd;
  expect(netOf(priced)).toEqual({ text: '$-12.23', available: true });
  const none = { text: '—', available: false, reason: 'unpriced_asset (no_source)' };
  const last = delta('3', none);
  const reason = `unpriced_asset: ${last.asset.id} (no_source)`;
  expect(netOf([...priced, last])).toEqual({ ...none, reason });
});
