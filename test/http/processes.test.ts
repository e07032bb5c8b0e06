import { spawn } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startFakeNode, type FakeNode } from '../support/fakeNode.ts';
import { killServices, runService, type ServiceProcess } from '../support/serviceProcess.ts';
import { HASH, sampleHandlers, sampleTransaction } from '../support/sampleTransaction.ts';

let node: FakeNode | undefined;
afterEach(async () => {
  killServices();
  await node?.close();
});

const run = (env: Record<string, string>): ServiceProcess => runService({ WORKERS: '2', ...env });

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

// Several starts of the whole service from its sources.
describe('several processes', () => {
  const soon = { timeout: 60_000 };

  it('share the port and the admin port, are replaced, and end together', async () => {
    node = await startFakeNode({ handlers: sampleHandlers(sampleTransaction()) });
    const adminPort = await freePort();
    const program = run({ RPC_URL: node.url, ADMIN_PORT: String(adminPort) });
    const listening = (): RegExpMatchArray[] => [...program.output().matchAll(/"url":"(http:[^"]+)"/g)];
    await expect.poll(() => listening().length, soon).toBe(2);
    const url = listening()[0]![1]!;
    expect(listening()[1]![1]).toBe(url);

    for (let i = 0; i < 4; i++) {
      const response = await fetch(`${url}/analyze`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', connection: 'close' },
        body: JSON.stringify({ tx_hash: HASH }),
      });
      expect(response.status).toBe(200);
    }
    const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
    expect(metrics).toMatch(/txreport_analyses_total\{outcome="ok"\} 4/);
    expect((await fetch(`http://127.0.0.1:${adminPort}/ready`)).status).toBe(200);

    const [victim] = (await children(program.child.pid!)).slice(-1);
    process.kill(victim!, 'SIGKILL');
    await expect.poll(() => listening().length, soon).toBe(3);
    expect((await fetch(`${url}/health`)).status).toBe(200);

    // All at once, as where memory runs out.
    for (const pid of await children(program.child.pid!)) process.kill(pid, 'SIGKILL');
    await expect.poll(() => listening().length, soon).toBe(5);
    // The free port that was taken was given up with the last of them.
    expect((await fetch(`${listening().at(-1)![1]!}/health`)).status).toBe(200);

    program.child.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  });

  it('answer a connection that was given to one that is killed before it took it', async () => {
    const program = run({ RPC_URL: 'http://127.0.0.1:9' });
    const listening = (): RegExpMatchArray[] => [...program.output().matchAll(/"url":"(http:[^"]+)"/g)];
    await expect.poll(() => listening().length, soon).toBe(2);
    const [victim] = await children(program.child.pid!);
    process.kill(victim!, 'SIGSTOP');
    const health = (): Promise<number> =>
      fetch(`${listening()[0]![1]!}/health`, { headers: { connection: 'close' } }).then(
        ({ status }) => status,
      );
    const asked = Array.from({ length: 6 }, health);
    await new Promise((resolve) => setTimeout(resolve, 500));
    process.kill(victim!, 'SIGKILL');
    const late = new Promise((resolve) => setTimeout(resolve, 5_000, 'not answered'));
    expect(await Promise.race([Promise.all(asked), late])).toEqual(asked.map(() => 200));
  });

  it('end with 1 where none can start', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const program = run({
      RPC_URL: 'http://127.0.0.1:9',
      PORT: String((taken.address() as AddressInfo).port),
    });
    expect(await program.ended).toBe(1);
    expect(program.output()).toContain('EADDRINUSE');
    taken.close();
  });

  it('end with 1 where the admin port is taken', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const program = run({
      RPC_URL: 'http://127.0.0.1:9',
      ADMIN_PORT: String((taken.address() as AddressInfo).port),
    });
    expect(await program.ended).toBe(1);
    expect(program.output()).toContain('EADDRINUSE');
    taken.close();
  });
});

/** Process ids of a process's children. */
async function children(pid: number): Promise<number[]> {
  const ps = spawn('ps', ['-o', 'pid=', '--ppid', String(pid)]);
  let text = '';
  for await (const data of ps.stdout) text += String(data);
  return text.trim().split(/\s+/).map(Number);
}
