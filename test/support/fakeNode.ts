import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Thrown by a handler to answer a JSON-RPC error. */
export class FakeRpcError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export type Handler = (params: readonly unknown[]) => unknown;

export interface FakeNodeOptions {
  readonly handlers?: Record<string, Handler>;
  /** Answers the HTTP request itself (returns true), or lets it pass. `n` counts requests from 0. */
  readonly intercept?: (context: {
    n: number;
    request: IncomingMessage;
    response: ServerResponse;
    body: unknown;
  }) => boolean | Promise<boolean>;
  /** Changes the response objects before they are sent. */
  readonly tamper?: (responses: unknown[], n: number) => unknown;
  readonly batches?: boolean;
}

export interface FakeNode {
  readonly url: string;
  /** One entry per HTTP request: the methods it carried. */
  readonly requests: string[][];
  handlers: Record<string, Handler>;
  close(): Promise<void>;
}

/** A JSON-RPC node of a few lines whose answers and misbehaviour a test chooses. */
export async function startFakeNode(options: FakeNodeOptions = {}): Promise<FakeNode> {
  const requests: string[][] = [];
  const node = {
    requests,
    handlers: { eth_chainId: () => '0x1', ...options.handlers } as Record<string, Handler>,
  };

  const answer = (call: FakeCall & { id: unknown }): object => {
    const handler = node.handlers[call.method];
    try {
      if (!handler)
        throw new FakeRpcError(-32601, `the method ${call.method} does not exist/is not available`);
      return { jsonrpc: '2.0', id: call.id, result: handler(call.params) ?? null };
    } catch (error) {
      const code = error instanceof FakeRpcError ? error.code : -32603;
      return { jsonrpc: '2.0', id: call.id, error: { code, message: (error as Error).message } };
    }
  };

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      void (async () => {
        const n = requests.length;
        const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as
          | (FakeCall & { id: unknown })
          | (FakeCall & { id: unknown })[];
        requests.push((Array.isArray(body) ? body : [body]).map((call) => call.method));
        if (await options.intercept?.({ n, request, response, body })) return;
        const send = (value: unknown): void =>
          void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
        if (Array.isArray(body) && options.batches === false)
          return send({
            jsonrpc: '2.0',
            id: null,
            error: { code: -32600, message: 'batch requests are not supported' },
          });
        const responses = (Array.isArray(body) ? body : [body]).map(answer);
        const sent = options.tamper ? options.tamper(responses, n) : responses;
        send(Array.isArray(body) ? sent : Array.isArray(sent) ? (sent as unknown[])[0] : sent);
      })();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return Object.assign(node, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close });
}
