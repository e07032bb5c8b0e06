import { STATUS_CODES, createServer, type RequestListener, type Server } from 'node:http';

export interface HttpLimits {
  readonly keepAliveMs: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
}

/** HTTP server with every time-out set; does not listen yet. */
export function createHttpServer(listener: RequestListener, limits: HttpLimits): Server {
  const server = createServer(
    {
      keepAliveTimeout: limits.keepAliveMs,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: Math.max(limits.requestTimeoutMs, limits.headersTimeoutMs),
      // Node looks for late clients only this often.
      connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs),
      maxHeaderSize: 16_384,
    },
    listener,
  );
  // Input that is not even HTTP gets the shape of every other error.
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
    const status =
      error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
    const body = JSON.stringify({ error: (STATUS_CODES[status] ?? 'bad request').toLowerCase() });
    const head =
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; ` +
      `charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
    return socket.end(head + body, () => socket.destroy());
  });
  // Node would refuse other expectations than 100-continue without a word.
  server.on('checkExpectation', (_request, response) => {
    const body = JSON.stringify({ error: 'expectation failed' });
    response
      .writeHead(417, {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': body.length,
        Connection: 'close',
      })
      .end(body);
  });
  return server;
}

/** Listens and returns the port taken. */
export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/** Resolves when the server has let go of its port and every connection is closed. */
export function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}
