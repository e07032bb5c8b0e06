import { describe, expect, it } from 'vitest';
import { caveatText } from '../../../src/stages/9-report/caveats.ts';
import type { CaveatCode } from '../../../src/model/intent.ts';
import type { Motif } from '../../../src/model/motif.ts';

const VENUE = `0x${'ab'.repeat(20)}` as const;
const swap = {
  index: 3,
  kind: 'swap',
  venue: VENUE,
  protocol: { slug: 'uniswap-v3', version: 1, contract: VENUE, matchedBy: 'address' },
  basis: 'event',
  parent: null,
  tags: [],
  invariants: [{ name: 'one_venue', holds: false }],
  status: 'Suspected',
  doubt: 'unproven_motif',
  confidence: 'Medium',
};

function say(code: CaveatCode, some: Partial<Record<keyof Motif, unknown>> = {}, confidence = 'Low'): string {
  const motifs = [{}, {}, {}, { ...swap, ...some }] as unknown as Motif[];
  const rulebook = { protocols: new Map([['uniswap-v3', { name: 'Uniswap V3' }]]) };
  const verdict = { motifs: [3], confidence, rule: { slug: 'direct-swap', version: 1 } };
  return caveatText(code, { motifs, rulebook, verdict } as never);
}

describe('a caveat', () => {
  it('names the act it means, by the id it has in the report, and why', () => {
    expect(say('unproven_motif')).toBe('m-3 (Uniswap V3 swap) is not proven: “one venue” does not hold.');
    expect(say('unproven_motif', { invariants: [], protocol: null })).toBe(
      'm-3 (swap) is not proven: only an event of an unlisted contract says so.',
    );
    expect(say('function_name_only', { doubt: 'function_name_only' })).toBe(
      'm-3 (Uniswap V3 swap) is not proven: only the name of a function says so, and anybody may name one so.',
    );
    expect(say('unknown_protocol', { protocol: null })).toBe(
      'm-3 (swap) is at 0xABaB…ABaB, which is known by its behaviour only.',
    );
    expect(say('uncertain_motif')).toBe('m-3 (Uniswap V3 swap) is of medium confidence.');
  });

  it('of the rule names the rule', () => {
    expect(say('low_confidence')).toMatch(/^The rule direct-swap allows no more than low confidence/);
    expect(say('rule_limit', {}, 'Medium')).toMatch(
      /^The rule direct-swap allows no more than medium confidence/,
    );
    expect(say('low_confidence', { confidence: 'Low' })).toBe('m-3 (Uniswap V3 swap) is of low confidence.');
  });
});
