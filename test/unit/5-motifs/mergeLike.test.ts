import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { examine, read } from '../../../src/analyze.ts';
import { loadRules } from '../../../src/service/loadRules.ts';
import { mergeLike } from '../../../src/stages/5-motifs/mergeLike.ts';
import { findRecording } from '../../../src/tools/cli/rules/recordings.ts';
import type { MotifDraft } from '../../../src/stages/5-motifs/draftMotif.ts';

const FOLDER = join(import.meta.dirname, '../../recordings');
const rulebook = loadRules();

function examined(name: string) {
  const { raw, context } = findRecording(name, [FOLDER]);
  const { tx, flow, motifs } = examine(read(raw, context), context, rulebook);
  const foldAll = (list: readonly MotifDraft[]) => mergeLike(list, { tx, flow, rulebook });
  return { motifs: motifs as readonly MotifDraft[], foldAll };
}

describe('like acts', () => {
  it('become one with a count, their accounts, movements and sums', () => {
    const { motifs, foldAll } = examined('batch-token');
    const payments = motifs.filter(({ kind }) => kind === 'transfer');
    expect(payments.length).toBeGreaterThanOrEqual(2);
    const batch = motifs.find(({ kind }) => kind === 'batch_transfer')!;
    // The same payments again and again, as a longer batch would have them.
    const long = Array.from({ length: 4 }, () => payments.map((one) => ({ ...one, whole: batch }))).flat();
    const kept = foldAll([batch, ...long]);
    expect(kept.map(({ kind, count }) => [kind, count])).toEqual([
      ['batch_transfer', undefined],
      ['transfer', long.length],
    ]);
    expect(kept[1]!.whole).toBe(batch);
    expect(kept[1]!.movements).toEqual(batch.movements);
    const paid = long.flatMap(({ assetsOut }) => assetsOut).reduce((sum, { amount }) => sum + amount, 0n);
    expect(kept[1]!.assetsOut.map(({ amount }) => amount)).toEqual([paid]);
    // Fewer than four stay apart.
    expect(motifs.every(({ count }) => count === undefined)).toBe(payments.length < 4);
  });

  it('stay apart where their amounts are more than what moved, or their proof or whole differs', () => {
    const { motifs, foldAll } = examined('token-transfer');
    const [one] = motifs as [MotifDraft];
    const again = (more: Partial<MotifDraft> = {}): MotifDraft => ({ ...one, ...more });
    expect(foldAll([one, again(), again()])).toHaveLength(3);
    expect(foldAll([one, again(), again(), again()])).toHaveLength(1);
    expect(foldAll([one, again(), again(), again({ status: 'Suspected' })])).toHaveLength(4);
    const whole = again({ kind: 'batch_transfer' });
    expect(foldAll([whole, one, again(), again({ whole }), again({ whole })])).toHaveLength(5);
    const assetsOut = one.assetsOut.map((part) => ({ ...part, amount: 1n }));
    expect(foldAll([1, 2, 3, 4].map(() => again({ assetsOut })))).toHaveLength(4);
  });
});

describe('the sum of a batch', () => {
  it('is that of its movements', () => {
    const { motifs } = examined('batch-token');
    const { claims, movements } = motifs.find(({ kind }) => kind === 'batch_transfer')!;
    const sums = claims.filter(({ name }) => name === 'amount_moved');
    expect(sums.flatMap(({ against }) => against).sort()).toEqual([...movements].sort());
    expect(sums.every(({ holds }) => holds)).toBe(true);
  });
});
