import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canonicalOf, hasCorpus, readCorpus, type CorpusRecord } from '../3-flow/corpus.ts';
import { rulebook } from '../4-primitives/support.ts';
import { isPrincipal, SENT_ROLES } from '../../../src/lib/roles.ts';
import { buildValueFlow } from '../../../src/stages/3-flow/buildValueFlow.ts';
import { findPrimitives } from '../../../src/stages/4-primitives/findPrimitives.ts';
import { buildMotifs } from '../../../src/stages/5-motifs/buildMotifs.ts';
import { kindOf } from '../../../src/lib/motifKinds.ts';
import type { MotifDraft } from '../../../src/stages/5-motifs/draftMotif.ts';

const RECORDINGS = join(import.meta.dirname, '../../recordings');
const own = readdirSync(RECORDINGS)
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(readFileSync(join(RECORDINGS, name), 'utf8')) as CorpusRecord);
const corpora = hasCorpus
  ? (['labelled-defi', 'full-traces', 'whole-blocks', 'mev-blocks'] as const).flatMap(readCorpus)
  : [];

function actsOf(record: CorpusRecord): readonly MotifDraft[] {
  const tx = canonicalOf(record, 'call_tracer');
  const flow = buildValueFlow(tx, rulebook);
  const primitives = findPrimitives(tx, flow, rulebook);
  return buildMotifs({ tx, flow, primitives, rulebook, coinbase: null });
}

/** Sides of movements that two acts have which are part of no other. */
function sharedSides(acts: readonly MotifDraft[]): string[] {
  const owners = new Map<string, number>();
  return acts.flatMap((act) => {
    let top = act;
    while (top.parent !== null) top = acts[top.parent]!;
    return act.legs.flatMap(({ role, movements }) =>
      movements.flatMap((index) => {
        const side = `${index} ${SENT_ROLES.has(role) ? 'sent' : 'received'}`;
        const owner = owners.get(side) ?? top.index;
        owners.set(side, owner);
        return owner === top.index ? [] : [`${side}: ${acts[owner]!.kind} and ${top.kind}`];
      }),
    );
  });
}

/** Acts that moved nothing, of which an earlier one has the kind, protocol and owner. */
function repeated(acts: readonly MotifDraft[]): string[] {
  const known = new Set<string>();
  return acts.flatMap(({ kind, protocol, participants, movements, assetsIn, assetsOut }) => {
    const { executes, venue } = kindOf(rulebook, kind);
    if (movements.length + assetsIn.length + assetsOut.length > 0) return [];
    if (executes !== null || venue === 'created') return [];
    const owners = participants.filter(({ role }) => isPrincipal(role)).map(({ account }) => account);
    const key = [kind, protocol?.slug, ...owners.sort()].join(' ');
    if (known.has(key)) return [key];
    known.add(key);
    return [];
  });
}

describe('every act of recorded transactions', () => {
  it.each([
    ['of our own devnet', own],
    ['of mainnet', corpora],
  ])('%s', (_, records) => {
    let acts = 0;
    for (const record of records) {
      const found = actsOf(record);
      acts += found.length;
      expect(sharedSides(found), record.hash).toEqual([]);
      expect(repeated(found), record.hash).toEqual([]);
    }
    if (records.length > 0) expect(acts).toBeGreaterThan(50);
  });
});
