import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { analyzeRaw, examine, read } from '../../../src/analyze.ts';
import { loadRules } from '../../../src/service/loadRules.ts';
import { foldMotifs } from '../../../src/stages/9-report/foldMotifs.ts';
import { findRecording } from '../../../src/tools/cli/rules/recordings.ts';
import type { Motif } from '../../../src/model/motif.ts';

const FOLDER = join(import.meta.dirname, '../../recordings');
const rulebook = loadRules();

async function folded(name: string) {
  const { raw, context } = findRecording(name, [FOLDER]);
  const { tx, flow, motifs } = examine(read(raw, context), context, rulebook);
  return { tx, flow, motifs, report: await analyzeRaw(raw, context, rulebook) };
}

describe('like motifs', () => {
  it('become one with a count, their accounts, movements and sums', async () => {
    const { motifs, report, flow } = await folded('batch-token');
    const payments = motifs.filter(({ kind }) => kind === 'transfer');
    expect(payments.length).toBeGreaterThanOrEqual(2);
    // The same payments again and again, as a longer batch would have them.
    const long = Array.from({ length: 4 }, () => payments).flat();
    const batch = motifs.find(({ kind }) => kind === 'batch_transfer')!;
    const numbered: Motif[] = [batch, ...long].map((motif, index) => ({ ...motif, index }));
    const frames = (await folded('batch-token')).tx.frames;
    const { motifs: kept, places } = foldMotifs(numbered, { frames, flow, rulebook });
    expect(kept.map(({ kind, count }) => [kind, count])).toEqual([
      ['batch_transfer', undefined],
      ['transfer', long.length],
    ]);
    expect(places).toEqual([0, ...long.map(() => 1)]);
    expect(kept[1]!.index).toBe(1);
    expect(kept[1]!.parent).toBe(0);
    expect(kept[1]!.movements).toEqual(batch.movements);
    const paid = long.flatMap(({ assetsOut }) => assetsOut).reduce((sum, { amount }) => sum + amount, 0n);
    expect(kept[1]!.assetsOut.map(({ amount }) => amount)).toEqual([paid]);
    // Fewer than four stay apart.
    expect(report.motifs.every(({ count }) => count === undefined)).toBe(payments.length < 4);
  });

  it('stay apart where their amounts are more than what moved, or their proof differs', async () => {
    const { tx, flow, motifs } = await folded('token-transfer');
    const [one] = motifs as [Motif];
    const numbered = (list: Motif[]) => list.map((motif, index) => ({ ...motif, index }));
    const fold = (list: Motif[]) => foldMotifs(numbered(list), { frames: tx.frames, flow, rulebook }).motifs;
    expect(fold([one, one, one])).toHaveLength(3);
    expect(fold([one, one, one, one])).toHaveLength(1);
    expect(fold([one, one, one, { ...one, status: 'Suspected' }])).toHaveLength(4);
    const claimed = { ...one, assetsOut: one.assetsOut.map((part) => ({ ...part, amount: 1n })) };
    expect(fold([claimed, claimed, claimed, claimed])).toHaveLength(4);
  });
});
