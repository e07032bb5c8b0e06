import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { canonicalize } from '../../../src/stages/2-canonical/canonicalize.ts';
import { buildValueFlow } from '../../../src/stages/3-flow/buildValueFlow.ts';
import { erc20Id, nftId } from '../../../src/value/asset.ts';
import { ZERO_ADDRESS } from '../../../src/evm/hex.ts';
import {
  APPROVAL,
  APPROVAL_FOR_ALL,
  CONSECUTIVE_TRANSFER,
  TRANSFER,
  TRANSFER_BATCH,
  TRANSFER_SINGLE,
} from '../../../src/evm/tokenTopics.ts';
import type { TokenEventSpec } from '../../../src/model/rulebook.ts';
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

const A = address('aa');
const B = address('bb');
const TOKEN = address('70');
const NO_RULES = { wrappedNative: new Set<never>(), tokenEvents: new Map<string, TokenEventSpec[]>() };
const emit = (topics: string[], ...words: (bigint | number | string)[]): Emit => ({
  emit: { topics, data: `0x${words.map(word).join('')}` },
});
const transfer = (from: string, to: string, amount: bigint | number): Emit =>
  emit([TRANSFER, topic(from), topic(to)], amount);
const token = (...steps: Emit[]): Call => ({ steps: [{ to: TOKEN, steps }] });
const flowOf = (call: Call, rules = NO_RULES) => buildValueFlow(canonicalize(rawTransaction(call)), rules);
const moves = (...steps: Emit[]) =>
  flowOf(token(...steps)).movements.map(({ kind, from, to, asset, amount }) => [
    kind,
    from,
    to,
    asset,
    amount,
  ]);
const kinds = (...steps: Emit[]) => flowOf(token(...steps)).nonEconomic.map(({ kind }) => kind);

describe('ERC-20', () => {
  it('transfers, mints and burns', () => {
    expect(moves(transfer(A, B, 5), transfer(ZERO_ADDRESS, A, 6), transfer(A, ZERO_ADDRESS, 7))).toEqual([
      ['transfer', A, B, erc20Id(TOKEN), 5n],
      ['mint', ZERO_ADDRESS, A, erc20Id(TOKEN), 6n],
      ['burn', A, ZERO_ADDRESS, erc20Id(TOKEN), 7n],
    ]);
  });

  it('is read in the old forms that index fewer arguments', () => {
    expect(
      moves(
        emit([TRANSFER], A, B, 5),
        emit([TRANSFER, topic(A)], B, 5),
        emit([TRANSFER, topic(A), topic(B)], 5),
      ),
    ).toEqual(Array(3).fill(['transfer', A, B, erc20Id(TOKEN), 5n]));
  });

  it('that moves nothing is counted aside', () => {
    expect(moves(transfer(A, B, 0), transfer(A, A, 5))).toEqual([]);
    expect(kinds(transfer(A, B, 0), transfer(A, A, 5), transfer(A, A, 0))).toEqual([
      'zero_transfer',
      'self_transfer',
      'zero_transfer',
    ]);
  });

  it('bears any amount', () => {
    const most = 2n ** 256n - 1n;
    const flow = flowOf(token(transfer(A, B, most), transfer(A, B, most)));
    expect(flow.ledgers.get(B)!.get(erc20Id(TOKEN))).toEqual({
      inflow: 2n * most,
      outflow: 0n,
      movements: [0, 1],
    });
  });

  it('is not seen in events of another shape', () => {
    const odd = [
      emit([TRANSFER]),
      emit([TRANSFER], A, B),
      emit([TRANSFER, topic(A), topic(B)]),
      emit([TRANSFER, topic(A), topic(B)], 1, 2),
      emit([TRANSFER, topic(2n ** 200n), topic(B)], 5),
      emit([TRANSFER], 2n ** 160n, B, 5),
      { emit: { topics: [TRANSFER, topic(A), topic(B)], data: `0x${word(5)}00` } },
      { emit: { topics: [], data: '0x' } },
    ];
    expect(moves(...odd)).toEqual([]);
    expect(kinds(...odd)).toEqual(Array(odd.length).fill('event'));
  });

  it('approvals are named, in every form', () => {
    const flow = flowOf(
      token(
        emit([APPROVAL, topic(A), topic(B)], 5),
        emit([APPROVAL, topic(A), topic(B), topic(5)]),
        emit([APPROVAL_FOR_ALL, topic(A), topic(B)], 1),
        emit([APPROVAL], A, B, 5),
      ),
    );
    expect(flow.nonEconomic.map(({ kind, from, to }) => [kind, from, to])).toEqual([
      ['approval', A, B],
      ['approval', A, B],
      ['approval', A, B],
      ['approval', null, null],
    ]);
  });
});

