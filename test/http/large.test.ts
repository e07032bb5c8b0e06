import { afterEach, describe, expect, it } from 'vitest';
import { startFakeNode, type FakeNode } from '../support/fakeNode.ts';
import { killServices, runService } from '../support/serviceProcess.ts';
import { HASH, sampleHandlers, sampleTransaction } from '../support/sampleTransaction.ts';

let node: FakeNode | undefined;
afterEach(async () => {
  killServices();
  await node?.close();
});

async function post(
  url: string,
  signal: AbortSignal | null = null,
): Promise<{ status: number; body: string }> {
  const response = await fetch(`${url}/analyze`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tx_hash: HASH }),
    signal,
  });
  return { status: response.status, body: await response.text() };
}

/** Starts the service and posts one analysis; its answer and what the service logged. */
async function analyse(
  env: Record<string, string>,
): Promise<{ status: number; body: string; log: () => string }> {
  const service = runService(env);
  return { ...(await post(await service.listening())), log: service.output };
}

// Three starts of the whole service from its sources, each with a process that loads them once more.
describe('a large transaction', () => {
  it('is fetched once more and analysed in another process, with the same report', async () => {
    node = await startFakeNode({ handlers: sampleHandlers(sampleTransaction()) });
    const here = await analyse({ RPC_URL: node.url });
    killServices();
    // A contract that answers nothing costs a third request, here and there.
    expect([here.status, node.requests.length]).toEqual([200, 3]);
    const there = await analyse({ RPC_URL: node.url, LARGE_BYTES: '1000' });
    expect(there.body).toBe(here.body);
    // One request more: the first answer was not read to its end.
    expect([there.status, node.requests.length]).toEqual([200, 7]);
    await expect.poll(there.log).toContain('"upstream_requests":4');
  });

  it('is analysed there too where only the answer about its block and tokens is large', async () => {
    const handlers = sampleHandlers(sampleTransaction());
    node = await startFakeNode({ handlers });
    const here = await analyse({ RPC_URL: node.url });
    killServices();
    node.handlers['eth_getBlockByNumber'] = (params) => ({
      ...(handlers['eth_getBlockByNumber']!(params) as object),
      extraData: `0x${'00'.repeat(200_000)}`,
    });
    const there = await analyse({ RPC_URL: node.url });
    expect([there.status, there.body]).toEqual([200, here.body]);
    expect(there.log()).not.toContain('"level":50');
  });

  it('is refused where it is over the limit, naming it', async () => {
    node = await startFakeNode({ handlers: sampleHandlers(sampleTransaction()) });
    const { status, body } = await analyse({ RPC_URL: node.url, MAX_RESPONSE_BYTES: '1500' });
    expect([status, body]).toEqual([
      502,
      '{"error":"analysis failed: the upstream answer is too large: over the limit of 1500 bytes"}',
    ]);
  });

  it('fails as one read here does, where the node contradicts itself', async () => {
    const sample = sampleTransaction();
    sample.receipt['logs'] = [];
    node = await startFakeNode({ handlers: sampleHandlers(sample) });
    const secret = `${node.url.replace('//', '//s3cretUser:s3cretPass@')}/s3cretPathKey?key=s3cretQueryKey`;
    const { status, body, log } = await analyse({
      RPC_URL: secret,
      LARGE_BYTES: '1000',
      RPC_RETRIES: '1',
      LOG_LEVEL: 'trace',
    });
    expect([status, body]).toEqual([
      502,
      '{"error":"analysis failed: the upstream answers do not belong together: the trace holds 1 logs, the receipt 0"}',
    ]);
    await expect.poll(log).toContain('upstream-1');
    expect(log()).not.toContain('s3cret');
  });

  it('that needs more memory than it may have is refused, naming the limit, and the service goes on', async () => {
    const whole = sampleHandlers(sampleTransaction());
    const deep = { ...sampleTransaction().callTracer };
    // Many calls of little text: what they are read into takes far more memory than the answer.
    deep['calls'] = Array.from({ length: 150_000 }, () => ({
      type: 'CALL',
      from: deep['to'],
      to: deep['from'],
      input: '0x',
      output: '0x',
      value: '0x1',
      gas: '0x0',
      gasUsed: '0x0',
    }));
    node = await startFakeNode({
      handlers: { ...whole, debug_traceTransaction: () => deep, trace_transaction: () => null },
    });
    const service = runService({ RPC_URL: node.url, ANALYSIS_MEMORY_MB: '128', LARGE_BYTES: '1000' });
    const url = await service.listening();
    const refused = await post(url);
    expect([refused.status, refused.body]).toEqual([
      502,
      '{"error":"analysis failed: the upstream answer is too large: analysing it takes more than 128 MB of memory"}',
    ]);
    expect(await (await fetch(`${url}/health`)).text()).toBe('ok');
    node.handlers = { ...node.handlers, ...whole };
    expect((await post(url)).status).toBe(200);
    expect(service.output()).not.toContain('"level":50');
  });

  it('that waits for a process gets one when the client before it goes away', async () => {
    const stuck: (() => void)[] = [];
    let hold = true;
    node = await startFakeNode({
      handlers: sampleHandlers(sampleTransaction()),
      // The second round trip of the first analysis, made by its thread, is not answered.
      intercept: async ({ body }) => {
        if (hold && JSON.stringify(body).includes('eth_getBlockByNumber'))
          await new Promise<void>((resolve) => stuck.push(resolve));
        return false;
      },
    });
    const url = await runService({
      RPC_URL: node.url,
      LARGE_BYTES: '1000',
      RPC_TIMEOUT_MS: '60000',
      DEADLINE_MS: '60000',
    }).listening();
    const gone = new AbortController();
    const first = post(url, gone.signal).catch((error: Error) => error.name);
    await expect.poll(() => stuck.length, { timeout: 60_000 }).toBe(1);
    hold = false;
    const second = post(url);
    await expect
      .poll(() => node!.requests.filter((methods) => methods.includes('eth_getTransactionByHash')).length)
      .toBe(2);
    gone.abort();
    expect(await first).toBe('AbortError');
    expect((await second).status).toBe(200);
    for (const release of stuck) release();
  });

  it('is answered in time where its process would take longer', async () => {
    node = await startFakeNode({
      handlers: sampleHandlers(sampleTransaction()),
      intercept: ({ body }) => JSON.stringify(body).includes('eth_getBlockByNumber'),
    });
    const url = await runService({ RPC_URL: node.url, LARGE_BYTES: '1000', DEADLINE_MS: '4000' }).listening();
    const start = performance.now();
    expect((await post(url)).status).toBe(502);
    expect(performance.now() - start).toBeLessThan(8_000);
  });
});
