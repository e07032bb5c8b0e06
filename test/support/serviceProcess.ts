import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

const MAIN = join(import.meta.dirname, '../../src/service/main.ts');
const running: ChildProcess[] = [];

/** The service as a process of its own. */
export interface ServiceProcess {
  readonly child: ChildProcess;
  /** All it has written so far. */
  readonly output: () => string;
  /** Its exit code. */
  readonly ended: Promise<number | null>;
  /** Its URL, once it listens. Throws its output when it ends before. */
  listening(): Promise<string>;
}

/** Runs the service as users do, on a free port, with nothing else in its environment but what is given. */
export function runService(env: Record<string, string>): ServiceProcess {
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN], {
    env: { PATH: process.env['PATH'], HOST: '127.0.0.1', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => (output += data.toString()));
  return {
    child,
    output: () => output,
    ended: new Promise((resolve) => child.once('close', resolve)),
    async listening() {
      for (;;) {
        const url = /"url":"(http:[^"]+)"/.exec(output)?.[1];
        if (url) return url;
        if (child.exitCode !== null) throw new Error(output);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}

/** Ends every service that is still running. */
export function killServices(): void {
  for (const child of running.splice(0)) child.kill('SIGKILL');
}
