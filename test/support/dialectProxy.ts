import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A node in front of a node that lacks the methods matching `refused`: `trace_*` makes it geth-like, `debug_*` Parity-like. */
export async function startDialectProxy(
  nodeUrl: string,
  refused: RegExp,
): Promise<{ url: string; close: () => Promise<void> }> {
  interface Call {
    id: unknown;
    method: string;
  }
  const answer = async (calls: readonly Call[]): Promise<unknown[]> => {
    const passed = calls.filter((call) => !refused.test(call.method));
    const response =
      passed.length === 0
        ? []
        : ((await (
            await fetch(nodeUrl, {
              method: 'POST',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify(passed),
            })
          ).json()) as unknown[]);
    const missing = calls
      .filter((call) => refused.test(call.method))
      .map(({ id, method }) => ({
        jsonrpc: '2.0',
        id,
        error: { code: -32601, message: `the method ${method} does not exist` },
      }));
    return [...response, ...missing];
  };
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Call | Call[];
      answer(Array.isArray(body) ? body : [body]).then(
        (answers) =>
          response
            .writeHead(200, { 'content-type': 'application/json' })
            .end(JSON.stringify(Array.isArray(body) ? answers : answers[0])),
        () => response.writeHead(502).end(),
      );
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}
