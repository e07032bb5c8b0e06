import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { judge, read, type Analysis } from '../../../src/analyze.ts';
import { mergeNative } from '../../../src/value/asset.ts';
import { balances } from '../../../src/value/balances.ts';
import { allRecordings } from '../../../src/tools/cli/rules/recordings.ts';
import { corpus, REPLAY_AVAILABLE, warnIfAbsent } from '../../support/replayNode.ts';
import { rulebook } from '../4-primitives/support.ts';

const OWN = join(import.meta.dirname, '../../recordings');
const FILES = ['labelled-defi', 'full-traces', 'whole-blocks', 'block-10m', 'mev-blocks'];
if (!REPLAY_AVAILABLE) warnIfAbsent('what positions of recorded mainnet transactions claim');
const places = [OWN, ...(REPLAY_AVAILABLE ? FILES.map((name) => corpus(`${name}.ndjson.gz`)) : [])];

const merged = (asset: string): string => mergeNative(asset, rulebook);
const DEPOSITS = new Set(['Supply', 'VaultDeposit', 'Stake']);
const PUT_IN = new Set(['open', 'increase']);

/** Amounts that one owner's positions say it put in, by asset, and how many positions say so. */
function claimsOf({ economics }: Analysis): Map<string, { amount: bigint; positions: number }> {
  const claims = new Map<string, { amount: bigint; positions: number }>();
  for (const { owner, category, effect, parts } of economics.positions) {
    if (category === 'lending_debt' || !PUT_IN.has(effect)) continue;
    for (const asset of new Set(parts.map((part) => merged(part.asset)))) {
      const put = parts.filter((part) => merged(part.asset) === asset && part.delta < 0n);
      const key = `${owner} ${asset}`;
      const known = claims.get(key) ?? { amount: 0n, positions: 0 };
      const amount = put.reduce((sum, { delta }) => sum - delta, known.amount);
      if (put.length > 0) claims.set(key, { amount, positions: known.positions + 1 });
    }
  }
  return claims;
}

/** Assets that two positions of one owner claim for less than both together. Loans pay for more than left. */
function claimedTwice(analysis: Analysis): string[] {
  const { economics, flow } = analysis;
  const borrowed = economics.positions.some(({ category }) => category === 'lending_debt');
  return [...claimsOf(analysis)].flatMap(([key, { amount, positions }]) => {
    const [owner, asset] = key.split(' ') as [`0x${string}`, string];
    const sent = balances(flow, owner).get(asset)?.sent ?? 0n;
    return positions > 1 && !borrowed && amount > sent ? [`${key}: ${amount} of ${sent}`] : [];
  });
}

/** What a deposit and nothing else leaves of the owner's assets once the position is counted: nothing. */
function leftOfDeposit({ economics, flow, verdict, attribution }: Analysis): string[] {
  const [one, ...more] = economics.positions.filter(({ owner }) => owner === attribution.actor);
  const deposits = DEPOSITS.has(verdict.kind);
  if (!one || more.length > 0 || !deposits || verdict.fragments.length > 1 || !PUT_IN.has(one.effect))
    return [];
  const own = balances(flow, one.owner, { dust: 'drop' });
  const nets = [...own.values()].filter(({ id, net }) => id !== one.position && net < 0n);
  const [paid, ...others] = nets;
  if (!paid || others.length > 0 || one.parts.length === 0) return [];
  // Interest moved nothing.
  const moved = one.parts.filter(({ asset, role }) => merged(asset) === paid.id && role !== 'interest');
  const put = moved.reduce((sum, { delta }) => sum + delta, 0n);
  return put === paid.net ? [] : [`${paid.id}: ${paid.net} left, ${put} put in`];
}

describe.each([['our devnet and mainnet', places]])('positions of %s', (_, all) => {
  const recordings = all.flatMap((place) => allRecordings([place]));

  it('claim no outflow twice, and leave nothing of a deposit', async () => {
    let positions = 0;
    let deposits = 0;
    const wrong: string[] = [];
    for (const { raw, context } of recordings) {
      const analysis = await judge(read(raw, context), context, rulebook);
      positions += analysis.economics.positions.length;
      if (DEPOSITS.has(analysis.verdict.kind)) deposits++;
      for (const what of [...claimedTwice(analysis), ...leftOfDeposit(analysis)])
        wrong.push(`${raw.hash} ${analysis.verdict.label}: ${what}`);
    }
    expect(wrong).toEqual([]);
    expect(positions).toBeGreaterThan(REPLAY_AVAILABLE ? 250 : 20);
    expect(deposits).toBeGreaterThan(REPLAY_AVAILABLE ? 30 : 2);
  });
});