describe('NFTs', () => {
  it('ERC-721 moves one token', () => {
    expect(moves(emit([TRANSFER, topic(ZERO_ADDRESS), topic(B), topic(77)]))).toEqual([
      ['mint', ZERO_ADDRESS, B, nftId('erc721', TOKEN, 77n), 1n],
    ]);
    expect(kinds(emit([TRANSFER, topic(A), topic(B), topic(77)], 1))).toEqual(['event']);
  });

  it('ERC-2309 names a range, within reason', () => {
    const range = (first: bigint | number, last: bigint | number) =>
      emit([CONSECUTIVE_TRANSFER, topic(first), topic(ZERO_ADDRESS), topic(B)], last);
    expect(moves(range(5, 7)).map(([, , , id]) => id)).toEqual(
      [5n, 6n, 7n].map((id) => nftId('erc721', TOKEN, id)),
    );
    expect(kinds(range(0, 2n ** 256n - 1n), range(7, 5))).toEqual(['event', 'event']);
    const many = flowOf(token(...Array.from({ length: 50 }, (_, i) => range(i * 1_000, i * 1_000 + 999))));
    expect(many.movements).toHaveLength(20_000);
    expect(many.nonEconomic).toHaveLength(30);
  });

  it('ERC-1155 singles and batches', () => {
    const head = [topic(EOA), topic(A), topic(B)];
    expect(moves(emit([TRANSFER_SINGLE, ...head], 7, 3))).toEqual([
      ['transfer', A, B, nftId('erc1155', TOKEN, 7n), 3n],
    ]);
    const batch = emit([TRANSFER_BATCH, ...head], 64, 160, 2, 7, 8, 2, 3, 0);
    expect(moves(batch)).toEqual([['transfer', A, B, nftId('erc1155', TOKEN, 7n), 3n]]);
    expect(kinds(batch)).toEqual(['zero_transfer']);
    expect(moves(emit([TRANSFER_BATCH, ...head], 64, 96, 0, 0))).toEqual([]);
  });

  it('ERC-1155 batches with hostile offsets and lengths are events', () => {
    const head = [topic(EOA), topic(A), topic(B)];
    const huge = 2n ** 256n - 1n;
    const hostile = [
      [],
      [64],
      [huge, huge],
      [64, huge, 1, 7],
      [64, 128, huge, 7],
      [64, 128, 1, 7, 2, 3],
      [64, 128, 3, 7, 3, 3],
      [2n ** 64n, 64, 1, 1],
    ];
    expect(moves(...hostile.map((words) => emit([TRANSFER_BATCH, ...head], ...words)))).toEqual([]);
  });
});

