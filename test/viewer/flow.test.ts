import { describe, expect, it } from 'vitest';
import type { Movement, TxReport } from '../../src/model/generated/report.ts';
import { flowOf } from '../../viewer/src/graph/flow.ts';
import { foldFlow } from '../../viewer/src/graph/fold.ts';
import { layOut, type Measures } from '../../viewer/src/graph/layout.ts';
import { accountsOf } from '../../src/tools/wording/accounts.ts';
import { formatAmount, grouped, shownAmount } from '../../src/value/amount.ts';
import { explorerOf } from '../../viewer/src/lib/explorer.ts';
import { shown, title, words } from '../../src/tools/wording/text.ts';
import { publishedSchemaErrors } from '../../src/tools/cli/readReports.ts';
import { bigReport } from './support/bigReport.ts';
import { reportOf } from './support/reports.ts';

const PLAIN: Measures = {
  direction: 'LR',
  node: () => ({ width: 150, height: 50 }),
  label: () => ({ width: 110, height: 27 }),
};

describe('amounts', () => {
  it.each([
    ['0', '0'],
    ['0.000', '0'],
    ['1000', '1,000'],
    ['994.396759', '994.397'],
    ['0.293435505309243426', '0.293436'],
    ['1234567.891', '1,234,568'],
    ['-0.00012345', '-0.00012345'],
    ['0.00000000123', '0.00000000123'],
    ['0.000000000123', '1.23 × 10⁻¹⁰'],
    ['1234567890123456', '1.23457 × 10¹⁵'],
    ['9999999999999999', '1 × 10¹⁶'],
    ['12.30', '12.3'],
    ['0.9999999', '1'],
  ])('%s is shown as %s', (exact, short) => {
    expect(shownAmount(exact)).toBe(short);
  });

  it('keeps every digit where it is exact', () => {
    expect(formatAmount(-1_234_500n, 6)).toBe('-1.2345');
    expect(formatAmount(2n ** 256n - 1n, 18)).toBe(
      '115792089237316195423570985008687907853269984665640564039457.584007913129639935',
    );
    expect(grouped('-1234567.0001')).toBe('-1,234,567.0001');
  });
});

describe('texts', () => {
  it('cuts what could hide or reorder', () => {
    expect(shown('\u202eCDSU\u202c\u200b\u0007')).toBe('CDSU');
    expect(shown('x'.repeat(10_000), 20)).toHaveLength(21);
    expect([words('remove_liquidity'), words('AtomicArbitrage'), words('mev'), title('uniswap-v3')]).toEqual([
      'Remove liquidity',
      'Atomic arbitrage',
      'MEV',
      'Uniswap V3',
    ]);
  });

  it('links to an https explorer of this very transaction only', async () => {
    const report = await reportOf('swap-v3');
    const at = (url: string): string | undefined =>
      explorerOf({ ...report, tx: { ...report.tx, etherscan_url: url } })?.account('0x1');
    expect(at(report.tx.etherscan_url)).toBe('https://etherscan.io/address/0x1');
    for (const url of [
      'javascript:alert(1)',
      `http://etherscan.io/tx/${report.tx.hash}`,
      'https://etherscan.io/tx/0x1',
      `https://a@b.example/tx/${report.tx.hash}`,
      'nonsense',
    ])
      expect(at(url)).toBeUndefined();
  });
});

describe('the flow', () => {
  it('has one edge per giver and receiver, the actor first, and every movement once', async () => {
    const report = await reportOf('swap-split');
    const flow = flowOf(report, accountsOf(report));
    expect(flow.nodes[0]!.id).toBe(report.classification.actor!.toLowerCase());
    expect(flow.edges.flatMap((e) => e.movements).sort((a, b) => a - b)).toEqual(
      report.movements!.map((_, i) => i),
    );
    expect(new Set(flow.edges.map((e) => `${e.from}${e.to}`)).size).toBe(flow.edges.length);
    expect(flow.edges.map((e) => e.step)).toEqual(flow.edges.map((_, i) => i + 1));
    const sum = (id: string): bigint =>
      flow.edges
        .flatMap((e) => e.carried)
        .filter((c) => c.assetId === id)
        .reduce((s, c) => s + c.raw, 0n);
    for (const id of new Set(report.movements!.map((m) => m.asset_id)))
      expect(sum(id)).toBe(
        report.movements!.filter((m) => m.asset_id === id).reduce((s, m) => s + BigInt(m.amount_raw), 0n),
      );
  });

  it('folds until it can be read, hides no movement, and unfolds what is asked for', async () => {
    const report = bigReport(await reportOf('swap-v3'), 500);
    expect(publishedSchemaErrors(report)).toEqual([]);
    const accounts = accountsOf(report);
    const view = { report, accounts, subject: report.economics.subject };
    const { flow, folded, foldable } = foldFlow(view, null);
    expect(flow.nodes.length).toBeLessThanOrEqual(14);
    expect(flow.nodes[0]!.members).toEqual([report.classification.actor]);
    expect(folded.has('actor')).toBe(false);
    const told = [...flow.edges.flatMap((e) => e.movements), ...flow.nodes.flatMap((n) => n.inside)].sort(
      (a, b) => a - b,
    );
    expect(told).toEqual(report.movements!.map((_, i) => i));
    const open = foldFlow(view, new Set());
    expect(open.flow.edges.length).toBe(500);
    expect([...foldable.keys()].length).toBeGreaterThan(3);
  });

  it.each([
    'swap-v3-two-hops',
    'arbitrage-flashloan',
    'userop-swap',
    'batch-token',
    'self-transaction',
    'nft-sale',
  ])('lays %s out without overlaps, the actor in front', async (name) => {
    const report = await reportOf(name);
    const { flow } = foldFlow(
      { report, accounts: accountsOf(report), subject: report.economics.subject },
      null,
    );
    if (flow.nodes.length === 0) return;
    for (const direction of ['LR', 'TB'] as const) {
      const drawing = layOut(flow, { ...PLAIN, direction });
      const boxes = [...drawing.nodes.values()];
      for (const [i, a] of boxes.entries())
        for (const b of boxes.slice(i + 1))
          expect(
            Math.abs(a.x - b.x) >= (a.width + b.width) / 2 ||
              Math.abs(a.y - b.y) >= (a.height + b.height) / 2,
          ).toBe(true);
      const actor = drawing.nodes.get(report.economics.subject.toLowerCase());
      if (actor)
        expect(
          direction === 'LR' ? Math.min(...boxes.map((b) => b.x)) : Math.min(...boxes.map((b) => b.y)),
        ).toBe(direction === 'LR' ? actor.x : actor.y);
      expect(drawing.edges.size).toBe(flow.edges.length);
    }
  });

  it('lays out self-transfers and accounts that trade with nobody else', async () => {
    const base = await reportOf('swap-v3');
    const [m] = base.movements as [Movement];
    const report: TxReport = {
      ...base,
      movements: [
        { ...m, to: m.from },
        {
          ...m,
          from: '0x00000000000000000000000000000000000000AA',
          to: '0x00000000000000000000000000000000000000bB',
        },
      ],
    };
    const flow = flowOf(report, accountsOf(report));
    const drawing = layOut(flow, PLAIN);
    expect(
      [...drawing.edges.values()].every(
        (e) => e.points.length > 1 && e.points.every((p) => Number.isFinite(p.x) && Number.isFinite(p.y)),
      ),
    ).toBe(true);
  });
});
