import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { erc20Id, NATIVE, nftId, parseAssetId } from '../../../src/value/asset.ts';
import { cleanName, cleanSymbol, cleanText } from '../../../src/value/cleanText.ts';
import { shortAddress } from '../../../src/evm/address.ts';
import { assetText, listSymbol } from '../../../src/value/display.ts';
import { account, token } from '../../support/builders.ts';

const TOKEN = account('ab');

describe('cleanText', () => {
  it.each([
    ['plain', 'USDC', 'USDC'],
    ['bidirectional override', 'US\u202eDC\u2066', 'USDC'],
    ['zero width', 'U\u200bS\u200d\ufeffDC', 'USDC'],
    ['control', 'US\u0000\u001bDC', 'USDC'],
    ['lone surrogates', 'US\ud800DC\udc00', 'USDC'],
    ['white space', '  US\t\n\u2028 DC\u00a0', 'US DC'],
    ['Hangul filler only', '\u3164\u115f', null],
    ['braille blank only', '\u2800', null],
    ['empty', '', null],
    ['tag characters', 'A\u{e0041}\u{e0042}', 'A'],
    ['private use', 'A\ue000', 'A'],
    ['variation selectors', '❤\ufe0f', '❤'],
    ['markup kept as text', '<b>&', '<b>&'],
    ['pile of marks', `Z${'\u0301'.repeat(50)}`, 'Ź\u0301\u0301\u0301'],
    ['null', null, null],
  ])('%s', (_, given, kept) => expect(cleanText(given, 32)).toBe(kept));

  it('caps by characters, not code units', () => {
    expect(cleanSymbol('😀'.repeat(100))).toBe(`${'😀'.repeat(32)}…`);
    expect([...cleanName('n'.repeat(1_000_000))!]).toHaveLength(65);
  });

  it('is well formed, bounded and stable for any text', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 80 }), (units) => {
        const clean = cleanText(String.fromCharCode(...units), 32);
        if (clean === null) return;
        expect([...clean].length).toBeLessThanOrEqual(33);
        expect(clean).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/u);
        expect(clean.trim()).toBe(clean);
      }),
    );
  });
});

describe('listSymbol', () => {
  const asset = parseAssetId(erc20Id(TOKEN))!;
  const of = (symbol: string | null, decimals: number | null = 18) =>
    listSymbol(asset, assetText(asset, new Map([[TOKEN, token(TOKEN, { symbol, decimals })]])));

  it('is one word without commas whatever the token says', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (symbol) => {
        expect(of(symbol)).toMatch(/^[^,\s]+$/u);
      }),
    );
  });

  it.each([
    ['USDC', 'USDC'],
    ['A, 99 ETH', 'A_99_ETH'],
    [',', shortAddress(TOKEN)],
    ['\u202e', shortAddress(TOKEN)],
    [null, shortAddress(TOKEN)],
  ])('%j → %s', (symbol, word) => expect(of(symbol)).toBe(word));

  it('says when the quantity before it is raw, and which NFT it is', () => {
    expect(of('X', null)).toBe('X[raw]');
    const nft = parseAssetId(nftId('erc721', TOKEN, 12345678901234567890n))!;
    expect(listSymbol(nft, { symbol: 'APE', decimals: 0 })).toBe('APE#123456…7890');
    expect(listSymbol(NATIVE, assetText(NATIVE, new Map()))).toBe('ETH');
  });

  it('shortens the checksummed address', () =>
    expect(shortAddress(`0x${'c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'}`)).toBe('0xC02a…6Cc2'));
});

describe('parseAssetId', () => {
  it.each([erc20Id(TOKEN), nftId('erc721', TOKEN, 1n), nftId('erc1155', TOKEN, 0n), NATIVE.id])(
    'reads back %s',
    (id) => expect(parseAssetId(id)!.id).toBe(id),
  );
  it.each(['', 'eip155:1/erc20:0x12', `${erc20Id(TOKEN)}/1`, `eip155:1/erc721:${TOKEN}`, 'slip44:60'])(
    'refuses %j',
    (id) => expect(parseAssetId(id)).toBeNull(),
  );
});
