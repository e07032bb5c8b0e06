import { NO_TRAITS } from '../../../src/lib/motifKinds.ts';
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
  traits: { ...NO_TRAITS, position: null },
  venue: VENUE,
  protocol: { slug: 'uniswap-v3', version: 1, contract: VENUE, matchedBy: 'address' },
  basis: 'event',
  parent: null,
  tags: [],
  assetsOut: [{ asset: ETH.id, amount: 5n * 10n ** 17n, role: 'in' }],
  assetsIn: [{ asset: BBB.id, amount: 7n, role: 'out' }],
  claims: [{ name: 'one_venue', holds: false }],
  movements: [],
  status: 'Suspected',
  doubt: 'unproven_motif',
  confidence: 'Medium',
};

function say(
  codes: CaveatCode[],
  some: Partial<Record<keyof Motif, unknown>> = {},
  { confidence = 'Low', entities = new Map(), all = [3], suspects = { unasked: new Set<number>() } } = {},
): string[] {
  const first = all.includes(1) ? some : {};
  const motifs = [{}, { ...swap, ...first, index: 1 }, {}, { ...swap, ...some }] as unknown as Motif[];
  const rulebook = {
    protocols: new Map([['uniswap-v3', { name: 'Uniswap V3' }]]),
    protocolAt: new Map(),
    prepared: { protocolOf: () => undefined },
    entities,
    knownTokens: new Map(),
    addressBook: { text: '', count: 0 },
  };
  const verdict = { motifs: all, confidence, caveats: codes, rule: { slug: 'direct-swap', version: 1 } };
  const tokens = new Map([[TOKEN, { address: TOKEN, symbol: 'BBB', name: null, decimals: 0 }]]);
  const caveats = writeCaveats({ motifs, rulebook, verdict, suspects, context: { tokens } } as never);
  expect(caveats.map(({ code }) => code)).toEqual(codes);
  return [...new Set(caveats.map(({ text }) => text))];
}

describe('a caveat', () => {
  it('names the act it means by its amounts, and why', () => {
    expect(say(['unproven_motif'])).toEqual([
      'The 2nd swap, 0.5 ETH → 7 BBB at Uniswap V3, is not proven: “one venue” does not hold.',
    ]);
    expect(say(['function_name_only'], { doubt: 'function_name_only', assetsIn: [], assetsOut: [] })).toEqual(
      [
        'The 2nd swap at Uniswap V3 is not proven: only the name of a function says so, and any contract may use that name.',
      ],
    );
    expect(say(['uncertain_motif'])).toEqual([
      'The 2nd swap, 0.5 ETH → 7 BBB at Uniswap V3, is of medium confidence.',
    ]);
  });

  it('names the amounts that a venue settles net, though no movement shows their token', () => {
    expect(say(['uncertain_motif'], { movements: [], claims: [] })).toEqual([
      'The 2nd swap, 0.5 ETH → 7 BBB at Uniswap V3, is of medium confidence.',
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
      'The 2nd swap, 0.5 ETH → 7 BBB at Uniswap V3, is not proven: “one venue” does not hold, with low confidence.',
    ]);
  });

  it('says once what it finds of several acts', () => {
    const more = { tags: ['structural'], claims: [], assetsIn: [] };
    expect(say(['unproven_motif'], more, { all: [1, 3] })).toEqual([
      'The 1st swap, 0.5 ETH at Uniswap V3, and the 2nd swap, 0.5 ETH at Uniswap V3, are not proven: ' +
        'only movements suggest it.',
    ]);
  });

  it('says that a payment was not asked for, where that is the doubt', () => {
    const suspects = { unasked: new Set([7]) };
    expect(say(['unproven_motif'], { claims: [], movements: [7] }, { suspects })).toEqual([
      'The 2nd swap, 0.5 ETH → 7 BBB at Uniswap V3, is not proven: an account did not ask for what it gave.',
    ]);
  });

  it('does not call a contract unknown that the report names', () => {
    const entities = new Map([[VENUE, { slug: 'vault', name: 'The Vault', tags: [] }]]);
    expect(say(['unknown_protocol'], { protocol: null }, { entities })).toEqual([
      'The swap, 0.5 ETH → 7 BBB at The Vault, is an act of The Vault that no rule describes.',
    ]);
  });

  it('names no place of a plain payment: its payer is no contract that could be known', () => {
    const some = {
      kind: 'batch_transfer',
      traits: { ...NO_TRAITS, position: null, plain: true },
      protocol: null,
      claims: [],
      assetsIn: [],
    };
    expect(say(['unproven_motif'], some)).toEqual([
      'The batch transfer, 0.5 ETH, is not proven: only an event of an unlisted contract says so.',
    ]);
  });

  it('is no longer than a report may state', () => {
    const tags = Array.from({ length: 3 }, () => ({
      name: 'a long name of an invariant '.repeat(9),
      holds: false,
    }));
    const [text] = say(['unproven_motif'], { claims: tags });
    expect(text).toMatch(/^.{280,299}…$/);
  });

  it('of the rule names the rule', () => {
    expect(say(['rule_limit'], {}, { confidence: 'Medium' })[0]).toMatch(
      /^The rule direct-swap allows no more than medium confidence/,
    );
    expect(say(['low_confidence'], { confidence: 'Low' })).toEqual([
      'The 2nd swap, 0.5 ETH → 7 BBB at Uniswap V3, is of low confidence.',
    ]);
  });
});
