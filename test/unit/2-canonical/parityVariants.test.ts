// Answers as other clients write them, made from their sources and not run live:
// Nethermind, src/Nethermind/Nethermind.Evm/Tracing/ParityStyle/ParityTraceActionConverter.cs (reward, suicide, creationMethod);
// Besu, ethereum/api/…/jsonrpc/internal/response/RpcErrorType.java (error words); reth and execution-apis (code 4444).
import { describe, expect, it } from 'vitest';
import { faultOf, isStateMissing, isUnsupported } from '../../../src/stages/1-fetch/rpc/rpcMessages.ts';
import { PARITY } from '../../../src/traces/parity.ts';

const HASH = `0x${'ab'.repeat(32)}` as const;
const BLOCK = `0x${'cd'.repeat(32)}` as const;
const [A, B, C] = ['11', '22', '33'].map((byte) => `0x${byte.repeat(20)}`) as [string, string, string];
const TX = { hash: HASH, blockHash: BLOCK };

const entry = (traceAddress: number[], action: object, rest: object = {}): object => ({
  action,
  traceAddress,
  blockHash: BLOCK,
  transactionHash: HASH,
  ...rest,
});
const CALL = { callType: 'call', from: A, to: B, gas: '0x1', input: '0x', value: '0x1' };
const ROOT = entry([], CALL, { type: 'call', result: { gasUsed: '0x0', output: '0x' } });

describe('trace_transaction of other clients', () => {
  it('may hold the reward of the block', () => {
    const reward = {
      action: { author: C, rewardType: 'block', value: '0x1bc16d674ec80000' },
      blockHash: BLOCK,
      result: null,
      subtraces: 0,
      traceAddress: [],
      transactionHash: null,
      transactionPosition: null,
      type: 'reward',
    };
    const answer = [ROOT, reward];
    expect(PARITY.looksLike(answer)).toBe('trace');
    expect(PARITY.read(answer, TX)).toMatchObject([{ from: A, to: B }]);
  });

  it('may leave out the type of an entry', () => {
    const create = entry(
      [0],
      { from: B, gas: '0x1', init: '0x6000', value: '0x0' },
      {
        result: { address: C, code: '0x60', gasUsed: '0x0' },
      },
    );
    const end = entry([1], { address: B, balance: '0x5', refundAddress: A });
    const untyped = entry([], CALL, { result: { gasUsed: '0x0', output: '0x' } });
    expect(PARITY.read([untyped, create, end], TX)).toMatchObject([
      { type: 'CALL', from: A, to: B, value: 1n },
      { type: 'CREATE', from: B, to: C, input: '0x6000', output: '0x60' },
      { type: 'SELFDESTRUCT', from: B, to: A, value: 5n },
    ]);
  });

  it.each([{ type: 'create' }, { type: 'call' }, {}])('may name a creation by callType init: %j', (type) => {
    const init = { callType: 'init', from: B, gas: '0x1', input: '0x6001', value: '0x0' };
    const create = entry([0], init, { ...type, result: { address: C, code: '0x60', gasUsed: '0x0' } });
    expect(PARITY.read([ROOT, create], TX)[1]).toMatchObject({ type: 'CREATE', to: C, input: '0x6001' });
  });
});

describe('errors of other clients', () => {
  it.each([
    [-32000, 'World state unavailable'],
    [-32000, 'Block not found'],
    [4444, 'pruned history unavailable'],
    [4444, 'history is not kept'],
    [-32002, 'No state available for block 12345 (0xabcd)'],
    [-32000, 'missing trie node 0a1b (path ) state 0x0a1b is not available'],
    [-32000, 'required historical state unavailable (reexec=128)'],
    [-32000, 'state at block #1234 is pruned'],
  ])('%i %s: the state is missing', (code, message) => {
    expect(isStateMissing({ code, message })).toBe(true);
    expect(faultOf('a call', { code, message })).toMatchObject({
      code: 'state_unavailable',
      // A node that catches up has it a moment later.
      retry: 'later',
    });
  });

  it.each([
    [-32604, 'Method not enabled'],
    [-32601, 'Method not found'],
    [-32600, "The method 'trace_transaction' is found but the namespace 'trace' is disabled for this url."],
    [-32000, 'the method debug_traceTransaction does not exist/is not available'],
  ])('%i %s: the method is missing', (code, message) => {
    expect(isUnsupported({ code, message })).toBe(true);
  });
});
