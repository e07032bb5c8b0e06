import { readFileSync } from 'node:fs';
import { fork, type ChildProcess } from 'node:child_process';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { once } from 'node:events';
import { DIST } from '../product.ts';

const HERE = import.meta.dirname;
const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** A program of the bench, by its URL. */
export interface Program {
  readonly url: string;
  readonly pid: number;
  /** Its CPU time; of the node, the requests since it was last asked and its time over them. */
  ask(): Promise<Record<string, number>>;
  stop(): Promise<void>;
}

interface Start {
  readonly program: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly execArgv?: readonly string[];
}

async function start(
  { program, args = [], env = {}, execArgv = [] }: Start,
  urlOf: (child: ChildProcess) => Promise<string>,
): Promise<Program> {
  const child = fork(program, [...args], {
    env: { PATH: process.env['PATH'], ...env },
    execArgv: [...execArgv],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
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
    pid: child.pid!,
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

const told = async (child: ChildProcess): Promise<string> =>
  ((await once(child, 'message'))[0] as { url: string }).url;

/** The recorded node, every answer later by `latencyMs`. */
export function startNode(places: readonly string[], latencyMs = 0): Promise<Program> {
  return start(
    { program: join(HERE, 'node.ts'), args: [String(latencyMs), ...places], execArgv: ['--import', 'tsx'] },
    told,
  );
}

/** The floor service, from its compiled file. */
export function startFloor(compiled: string, nodeUrl: string, scriptFile: string): Promise<Program> {
  return start(
    { program: compiled, args: [nodeUrl, scriptFile], execArgv: ['--import', join(HERE, 'reportCpu.mjs')] },
    told,
  );
}

/** The service as built, of this checkout or another, listening on a free port. */
export function startService(
  nodeUrl: string,
  env: Readonly<Record<string, string>> = {},
  checkout?: string,
): Promise<Program> {
  const dist = checkout === undefined ? DIST : pathToFileURL(`${resolve(checkout)}/dist/`);
  // As each checkout's own `npm start` does: `node FLAGS… dist/service/main.js`.
  const { scripts } = JSON.parse(readFileSync(new URL('../package.json', dist), 'utf8')) as {
    scripts: { start: string };
  };
  return startLogging({
    program: fileURLToPath(new URL('service/main.js', dist)),
    env: { RPC_URL: nodeUrl, ...env },
    execArgv: scripts.start.split(' ').slice(1, -1),
  });
}

/** The service without its analysis, from its compiled file. */
export function startHollow(
  compiled: string,
  nodeUrl: string,
  scriptFile: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Program> {
  return startLogging({
    program: compiled,
    args: [DIST.href, scriptFile],
    env: { RPC_URL: nodeUrl, ...env },
  });
}

function startLogging({ env, execArgv = [], ...given }: Start): Promise<Program> {
  const listening = (child: ChildProcess): Promise<string> =>
    new Promise((resolve) => {
      let output = '';
      const read = (data: Buffer): void => {
        output += data.toString();
        const url = /"url":"(http:[^"]+)"/.exec(output)?.[1];
        if (!url) return;
        child.stdout!.off('data', read);
        resolve(url);
      };
      child.stdout!.on('data', read);
    });
  return start(
    {
      ...given,
      env: { HOST: '127.0.0.1', PORT: '0', ...env },
      execArgv: [...execArgv, '--import', join(HERE, 'reportCpu.mjs')],
    },
    listening,
  );
}
