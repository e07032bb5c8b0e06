import { expect, it } from 'vitest';
import { wordOf } from '../../../src/evm/hex.ts';
import { buildValueFlow } from '../../../src/stages/3-flow/buildValueFlow.ts';
import { findSuspects } from '../../../src/value/suspectTokens.ts';
import { account, rawContext, rulebook, SIGNER, txOf, log } from '../../support/builders.ts';
import type { TokenCallSpec } from '../../../src/model/rulebook.ts';
import type { Address, Hash, Hex } from '../../../src/model/hex.ts';

const [ROUTER, TOKEN, VICTIM] = [account('c0'), account('70'), account('d0')];
const TRANSFER: Hash = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const topic = (address: Address): Hash => `0x${address.slice(2).padStart(64, '0')}`;
const data = (amount: bigint): Hex => `0x${wordOf(amount)}`;

// Quadratic work on the calls of one token took minutes: a few seconds are far from both.
it('finds the one movement out of 40,000 that no call explains, in seconds', { timeout: 20_000 }, () => {
  const size = 40_000;
  const recipient = (i: number): Address => `0x${(0xb0b0000 + i).toString(16).padStart(40, '0')}`;
  const calls = Array.from({ length: size }, (_, i) => {
    const input: Hex = `0xa9059cbb${topic(recipient(i)).slice(2)}${wordOf(BigInt(i + 1))}`;
    return { call: { from: ROUTER, to: TOKEN, input } };
  });
  const at = (i: number) => ({
    logIndex: i,
    index: i,
    address: TOKEN,
    frame: i + 1,
    within: i + 1,
    seq: i + 1,
  });
  const logs = calls.map((_, i) =>
    log({ ...at(i), topics: [TRANSFER, topic(ROUTER), topic(recipient(i))], data: data(BigInt(i + 1)) }),
  );
  logs.push(
    log({
      ...at(size),
      frame: 7,
      within: 7,
      topics: [TRANSFER, topic(VICTIM), topic(SIGNER)],
      data: data(5n),
    }),
  );
  const tx = { ...txOf(calls, { to: ROUTER }), logs };
  const none = { holder: null, spender: null, token: null, id: null, approved: null };
  const book = {
    ...rulebook(),
    tokenCalls: new Map<Hex, TokenCallSpec>([['0xa9059cbb', { ...none, to: 0, amount: 32 }]]),
  };
  const flow = buildValueFlow(tx, book);
  expect(flow.movements).toHaveLength(size + 1);
  expect([...findSuspects(tx, flow, rawContext(), book).unasked]).toEqual([
    flow.movements.find(({ from }) => from === VICTIM)!.index,
  ]);
});

// A node may say that the keeper of allowances itself sent the transaction: its call has none above it.
it('explains no movement by a call that a lying node lets the keeper of allowances send', () => {
  const input: Hex = `0x23b872dd${topic(VICTIM).slice(2)}${topic(ROUTER).slice(2)}${wordOf(5n)}`;
  const topics = [TRANSFER, topic(VICTIM), topic(ROUTER)];
  const book = {
    ...rulebook({ entities: { [SIGNER]: ['permit'] } }),
    tokenCalls: new Map<Hex, TokenCallSpec>([
      ['0x23b872dd', { holder: 0, to: 32, amount: 64, spender: null, token: null, id: null, approved: null }],
    ]),
  };
  const tx = {
    ...txOf([], { to: TOKEN, input }),
    logs: [log({ address: TOKEN, within: 0, topics, data: data(5n) })],
  };
  const flow = buildValueFlow(tx, book);
  expect([...findSuspects(tx, flow, rawContext(), book).unasked]).toEqual([0]);
});
