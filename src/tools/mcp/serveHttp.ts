import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CliError } from '../cli/cliIo.ts';

/** Pages of these hosts may ask; the SDK's app checks the Host header against the same names. */
const OWN_PAGES = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;
const HOST = '127.0.0.1';

/**
 * Serves MCP over streamable HTTP at `/mcp` on loopback until SIGINT or SIGTERM. It keeps no sessions: each
 * request has a server of its own. Requests of pages from elsewhere get `403`. Throws `CliError` where the
 * port cannot be had.
 */
export async function serveHttp(create: () => McpServer, port: number): Promise<void> {
  const app = createMcpExpressApp({ host: HOST });
  app.use((request, response, next) => {
    const { origin } = request.headers;
    if (origin === undefined || OWN_PAGES.test(origin)) next();
    else response.status(403).json({ error: 'only pages of this machine may ask' });
  });
  app.post('/mcp', async (request, response) => {
    const mcp = create();
    const transport = new StreamableHTTPServerTransport();
    response.once('close', () => void mcp.close());
    // Its optional callbacks are typed without `undefined`.
    await mcp.connect(transport as Parameters<McpServer['connect']>[0]);
    await transport.handleRequest(request, response, request.body);
  });
  app.all('/mcp', (_request, response) => {
    response.status(405).set('Allow', 'POST').json({ error: 'method not allowed' });
  });
  const server = app.listen(port, HOST);
  const failed = once(server, 'error').then(([error]) => {
    throw new CliError(`cannot listen on ${HOST}:${port}: ${(error as Error).message}`);
  });
  await Promise.race([once(server, 'listening'), failed]);
  failed.catch(() => undefined);
  process.stderr.write(`MCP on http://${HOST}:${(server.address() as AddressInfo).port}/mcp\n`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  server.close();
  server.closeAllConnections();
}
