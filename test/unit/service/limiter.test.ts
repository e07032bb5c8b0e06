import { setMaxListeners } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AnalysisError } from '../../../src/lib/errors.ts';
import { createLimiter, type Limiter } from '../../../src/service/http/limiter.ts';

const never = new AbortController().signal;
// Each waiting task adds one.
setMaxListeners(0, never);
afterEach(() => void vi.useRealTimers());

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Tasks by name that end when told; `started` in the order they got their place. */
function tasks(limiter: Limiter) {
  const started: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const start = (client: string, hash: string): Promise<string> => {
    const name = `${client}:${hash}`;
    const task = (): Promise<string> =>
      new Promise((resolve, reject) => {
        started.push(name);
        ends.set(name, (error) => (error ? reject(error) : resolve(name)));
      });
    const done = limiter.run(task, never, { client, hash });
    done.catch(() => {});
    return done;
  };
  const end = async (name: string, error?: Error): Promise<void> => {
    await settled();
    ends.get(name)!(error);
    await settled();
  };
  return { started, start, end };
}

describe('places', () => {
  it('of one hash are two, of one client three quarters', async () => {
    const limiter = createLimiter({ maxConcurrency: 8, maxQueue: 8 });
    const { start, started } = tasks(limiter);
    for (let i = 0; i < 4; i++) void start('a', 'same');
    await settled();
    expect(started).toEqual(['a:same', 'a:same']);
    for (let i = 0; i < 6; i++) void start('a', `h${i}`);
    expect(limiter.running).toBe(6);
    void start('b', 'h0');
    expect(limiter.running).toBe(7);
    // Half of the queue is for one hash.
    for (let i = 0; i < 4; i++) void start('c', 'same');
    expect(limiter.waiting).toBe(6);
  });

  it('that come free go to the client with the fewest', async () => {
    const limiter = createLimiter({ maxConcurrency: 4, maxQueue: 8 });
    const { start, started, end } = tasks(limiter);
    for (const hash of ['1', '2', '3', '4', '5']) void start('a', hash);
    void start('b', '1');
    void start('c', '2');
    await settled();
    expect(started).toEqual(['a:1', 'a:2', 'a:3', 'b:1']);
    await end('a:1');
    expect(started.at(-1)).toBe('c:2');
    await end('b:1');
    expect(started.at(-1)).toBe('a:4');
  });

  it('of a full queue are taken from the client with the most', async () => {
    const limiter = createLimiter({ maxConcurrency: 1, maxQueue: 3 });
    const { start } = tasks(limiter);
    const all = ['0', '1', '2', '3'].map((hash) => start('a', hash));
    expect(limiter.isFull('a')).toBe(true);
    expect(limiter.isFull('b')).toBe(false);
    const other = start('b', '9');
    await expect(all[3]).rejects.toMatchObject({ code: 'overloaded', retryAfterS: 1 });
    expect(limiter.waiting).toBe(3);
    await expect(start('a', '4')).rejects.toMatchObject({ code: 'overloaded' });
    expect(await Promise.race([other, Promise.resolve('waits')])).toBe('waits');
  });

  it('of a transaction that ran out of time are one, for a minute', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const limiter = createLimiter({ maxConcurrency: 8, maxQueue: 8 });
    const { start, started, end } = tasks(limiter);
    void start('a', 'x');
    await end('a:x', new AnalysisError('upstream_timeout'));
    expect(limiter.isSlow('x')).toBe(true);
    void start('a', 'x');
    void start('b', 'x');
    await settled();
    expect(started).toEqual(['a:x', 'a:x']);
    vi.advanceTimersByTime(60_001);
    expect(limiter.isSlow('x')).toBe(false);
    for (let i = 0; i < 1_001; i++) {
      const hash = `h${i}`;
      void start('c', hash);
      await end(`c:${hash}`, new AnalysisError('deadline'));
    }
    expect([limiter.isSlow('h0'), limiter.isSlow('h1')]).toEqual([false, true]);
  });

  it('are free for others while a task rests', async () => {
    const limiter = createLimiter({ maxConcurrency: 1, maxQueue: 0 });
    let wake!: () => void;
    const resting = limiter.run(
      (rest) => rest(() => new Promise((resolve) => (wake = resolve))).then(() => 'rested'),
      never,
      { client: 'a', hash: '1' },
    );
    await settled();
    expect(limiter.running).toBe(0);
    const { start, end } = tasks(limiter);
    void start('b', '2');
    wake();
    const closed = limiter.close();
    expect(await Promise.race([resting, new Promise((resolve) => setTimeout(resolve, 20, 'waits'))])).toBe(
      'waits',
    );
    await end('b:2');
    expect(await resting).toBe('rested');
    await closed;
    expect(limiter.refusal().code).toBe('stopping');
  });
});
