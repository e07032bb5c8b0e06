import { describe, expect, it } from 'vitest';
import { toEventSelector, toFunctionSelector } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { readFileSync } from 'node:fs';
import * as tokenTopics from '../../../src/evm/tokenTopics.ts';
import { AnalysisError } from '../../../src/lib/errors.ts';
import { canonicalize } from '../../../src/stages/2-canonical/canonicalize.ts';
import { readAuthorizations } from '../../../src/stages/2-canonical/readTransaction.ts';
import { readBlockHeader } from '../../../src/evm/blockHeader.ts';
import { canonicalError } from '../../../src/traces/callNode.ts';
import { address, BLOCK, rawTransaction } from './execution.ts';

describe('authorisations', () => {
  const account = privateKeyToAccount(`0x${'01'.repeat(32)}`);
  const delegate = address('de');
  const quantity = (value: bigint | number): string => `0x${value.toString(16)}`;
  async function signed(chainId: number, nonce: number) {
    const { r, s, yParity } = await account.signAuthorization({ chainId, nonce, address: delegate });
    return {
      chainId: quantity(chainId),
      address: delegate,
      nonce: quantity(nonce),
      r,
      s,
      yParity: quantity(yParity!),
    };
  }

  it('tell who signed them', async () => {
    const authority = account.address.toLowerCase();
    expect(readAuthorizations([await signed(1, 0), await signed(0, 5)])).toEqual([
      { address: delegate, nonce: 0n, authority },
      { address: delegate, nonce: 5n, authority },
    ]);
  });

  it('leave the signer open where the tuple has no effect here or does not verify', async () => {
    const good = await signed(1, 3);
    const n = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const authorities = readAuthorizations([
      await signed(10, 3),
      { ...good, yParity: '0x2' },
      { ...good, r: '0x0' },
      { ...good, s: quantity(n - BigInt(good.s)) },
      { ...good, r: quantity(n) },
      { chainId: '0x1', address: delegate, nonce: '0x3' },
    ]).map(({ authority }) => authority);
    expect(authorities).toEqual([null, null, null, null, null, null]);
  });

  it('tell the signers of the first 16 only, each recovered once', async () => {
    const made = await Promise.all(Array.from({ length: 18 }, (_, nonce) => signed(1, nonce)));
    const authority = account.address.toLowerCase();
    const told = readAuthorizations(made).map((one) => one.authority);
    expect(told).toEqual([...Array<string>(16).fill(authority), null, null]);
    // Stage 1 recovered them already: nothing is recovered again.
    expect(readAuthorizations(made, [delegate])[0]!.authority).toBe(delegate);
  });

  it('may be missing', () => {
    expect(readAuthorizations(undefined)).toEqual([]);
    expect(() => readAuthorizations('0x')).toThrow(AnalysisError);
    expect(() => readAuthorizations(Array(5_000).fill({}))).toThrow('too long');
  });
});

describe('block header', () => {
  const tx = canonicalize(rawTransaction({}));
  const header = {
    number: '0x1312d00',
    hash: BLOCK,
    timestamp: '0x65',
    baseFeePerGas: '0x7',
    miner: address('BB'),
  };

  it('is read and checked against the transaction', () => {
    expect(readBlockHeader(header, tx)).toEqual({
      number: 20_000_000n,
      hash: BLOCK,
      timestamp: 101,
      baseFeePerGas: 7n,
      coinbase: address('bb'),
    });
  });
  it('has no base fee before London, and an author on some nodes', () => {
    const { baseFeePerGas: _, miner, ...old } = header;
    expect(readBlockHeader({ ...old, author: miner }, tx)).toMatchObject({
      baseFeePerGas: 0n,
      coinbase: address('bb'),
    });
  });
  it('of another block is inconsistent, and nonsense malformed', () => {
    const code = (raw: unknown): string => {
      try {
        readBlockHeader(raw, tx);
      } catch (error) {
        return (error as AnalysisError).code;
      }
      return 'accepted';
    };
    expect(code({ ...header, hash: `0x${'00'.repeat(32)}` })).toBe('inconsistent_upstream');
    expect(code({ ...header, number: '0x1' })).toBe('inconsistent_upstream');
    const price = tx.effectiveGasPrice;
    expect(code({ ...header, baseFeePerGas: `0x${price.toString(16)}` })).toBe('accepted');
    expect(code({ ...header, baseFeePerGas: `0x${(price + 1n).toString(16)}` })).toBe(
      'inconsistent_upstream',
    );
    for (const raw of [
      null,
      [],
      'x',
      { ...header, timestamp: 'soon' },
      { ...header, timestamp: `0x${'f'.repeat(20)}` },
      { ...header, miner: null },
    ]) {
      expect(code(raw)).toBe('block_malformed');
    }
  });
});

describe('constants from outside', () => {
  it('selectors are those of the functions named beside them', () => {
    const source = readFileSync(
      new URL('../../../src/stages/2-canonical/standardCalls.ts', import.meta.url),
      'utf8',
    );
    const named = [...source.matchAll(/'(0x[0-9a-f]{8})'.*\/\/ (\w+\(.*\))$/gm)].map(([, a, b]) => [a, b]);
    const above = source.matchAll(/\/\/ (\w+\(.*\))\n\s*\['(0x[0-9a-f]{8})'/g);
    for (const [, signature, selector] of above) named.push([selector, signature]);
    expect(named.length).toBeGreaterThan(20);
    for (const [selector, signature] of named)
      expect(`${selector} ${signature}`).toBe(`${toFunctionSelector(`function ${signature}`)} ${signature}`);
  });

  it('topics are those of the events named above them', () => {
    const source = readFileSync(new URL('../../../src/evm/tokenTopics.ts', import.meta.url), 'utf8');
    const named = [...source.matchAll(/(?:`|\/\/ )(\w+\([^`\n]*\)).*\n.*'(0x[0-9a-f]{64})'/g)];
    expect(named).toHaveLength(Object.keys(tokenTopics).length - 1 + tokenTopics.SHARE_TOPICS.size);
    for (const [, signature, topic] of named)
      expect(`${topic} ${signature}`).toBe(`${toEventSelector(`event ${signature}`)} ${signature}`);
  });
});

it('failures are told in a closed vocabulary', () => {
  expect(canonicalError('https://user:secret@node.example/ exploded')).toBe('failed');
  expect(canonicalError({})).toBe('failed');
  expect(canonicalError('Reverted 0x08c379a0')).toBe('execution reverted');
  expect(canonicalError('contract creation code storage out of gas')).toBe(
    'contract creation code storage out of gas',
  );
});