describe('declared events', () => {
  const SOLD = topic(0x501d);
  const spec = (over: Partial<TokenEventSpec>): TokenEventSpec => ({
    topic0: SOLD,
    topicCount: 2,
    emitters: new Set([TOKEN]),
    assetKind: 'erc721',
    ignored: false,
    params: [
      { name: 'id', type: 'uint256', indexed: true, offset: 1 },
      { name: 'seller', type: 'address', indexed: false, offset: 0 },
      { name: 'buyer', type: 'address', indexed: false, offset: 32 },
    ],
    from: { op: 'arg', name: 'seller', path: [] },
    to: { op: 'arg', name: 'buyer', path: [] },
    amount: null,
    tokenId: { op: 'arg', name: 'id', path: [] },
    ...over,
  });
  const rules = (...specs: TokenEventSpec[]) => ({
    ...NO_RULES,
    tokenEvents: new Map(specs.map((s) => [`${s.topic0}:${s.topicCount}`, [s]])),
  });

  it('move what they are declared to move, and the standard reading of an NFT contract falls away', () => {
    const flow = flowOf(token(emit([SOLD, topic(9)], A, B), transfer(A, B, 1)), rules(spec({})));
    expect(flow.movements.map(({ from, to, asset, amount }) => [from, to, asset, amount])).toEqual([
      [A, B, nftId('erc721', TOKEN, 9n), 1n],
    ]);
    expect(flow.nonEconomic.map(({ kind }) => kind)).toEqual(['event']);
  });

  it('speak only for their emitters', () => {
    const flow = flowOf(token(emit([SOLD, topic(9)], A, B)), rules(spec({ emitters: new Set([A]) })));
    expect(flow.movements).toEqual([]);
  });

  it('take a Transfer for the NFT it is', () => {
    const kitty = spec({
      topic0: TRANSFER as `0x${string}`,
      topicCount: 1,
      params: [
        { name: 'seller', type: 'address', indexed: false, offset: 0 },
        { name: 'buyer', type: 'address', indexed: false, offset: 32 },
        { name: 'id', type: 'uint256', indexed: false, offset: 64 },
      ],
    });
    expect(
      flowOf(token(emit([TRANSFER], A, B, 5)), rules(kitty)).movements.map(({ asset, amount }) => [
        asset,
        amount,
      ]),
    ).toEqual([[nftId('erc721', TOKEN, 5n), 1n]]);
  });

  it('may be declared to repeat another event', () => {
    const repeat = spec({ topic0: TRANSFER as `0x${string}`, topicCount: 3, ignored: true });
    expect(flowOf(token(transfer(A, B, 1)), rules(repeat)).movements).toEqual([]);
  });

  it('that say what a Transfer says too are counted once', () => {
    const moved = spec({
      assetKind: 'erc20',
      tokenId: null,
      amount: { op: 'arg', name: 'id', path: [] },
      from: { op: 'first', of: [{ op: 'arg', name: 'gone', path: [] }, { op: 'zero' }] },
      to: { op: 'literal', value: B },
    });
    const flow = flowOf(
      token(emit([SOLD, topic(9)], A, B), transfer(ZERO_ADDRESS, B, 9), emit([SOLD, topic(9)], A, B)),
      rules(moved),
    );
    expect(flow.movements.map(({ kind, amount }) => [kind, amount])).toEqual([
      ['mint', 9n],
      ['mint', 9n],
    ]);
    expect(flow.nonEconomic).toHaveLength(1);
  });
});

describe('whatever contracts log', () => {
  const anyWord = fc.oneof(
    fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
    fc.constantFrom(0n, 1n, 32n, 64n, 96n, 128n, BigInt(A), BigInt(B)),
  );
  const anyEmit = fc.record({
    topics: fc
      .tuple(
        fc.constantFrom(TRANSFER, APPROVAL, TRANSFER_SINGLE, TRANSFER_BATCH, CONSECUTIVE_TRANSFER),
        fc.array(anyWord, { maxLength: 3 }),
      )
      .map(([first, rest]) => [first, ...rest.map((w) => topic(w))]),
    words: fc.array(anyWord, { maxLength: 8 }),
    by: fc.constantFrom(TOKEN, A, B, ROOT),
  });
  const anyCall = fc
    .array(
      fc.oneof(
        anyEmit,
        fc.record({
          to: fc.constantFrom(A, B, EOA, TOKEN),
          value: fc.bigInt({ min: 0n, max: 9n }),
          error: fc.option(fc.constant('out of gas'), { nil: undefined }),
        }),
      ),
      { maxLength: 12 },
    )
    .map(
      (steps): Call => ({
        value: 4n,
        steps: steps.map((s) =>
          'words' in s
            ? { to: s.by, steps: [emit(s.topics, ...s.words)] }
            : { to: s.to, value: s.value, ...(s.error ? { error: s.error } : {}) },
        ),
      }),
    );

  it('the books balance, stay in order and agree with the graph', () => {
    fc.assert(
      fc.property(anyCall, (call) => {
        const tx = canonicalize(rawTransaction(call));
        const flow = buildValueFlow(tx, NO_RULES);
        const sums = new Map<string, bigint>();
        for (const ledger of flow.ledgers.values())
          for (const [asset, { inflow, outflow }] of ledger)
            sums.set(asset, (sums.get(asset) ?? 0n) + inflow - outflow);
        expect([...sums.values()].every((sum) => sum === 0n)).toBe(true);
        expect([...sums.keys()].sort()).toEqual([...flow.assets.keys()].sort());
        for (const [i, m] of flow.movements.entries()) {
          expect(m.index).toBe(i);
          expect(m.amount > 0n && m.from !== m.to && (i === 0 || flow.movements[i - 1]!.seq <= m.seq)).toBe(
            true,
          );
          expect(flow.graph().extremities(`m${i}`)).toEqual([m.from, m.to]);
          expect(flow.outgoing.get(m.from)).toContain(i);
          expect(flow.incoming.get(m.to)).toContain(i);
        }
        expect(flow.graph().size).toBe(flow.movements.length);
        expect(flow.graph().order).toBe(flow.ledgers.size);
        // Every log is accounted for, once or as the parts of a batch.
        const spoken = new Set([...flow.movements, ...flow.nonEconomic].map(({ evidence }) => evidence.log));
        for (const log of tx.logs)
          if (log.topics[0] !== TRANSFER_BATCH) expect(spoken.has(log.index)).toBe(true);
        const again = buildValueFlow(tx, NO_RULES);
        expect(again.graph().export()).toEqual(flow.graph().export());
        expect({ ...again, graph: null }).toEqual({ ...flow, graph: null });
      }),
      { numRuns: 300 },
    );
  });
});

