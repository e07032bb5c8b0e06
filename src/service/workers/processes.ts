import cluster, { type Worker } from 'node:cluster';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveAdmin } from '../http/httpServer.ts';
import { createUpstream } from '../../stages/1-fetch/rpc/upstream.ts';
import type { Config } from '../config.ts';
import type { Log } from '../../lib/log.ts';

/** A process that ended is replaced, but not faster than this. */
const RESTART_MS = 1_000;

/** How many processes the configuration asks for. */
export function processCount(config: Config): number {
  return config.workers === 0 ? availableParallelism() : config.workers;
}

/**
 * Runs the service as several processes that share the port; the calling one keeps them running and answers
 * on the admin port for all. Resolves after a signal with the exit status: 1 if the first could not start.
 */
export async function runProcesses(config: Config, log: Log): Promise<number> {
  let stopping = false;
  let failed = false;
  let begun = false;
  const running = new Set<Worker>();
  const ended: Promise<void>[] = [];

  const fail = (): void => {
    failed = stopping = true;
    for (const worker of running) worker.process.kill('SIGTERM');
  };
  const start = (): void => {
    const worker = cluster.fork();
    running.add(worker);
    passOnUntaken(worker);
    worker.once('listening', () => (begun = true));
    ended.push(
      new Promise((resolve) =>
        worker.once('exit', (code, signal) => {
          running.delete(worker);
          resolve();
          if (stopping) return;
          log.error({ worker: worker.id, code, signal }, 'a process of the service ended');
          // A process that fails from the start would fail again.
          if (!begun) fail();
          // Waited for like a process: all of them may end at once.
          else ended.push(sleep(RESTART_MS).then(() => void (stopping || start())));
        }),
      ),
    );
  };
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) return;
    stopping = true;
    log.info({ signal, processes: running.size }, 'signal received');
    for (const worker of running) worker.process.kill('SIGTERM');
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('SIGHUP', stop);
  for (let i = processCount(config); i > 0; i--) start();

  const closeAdmin =
    config.adminPort === null
      ? null
      : await openAdmin(config, () => running.size > 0 && !stopping).catch((error: unknown) => {
          log.fatal({ err: error }, 'cannot start');
          fail();
          return null;
        });
  for (const one of ended) await one;
  await closeAdmin?.();
  return failed ? 1 : 0;
}

/**
 * Passes on connections handed to a process that ended before it took them: Node.js leaves them unanswered.
 */
function passOnUntaken(worker: Worker): void {
  const { process: child } = worker;
  const untaken = new Set<number>();
  const send = child.send.bind(child) as (...args: unknown[]) => boolean;
  child.send = (...args: unknown[]) => {
    const { act, seq } = args[0] as { act?: string; seq?: number };
    if (act === 'newconn') untaken.add(seq!);
    return send(...args);
  };
  child.on('internalMessage', ({ ack }: { ack?: number }) => void untaken.delete(ack!));
  worker.once('exit', () => {
    for (const ack of untaken) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false });
  });
}

/** The admin port, with metrics summed up over the processes. Returns how to close it. */
async function openAdmin(config: Config, alive: () => boolean): Promise<() => Promise<void>> {
  const { AggregatorRegistry } = await import('prom-client');
  const registry = new AggregatorRegistry();
  const upstream = createUpstream(config);
  const metrics = { contentType: registry.contentType, text: () => registry.clusterMetrics() };
  const stopping = new AbortController().signal;
  const admin = await serveAdmin({ config, metrics, upstream, stopping, alive });
  return async () => {
    await admin.close();
    await upstream.close();
  };
}
