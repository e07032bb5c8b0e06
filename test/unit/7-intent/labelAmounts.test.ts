// Every amount that a label states is one of the report's own: a balance change, a leg of an act, an allowance or a sum of them.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { analyzeRaw } from '../../../src/analyze.ts';
import { loadRules } from '../../../src/service/loadRules.ts';
import { allRecordings } from '../../../src/tools/cli/rules/recordings.ts';
import { shownAmount } from '../../../src/value/amount.ts';
import { sumExact } from '../../../src/tools/client/exact.ts';
import type { TxReport } from '../../../src/model/generated/report.ts';

const OWN = join(import.meta.dirname, '../../recordings');
/** A rounded amount before a token's symbol or address. */
const AMOUNT =
  /(?<=^[A-Z][a-z]+ |^Claim and stake |^Collect |\b(?:for|and|spend|paying|of|sell|get) )(\d[\d,]*(?:\.\d+)?(?: × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?) (?!allowances|contracts|pools|orders|recipients|days?\b|years?\b|hours?\b|assets)/g;

/** Amounts of a report as they are shown, with the number of its NFTs per collection. */
function amountsOf(report: TxReport): Set<string> {
  const groups = new Map<string, string[]>();
  const shown = new Set<string>();
  const add = (group: string, amount: string | null): void => {
    if (amount === null) return;
    const size = amount.replace('-', '');
    shown.add(shownAmount(size, true));
    groups.set(group, [...(groups.get(group) ?? []), size]);
  };
  const unit = (asset: { symbol: string | null; kind: string }): string =>
    asset.kind === 'native' ? 'ETH' : (asset.symbol ?? '').replace(/^WETH$/, 'ETH');
  for (const { subject, asset, delta } of report.inventory_deltas) {
    add(`${subject} ${unit(asset)} ${delta?.startsWith('-')}`, delta);
    if (asset.kind === 'erc721') add(`${subject} ${asset.address} ${delta?.startsWith('-')}`, delta);
  }
  for (const { kind, assets_in: received, assets_out: sent } of report.motifs)
    for (const [side, legs] of [
      ['in', received],
      ['out', sent],
    ] as const)
      for (const { asset, amount, role } of legs) {
        add(`${kind} ${side} ${unit(asset)}`, amount);
        add(`${role} ${unit(asset)}`, amount);
      }
  for (const { amount, amount_raw: raw } of report.allowances ?? []) add('allowance', amount ?? raw);
  // A profit is the amount kept plus the tip paid out of it.
  const tips = groups.get('builder_payment out ETH') ?? [];
  for (const { asset, delta } of report.inventory_deltas)
    if (tips.length > 0 && unit(asset) === 'ETH' && delta !== null && !delta.startsWith('-'))
      shown.add(shownAmount(sumExact([delta, ...tips])));
  for (const parts of groups.values()) shown.add(shownAmount(sumExact(parts), true));
  for (const [group, parts] of groups) {
    // What an act took less what it gave back.
    const back = groups.get(group.replace(' in ', ' out '));
    if (back && group.includes(' in '))
      shown.add(shownAmount(sumExact([sumExact(parts), `-${sumExact(back)}`]).replace('-', '')));
    shown.add(String(parts.length));
  }
  return shown;
}

describe('amounts in labels', () => {
  const rulebook = loadRules();

  it('are amounts of the report, in every recording', async () => {
    const wrong: string[] = [];
    let stated = 0;
    for (const { name, raw, context } of allRecordings([OWN])) {
      const report = await analyzeRaw(raw, context, rulebook);
      const known = amountsOf(report);
      for (const [, amount] of report.classification.intent_label.matchAll(AMOUNT)) {
        stated++;
        if (!known.has(amount!) && !known.has(shownAmount(amount!.replaceAll(',', ''))))
          wrong.push(`${name}: ${amount} in ${report.classification.intent_label}`);
      }
    }
    expect(stated).toBeGreaterThan(60);
    expect(wrong).toEqual([]);
  });
});
