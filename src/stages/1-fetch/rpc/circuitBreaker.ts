import type { UpstreamFault } from './upstreamFault.ts';

/** Different analyses that must fail in a row before a node is left alone. */
const THRESHOLD = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;
/** After a failure other nodes are asked first for this long. */
const SUSPECT_MS = 10_000;
/** A node this slow on average: beyond `SLOW_AT_ONCE` requests, others are asked first. */
const SLOW_MS = 2_000;
const SLOW_AT_ONCE = 4;
/** Weight of the latest request in the average. */
const LATEST = 0.2;
/** How soon to look again while a trial runs. */
const TRIAL_POLL_MS = 25;

/** Faults that may say something about the node's health. */
const UNHEALTHY: ReadonlySet<string> = new Set(['upstream_unreachable', 'upstream_timeout', 'upstream_http']);

/**
 * Circuit breaker of one node, shared by all analyses. It opens when several different analyses in a row
 * failed: one transaction that a node cannot trace says nothing of the node. An open node is tried by a cheap
 * call, at once and after pauses that double; no analysis is put at stake. After a failure other nodes are
 * asked first. cockatiel and opossum count calls, not analyses, and their trial is the next call of any kind.
 */
export class CircuitBreaker {
  /** Analyses that failed since the last success; no more than `THRESHOLD`. */
  readonly #failed = new Set<unknown>();
  #openUntil = 0;
  /** 0: not suspect. */
  #suspectUntil = 0;
  #pause = FIRST_PAUSE_MS;
  #trial = false;
  #succeededAt = -Infinity;
  #averageMs = 0;
  /** Starts of the requests in flight, oldest first. */
  readonly #inFlight = new Map<symbol, number>();
  /** The last failure, for requests that run out of time before the node may be asked. */
  lastFault: UpstreamFault | null = null;

  get open(): boolean {
    return this.#failed.size >= THRESHOLD;
  }

  /** Whether a healthy node should be asked before this one. */
  suspect(now: number): boolean {
    if (this.#suspectUntil > 0 && (now < this.#suspectUntil || this.#inFlight.size > 0)) return true;
    if (this.#inFlight.size < SLOW_AT_ONCE) return false;
    const [oldest] = this.#inFlight.values();
    return Math.max(this.#averageMs, now - oldest!) >= SLOW_MS;
  }

  /** Earliest `performance.now()` at which an analysis may ask the node. */
  availableAt(now: number): number {
    if (!this.open) return 0;
    return Math.max(this.#openUntil, now + TRIAL_POLL_MS);
  }

  /** Tries an open node by a cheap call, unless it is too early or a trial runs. Never rejects. */
  async tryOut(cheapCall: () => Promise<unknown>): Promise<void> {
    if (!this.open || this.#trial || performance.now() < this.#openUntil) return;
    this.#trial = true;
    try {
      await cheapCall();
      this.#failed.clear();
      this.#pause = FIRST_PAUSE_MS;
    } catch {
      this.#openUntil = performance.now() + this.#pause;
      this.#pause = Math.min(LONGEST_PAUSE_MS, 2 * this.#pause);
    } finally {
      this.#trial = false;
    }
  }

  /** Runs one attempt and learns from its outcome. `analysis`: equal for all attempts of one transaction. */
  async watch<T>(analysis: unknown, attempt: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const request = Symbol();
    this.#inFlight.set(request, startedAt);
    try {
      const value = await attempt();
      this.#succeededAt = performance.now();
      this.#failed.clear();
      this.#suspectUntil = 0;
      this.#pause = FIRST_PAUSE_MS;
      this.lastFault = null;
      return value;
    } catch (error) {
      this.#note(error as Error, analysis, startedAt);
      throw error;
    } finally {
      this.#inFlight.delete(request);
      this.#averageMs += LATEST * (performance.now() - startedAt - this.#averageMs);
    }
  }

  /** Concurrent hanging requests time out together: only failures begun after the last success count. */
  #note(error: Error & { code?: unknown }, analysis: unknown, startedAt: number): void {
    if (typeof error.code !== 'string' || !UNHEALTHY.has(error.code)) return;
    this.lastFault = error as UpstreamFault;
    this.#suspectUntil = performance.now() + SUSPECT_MS;
    if (startedAt >= this.#succeededAt && !this.open) this.#failed.add(analysis);
  }
}
