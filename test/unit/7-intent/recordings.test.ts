import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadRulebook } from '../../../src/rules/compile/loadRulebook.ts';
import { canonicalize } from '../../../src/stages/2-canonical/canonicalize.ts';
import { readBlockHeader } from '../../../src/evm/blockHeader.ts';
import { buildValueFlow } from '../../../src/stages/3-flow/buildValueFlow.ts';
import { findPrimitives } from '../../../src/stages/4-primitives/findPrimitives.ts';
import { buildMotifs } from '../../../src/stages/5-motifs/buildMotifs.ts';
import { FACT_VOCABULARY } from '../../../src/stages/7-intent/facts/registry.ts';
import { subjectOf } from '../../../src/stages/7-intent/intentInput.ts';
import { explainIntents, matchIntents } from '../../../src/stages/7-intent/matchIntents.ts';
import { findSuspects } from '../../../src/value/suspectTokens.ts';
import { electActor } from '../../../src/stages/6-actor/electActor.ts';
import { rawContext } from '../../support/builders.ts';
import type { Address, Hash } from '../../../src/model/hex.ts';

const ROOT = join(import.meta.dirname, '../../..');
const FOLDER = join(ROOT, 'test/recordings');
const rulebook = loadRulebook([join(ROOT, 'rules')], { facts: FACT_VOCABULARY });
const recordings = readdirSync(FOLDER)
  .filter((f) => f.endsWith('.json'))
  .map((f) => JSON.parse(readFileSync(join(FOLDER, f), 'utf8')));

/** Headlines that no evidence inside the transaction can decide, with what we answer. */
const UNDECIDABLE: Readonly<Record<string, string>> = {
  // A contract nobody knows pays out with an event nobody knows: a claim is the likeliest, and marked as a guess.
  'novel-leave': 'ClaimRewards',
};
/** Nodes are asked for account code; the recordings hold it only where a transaction set it. */
const delegations = new Map<Address, Address>(
  recordings.flatMap((r) =>
    (r.rpc.tx.authorizationList ?? []).length > 0
      ? r.expect.actors_ok.map((a: Address) => [a, r.rpc.tx.authorizationList[0].address])
      : [],
  ),
);

function canonical(r: (typeof recordings)[number], dialect: 'call_tracer' | 'parity') {
  return canonicalize({
    hash: r.hash as Hash,
    tx: r.rpc.tx,
    receipt: r.rpc.receipt,
    trace: { dialect, result: dialect === 'parity' ? r.rpc.trace : r.rpc.callTracer },
  });
}

async function examine(r: (typeof recordings)[number], dialect: 'call_tracer' | 'parity') {
  const tx = canonical(r, dialect);
  const header = readBlockHeader(r.rpc.block, tx);
  const flow = buildValueFlow(tx, rulebook);
  const primitives = findPrimitives(tx, flow, rulebook);
  const motifs = buildMotifs({ tx, flow, primitives, rulebook, coinbase: header.coinbase });
  const suspects = findSuspects(tx, flow, rawContext(), rulebook);
  const attribution = electActor({ tx, flow, motifs, rulebook, header, delegations, suspects });
  const format = {
    amount: () => '1',
    asset: () => 'T',
    name: () => null,
    account: (a: Address) => a,
    protocol: (slug: string) => slug,
    worth: () => 0,
  };
  const input = { tx, flow, motifs, rulebook, subject: subjectOf(attribution) };
  const verdict = await matchIntents(input, format);
  // Rules are screened by code of our own; where the engine evaluates every one it must come to the same.
  expect((await explainIntents(input, format)).verdict).toEqual(verdict);
  return { attribution, verdict };
}

/** Only one dialect tells which frame a log stands in. */
function placeless(result: object): string {
  return JSON.stringify(result, (_, v: unknown) => {
    if (typeof v === 'bigint') return v.toString();
    return typeof v === 'object' && v !== null && 'kind' in v && v.kind === 'log' ? { ...v, frame: null } : v;
  });
}

describe('recorded transactions', () => {
  for (const r of recordings) {
    it(`${r.name}: ${r.title}`, async () => {
      const { attribution, verdict } = await examine(r, 'call_tracer');
      expect([...r.expect.intents, UNDECIDABLE[r.name]]).toContain(verdict.kind);
      expect(r.expect.never).not.toContain(verdict.kind);
      expect(r.expect.actors_ok).toContain(attribution.actor);
      if (!r.expect.intents.includes(verdict.kind)) expect(verdict.status).toBe('Suspected');
      expect(placeless(await examine(r, 'parity'))).toBe(placeless({ attribution, verdict }));
    });
  }
});
