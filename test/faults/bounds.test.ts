// Answers of a node that are made to exhaust memory or time, and a service that must start as a whole.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, symlinkSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AnalysisError } from '../../src/lib/errors.ts';
import { createLog } from '../../src/lib/log.ts';
import { readConfig } from '../../src/service/config.ts';
import { serve } from '../../src/service/server.ts';
import { CircuitBreaker } from '../../src/stages/1-fetch/rpc/circuitBreaker.ts';
import { createUpstream } from '../../src/stages/1-fetch/rpc/upstream.ts';
import { readJson } from '../../src/stages/1-fetch/rpc/rpcMessages.ts';
import { UpstreamFault } from '../../src/stages/1-fetch/rpc/upstreamFault.ts';
import { fetchTransaction } from '../../src/stages/1-fetch/fetchTransaction.ts';
import { LargeAnswer } from '../../src/stages/1-fetch/rpc/rpcEndpoint.ts';
import { loadRulebook } from '../../src/rules/compile/loadRulebook.ts';
import { watchRulebook } from '../../src/rules/read/watchRulebook.ts';
import { FACTS, SMALL, writeRuleset } from '../unit/rules/smallRuleset.ts';

const HASH = `0x${'11'.repeat(32)}` as const;
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function nodeThatSends(status: number, body: Buffer, gzip: boolean): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () =>
      response
        .writeHead(status, {
          'content-type': 'application/json',
          ...(gzip && { 'content-encoding': 'gzip' }),
        })
        .end(body),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => (server.closeAllConnections(), server.close()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** What fetching from such a node ends in; how long the event loop stood still, and how much memory was taken. */
async function attack(rpcUrl: string, largeBytes?: number) {
  const upstream = createUpstream({
    rpcUrls: [rpcUrl],
    rpcTimeoutMs: 10_000,
    rpcRetries: 0,
    deadlineMs: 15_000,
    maxResponseBytes: 67_108_864,
    rpcMaxBatch: 100,
  });
  closers.push(() => upstream.close());
  const before = process.memoryUsage().rss;
  let [stall, last, peak] = [0, performance.now(), before];
  const timer = setInterval(() => {
    const now = performance.now();
    stall = Math.max(stall, now - last - 5);
    last = now;
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 5);
  try {
    const session = upstream.open({
      signal: new AbortController().signal,
      ...(largeBytes && { largeBytes }),
    });
    const error = await fetchTransaction(session, HASH).then(
      () => null,
      (failure: Error) => failure,
    );
    return { error, stall, grown: peak - before };
  } finally {
    clearInterval(timer);
  }
}

const BOMBS: Record<string, Buffer> = {
  'empty lists': Buffer.from(`[${'[],'.repeat(19_000_000)}[]]`),
  'empty objects': Buffer.from(`[${'{},'.repeat(19_000_000)}{}]`),
  'nested lists': Buffer.from('['.repeat(50_000_000)),
  'nested objects': Buffer.from('{"a":'.repeat(10_000_000)),
  'one long text': Buffer.from(`"${'a'.repeat(60_000_000)}"`),
  spaces: Buffer.alloc(60_000_000, ' '),
  'over the limit': Buffer.alloc(200_000_000, '0'),
};

describe.each(Object.entries(BOMBS))('a compressed answer of %s', (_, bomb) => {
  const zipped = gzipSync(bomb, { level: 9 });

  it.each([200, 500, 429, 404])('with status %i is refused before it is parsed', async (status) => {
    const { error, stall, grown } = await attack(await nodeThatSends(status, zipped, true), 262_144);
    // A large answer with status 200 belongs to the analysis process, which the next test stands for.
    expect(error instanceof (status === 200 ? LargeAnswer : AnalysisError)).toBe(true);
    expect(stall).toBeLessThan(200);
    expect(grown).toBeLessThan(100_000_000);
  });
});

describe('a large answer in the analysis process', () => {
  it.each(['empty lists', 'empty objects', 'nested lists', 'nested objects'])(
    'of %s is never parsed',
    (name) => {
      const parse = vi.spyOn(JSON, 'parse');
      expect(() => readJson(BOMBS[name]!)).toThrow(/nested too deeply|too many values/);
      expect(parse).not.toHaveBeenCalled();
      parse.mockRestore();
    },
  );

  it('is read where it is one a trace may be', () => {
    const call = {
      type: 'CALL',
      input: '0x"\\'.padEnd(500, 'a'),
      calls: [],
      logs: [{ topics: ['0x', '0x'] }],
    };
    let nested: object = call;
    for (let i = 0; i < 1_024; i++) nested = { ...call, calls: [nested] };
    const answer = [{ id: 1, result: nested }, ...Array.from({ length: 2_000 }, () => call)];
    const body = Buffer.from(JSON.stringify(answer));
    expect(body.length).toBeGreaterThan(1_000_000);
    expect(readJson(body)).toEqual(answer);
  });
});

describe('the circuit of a node', () => {
  const fail = (): Promise<never> => Promise.reject(new UpstreamFault('upstream_timeout', 'again'));
  const works = (): Promise<void> => Promise.resolve();

  it('opens after five analyses failed in a row and closes when a cheap call succeeds', async () => {
    const breaker = new CircuitBreaker();
    for (let i = 0; i < 4; i++) await breaker.watch(i, fail).catch(() => {});
    await breaker.watch('other', works);
    for (let i = 0; i < 5; i++) {
      expect(breaker.open).toBe(false);
      await breaker.watch(i, fail).catch(() => {});
    }
    const now = performance.now();
    expect(breaker.open).toBe(true);
    expect(breaker.availableAt(now)).toBeGreaterThan(now);
    await breaker.tryOut(fail);
    expect(breaker.availableAt(now)).toBeGreaterThan(now + 900);
    let calls = 0;
    await breaker.tryOut(() => Promise.resolve(calls++));
    expect([calls, breaker.open]).toEqual([0, true]);
    vi.useFakeTimers({ toFake: ['performance'], now: Date.now() });
    try {
      vi.advanceTimersByTime(now + 2_000);
      await breaker.tryOut(() => Promise.resolve(calls++));
    } finally {
      vi.useRealTimers();
    }
    expect([calls, breaker.open, breaker.availableAt(now)]).toEqual([1, false, 0]);
  });

  it('counts the failures of one analysis once', async () => {
    const breaker = new CircuitBreaker();
    for (let i = 0; i < 50; i++) await breaker.watch(i % 4, fail).catch(() => {});
    expect(breaker.open).toBe(false);
    await breaker.watch('fifth', fail).catch(() => {});
    expect(breaker.open).toBe(true);
  });

  it('is asked after others until one analysis succeeded, one at a time', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const breaker = new CircuitBreaker();
      await breaker.watch(1, fail).catch(() => {});
      expect(breaker.suspect(performance.now())).toBe(true);
      vi.advanceTimersByTime(10_000);
      expect(breaker.suspect(performance.now())).toBe(false);
      let finish = (): void => {};
      const trying = breaker.watch(2, () => new Promise<void>((resolve) => (finish = resolve)));
      expect(breaker.suspect(performance.now())).toBe(true);
      finish();
      await trying;
      expect(breaker.suspect(performance.now())).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });

  it('sends a slow node few requests at once and leaves the rest to the others', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const breaker = new CircuitBreaker();
      const endless = (): Promise<never> => new Promise(() => {});
      for (let i = 0; i < 4; i++) void breaker.watch(i, endless);
      expect(breaker.suspect(performance.now())).toBe(false);
      vi.advanceTimersByTime(2_000);
      expect(breaker.suspect(performance.now())).toBe(true);
      expect([breaker.open, breaker.availableAt(performance.now())]).toEqual([false, 0]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('stays closed for failures that are not about the health of the node', async () => {
    const breaker = new CircuitBreaker();
    const missing = (): Promise<never> =>
      Promise.reject(new UpstreamFault('transaction_not_found', 'elsewhere'));
    for (let i = 0; i < 9; i++) await breaker.watch(i, missing).catch(() => {});
    expect(breaker.open).toBe(false);
  });
});

describe('a start', () => {
  it('with the admin port taken leaves nothing running', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    closers.push(() => taken.close());
    const free = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => free.once('listening', resolve));
    const { port } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    const config = {
      ...readConfig({ RPC_URL: 'http://127.0.0.1:1' }),
      host: '127.0.0.1',
      port,
      adminPort: (taken.address() as AddressInfo).port,
    };
    const analyze = (): never => {
      throw new AnalysisError('internal');
    };
    await expect(serve(config, () => analyze, { log: createLog({ level: 'silent' }) })).rejects.toThrow(
      /EADDRINUSE/,
    );
    await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow();
  });
});

describe('paths by the letter', () => {
  it.each([
    ['GET', '/health/', 404],
    ['GET', '/health', 200],
    ['HEAD', '/health', 200],
    ['POST', '/analyze/', 404],
    ['GET', '/Health', 404],
    ['OPTIONS', '/health', 204],
    ['OPTIONS', '/analyze', 204],
    ['OPTIONS', '/else', 404],
    ['OPTIONS', '/analyze/', 404],
    ['PUT', '/analyze', 405],
    ['DELETE', '/health', 405],
    ['GET', '//health', 404],
  ])('%s %s is %i', async (method, path, status) => {
    const config = { ...readConfig({ RPC_URL: 'http://127.0.0.1:1' }), host: '127.0.0.1', port: 0 };
    const server = await serve(config, () => () => Promise.reject(new AnalysisError('internal')), {
      log: createLog({ level: 'silent' }),
    });
    closers.push(() => server.close());
    const response = await fetch(`${server.url}${path}`, { method });
    expect(response.status).toBe(status);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('rules that cannot be read', () => {
  it('keep the last good set, are reported once, and so is their recovery', async () => {
    const dir = writeRuleset(SMALL);
    const { digest } = loadRulebook([dir], { facts: FACTS });
    const [swapped, failed, recovered] = [vi.fn(), vi.fn(), vi.fn()];
    const watch = watchRulebook([dir], swapped, failed, {
      facts: FACTS,
      digest,
      intervalMs: 20,
      onRecover: recovered,
    });
    closers.push(() => watch.close());
    const loop = join(dir, 'intents/loop.yaml');
    symlinkSync(loop, loop);
    await vi.waitFor(() => expect(failed).toHaveBeenCalledTimes(1), 30_000);
    await new Promise((resolve) => setTimeout(resolve, 200));
    unlinkSync(loop);
    await vi.waitFor(() => expect(recovered).toHaveBeenCalledTimes(1), 30_000);
    symlinkSync(mkdtempSync(join(tmpdir(), 'txreport-')), join(dir, 'intents/folder.yaml'));
    expect([failed.mock.calls.length, swapped.mock.calls.length]).toEqual([1, 0]);
  });
});
