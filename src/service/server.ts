import cluster from 'node:cluster';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp } from './app.ts';
import { createHttpServer, listen, serveAdmin, stopListening, shedLoad } from './http/httpServer.ts';
import { messagesOf } from './http/messages.ts';
import { createClientOf } from './http/clientAddress.ts';
import { createLimiter } from './http/limiter.ts';
import type { Log } from '../lib/log.ts';
import { openLog } from './logOutput.ts';
import { ConfigError, type Config } from './config.ts';
import { createUpstream, type Upstream } from '../stages/1-fetch/rpc/upstream.ts';
import type { Analyze } from './http/analyze.ts';
import type { Metrics } from './http/metrics.ts';
import type { Tracing } from './tracing.ts';

/** Builds the analysis once the upstream exists; rejects when the rule set cannot be loaded. */
export type CreateAnalyze = (deps: {
  upstream: Upstream;
  config: Config;
  log: Log;
}) => Analyze | Promise<Analyze>;

export type RunningServer = Awaited<ReturnType<typeof serve>>;

/** Time for aborted analyses to stop. */
const ABORT_MS = 1_000;

function within(done: Promise<void>, ms: number): Promise<boolean> {
  return Promise.race([done.then(() => true), sleep(ms, false, { ref: false })]);
}

/** The SDK is loaded only here: without an endpoint it costs nothing. */
async function tracingTo(endpoint: string | null): Promise<Tracing | null> {
  if (endpoint === null) return null;
  try {
    return (await import('./tracing.ts')).openTracing(endpoint);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new ConfigError(['OTEL_EXPORTER_OTLP_ENDPOINT needs the optional @opentelemetry packages']);
  }
}

/** None in a worker: the processes of one service have one admin port, on which their parent answers. */
async function openAdmin(
  config: Config,
  metrics: Metrics | null,
  upstream: Upstream,
  stopping: AbortSignal,
): Promise<{ readonly port: number | null; close(): Promise<void> }> {
  if (metrics === null || cluster.isWorker) return { port: null, close: () => Promise.resolve() };
  const { registry } = metrics;
  return serveAdmin({
    config,
    metrics: { contentType: registry.contentType, text: () => registry.metrics() },
    upstream,
    stopping,
    alive: () => !stopping.aborted,
  });
}

/** The host of a URL at which the service answers, for the address it listens on. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** Puts the service together and listens. Rejects when a port is taken or the analysis cannot be built. */
export async function serve(config: Config, createAnalyze: CreateAnalyze, given: { log?: Log } = {}) {
  const log = given.log ?? openLog(config);
  const upstream = createUpstream(config);
  const stop = new AbortController();
  // Each running analysis adds a listener.
  setMaxListeners(0, stop.signal);
  const limiter = createLimiter(config);
  const clientOf = createClientOf(config.trustedProxies);
  // Loaded only where asked for: without metrics, their packages are an eighth of a start.
  const metrics =
    config.adminPort === null ? null : (await import('./http/metrics.ts')).createMetrics(limiter, upstream);
  /** Stops the parts already started, last first, where a later step fails. */
  const started: (() => unknown)[] = [() => upstream.close()];
  try {
    const analyze = await createAnalyze({ upstream, config, log });
    started.push(() => analyze.close?.());
    const tracing = await tracingTo(config.otelEndpoint);
    started.push(() => tracing?.close());
    const { deadlineMs } = config;
    const [beginTrace, stopping] = [tracing?.begin ?? null, stop.signal];
    const app = createApp({ analyze, log, metrics, beginTrace, limiter, clientOf, deadlineMs, stopping });
    const listener = shedLoad(app, { limiter, clientOf, metrics, log });
    const server = createHttpServer(listener, config, messagesOf(app));
    const port = await listen(server, config.port, config.host);
    started.push(() => (server.closeAllConnections(), stopListening(server)));
    const admin = await openAdmin(config, metrics, upstream, stop.signal);
    const adminPort = admin.port;
    const url = `http://${reachableHost(config.host)}:${port}`;
    log.info({ url, admin_port: adminPort, upstreams: config.rpcUrls.length }, 'listening');

    let closing: Promise<void> | null = null;
    /** Stops listening, lets running analyses finish within the grace time, then aborts them. */
    const shutDown = async (): Promise<void> => {
      log.info({ running: limiter.running, waiting: limiter.waiting }, 'stopping');
      const stopped = stopListening(server);
      const idle = limiter.close();
      if (!(await within(idle, config.shutdownGraceMs))) {
        stop.abort();
        await within(idle, ABORT_MS);
      }
      // Answers of the last analyses may still be on their way out.
      const cut = setTimeout(() => server.closeAllConnections(), 500);
      await stopped;
      clearTimeout(cut);
      await admin.close();
      stop.abort();
      await analyze.close?.();
      await upstream.close();
      await tracing?.close();
      log.info('stopped');
    };
    return { url, port, adminPort, close: (): Promise<void> => (closing ??= shutDown()) };
  } catch (error) {
    for (const undo of started.reverse()) await undo();
    throw error;
  }
}
