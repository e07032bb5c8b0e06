import { expect, it } from 'vitest';
import { canonicalize } from '../../../src/stages/2-canonical/canonicalize.ts';
import { buildValueFlow } from '../../../src/stages/3-flow/buildValueFlow.ts';
import { ZERO_ADDRESS } from '../../../src/evm/hex.ts';
import {
  APPROVAL,
  APPROVAL_FOR_ALL,
  HELD_APPROVAL,
  HELD_LOCKDOWN,
  TRANSFER,
} from '../../../src/evm/tokenTopics.ts';
import type { Entity } from '../../../src/model/rulebook.ts';
import type { Address, Hex } from '../../../src/model/hex.ts';
import { address, rawTransaction, topic, word, type Emit } from '../2-canonical/execution.ts';

const [A, B, TOKEN, KEEPER] = [address('aa'), address('bb'), address('70'), address('9e')];
const MAX = (1n << 256n) - 1n;
const emit = (topics: string[], ...words: (bigint | number | string)[]): Emit => ({
  emit: { topics, data: `0x${words.map(word).join('')}` },
});
const approve = (amount: bigint): Emit => emit([APPROVAL, topic(A), topic(B)], amount);

function allowances(to: Hex, input: Hex, ...steps: Emit[]) {
  const entities = new Map<Address, Entity>([
    [KEEPER as Address, { slug: 'k', name: 'K', tags: ['permit'] }],
  ]);
  const tx = canonicalize(rawTransaction({ steps: [{ to, input, steps }] }));
  return buildValueFlow(tx, { wrappedNative: new Set(), tokenEvents: new Map(), entities }).allowances.map(
    ({ token, kind, amount, unlimited, tokenId, expiresAt }) => [
      token,
      kind,
      amount,
      unlimited,
      tokenId,
      expiresAt,
    ],
  );
}

it('tells granted, unlimited and revoked allowances of ERC-20', () => {
  const signed = (1n << 255n) - 1n;
  expect(allowances(TOKEN, '0x', approve(5n), approve(MAX), approve(signed), approve(0n))).toEqual([
    [TOKEN, 'granted', 5n, false, null, null],
    [TOKEN, 'granted', MAX, true, null, null],
    [TOKEN, 'granted', signed, true, null, null],
    [TOKEN, 'revoked', 0n, false, null, null],
  ]);
});

it('calls an allowance decreased that a transfer next to it used', () => {
  const used = emit([TRANSFER, topic(A), topic(B)], 5);
  expect(allowances(TOKEN, '0x', used, approve(95n))).toEqual([[TOKEN, 'decreased', 95n, false, null, null]]);
});

it('reads NFTs one by one and whole collections', () => {
  expect(
    allowances(
      TOKEN,
      '0x',
      emit([APPROVAL, topic(A), topic(B), topic(7)]),
      emit([APPROVAL, topic(A), topic(ZERO_ADDRESS), topic(7)]),
      emit([APPROVAL_FOR_ALL, topic(A), topic(B)], 1),
      emit([APPROVAL_FOR_ALL, topic(A), topic(B)], 0),
    ),
  ).toEqual([
    [TOKEN, 'granted', null, false, '7', null],
    [TOKEN, 'revoked', null, false, '7', null],
    [TOKEN, 'operator', null, true, null, null],
    [TOKEN, 'revoked', null, false, null, null],
  ]);
});

it('believes allowances kept outside the token only where the rules know the keeper', () => {
  const steps = [
    emit([HELD_APPROVAL, topic(A), topic(TOKEN), topic(B)], (1n << 160n) - 1n, 1_700_000_000),
    emit([HELD_LOCKDOWN, topic(A)], TOKEN, B),
  ];
  expect(allowances(KEEPER, '0x', ...steps)).toEqual([
    [TOKEN, 'granted', (1n << 160n) - 1n, true, null, 1_700_000_000n],
    [TOKEN, 'revoked', 0n, false, null, null],
  ]);
  expect(allowances(address('ee'), '0x', ...steps)).toEqual([]);
});
