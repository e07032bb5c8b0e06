// Starts one anvil process and guarantees that it dies with us, however we die.
import { spawn, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { arch, platform } from 'node:process';
import { createTestClient, http, walletActions, publicActions } from 'viem';
import { mainnet } from 'viem/chains';
import { createRpc, type Rpc } from './rpc.ts';

/** First second of 2025: every block time on the devnet counts from here, so hashes repeat from run to run. */
export const GENESIS_TIMESTAMP = 1_735_689_600;
export const BLOCK_INTERVAL_S = 12;

export interface Anvil {
  rpcUrl: string;
  /** viem client with test, public and wallet actions; no polling delay worth speaking of. */
  client: ReturnType<typeof makeClient>;
  rpc: Rpc;
  pid: number;
  /** Kills the node and resolves once it is gone. Safe to call twice. */
  stop(): Promise<void>;
}

export interface AnvilOptions {
  port?: number;
  timestamp?: number;
  hardfork?: string;
  /** More anvil flags, e.g. ['--no-mining']. */
  args?: string[];
}

/**
 * The shell holds our pipe: when it closes (we exited, crashed or were SIGKILLed) the reader kills the node.
 * The node runs in the background of a shell of its own session, so a Ctrl-C in the terminal reaches us alone
 * and we stop it in order.
 */
const GUARD =
  'exec 3<&0; "$@" </dev/null 3<&- & node=$!; (read -r _ <&3; kill -9 $node) 2>/dev/null & guard=$!; wait $node; kill $guard';

const running = new Set<ChildProcess>();
let hooked = false;

/**
 * Spawns anvil (chain id 1, automine, 12-second blocks, auto-impersonation) and resolves when it answers.
 * @throws Error when the binary is missing or the node does not come up within 15 seconds.
 */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  hookExit();
  for (let attempt = 0; ; attempt += 1) {
    const port = options.port ?? (await freePort());
    const child = spawnGuarded([
      '--port',
      String(port),
      '--host',
      '127.0.0.1',
      '--chain-id',
      '1',
      '--silent',
      '--auto-impersonate',
      '--accounts',
      '1',
      '--timestamp',
      String(options.timestamp ?? GENESIS_TIMESTAMP),
      ...(options.hardfork ? ['--hardfork', options.hardfork] : []),
      ...(options.args ?? []),
    ]);
    const rpcUrl = `http://127.0.0.1:${port}`;
    const rpc = createRpc(rpcUrl);
    try {
      await untilAnswers(child, rpc);
      await rpc('anvil_setBlockTimestampInterval', [BLOCK_INTERVAL_S]);
      return { rpcUrl, client: makeClient(rpcUrl), rpc, pid: child.pid ?? 0, stop: () => stop(child) };
    } catch (error) {
      await stop(child);
      // Another process may take the port between our probe and the bind; a fixed port is the caller's choice.
      if (options.port !== undefined || attempt >= 3) throw error;
    }
  }
}

/** Path of the anvil executable of this platform, from its npm package. */
export function anvilBinary(): string {
  const cpu = arch === 'x64' ? 'amd64' : arch;
  const name = `@foundry-rs/anvil-${platform}-${cpu}/bin/anvil${platform === 'win32' ? '.exe' : ''}`;
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    throw new Error(
      `no anvil executable for ${platform}/${arch}: ${name} is not installed (npm install brings it)`,
      { cause },
    );
  }
}

function makeClient(rpcUrl: string) {
  return createTestClient({
    mode: 'anvil',
    chain: mainnet,
    transport: http(rpcUrl, { retryCount: 0 }),
    pollingInterval: 10,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions);
}

function spawnGuarded(args: string[]): ChildProcess {
  const child =
    platform === 'win32'
      ? spawn(anvilBinary(), args, { stdio: 'ignore' })
      : spawn('sh', ['-c', GUARD, 'anvil-guard', anvilBinary(), ...args], {
          stdio: ['pipe', 'ignore', 'ignore'],
          detached: true,
        });
  child.on('error', () => running.delete(child));
  child.on('exit', () => running.delete(child));
  // The child must not keep our event loop alive: whoever serves from it does that.
  child.unref();
  (child.stdin as unknown as { unref?(): void } | null)?.unref?.();
  running.add(child);
  return child;
}

async function untilAnswers(child: ChildProcess, rpc: Rpc): Promise<void> {
  const deadline = Date.now() + 15_000;
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`anvil exited at once (code ${child.exitCode})`);
    try {
      const version = await rpc('web3_clientVersion', []);
      if (String(version).startsWith('anvil')) return;
    } catch {
      /* not listening yet */
    }
    if (Date.now() > deadline) throw new Error('anvil did not answer within 15 s');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function kill(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    // The whole group: the shell, the reader and the node.
    if (platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    /* already gone */
  }
}

function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null)
    return Promise.resolve();
  return new Promise((resolve) => {
    child.ref();
    child.once('exit', () => resolve());
    kill(child);
  });
}

function hookExit(): void {
  if (hooked) return;
  hooked = true;
  process.on('exit', () => {
    for (const child of running) kill(child);
  });
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    // A program with its own handler (a server that closes in order) ends itself; the exit hook then cleans up.
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(code);
    });
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  if (address === null || typeof address === 'string') throw new Error('could not get a free port');
  return address.port;
}