describe('a transfer between two reads of the receiver by the transaction', () => {
  const C = address('cc');
  const read = (who: string, balance: number, ...steps: (Call | Emit)[]): Call => ({
    type: 'STATICCALL',
    to: TOKEN,
    input: `0x70a08231${word(who)}`,
    output: `0x${word(balance)}`,
    steps,
  });
  /** `transferFrom(A, B, 100)`, during which the token does this. */
  const pays = (...steps: (Call | Emit)[]): Call => ({
    to: TOKEN,
    input: `0x23b872dd${word(A)}${word(B)}${word(100)}`,
    steps,
  });
  const pair = { to: address('b0') };

  it.each<[string, [string, string, bigint][], (Call | Emit)[]]>([
    [
      'arrives by as much as the balance rose, and the token has the rest',
      [
        [A, B, 96n],
        [A, TOKEN, 4n],
      ],
      [read(B, 7), pays(transfer(A, B, 100)), read(B, 103)],
    ],
    [
      'arrives by as much as the balance rose, beside a tax that the token logs',
      [
        [A, TOKEN, 4n],
        [A, B, 96n],
      ],
      [read(B, 7), pays(transfer(A, TOKEN, 4), transfer(A, B, 100)), read(B, 103)],
    ],
    [
      'counts as logged where the balance rose by that',
      [[A, B, 100n]],
      [read(B, 7), pays(transfer(A, B, 100)), read(B, 107)],
    ],
    [
      'counts as logged where the balance rose by more',
      [[A, B, 100n]],
      [read(B, 7), pays(transfer(A, B, 100)), read(B, 120)],
    ],
    [
      'counts as logged where the token was read while it moved',
      [[A, B, 100n]],
      [read(B, 7), pays(transfer(A, B, 100), { ...pair, steps: [read(B, 103)] }), read(B, 107)],
    ],
    [
      'counts as logged beside another of the account',
      [
        [A, B, 100n],
        [B, C, 4n],
      ],
      [read(B, 7), pays(transfer(A, B, 100)), { to: TOKEN, steps: [transfer(B, C, 4)] }, read(B, 103)],
    ],
    [
      'counts as logged where no call asked for it',
      [[A, B, 100n]],
      [read(B, 7), { to: TOKEN, steps: [transfer(A, B, 100)] }, read(B, 103)],
    ],
    [
      'counts as logged where another account was read',
      [[A, B, 100n]],
      [read(C, 7), pays(transfer(A, B, 100)), read(C, 103)],
    ],
  ])('%s', (_, expected, steps) => {
    for (const dialect of ['call_tracer', 'parity'] as const) {
      const { movements } = buildValueFlow(canonicalize(rawTransaction({ steps }, dialect)), NO_RULES);
      expect(movements.map(({ from, to, amount }) => [from, to, amount])).toEqual(expected);
    }
  });
});
