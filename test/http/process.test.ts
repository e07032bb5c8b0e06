import { afterEach, describe, expect, it } from 'vitest';
import { startFakeNode, type FakeNode } from '../support/fakeNode.ts';
import { killServices, runService } from '../support/serviceProcess.ts';
import { HASH, sampleHandlers, sampleTransaction } from '../support/sampleTransaction.ts';

let node: FakeNode | undefined;
afterEach(async () => {
  killServices();
  await node?.close();
});

describe('the process', () => {
  it('says what to do without RPC_URL', async () => {
    const program = runService({});
    expect(await program.ended).toBe(2);
    expect(program.output()).toContain('RPC_URL is not set');
    expect(program.output()).toContain('txreport demo');
    expect(program.output()).toContain('MAX_CONCURRENCY');
  });

  it('lists everything wrong with its configuration', async () => {
    const program = runService({ RPC_URL: 'ws://s3cret', DEADLINE_MS: 'soon' });
    expect(await program.ended).toBe(2);
    expect(program.output()).toContain('RPC_URL entry 1 is not an http(s) URL');
    expect(program.output()).toContain('DEADLINE_MS must be');
    expect(program.output()).not.toContain('s3cret');
  });

  it('opens no inspector on SIGUSR1', async () => {
    node = await startFakeNode({ handlers: sampleHandlers(sampleTransaction()) });
    const program = runService({ RPC_URL: node.url });
    const url = await program.listening();
    program.child.kill('SIGUSR1');
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await (await fetch(`${url}/health`)).text()).toBe('ok');
    expect(program.output()).not.toContain('Debugger listening');
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('finishes what runs on %s, then ends with 0', async (signal) => {
    let release: () => void = () => {};
    const held = new Promise<boolean>((resolve) => (release = () => resolve(false)));
    node = await startFakeNode({
      handlers: sampleHandlers(sampleTransaction()),
      intercept: ({ n }) => (n === 0 ? held : false),
    });
    const program = runService({ RPC_URL: node.url });
    const url = await program.listening();
    const answer = fetch(`${url}/analyze`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ tx_hash: HASH }),
    });
    while (node.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    program.child.kill(signal);
    while (!program.output().includes('"stopping"')) await new Promise((resolve) => setTimeout(resolve, 10));
    release();
    expect((await answer).headers.get('content-type')).toContain('application/json');
    expect(await program.ended).toBe(0);
  });
});
