import { AnalysisError } from '../../lib/errors.ts';
import { groupBy } from '../../lib/lists.ts';

/** Client and transaction of an analysis: neither may have all places. */
interface PlaceOf {
  /** The client's network address. */
  readonly client: string;
  readonly hash: string;
}

/**
 * Gives the place back during `wait` and takes one again before it resolves; of several at once the first.
 */
type Rest = (wait: () => Promise<void>) => Promise<void>;

export type Limiter = ReturnType<typeof createLimiter>;

/** Places of one transaction: more of the same answer do not help. */
const PER_HASH = 2;
/** Weight of the latest task in the average duration. */
const LATEST = 0.1;
const LONGEST_RETRY_S = 30;

/** A task, running or waiting. */
interface Place {
  readonly of: PlaceOf | undefined;
}

interface Waiting extends Place {
  readonly enter: () => void;
  readonly refuse: () => void;
}

/**
 * Admits a bounded number of tasks at once and lets a bounded number wait. A free place goes to the client
 * with the fewest running, the last place of a full queue comes from the one with the most waiting. p-queue
 * gives a place away when a task's signal aborts; here the task keeps it to its end.
 */
export function createLimiter({ maxConcurrency, maxQueue }: { maxConcurrency: number; maxQueue: number }) {
  // A quarter of the places is left to other clients, half of the queue to other transactions.
  const perClient = maxConcurrency - Math.floor(maxConcurrency / 4);
  const waitingPerHash = Math.ceil(maxQueue / 2);
  const slow = createSlowHashes();
  const running = new Set<Place>();
  const queue = new Set<Waiting>();
  const idle: (() => void)[] = [];
  let pending = 0;
  let closed = false;
  let averageMs = 0;

  const count = (places: Iterable<Place>, key: keyof PlaceOf, value: string): number => {
    let found = 0;
    for (const { of } of places) if (of?.[key] === value) found++;
    return found;
  };

  function mayStart(of: PlaceOf | undefined): boolean {
    if (running.size >= maxConcurrency) return false;
    if (!of) return true;
    return (
      count(running, 'client', of.client) < perClient &&
      count(running, 'hash', of.hash) < (slow.has(of.hash) ? 1 : PER_HASH)
    );
  }

  /** Why a task is refused now, and when to come back. */
  function refusal(): AnalysisError {
    if (closed) return new AnalysisError('stopping');
    const seconds = (averageMs * (queue.size + 1)) / maxConcurrency / 1_000;
    return new AnalysisError('overloaded', null, {
      retryAfterS: Math.min(LONGEST_RETRY_S, Math.max(1, Math.ceil(seconds))),
    });
  }

  /** The last to wait of the client with the most waiting, where that is more than `client` would have. */
  function displaceable(client: string | undefined): Waiting | undefined {
    const waiting = groupBy(queue, ({ of }) => of?.client);
    const [most = []] = [...waiting.values()].sort((a, b) => b.length - a.length);
    return most.length > (waiting.get(client)?.length ?? 0) + 1 ? most.at(-1) : undefined;
  }

  function place(signal: AbortSignal, of: PlaceOf | undefined, bounded: boolean): Promise<Place> {
    const one = { of };
    if (mayStart(of)) return Promise.resolve(running.add(one) && one);
    if (bounded) {
      if (of && count(queue, 'hash', of.hash) >= waitingPerHash) return Promise.reject(refusal());
      const last = queue.size >= maxQueue ? displaceable(of?.client) : null;
      if (last === undefined) return Promise.reject(refusal());
      last?.refuse();
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        signal.removeEventListener('abort', onAbort);
        queue.delete(waiting);
      };
      const onAbort = (): void => (leave(), reject(signal.reason as Error));
      const waiting: Waiting = {
        of,
        enter: () => (leave(), running.add(one), resolve(one)),
        refuse: () => (leave(), reject(refusal())),
      };
      queue.add(waiting);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Gives a free place to the client with the fewest running. */
  function release(one: Place): void {
    running.delete(one);
    for (;;) {
      let next: Waiting | null = null;
      let fewest = Infinity;
      for (const waiting of queue) {
        const { of } = waiting;
        if (!mayStart(of)) continue;
        const own = of ? count(running, 'client', of.client) : 0;
        if (own < fewest) [next, fewest] = [waiting, own];
      }
      if (!next) return;
      next.enter();
    }
  }

  return {
    get running() {
      return running.size;
    },
    get waiting() {
      return queue.size;
    },
    /** Whether any task of the client would be refused at once. */
    isFull(client: string): boolean {
      if (closed) return true;
      if (queue.size < maxQueue) return false;
      const free = running.size < maxConcurrency && count(running, 'client', client) < perClient;
      return !free && displaceable(client) === undefined;
    },
    refusal,
    /** Whether an analysis of the transaction just ran out of time: it is tried once, one at a time. */
    isSlow: (hash: string): boolean => slow.has(hash),
    /** Runs `task` when there is a place; rejects with `refusal()` at once, or with the signal's reason. */
    async run<T>(task: (rest: Rest) => Promise<T>, signal: AbortSignal, of?: PlaceOf): Promise<T> {
      if (closed) throw refusal();
      signal.throwIfAborted();
      pending++;
      let held: Place | null = null;
      let ended = false;
      const start = performance.now();
      try {
        held = await place(signal, of, true);
        return await task(async (wait) => {
          if (!held) return wait();
          release(held);
          held = null;
          await wait();
          const again = await place(signal, of, false);
          if (ended) release(again);
          else held = again;
        });
      } catch (error) {
        if (of) slow.note(of.hash, error);
        throw error;
      } finally {
        ended = true;
        if (held) {
          averageMs += LATEST * (performance.now() - start - averageMs);
          release(held);
        }
        if (--pending === 0) for (const resolve of idle.splice(0)) resolve();
      }
    },
    /** Admits nothing more; resolves when running and waiting work is done. */
    close(): Promise<void> {
      closed = true;
      return pending === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve));
    },
  };
}

/** How long a transaction that ran out of time is remembered, and how many are. */
const REMEMBERED_MS = 60_000;
const MOST = 1_000;
const OUT_OF_TIME: ReadonlySet<string> = new Set(['deadline', 'upstream_timeout']);

/** Transactions that just ran out of time, oldest first. */
function createSlowHashes() {
  const until = new Map<string, number>();
  return {
    has(hash: string): boolean {
      return (until.get(hash) ?? 0) > performance.now();
    },
    /** Remembers the transaction where the failure means that time ran out. */
    note(hash: string, error: unknown): void {
      if (!(error instanceof AnalysisError) || !OUT_OF_TIME.has(error.code)) return;
      until.delete(hash);
      until.set(hash, performance.now() + REMEMBERED_MS);
      const [oldest] = until.keys();
      if (until.size > MOST) until.delete(oldest!);
    },
  };
}
