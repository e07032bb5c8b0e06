import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { AnalysisError } from '../../../lib/errors.ts';
import { reasonOf, UpstreamFault } from './upstreamFault.ts';
import type { CallScope, RpcEndpoint } from './rpcEndpoint.ts';
import type { UpstreamOptions } from './upstream.ts';
import { CHAIN_CALL, type RpcAnswer, type RpcCall } from './rpcMessages.ts';
import type { ContextPlan } from '../context/planContext.ts';
import type { ViewCall } from '../context/multicall.ts';
import type { ReadAnswer } from '../context/viewReads.ts';
import type { Address } from '../../../model/hex.ts';
import type { NonceSpan, UpstreamCallEvent } from '../../../model/upstream.ts';

export interface SessionOptions {
  /** The subject of the analysis: a node's failures on it count once; default: counts by itself. */
  readonly subject?: string;
  /** Aborts every upstream request of the analysis: the client went away, or the service stops. */
  readonly signal: AbortSignal;
  /** `performance.now()` of the analysis's deadline; default: now + the upstream's `deadlineMs`. */
  readonly deadlineAt?: number;
  readonly onCall?: ((event: UpstreamCallEvent) => void) | undefined;
  /** Ask each node once per round trip. */
  readonly once?: boolean | undefined;
  /** Runs a wait that a node's rate limit asks for; default: just waits. */
  readonly rest?: ((wait: () => Promise<void>) => Promise<void>) | undefined;
  /** Throw `LargeAnswer` for a larger answer; default: never. */
  readonly largeBytes?: number | undefined;
}

/** The answers of contracts and accounts in the state at the end of a block. */
export interface BlockState {
  /** The header, and its time in Unix seconds. */
  readonly block: unknown;
  readonly timestamp: number;
  /** One per read. */
  readonly answers: readonly ReadAnswer[];
  readonly delegations: ReadonlyMap<Address, Address>;
  /** Accounts that ran code which may have been other than at the block's end. */
  readonly redelegated: ReadonlySet<Address>;
  readonly nonces: ReadonlyMap<Address, NonceSpan>;
  /** Every node has pruned the state: only the header is known. */
  readonly stateless?: boolean;
}
export type ReadState = (plan: ContextPlan, reads: readonly ViewCall[]) => Promise<BlockState>;

/** One analysis's use of the upstream: its deadline, its signal, and the node that answered it so far. */
export interface Session extends CallScope {
  /** Endpoint for traces where that is not the node itself. */
  readonly traceEndpoint: RpcEndpoint | null;
  /** Runs `attempt` on one node after another; throws the most informative AnalysisError. */
  ask<T>(attempt: (endpoint: RpcEndpoint) => Promise<T>): Promise<T>;
  /** Reads contracts in place of a request of its own; left out: each round of reads is one. */
  readonly readState?: ReadState;
}

/** The nodes and how often to ask them; shared by all sessions. */
export interface NodePool {
  readonly endpoints: readonly RpcEndpoint[];
  readonly traceEndpoint: RpcEndpoint | null;
  readonly options: Pick<UpstreamOptions, 'rpcRetries' | 'deadlineMs'>;
}

const BACKOFF_FIRST_MS = 100;
const BACKOFF_MAX_MS = 2_000;
/** Waits before asking again for the unknown: a lagging node catches up within two seconds. */
const UNKNOWN_MS = [250, 600, 1_400];
/** The same for pruned state: another node behind the address may have it, and a report can do without. */
const PRUNED_MS = [100, 300];

/** A node as one round trip sees it. */
interface Candidate {
  readonly endpoint: RpcEndpoint;
  /** There is no other. */
  readonly only: boolean;
  tries: number;
  /** Answers that it does not know something. */
  unknown: number;
  /** `performance.now()` from which this round trip may ask it again. */
  readyAt: number;
  /** Another attempt at this node cannot help. */
  excluded: boolean;
}

