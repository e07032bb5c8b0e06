import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startFakeNode, type FakeNode } from '../support/fakeNode.ts';
import { HASH, sampleHandlers, sampleTransaction } from '../support/sampleTransaction.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');
const children: ChildProcess[] = [];
let node: FakeNode | undefined;
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await node?.close();
});

interface Program {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

/** Runs the service as users do, with nothing in its environment but what is given. */
function run(env: Record<string, string>): Program {
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN], { env: { PATH: process.env['PATH'], HOST: '127.0.0.1', PORT: '0', ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  return { child, output: () => output, ended: new Promise((resolve) => child.once('close', resolve)) };
}

async function listening(program: Program): Promise<string> {
  for (;;) {
    const url = /"url":"(http:[^"]+)"/.exec(program.output())?.[1];
    if (url) return url;
    if (program.child.exitCode !== null) throw new Error(program.output());
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('the process', () => {
  it('says what to do without RPC_URL', async () => {
    const program = run({});
    expect(await program.ended).toBe(2);
    expect(program.output()).toContain('RPC_URL is not set');
    expect(program.output()).toContain('npm run demo');
    expect(program.output()).toContain('MAX_CONCURRENCY');
  });

  it('lists everything wrong with its configuration', async () => {
    const program = run({ RPC_URL: 'ws://s3cret', DEADLINE_MS: 'soon' });
    expect(await program.ended).toBe(2);
    expect(program.output()).toContain('RPC_URL entry 1 is not an http(s) URL');
    expect(program.output()).toContain('DEADLINE_MS must be');
    expect(program.output()).not.toContain('s3cret');
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('finishes what runs on %s, then ends with 0', async (signal) => {
    let release: () => void = () => {};
    const held = new Promise<boolean>((resolve) => (release = () => resolve(false)));
    node = await startFakeNode({ handlers: sampleHandlers(sampleTransaction()), intercept: ({ n }) => (n === 0 ? held : false) });
    const program = run({ RPC_URL: node.url });
    const url = await listening(program);
    const answer = fetch(`${url}/analyze`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ tx_hash: HASH }) });
    while (node.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    program.child.kill(signal);
    while (!program.output().includes('"stopping"')) await new Promise((resolve) => setTimeout(resolve, 10));
    release();
    expect((await answer).headers.get('content-type')).toContain('application/json');
    expect(await program.ended).toBe(0);
  });
});
