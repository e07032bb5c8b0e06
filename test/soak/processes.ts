// The service and the node before it, each a process of its own, as they run in earnest.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

export interface Held {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
  readonly handles: Readonly<Record<string, number>>;
  readonly resources: Readonly<Record<string, number>>;
}

export interface Service {
  readonly url: string;
  readonly admin: string;
  readonly port: number;
  readonly pid: number;
  /** What the process holds after a garbage collection. */
  held(): Promise<Held>;
  /** Resident memory without collecting, bytes. */
  signal(name: NodeJS.Signals): void;
  readonly ended: Promise<number | null>;
}

/** Compiles the service to a folder of its own, so that nothing rebuilt meanwhile changes what is measured. */
export function build(): { main: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'txreport-soak-'));
  for (const name of ['rules', 'schemas', 'package.json'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const { status, stdout } = spawnSync(
    process.execPath,
    [
      join(ROOT, 'node_modules/typescript/bin/tsc'),
      '-p',
      join(ROOT, 'tsconfig.json'),
      '--outDir',
      join(folder, 'dist'),
      '--noEmitOnError',
      'false',
    ],
    { encoding: 'utf8' },
  );
  spawnSync(process.execPath, [join(folder, 'dist/service/cache/writeCache.js')]);
  if (status !== 0) console.warn(`the sources do not type-check:\n${stdout.slice(0, 500)}`);
  return {
    main: join(folder, 'dist/service/main.js'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

function track(child: ChildProcess): Promise<number | null> {
  children.add(child);
  return new Promise((resolve) => child.once('close', (code) => (children.delete(child), resolve(code))));
}

export async function startNode(): Promise<{
  url: string;
  set(manners: object): Promise<void>;
  stop(): void;
}> {
  const child = spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, 'faultyNode.ts')], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  void track(child);
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout!.once('data', (data: Buffer) => resolve(data.toString().trim()));
    child.once('close', (code) => reject(new Error(`the node ended with ${code}`)));
  });
  return {
    url,
    set: async (manners) =>
      void (await fetch(`${url}/__set`, { method: 'POST', body: JSON.stringify(manners) })),
    stop: () => void child.kill('SIGKILL'),
  };
}

/** `probed` false: without the probe behind `held`, which would also be in its analysis processes. */
export async function startService(
  main: string,
  rpcUrl: string,
  env: Record<string, string> = {},
  probed = true,
): Promise<Service> {
  const probe = ['--expose-gc', '--import', join(import.meta.dirname, 'probe.mjs')];
  const child = spawn(process.execPath, [...(probed ? probe : []), main], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: {
      PATH: process.env['PATH'],
      RPC_URL: rpcUrl,
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_PORT: '0',
      LOG_LEVEL: 'info',
      ...env,
    },
  });
  const ended = track(child);
  const line = await new Promise<{ url: string; admin_port: number }>((resolve, reject) => {
    let output = '';
    child.stdout!.on('data', (data: Buffer) => {
      // Read to the end and forgotten: a full pipe would stop the service.
      if (output.length > 100_000) return;
      output += data.toString();
      const found = output.split('\n').find((text) => text.includes('"listening"'));
      if (found) resolve(JSON.parse(found) as { url: string; admin_port: number });
    });
    void ended.then((code) => reject(new Error(`the service ended with ${code}: ${output}`)));
  });
  return {
    url: line.url,
    admin: `http://127.0.0.1:${line.admin_port}`,
    port: Number(new URL(line.url).port),
    pid: child.pid!,
    ended,
    held: () =>
      new Promise((resolve) => {
        child.once('message', (message) => resolve(message as Held));
        child.send({});
      }),
    signal: (name) => void child.kill(name),
  };
}
