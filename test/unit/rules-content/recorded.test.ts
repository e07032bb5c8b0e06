// How much of recorded mainnet traffic the shapes recognise, against labels somebody else wrote.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Hash } from '../../../src/model/hex.ts';
import { canonicalize } from '../../../src/stages/2-canonical/canonicalize.ts';
import { buildValueFlow } from '../../../src/stages/3-flow/buildValueFlow.ts';
import { findPrimitives } from '../../../src/stages/4-primitives/findPrimitives.ts';
import { shippedRules } from './scene.ts';

const FILE = join(import.meta.dirname, '../../../../shared/corpus/labelled-defi.ndjson.gz');
const present = existsSync(FILE);
if (!present) console.warn(`SKIPPED: no recorded transactions at ${FILE}`);

/** Labels that events of lending, yield, bridges, names and governance must bear out. */
const SPOKEN = new Set([
  'Supply',
  'Withdraw',
  'Borrow',
  'Repay',
  'Liquidation',
  'Stake',
  'Unstake',
  'ClaimRewards',
  'VaultDeposit',
  'VaultWithdraw',
  'BridgeDeposit',
  'BridgeWithdrawal',
  'GovernanceAction',
  'NameServiceAction',
]);

interface Recording {
  readonly id: string;
  readonly hash: Hash;
  readonly rpc: { readonly tx: unknown; readonly receipt: unknown; readonly callTracer: unknown };
  readonly expect: { readonly intents?: readonly string[] } | null;
}

describe.runIf(present)('recorded transactions', () => {
  it('show a motif of a labelled kind in at least 97 of 100', () => {
    const rulebook = shippedRules();
    const recordings = gunzipSync(readFileSync(FILE))
      .toString('utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Recording);
    const missed: string[] = [];
    let asked = 0;
    for (const { id, hash, rpc, expect: label } of recordings) {
      const intents = label?.intents ?? [];
      if (intents.length === 0 || !intents.every((kind) => SPOKEN.has(kind))) continue;
      asked++;
      const tx = canonicalize({
        hash,
        tx: rpc.tx,
        receipt: rpc.receipt,
        trace: { dialect: 'call_tracer', result: rpc.callTracer },
      });
      const flow = buildValueFlow(tx, rulebook);
      const kinds = findPrimitives(tx, flow, rulebook).map((p) => rulebook.motifKinds.get(p.kind)?.fragment);
      if (!intents.some((kind) => kinds.includes(kind))) missed.push(id);
    }
    expect(asked).toBeGreaterThan(100);
    expect(missed.length / asked, missed.join('\n')).toBeLessThanOrEqual(0.03);
  });
});