export function openSession(
  { endpoints, traceEndpoint, options: pool }: NodePool,
  options: SessionOptions,
): Session {
  const { signal, onCall = () => {}, largeBytes, once = false, rest = (wait) => wait() } = options;
  const attempts = endpoints.length + (once ? 0 : pool.rpcRetries);
  const subject: unknown = options.subject ?? Symbol();
  const deadlineAt = options.deadlineAt ?? performance.now() + pool.deadlineMs;
  const timeLeft = (): number => deadlineAt - performance.now();
  let answeredLast: RpcEndpoint | null = null;
  // Each request in flight adds a listener; many tokens have more than Node's warning threshold.
  setMaxListeners(0, signal);

  /** In the configured order, but the node that answered first: answers of one node belong together. */
  function candidates(): Candidate[] {
    const isOther = (endpoint: RpcEndpoint): number => (endpoint === answeredLast ? 0 : 1);
    const only = endpoints.length === 1;
    const untried = { only, tries: 0, unknown: 0, readyAt: 0, excluded: false };
    const ordered = endpoints.toSorted((a, b) => isOther(a) - isOther(b));
    return ordered.map((endpoint) => ({ endpoint, ...untried }));
  }

  /** Tries nodes with an open circuit by a cheap call that belongs to no analysis. */
  function tryOpenNodes(): void {
    for (const { breaker, send } of endpoints)
      void breaker.tryOut(() => {
        const { signal: unlimited } = new AbortController();
        return send([CHAIN_CALL], { signal: unlimited, timeLeft: () => PING_MS, onCall });
      });
  }

  /** A wait that the node asked for, or that follows its ignorance, is long: others may have the place. */
  function waitFor(ms: number, after: UpstreamFault | null): Promise<void> {
    const long = after?.retry === 'later' || after?.code === 'upstream_rate_limited';
    const pause = async (): Promise<void> => {
      await sleep(ms, undefined, { signal }).catch(() => {
        throw reasonOf(signal);
      });
    };
    return long ? rest(pause) : pause();
  }

  async function ask<T>(attempt: (endpoint: RpcEndpoint) => Promise<T>): Promise<T> {
    const all = candidates();
    let verdict: UpstreamFault | null = null;
    let last: UpstreamFault | null = null;
    for (let tries = 0; tries < attempts; ) {
      tryOpenNodes();
      const next = nextOf(all);
      if (!next) break;
      const wait = availableAt(next) - performance.now();
      if (wait >= timeLeft()) {
        last ??= next.endpoint.breaker.lastFault;
        break;
      }
      if (wait > 0) {
        await waitFor(wait, last);
        continue;
      }
      if (signal.aborted) throw reasonOf(signal);
      if (timeLeft() <= 0) break;
      tries++;
      try {
        const value = await next.endpoint.breaker.watch(subject, () => attempt(next.endpoint));
        answeredLast = next.endpoint;
        return value;
      } catch (error) {
        if (!(error instanceof UpstreamFault) || error.retry === 'never') throw error;
        last = error;
        if (error.retry !== 'again') verdict ??= error;
        note(next, error);
      }
    }
    // The answer of a working node says more than another node's outage.
    throw verdict ?? last ?? new AnalysisError('deadline');
  }

  return { signal, timeLeft, onCall, traceEndpoint, ask, largeBytes };
}

/** Sends everything in one batch, or two at once where traces have a source of their own. */
export async function sendBoth(
  session: Session,
  endpoint: RpcEndpoint,
  own: readonly RpcCall[],
  traces: readonly RpcCall[],
): Promise<[own: RpcAnswer[], traces: RpcAnswer[]]> {
  const { traceEndpoint } = session;
  if (traceEndpoint && traces.length > 0)
    return Promise.all([endpoint.send(own, session), traceEndpoint.send(traces, session)]);
  const answers = await endpoint.send([...own, ...traces], session);
  return [answers.slice(0, own.length), answers.slice(own.length)];
}

/** The only node is asked once by every round trip, its circuit open or not: waiting would not help. */
function availableAt({ endpoint, readyAt, only, tries }: Candidate): number {
  if (only && tries === 0) return readyAt;
  return Math.max(readyAt, endpoint.breaker.availableAt(performance.now()));
}

const PING_MS = 2_000;

/** The node with the fewest tries among those ready, healthy first; otherwise the next to be ready. */
function nextOf(candidates: readonly Candidate[]): Candidate | undefined {
  const now = performance.now();
  const usable = candidates.filter(({ excluded }) => !excluded);
  if (usable.length < 2) return usable[0];
  const rank = (c: Candidate): readonly [number, number] => {
    const at = availableAt(c);
    return at <= now ? [0, c.tries + (c.endpoint.breaker.suspect(now) ? 0.5 : 0)] : [1, at];
  };
  const ranked = usable.map((candidate) => ({ candidate, rank: rank(candidate) }));
  return ranked.sort(({ rank: a }, { rank: b }) => a[0] - b[0] || a[1] - b[1])[0]?.candidate;
}

function note(candidate: Candidate, fault: UpstreamFault): void {
  if (fault.retry === 'elsewhere') candidate.excluded = true;
  if (fault.retry === 'later') {
    const waits = fault.code === 'state_unavailable' ? PRUNED_MS : UNKNOWN_MS;
    const wait = waits[candidate.unknown++];
    candidate.tries++;
    candidate.excluded = wait === undefined;
    candidate.readyAt = performance.now() + (wait ?? 0);
    return;
  }
  // Full jitter, so that many analyses hit by one outage do not come back together.
  const backoff = Math.random() * Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** candidate.tries++);
  candidate.readyAt = performance.now() + Math.max(backoff, fault.retryAfterMs);
}
