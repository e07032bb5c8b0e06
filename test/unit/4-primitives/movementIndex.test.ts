import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MovementIndex, type MovementQuery } from '../../../src/stages/4-primitives/bind/movementIndex.ts';
import type { Address } from '../../../src/model/hex.ts';
import type { Asset, Movement, ValueFlow } from '../../../src/model/valueFlow.ts';

const ACCOUNTS = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}` as Address);
const TOKENS = ['1', '2'].map((digit) => `0x${digit.repeat(40)}` as Address);
const ASSETS: Asset[] = [
  ...TOKENS.map(
    (address) => ({ id: `eip155:1/erc20:${address}`, kind: 'erc20', address, tokenId: null }) as Asset,
  ),
  ...['7', '8'].map(
    (tokenId) =>
      ({
        id: `eip155:1/erc721:${TOKENS[0]}/${tokenId}`,
        kind: 'erc721',
        address: TOKENS[0],
        tokenId,
      }) as Asset,
  ),
];

const movements = fc.array(
  fc.record({
    from: fc.constantFrom(...ACCOUNTS),
    to: fc.constantFrom(...ACCOUNTS),
    asset: fc.constantFrom(...ASSETS.map(({ id }) => id)),
    amount: fc.bigInt(1n, 3n),
    kind: fc.constantFrom<Movement['kind']>('transfer', 'mint', 'burn', 'wrap'),
    seq: fc.nat(20),
  }),
  { maxLength: 40 },
);

const maybe = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(values, { nil: null });

const query: fc.Arbitrary<MovementQuery> = fc.record({
  from: maybe(fc.constantFrom(...ACCOUNTS)),
  to: maybe(fc.constantFrom(...ACCOUNTS)),
  asset: maybe(fc.constantFrom(...TOKENS)),
  id: maybe(fc.constantFrom(7n, 8n, 9n)),
  assetKind: maybe(fc.constantFrom('erc20' as const, 'erc721' as const)),
  kind: maybe(fc.constantFrom('transfer', 'mint', 'burn')),
  amount: maybe(fc.bigInt(1n, 3n)),
});

/** A flow of these movements; `padding` more wrappings, which no query finds, make it a large one. */
function flowOf(list: readonly Omit<Movement, 'index' | 'evidence'>[], padding: number): ValueFlow {
  const more = Array.from({ length: padding }, () => ({
    from: ACCOUNTS[0]!,
    to: ACCOUNTS[1]!,
    asset: ASSETS[0]!.id,
    amount: 1n,
    kind: 'wrap' as const,
    seq: 99,
  }));
  const inOrder = [...list, ...more].sort((a, b) => a.seq - b.seq);
  return {
    movements: inOrder.map((m, index) => ({ ...m, index })),
    assets: new Map(ASSETS.map((asset) => [asset.id, asset])),
  } as unknown as ValueFlow;
}

describe('the movement index', () => {
  it('answers the same for few movements, which it filters, as for many, which it hashes', () => {
    fc.assert(
      fc.property(
        movements,
        query,
        fc.nat(20),
        fc.uniqueArray(fc.nat(39)),
        fc.integer({ min: 1, max: 4 }),
        (list, asked, seq, gone, limit) => {
          const claimed = new Set(gone);
          const accept = (m: Movement): boolean => m.index % 3 !== 0;
          const search = { query: asked, seq, claimed, accept };
          const [few, many] = [new MovementIndex(flowOf(list, 0)), new MovementIndex(flowOf(list, 100))].map(
            (index) => ({
              before: index.near(search, -1, limit).map((m) => m.index),
              after: index.near(search, 1, limit).map((m) => m.index),
              nearest: index.nearest(search)?.index,
              all: index.all(search).map((m) => m.index),
            }),
          );
          expect(few).toEqual(many);
        },
      ),
      { numRuns: 500 },
    );
  });
});
