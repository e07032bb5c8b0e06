import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { analyzeRaw } from '../../src/analyze.ts';
import type { TxReport } from '../../src/model/generated/report.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import { allRecordings } from '../../src/tools/cli/rules/recordings.ts';
import { corpus, REPLAY_AVAILABLE } from '../support/replayNode.ts';
import { ledgerEvent, csv, DOUBLE_ENTRY, koinly } from '../../src/tools/ledger/writeLedger.ts';

const FOLDER = join(import.meta.dirname, '../recordings');
const rulebook = loadRules();
const reports = new Map<string, TxReport>();
for (const name of readdirSync(FOLDER).filter((file) => file.endsWith('.json'))) {
  const { raw, context } = allRecordings([join(FOLDER, name)])[0]!;
  reports.set(name.replace('.json', ''), await analyzeRaw(raw, context, rulebook));
}

/** Exact sum of decimal texts, in units of 10^-40. */
const exact = (text: string): bigint => {
  const [whole, fraction = ''] = text.replace('-', '').split('.');
  const units = BigInt(whole + fraction.padEnd(40, '0'));
  return text.startsWith('-') ? -units : units;
};

/** Checks the double entry of every account of every report; returns how many balance changes it compared. */
function balanced(all: ReadonlyMap<string, TxReport>): number {
  let checked = 0;
  for (const [name, report] of all) {
    for (const account of new Set(report.inventory_deltas.map(({ subject }) => subject))) {
      const event = ledgerEvent(report, account);
      const rows = event === null ? [] : DOUBLE_ENTRY.rows(event);
      const sums = new Map<string, bigint>();
      const own = new Map<string, bigint>();
      for (const row of rows) {
        const [, , , , posted, asset, , amount] = row as string[];
        sums.set(asset!, (sums.get(asset!) ?? 0n) + exact(amount!));
        if (posted === `assets:${account}` || posted === `liabilities:${account}`)
          own.set(asset!, (own.get(asset!) ?? 0n) + exact(amount!));
      }
      for (const [asset, sum] of sums) expect(sum, `${name} ${account} ${asset}`).toBe(0n);
      const fee = event?.fee ? -exact(event.fee.amount) : 0n;
      for (const { subject, asset, delta, delta_raw: raw } of report.inventory_deltas) {
        if (subject !== account) continue;
        const expected = exact(delta ?? raw) + (asset.kind === 'native' ? fee : 0n);
        expect(own.get(asset.id) ?? 0n, `${name} ${account} ${asset.id}`).toBe(expected);
        checked++;
      }
    }
  }
  return checked;
}

const LABELS = new Map([['ClaimRewards', 'reward']]);

describe('the ledger of an account', () => {
  it('double entry adds up to zero per asset, and to the balance change of every account', () => {
    expect(balanced(reports)).toBeGreaterThan(300);
  });

  it.skipIf(!REPLAY_AVAILABLE)(
    'so it does for recorded mainnet transactions',
    { timeout: 120_000 },
    async () => {
      const recorded = new Map<string, TxReport>();
      for (const { raw, context } of allRecordings([corpus('labelled-defi.ndjson.gz')])) {
        recorded.set(raw.hash, await analyzeRaw(raw, context, rulebook));
      }
      expect(recorded.size).toBeGreaterThan(300);
      expect(balanced(recorded)).toBeGreaterThan(1_500);
    },
  );

  it('a swap is one Koinly row with both sides, fee and time', () => {
    const report = reports.get('swap-v2-eth-usdc')!;
    const event = ledgerEvent(report, report.tx.signer)!;
    const block = JSON.parse(readFileSync(join(FOLDER, 'swap-v2-eth-usdc.json'), 'utf8')).rpc.block;
    const time = new Date(Number(block.timestamp) * 1000).toISOString();
    expect(koinly(LABELS).rows(event)).toEqual([
      [
        `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`,
        '1',
        'ETH',
        '3388.111026',
        'USDC',
        report.execution.gas_cost_native,
        'ETH',
        null,
        null,
        '',
        report.classification.intent_label,
        report.tx.hash,
      ],
    ]);
  });

  it('a claim is labelled, a failed transaction is its cost, an unconcerned account has no row', () => {
    const claim = reports.get('airdrop-claim')!;
    const rows = koinly(LABELS).rows(ledgerEvent(claim, claim.classification.actor!)!);
    expect(rows.map((row) => row[9])).toContain('reward');
    const failed = reports.get('reverted-string')!;
    const cost = koinly(LABELS).rows(ledgerEvent(failed, failed.tx.signer)!);
    expect(cost).toHaveLength(1);
    expect(cost[0]!.slice(1, 3)).toEqual([failed.execution.gas_cost_native, 'ETH']);
    expect(cost[0]![9]).toBe('cost');
    expect(ledgerEvent(failed, '0x0000000000000000000000000000000000000001')).toBeNull();
  });

  it('text that a spreadsheet would run is disarmed', () => {
    const report = structuredClone(reports.get('swap-v2-eth-usdc')!) as TxReport;
    report.classification.intent_label = '=HYPERLINK("http://evil")';
    const text = csv(koinly(LABELS).rows(ledgerEvent(report, report.tx.signer)!));
    expect(text).toContain(`"'=HYPERLINK(""http://evil"")"`);
  });
});
