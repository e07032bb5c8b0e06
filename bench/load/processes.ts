import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { once } from 'node:events';

const HERE = import.meta.dirname;
const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** A program of the bench, by its URL. */
export interface Program {
  readonly url: string;
  /** What it answers to an empty message: its CPU time, or the requests it has seen since the last time. */
  ask(): Promise<Record<string, number>>;
  stop(): Promise<void>;
}

interface Start {
  readonly program: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly execArgv?: readonly string[];
}

async function start({ program, args = [], env = {}, execArgv = [] }: Start, urlOf: (child: ChildProcess) => Promise<string>): Promise<Program> {
  const child = fork(program, [...args], { env: { PATH: process.env['PATH'], ...env }, execArgv: [...execArgv], stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  running.add(child);
  const gone = once(child, 'exit').then(([code]) => {
    running.delete(child);
    throw new Error(`${program} ended with ${String(code)}`);
  });
  gone.catch(() => {});
  const url = await Promise.race([urlOf(child), gone]);
  child.stdout!.resume();
  return {
    url,
    async ask() {
      const answer = once(child, 'message');
      child.send('?');
      return (await answer)[0] as Record<string, number>;
    },
    async stop() {
      child.kill('SIGTERM');
      await gone.catch(() => {});
    },
  };
}

const told = async (child: ChildProcess): Promise<string> => ((await once(child, 'message'))[0] as { url: string }).url;

/** The recorded node, every answer later by `latencyMs`. */
export function startNode(places: readonly string[], latencyMs = 0): Promise<Program> {
  return start({ program: join(HERE, 'node.ts'), args: [String(latencyMs), ...places], execArgv: ['--import', 'tsx'] }, told);
}

/** The floor service, from its compiled file. */
export function startFloor(compiled: string, nodeUrl: string, scriptFile: string): Promise<Program> {
  return start({ program: compiled, args: [nodeUrl, scriptFile], execArgv: ['--import', join(HERE, 'reportCpu.mjs')] }, told);
}

/** The service as built, listening on a free port. */
export function startService(nodeUrl: string, env: Readonly<Record<string, string>> = {}): Promise<Program> {
  const program = join(HERE, '../../dist/main.js');
  const listening = (child: ChildProcess): Promise<string> => new Promise((resolve) => {
    let output = '';
    child.stdout!.on('data', (data: Buffer) => {
      output += data.toString();
      const url = /"url":"(http:[^"]+)"/.exec(output)?.[1];
      if (url) resolve(url);
    });
  });
  return start({ program, env: { RPC_URL: nodeUrl, HOST: '127.0.0.1', PORT: '0', ...env }, execArgv: ['--import', join(HERE, 'reportCpu.mjs')] }, listening);
}
