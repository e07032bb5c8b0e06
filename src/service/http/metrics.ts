import cluster from 'node:cluster';
import { AggregatorRegistry, Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { ERROR_TEXT } from '../../lib/errors.ts';
import { dropped } from '../../lib/log.ts';
import { unchecked } from '../../lib/unchecked.ts';
import type { Limiter } from './limiter.ts';
import type { UpstreamCallEvent } from '../../model/upstream.ts';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * The service's counters, in a registry of their own, so that several services in one process stay apart.
 * Labels come from closed vocabularies: never a hash, an address or a URL.
 */
export function createMetrics(
  limiter: Limiter,
  nodes: { readonly names: readonly string[]; openCircuits(): readonly string[] },
) {
  const registry = new Registry();
  const registers = [registry];
  if (cluster.isWorker) {
    // Answers the parent, which sums up over its processes.
    AggregatorRegistry.setRegistries(registry);
    new AggregatorRegistry();
  }
  collectDefaultMetrics({ register: registry, prefix: 'txreport_' });
  const counter = (name: string, help: string, labelNames: string[] = []): Counter =>
    new Counter({ name: `txreport_${name}`, help, labelNames, registers });
  const histogram = (name: string, help: string, labelNames: string[] = []): Histogram =>
    new Histogram({ name: `txreport_${name}`, help, labelNames, buckets: SECONDS, registers });
  const requests = counter('http_requests_total', 'Requests answered.', ['route', 'status']);
  const analyses = counter('analyses_total', 'Analyses by outcome: ok or the error code.', ['outcome']);
  // A series that begins with its first failure shows no increase.
  for (const outcome of ['ok', 'client_gone', ...Object.keys(ERROR_TEXT)]) analyses.inc({ outcome }, 0);
  const intents = counter('intents_total', 'Reports by intent kind.', ['intent_kind']);
  const duration = histogram('analysis_seconds', 'Duration of an analysis, its wait in the queue included.');
  const stages = histogram('stage_seconds', 'Duration of a pipeline stage.', ['stage']);
  const seconds = 'Duration of an upstream HTTP request.';
  const upstream = histogram('upstream_seconds', seconds, ['upstream', 'outcome']);
  const byCause = 'Upstream requests without a connection, by cause.';
  const unreachable = counter('upstream_unreachable_total', byCause, ['upstream', 'cause']);
  const sent = 'Calls sent upstream, each member of a batch counted.';
  const calls = counter('upstream_rpc_calls_total', sent, ['upstream', 'method']);
  const counted = (name: string, help: string, count: () => number): Counter =>
    new Counter({
      name: `txreport_${name}`,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(count());
      },
    });
  counted('log_lines_dropped_total', 'Log lines lost because the reader was too slow.', () => dropped.lines);
  const unknown = 'Headers whose hash was not recomputed: a field is unknown, missing or a placeholder.';
  counted('headers_unchecked_total', unknown, () => unchecked.headers);
  new Gauge({
    name: 'txreport_upstream_circuit_open',
    help: '1 while a node that failed several times in a row is left alone.',
    labelNames: ['upstream'],
    registers,
    collect() {
      const open = nodes.openCircuits();
      for (const name of nodes.names) this.set({ upstream: name }, open.includes(name) ? 1 : 0);
    },
  });
  const gauge = (name: string, help: string, value: () => number): Gauge =>
    new Gauge({
      name: `txreport_${name}`,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  gauge('analyses_running', 'Analyses running now.', () => limiter.running);
  gauge('analyses_waiting', 'Analyses waiting for a place.', () => limiter.waiting);

  return {
    registry,
    analysisDone(outcome: string, intentKind: string | null, seconds: number): void {
      analyses.inc({ outcome });
      duration.observe(seconds);
      if (intentKind !== null) intents.inc({ intent_kind: intentKind });
    },
    requestDone: (route: string, status: number) => requests.inc({ route, status: String(status) }),
    stageDone: (stage: string, ms: number) => stages.observe({ stage }, ms / 1000),
    upstreamCall({ upstream: name, outcome, ms, cause, methods }: UpstreamCallEvent): void {
      upstream.observe({ upstream: name, outcome }, ms / 1000);
      if (cause !== null) unreachable.inc({ upstream: name, cause });
      for (const method of methods) calls.inc({ upstream: name, method });
    },
  };
}
