import { expect, it } from 'vitest';
import { canonicalize } from '../../../src/stages/2-canonical/canonicalize.ts';
import { buildValueFlow } from '../../../src/stages/3-flow/buildValueFlow.ts';
import { ZERO_ADDRESS } from '../../../src/evm/hex.ts';
import {
  APPROVAL,
  CREDIT_APPROVAL,
  APPROVAL_FOR_ALL,
  HELD_APPROVAL,
  HELD_LOCKDOWN,
  TRANSFER,
} from '../../../src/evm/tokenTopics.ts';
import type { Entity } from '../../../src/model/rulebook.ts';
import type { Address, Hex } from '../../../src/model/hex.ts';
import {
  address,
  EOA,
  rawTransaction,
  ROOT,
  topic,
  word,
  type Call,
  type Emit,
} from '../2-canonical/execution.ts';

const [A, B, TOKEN, KEEPER] = [address('aa'), address('bb'), address('70'), address('9e')];
const MAX = (1n << 256n) - 1n;
const emit = (topics: string[], ...words: (bigint | number | string)[]): Emit => ({
  emit: { topics, data: `0x${words.map(word).join('')}` },
});
const elsewhere: Emit = {
  emit: { topics: [APPROVAL, topic(A), topic(B)], data: topic(MAX), address: TOKEN },
};
const approve = (amount: bigint): Emit => emit([APPROVAL, topic(A), topic(B)], amount);

const NO_PLACE = { spender: null, token: null, id: null, approved: null };
const rules = {
  wrappedNative: new Set<Address>(),
  tokenEvents: new Map(),
  unlimited: { from: 2n ** 128n - 1n, exactly: new Set([2n ** 96n - 1n]) },
  entities: new Map<Address, Entity>([[KEEPER as Address, { slug: 'k', name: 'K', tags: ['permit'] }]]),
  // transferFrom(address holder, address to, uint256 amount)
  tokenCalls: new Map([['0x23b872dd' as Hex, { ...NO_PLACE, holder: 0, to: 32, amount: 64 }]]),
};
const DIALECTS = ['call_tracer', 'parity'] as const;

/** Alike in both dialects. */
function read(...steps: Call[]) {
  const [first, second] = DIALECTS.map((dialect) =>
    buildValueFlow(canonicalize(rawTransaction({ steps }, dialect)), rules).allowances.map(
      ({ token, kind, amount, unlimited, tokenId, expiresAt }) => [
        token,
        kind,
        amount,
        unlimited,
        tokenId,
        expiresAt,
      ],
    ),
  );
  expect(second).toEqual(first);
  return first!;
}
const allowances = (to: Address, input: Hex, ...steps: Emit[]) => read({ to, input, steps });

it('tells granted, unlimited and revoked allowances of ERC-20', () => {
  const signed = (1n << 255n) - 1n;
  expect(allowances(TOKEN, '0x', approve(5n), approve(MAX), approve(signed), approve(0n))).toEqual([
    [TOKEN, 'granted', 5n, false, null, null],
    [TOKEN, 'granted', MAX, true, null, null],
    [TOKEN, 'granted', signed, true, null, null],
    [TOKEN, 'revoked', 0n, false, null, null],
  ]);
});

const moved = emit([TRANSFER, topic(A), topic(B)], 5);
const spend = (...steps: Emit[]): Call => ({
  from: B,
  to: TOKEN,
  input: `0x23b872dd${[A, B, 5].map(word).join('')}`,
  steps,
});
const grant = (...steps: Emit[]): Call => ({
  from: A,
  to: TOKEN,
  input: `0x095ea7b3${[B, MAX].map(word).join('')}`,
  steps,
});
const permit = (...steps: Emit[]): Call => ({
  from: ROOT,
  to: TOKEN,
  input: `0xd505accf${[A, B, MAX].map(word).join('')}`,
  steps,
});
/** Calls of one contract, which both dialects then name as the place of their logs. */
const router = (...steps: Call[]): Call => ({ to: address('99'), input: '0x12345678', steps });
const kinds = (...steps: Call[]) => read(...steps).map(([, kind, amount]) => [kind, amount]);

const atToken = ({ emit: log }: Emit): Emit => ({ emit: { ...log, address: TOKEN } });
/** As traces of value alone show it: no call of the token. */
const unseen = (...steps: Emit[]) => kinds({ to: ROOT, steps: steps.map(atToken) });

it('calls an allowance decreased only in the call by which its spender spends it', () => {
  expect(kinds(spend(moved, approve(95n)))).toEqual([['decreased', 95n]]);
  expect(kinds(spend(moved, approve(0n)))).toEqual([['decreased', 0n]]);
  expect(kinds({ ...spend(moved, approve(95n)), from: address('dd') })).toEqual([['granted', 95n]]);
});

it('calls an allowance granted beside a transfer, whatever their order', () => {
  const pay: Call = { from: A, to: TOKEN, input: `0xa9059cbb${[B, 5].map(word).join('')}`, steps: [moved] };
  expect(kinds(grant(approve(MAX)), pay)).toEqual([['granted', MAX]]);
  expect(kinds(pay, grant(approve(MAX)))).toEqual([['granted', MAX]]);
  expect(kinds(router(permit(approve(MAX)), spend(moved)))).toEqual([['granted', MAX]]);
  // The trace shows no call of the token.
  expect(kinds({ to: ROOT, steps: [{ emit: { ...moved.emit, address: TOKEN } }, elsewhere] })).toEqual([
    ['granted', MAX],
  ]);
});

