import { describe, expect, it } from 'vitest';
import { writeCaveats } from '../../../src/stages/9-report/caveats.ts';
import type { CaveatCode } from '../../../src/model/intent.ts';
import type { Motif } from '../../../src/model/motif.ts';

const VENUE = `0x${'ab'.repeat(20)}` as const;
const TOKEN = `0x${'cd'.repeat(20)}` as const;
const ETH = { id: 'eip155:1/slip44:60', kind: 'native', address: null, tokenId: null };
const BBB = { id: `eip155:1/erc20:${TOKEN}`, kind: 'erc20', address: TOKEN, tokenId: null };
const swap = {
  index: 3,
  kind: 'swap',
  venue: VENUE,
  protocol: { slug: 'uniswap-v3', version: 1, contract: VENUE, matchedBy: 'address' },
  basis: 'event',
  parent: null,
  tags: [],
  assetsOut: [{ asset: ETH.id, amount: 5n * 10n ** 17n, role: 'in' }],
  assetsIn: [{ asset: BBB.id, amount: 7n, role: 'out' }],
  claims: [{ name: 'one_venue', holds: false }],
  status: 'Suspected',
  doubt: 'unproven_motif',
  confidence: 'Medium',
};

function say(
  codes: CaveatCode[],
  some: Partial<Record<keyof Motif, unknown>> = {},
  { confidence = 'Low', entities = new Map(), motifKinds = new Map() } = {},
): string[] {
  const motifs = [{}, { ...swap, index: 1 }, {}, { ...swap, ...some }] as unknown as Motif[];
  const rulebook = {
    protocols: new Map([['uniswap-v3', { name: 'Uniswap V3' }]]),
    protocolAt: new Map(),
    prepared: { protocolOf: () => undefined },
    motifKinds,
    entities,
    knownTokens: new Map(),
    addressBook: { text: '', count: 0 },
  };
  const verdict = { motifs: [3], confidence, caveats: codes, rule: { slug: 'direct-swap', version: 1 } };
  const tokens = new Map([[TOKEN, { address: TOKEN, symbol: 'BBB', name: null, decimals: 0 }]]);
  const caveats = writeCaveats({ motifs, rulebook, verdict, context: { tokens } } as never);
  expect(caveats.map(({ code }) => code)).toEqual(codes);
  return [...new Set(caveats.map(({ text }) => text))];
}

describe('a caveat', () => {
  it('names the act it means by its amounts, and why', () => {
    expect(say(['unproven_motif'])).toEqual([
      'The 2nd Uniswap V3 swap, 0.5 ETH → 7 BBB, is not proven: “one venue” does not hold.',
    ]);
    expect(say(['function_name_only'], { doubt: 'function_name_only', assetsIn: [], assetsOut: [] })).toEqual(
      [
        'The 2nd Uniswap V3 swap is not proven: only the name of a function says so, and anybody may name one so.',
      ],
    );
    expect(say(['uncertain_motif'])).toEqual([
      'The 2nd Uniswap V3 swap, 0.5 ETH → 7 BBB, is of medium confidence.',
    ]);
  });

  it('names the amounts that a venue settles net, though no movement shows their token', () => {
    expect(say(['uncertain_motif'], { movements: [], claims: [] })).toEqual([
      'The 2nd Uniswap V3 swap, 0.5 ETH → 7 BBB, is of medium confidence.',
    ]);
  });

  it('is one sentence with the others about the same act', () => {
    const some = { claims: [], protocol: null, confidence: 'Low' };
    expect(say(['unproven_motif', 'low_confidence', 'unknown_protocol'], some)).toEqual([
      'The swap, 0.5 ETH → 7 BBB at 0xABaB…ABaB, is not proven: only an event of an unlisted contract says so, ' +
        'with low confidence, at an account that no rule lists.',
    ]);
  });

  it('says once what two findings have in common', () => {
    expect(say(['unproven_motif', 'low_confidence', 'uncertain_motif'], { confidence: 'Low' })).toEqual([
      'The 2nd Uniswap V3 swap, 0.5 ETH → 7 BBB, is not proven: “one venue” does not hold, with low confidence.',
    ]);
  });

  it('does not call a contract unknown that the report names', () => {
    const entities = new Map([[VENUE, { slug: 'vault', name: 'The Vault', tags: [] }]]);
    expect(say(['unknown_protocol'], { protocol: null }, { entities })).toEqual([
      'The swap, 0.5 ETH → 7 BBB at The Vault, is an act of The Vault that no rule describes.',
    ]);
  });

  it('names no place of a plain payment: its payer is no contract that could be known', () => {
    const motifKinds = new Map([['batch_transfer', { plain: true, position: null }]]);
    const some = { kind: 'batch_transfer', protocol: null, claims: [], assetsIn: [] };
    expect(say(['unproven_motif'], some, { motifKinds })).toEqual([
      'The batch transfer, 0.5 ETH, is not proven: only an event of an unlisted contract says so.',
    ]);
  });

  it('is no longer than a report may state', () => {
    const tags = Array.from({ length: 3 }, () => ({
      name: 'a long name of an invariant '.repeat(9),
      holds: false,
    }));
    const [text] = say(['unproven_motif'], { claims: tags });
    expect(text).toHaveLength(300);
    expect(text).toMatch(/…$/);
  });

  it('of the rule names the rule', () => {
    expect(say(['rule_limit'], {}, { confidence: 'Medium' })[0]).toMatch(
      /^The rule direct-swap allows no more than medium confidence/,
    );
    expect(say(['low_confidence'], { confidence: 'Low' })).toEqual([
      'The 2nd Uniswap V3 swap, 0.5 ETH → 7 BBB, is of low confidence.',
    ]);
  });
});
