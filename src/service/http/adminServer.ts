import { createServer, type Server } from 'node:http';

/** Metrics in Prometheus' text format. */
export interface MetricsText {
  readonly contentType: string;
  text(): Promise<string>;
}

/** `GET /metrics` (Prometheus) and `GET /ready`, for operators: kept off the public port. */
export function createAdminServer(deps: {
  metrics: MetricsText;
  ready: () => Promise<{ ready: boolean; upstream: boolean; rules: boolean }>;
}): Server {
  return createServer((request, response) => {
    const answer = (status: number, type: string, body: string): void =>
      void response.writeHead(status, { 'Content-Type': type }).end(body);
    const json = (status: number, value: object): void =>
      answer(status, 'application/json', JSON.stringify(value));
    const serve = async (): Promise<void> => {
      if (request.method !== 'GET') return json(405, { error: 'method not allowed' });
      if (request.url === '/metrics') return answer(200, deps.metrics.contentType, await deps.metrics.text());
      if (request.url !== '/ready') return json(404, { error: 'not found' });
      const state = await deps.ready();
      return json(state.ready ? 200 : 503, state);
    };
    serve().catch(() => json(500, { error: 'internal error' }));
  });
}
