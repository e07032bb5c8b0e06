import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { AnalysisError } from '../../../lib/errors.ts';
import { readUnread } from './largeAnswer.ts';
import { UpstreamFault } from './upstreamFault.ts';
import type { CallScope, RpcEndpoint } from './rpcEndpoint.ts';
import type { ContextPlan } from '../context/planContext.ts';
import type { ViewCall } from '../context/multicall.ts';
import type { Address, Hex } from '../../../model/hex.ts';
import type { UnreadAnswer, UpstreamCallEvent } from '../../../model/upstream.ts';

export interface SessionOptions {
  /** Aborts every upstream request of the analysis: the client went away, or the service stops. */
  readonly signal: AbortSignal;
  /** `performance.now()` at which the analysis must have answered; default: now + the upstream's `deadlineMs`. */
  readonly deadlineAt?: number;
  readonly onCall?: (event: UpstreamCallEvent) => void;
  /** From this size on an answer is thrown as `LargeAnswer`, to be read on another thread; left out: never. */
  readonly largeBytes?: number;
  /** Such an answer of another thread, with which this session goes on. */
  readonly resume?: UnreadAnswer;
}

/** What contracts and accounts answered in the state at the end of a block. */
export interface BlockState {
  /** The header, and its time in Unix seconds. */
  readonly block: unknown;
  readonly timestamp: number;
  /** One per read; null where the contract did not answer. */
  readonly answers: readonly (Hex | null)[];
  readonly delegations: ReadonlyMap<Address, Address>;
}
export type ReadState = (plan: ContextPlan, reads: readonly ViewCall[]) => Promise<BlockState>;

/** One analysis's dealings with the upstream: its deadline, its signal, and the node that answered it so far. */
export interface Session extends CallScope {
  /** Endpoint for traces where that is not the node itself. */
  readonly traceEndpoint: RpcEndpoint | null;
  /** Runs `attempt` on one node after another until it succeeds; throws the AnalysisError that tells best why not. */
  ask<T>(attempt: (endpoint: RpcEndpoint) => Promise<T>): Promise<T>;
  /** Reads contracts in place of a request of its own; left out: each round of reads is one. */
  readonly readState?: ReadState;
}

export interface RetryPolicy {
  readonly retries: number;
  readonly deadlineMs: number;
}

const BACKOFF_FIRST_MS = 100;
const BACKOFF_MAX_MS = 2_000;
/** A node that could not be reached waits this long before it is anybody's first choice again. */
const REST_MS = 10_000;

export function openSession(
  endpoints: readonly RpcEndpoint[],
  traceEndpoint: RpcEndpoint | null,
  policy: RetryPolicy,
  restingUntil: Map<RpcEndpoint, number>,
  options: SessionOptions,
): Session {
  const { signal, onCall = () => {} } = options;
  const deadlineAt = options.deadlineAt ?? performance.now() + policy.deadlineMs;
  const timeLeft = (): number => deadlineAt - performance.now();
  let answeredLast: RpcEndpoint | null = null;
  // Every request in flight listens; a transaction of many tokens has more than Node's default, which it would call a leak.
  setMaxListeners(0, signal);

  /** Answers of one node belong together, so the one that answered stays first; nodes known to be down come last. */
  function order(): RpcEndpoint[] {
    const now = performance.now();
    const rank = (e: RpcEndpoint): number =>
      e === answeredLast ? -1 : (restingUntil.get(e) ?? 0) > now ? 1 : 0;
    return [...endpoints].sort((a, b) => rank(a) - rank(b));
  }

  async function ask<T>(attempt: (endpoint: RpcEndpoint) => Promise<T>): Promise<T> {
    const candidates = order().map((endpoint) => ({ endpoint, tries: 0, readyAt: 0, excluded: false }));
    let verdict: UpstreamFault | null = null;
    let last: AnalysisError | null = null;
    for (let tries = 0; tries < policy.retries + endpoints.length; tries++) {
      const open = candidates.filter((c) => !c.excluded);
      if (open.length === 0) break;
      // Fewest tries first: another node is better than the same again, and costs no waiting.
      const next = open.reduce((best, c) =>
        c.tries < best.tries || (c.tries === best.tries && c.readyAt < best.readyAt) ? c : best,
      );
      const wait = next.readyAt - performance.now();
      if (wait >= timeLeft()) break;
      if (wait > 0) await pause(wait, signal);
      if (signal.aborted) throw reasonOf(signal);
      if (timeLeft() <= 0) break;
      try {
        const value = await attempt(next.endpoint);
        answeredLast = next.endpoint;
        restingUntil.delete(next.endpoint);
        return value;
      } catch (error) {
        if (!(error instanceof UpstreamFault)) throw error;
        last = error;
        if (error.remedy === 'never') throw error;
        if (error.remedy === 'elsewhere') {
          next.excluded = true;
          verdict ??= error;
        }
        if (error.code === 'upstream_unreachable' || error.code === 'upstream_timeout')
          restingUntil.set(next.endpoint, performance.now() + REST_MS);
        // Full jitter, so that many analyses hit by one outage do not come back together.
        const backoff = Math.random() * Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** next.tries++);
        next.readyAt = performance.now() + Math.max(backoff, error.retryAfterMs);
      }
    }
    // What a working node said outweighs that another could not be reached.
    throw verdict ?? last ?? new AnalysisError('deadline');
  }

  let resume = options.resume ?? null;
  const resumed: CallScope['resumed'] = (endpoint, requests) => {
    if (resume?.upstream !== endpoint) return null;
    const answer = readUnread(resume, requests);
    resume = null;
    told = answer !== null;
    return answer;
  };
  // The request behind a resumed answer was told of where it was made.
  let told = false;
  const tell: CallScope['onCall'] = (event) => {
    if (!told) onCall(event);
    told = false;
  };

  return {
    signal,
    timeLeft,
    onCall: tell,
    traceEndpoint,
    ask,
    resumed,
    ...(options.largeBytes === undefined ? {} : { largeBytes: options.largeBytes }),
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    throw reasonOf(signal);
  }
}

function reasonOf(signal: AbortSignal): AnalysisError {
  return signal.reason instanceof AnalysisError ? signal.reason : new AnalysisError('internal', 'aborted');
}
