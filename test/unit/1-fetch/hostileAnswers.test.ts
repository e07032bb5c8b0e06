import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnalysisError } from '../../../src/lib/errors.ts';
import { newCapabilities } from '../../../src/stages/1-fetch/rpc/chooseTrace.ts';
import { CircuitBreaker } from '../../../src/stages/1-fetch/rpc/circuitBreaker.ts';
import { fetchContext } from '../../../src/stages/1-fetch/context/fetchContext.ts';
import { fetchTransaction } from '../../../src/stages/1-fetch/fetchTransaction.ts';
import { canonicalize } from '../../../src/stages/2-canonical/canonicalize.ts';
import { planContext } from '../../../src/stages/1-fetch/context/planContext.ts';
import {
  readBatch,
  readSingle,
  type RpcAnswer,
  type RpcCall,
} from '../../../src/stages/1-fetch/rpc/rpcMessages.ts';
import { VOCABULARY } from '../../support/fetchAnalyze.ts';
import { HASH, sampleHandlers, sampleTransaction } from '../../support/sampleTransaction.ts';
import type { Handler } from '../../support/fakeNode.ts';
import type { RpcEndpoint } from '../../../src/stages/1-fetch/rpc/rpcEndpoint.ts';
import type { Session } from '../../../src/stages/1-fetch/rpc/session.ts';

const junk = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom('0x', '0x0', `0x${'f'.repeat(64)}`, `0x${'0'.repeat(40)}`, -1, 1e300, '0xzz', '__proto__'),
  fc.bigInt({ min: 0n, max: 2n ** 256n }).map((n) => `0x${n.toString(16)}`),
);

/** Replaces one value somewhere inside a JSON value. */
function mutate(value: unknown, path: readonly number[], replacement: unknown): unknown {
  if (path.length === 0 || typeof value !== 'object' || value === null) return replacement;
  const keys = Object.keys(value);
  if (keys.length === 0) return replacement;
  const key = keys[path[0]! % keys.length]!;
  const changed = mutate((value as Record<string, unknown>)[key], path.slice(1), replacement);
  if (Array.isArray(value)) return value.map((item: unknown, i) => (String(i) === key ? changed : item));
  return { ...value, [key]: changed };
}

/** A session with one node in memory that answers once, with one value changed. */
function sessionWith(change: (method: string, answer: RpcAnswer) => RpcAnswer): Session {
  const handlers: Record<string, Handler> = {
    eth_chainId: () => '0x1',
    ...sampleHandlers(sampleTransaction()),
  };
  const endpoint: RpcEndpoint = {
    name: 'upstream-1',
    capabilities: newCapabilities(),
    breaker: new CircuitBreaker(),
    send: (calls: readonly RpcCall[]) =>
      Promise.resolve(
        calls.map(({ method, params }) =>
          change(method, { ok: true, result: handlers[method]!(params) ?? null }),
        ),
      ),
  };
  return {
    signal: new AbortController().signal,
    timeLeft: () => 1_000,
    onCall: () => {},
    traceEndpoint: null,
    ask: (attempt) => attempt(endpoint),
  };
}

const METHODS = [
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'debug_traceTransaction',
  'trace_transaction',
  'eth_getBlockByNumber',
  'eth_call',
  'eth_getCode',
  'eth_getTransactionCount',
  'eth_chainId',
];

describe('hostile answers', () => {
  it('end in a report or an AnalysisError, never in anything else', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...METHODS),
        fc.array(fc.nat(20), { maxLength: 4 }),
        junk,
        fc.boolean(),
        async (victim, path, value, fails) => {
          const session = sessionWith((method, answer) => {
            if (method !== victim || !answer.ok) return answer;
            return fails
              ? { ok: false, error: { code: path[0] ?? -32000, message: JSON.stringify(value) } }
              : { ok: true, result: mutate(answer.result, path, value) };
          });
          try {
            const raw = await fetchTransaction(session, HASH);
            await fetchContext(session, planContext(canonicalize(raw), raw, VOCABULARY, 10));
          } catch (error) {
            expect(error).toBeInstanceOf(AnalysisError);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('of any JSON in place of a response are refused or read', () => {
    const requests = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'eth_chainId', params: [] }) as const);
    const nearly = fc.record(
      { id: fc.oneof(fc.constantFrom(1, 2), fc.jsonValue()), result: fc.jsonValue(), error: fc.jsonValue() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), nearly, fc.array(nearly, { maxLength: 3 })), (body) => {
        for (const read of [() => readBatch(requests, body), () => [readSingle(requests[0]!, body)]]) {
          try {
            for (const answer of read()) expect(typeof answer.ok).toBe('boolean');
          } catch (error) {
            expect(error).toBeInstanceOf(AnalysisError);
          }
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
