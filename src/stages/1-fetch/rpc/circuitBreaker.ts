import type { UpstreamFault } from './upstreamFault.ts';

/** Failures in a row after which a node is left alone. */
const THRESHOLD = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;
/** After a single failure other nodes are asked first for this long. */
const SUSPECT_MS = 10_000;
/** A node this slow on average: beyond `SLOW_AT_ONCE` requests, others are asked first. */
const SLOW_MS = 2_000;
const SLOW_AT_ONCE = 4;
/** Weight of the latest request in the average. */
const LATEST = 0.2;
/** How soon to look again while another request tries the node. */
const TRIAL_POLL_MS = 100;

/** Faults that say something about the node's health, not about the request. */
const UNHEALTHY: ReadonlySet<string> = new Set(['upstream_unreachable', 'upstream_timeout', 'upstream_http']);

/**
 * Circuit breaker of one node, shared by all analyses: after several failures in a row it opens and no
 * request waits for the node. When the pause is over one request tries it (half-open); success closes it,
 * failure doubles the pause. A slow node keeps its place in the order but gets few requests at once, so that
 * those waiting for it leave places to requests that another node answers.
 */
export class CircuitBreaker {
  #failures = 0;
  #openUntil = 0;
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
    return this.#failures >= THRESHOLD;
  }

  /** Whether a healthy node should be asked before this one. */
  suspect(now: number): boolean {
    return now < this.#suspectUntil || this.#isCrowded(now);
  }

  #isCrowded(now: number): boolean {
    if (this.#inFlight.size < SLOW_AT_ONCE) return false;
    const [oldest] = this.#inFlight.values();
    return Math.max(this.#averageMs, now - oldest!) >= SLOW_MS;
  }

  /** Earliest `performance.now()` at which the node may be asked. */
  availableAt(now: number): number {
    if (!this.open) return 0;
    return this.#trial ? now + TRIAL_POLL_MS : this.#openUntil;
  }

  /** Runs one attempt and learns from its outcome; the caller has checked `availableAt`. */
  async watch<T>(attempt: () => Promise<T>): Promise<T> {
    const isTrial = this.open;
    const startedAt = performance.now();
    if (isTrial) this.#trial = true;
    const request = Symbol();
    this.#inFlight.set(request, startedAt);
    try {
      const value = await attempt();
      this.#close();
      return value;
    } catch (error) {
      this.#note(error as Error, startedAt);
      throw error;
    } finally {
      if (isTrial) this.#trial = false;
      this.#inFlight.delete(request);
      this.#averageMs += LATEST * (performance.now() - startedAt - this.#averageMs);
    }
  }

  #close(): void {
    this.#succeededAt = performance.now();
    this.#failures = 0;
    this.#suspectUntil = 0;
    this.#pause = FIRST_PAUSE_MS;
    this.lastFault = null;
  }

  /** Concurrent hanging requests time out together: only failures begun after the last success count. */
  #note(error: Error & { code?: unknown }, startedAt: number): void {
    if (typeof error.code !== 'string') return;
    if (!UNHEALTHY.has(error.code)) return;
    this.lastFault = error as UpstreamFault;
    const wasOpen = this.open;
    if (startedAt >= this.#succeededAt) this.#failures++;
    this.#suspectUntil = performance.now() + SUSPECT_MS;
    if (!this.open) return;
    if (wasOpen) this.#pause = Math.min(LONGEST_PAUSE_MS, 2 * this.#pause);
    this.#openUntil = performance.now() + this.#pause;
  }
}
