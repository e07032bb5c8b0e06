import { spawn, type ChildProcess } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { builtPackage } from './builtCli.ts';

let cli: string | null = null;

export interface CliRun {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  /** Exit status, or null when a signal ended it. */
  readonly ended: Promise<number | null>;
}

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
  /** A file as standard input. */
  readonly inputFile?: string;
}

/** Runs `txreport` as users do, in a process of its own, with nothing in its environment but what is given. */
export function startCli(args: readonly string[], options: CliOptions = {}): CliRun {
  cli ??= join(builtPackage(), 'dist/tools/cli/cli.js');
  const child = spawn(process.execPath, [cli, ...args], {
    env: { PATH: process.env['PATH'], ...options.env },
    ...(options.cwd ? { cwd: options.cwd } : {}),
    stdio: [options.inputFile ? openSync(options.inputFile, 'r') : 'pipe', 'pipe', 'pipe'],
  });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout!.on('data', (data: Buffer) => out.push(data));
  child.stderr!.on('data', (data: Buffer) => err.push(data));
  child.stdin?.on('error', () => {});
  if (options.input !== undefined) child.stdin?.end(options.input);
  const text = (chunks: Buffer[]) => () => Buffer.concat(chunks).toString('utf8');
  return {
    child,
    out: text(out),
    err: text(err),
    ended: new Promise((resolve) => child.once('close', resolve)),
  };
}

export async function runCli(
  args: readonly string[],
  options: CliOptions = {},
): Promise<{ code: number | null; out: string; err: string }> {
  const run = startCli(args, { input: '', ...options });
  const code = await run.ended;
  return { code, out: run.out(), err: run.err() };
}