it('calls an allowance decreased by exactly the transfer beside it where the trace shows no calls of the token', () => {
  expect(unseen(moved, approve(MAX - 5n))).toEqual([['decreased', MAX - 5n]]);
  expect(unseen(approve(8n), approve(3n), moved)).toEqual([
    ['granted', 8n],
    ['decreased', 3n],
  ]);
  expect(unseen(approve(9n), approve(3n), moved)).toEqual([
    ['granted', 9n],
    ['granted', 3n],
  ]);
});

it('calls an allowance of unknown start decreased where nobody can have granted what is left', () => {
  const toOther = emit([TRANSFER, topic(A), topic(address('dd'))], 5);
  // Pulled by the spender to itself: to zero, to less than it took, to what no calldata names.
  expect(unseen(moved, approve(0n))).toEqual([['decreased', 0n]]);
  expect(unseen(approve(95n), moved)).toEqual([['decreased', 95n]]);
  // What earlier spendings left of the whole range, whoever got the tokens.
  expect(unseen(toOther, approve(MAX - 6n))).toEqual([['decreased', MAX - 6n]]);
  // A contract may grant what it moves, and anything beside a payment to another.
  expect(unseen(approve(5n), moved)).toEqual([['granted', 5n]]);
  expect(unseen(approve(95n), toOther)).toEqual([['granted', 95n]]);
  expect(unseen(toOther, approve(0n))).toEqual([['revoked', 0n]]);
});

it('takes no allowance that the calldata names for what a spending left', () => {
  const input: Hex = `0xd505accf${[A, B, 95].map(word).join('')}`;
  const steps = [approve(95n), moved].map(atToken);
  const {
    allowances: [one],
  } = buildValueFlow(canonicalize(rawTransaction({ input, steps })), rules);
  expect(one).toMatchObject({ kind: 'granted', amount: 95n });
});

it("knows that a signer who called something else called no token's `approve`", () => {
  const own = (amount: bigint) => emit([APPROVAL, topic(EOA), topic(B)], amount);
  const paid = (amount: number) => emit([TRANSFER, topic(EOA), topic(address('dd'))], amount);
  expect(unseen(paid(5), own(0n))).toEqual([['decreased', 0n]]);
  expect(unseen(paid(5), own(5n))).toEqual([['decreased', 5n]]);
  // Nothing was spent: the log repeats what was allowed before.
  expect(unseen(paid(0), own(0n))).toEqual([]);
  expect(unseen(emit([TRANSFER, topic(A), topic(B)], 0), approve(0n))).toEqual([['revoked', 0n]]);
});

it('tells what a spending leaves of a grant in the same call', () => {
  const steps = [permit(approve(MAX)), spend(moved, approve(MAX - 5n))];
  expect(kinds(router(...steps))).toEqual([
    ['granted', MAX],
    ['decreased', MAX - 5n],
  ]);
});

it('calls no allowance decreased that is the whole range', () => {
  expect(kinds(spend(moved, approve(MAX)))).toEqual([['granted', MAX]]);
});

it('calls an allowance decreased that its owner lowers, and none that a contract of that name raises', () => {
  const lower = `0xa457c2d7${[B, 5].map(word).join('')}`;
  expect(kinds({ from: A, to: TOKEN, input: lower, steps: [approve(90n)] })).toEqual([['decreased', 90n]]);
  const posing: Call = { to: address('99'), input: lower, steps: [permit(approve(MAX)), permit()] };
  expect(kinds(posing)).toEqual([['granted', MAX]]);
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

it('takes the slot that an NFT clears with its transfer for no revocation', () => {
  const cleared = emit([APPROVAL, topic(A), topic(ZERO_ADDRESS), topic(7)]);
  const sent = (id: number): Emit => emit([TRANSFER, topic(A), topic(B), topic(id)]);
  expect(allowances(TOKEN, '0x', cleared, sent(7))).toEqual([]);
  expect(allowances(TOKEN, '0x', cleared, sent(8))).toEqual([[TOKEN, 'revoked', null, false, '7', null]]);
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

it('reads credit that a debt token logs, in either form, and what a loan leaves of it', () => {
  const [ASSET, POOL] = [address('a5'), address('b0')];
  const early = emit([CREDIT_APPROVAL, topic(A), topic(B)], ASSET, 9n);
  const credit = (amount: bigint): Emit => emit([CREDIT_APPROVAL, topic(A), topic(B), topic(ASSET)], amount);
  const give: Call = { from: A, to: TOKEN, input: `0xc04a8a10${[B, 9].map(word).join('')}` };
  const lend: Call = { from: POOL, to: TOKEN, input: `0xb3f1c93d${[B, A, 4, 1].map(word).join('')}` };
  expect(read({ ...give, steps: [early] })).toEqual([[TOKEN, 'granted', 9n, false, null, null]]);
  expect(read({ ...give, steps: [credit(9n)] }, { ...lend, steps: [credit(5n)] })).toEqual([
    [TOKEN, 'granted', 9n, false, null, null],
    [TOKEN, 'decreased', 5n, false, null, null],
  ]);
});

it('calls unlimited what no token has, and what some tokens count as the most', () => {
  const amounts = [2n ** 96n - 2n, 2n ** 96n - 1n, 2n ** 128n - 2n, 2n ** 200n];
  const told = allowances(TOKEN, '0x', ...amounts.map(approve)).map(([, , , unlimited]) => unlimited);
  expect(told).toEqual([false, true, false, true]);
});
