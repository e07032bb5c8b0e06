// The few lines of JSON-RPC the devnet needs. Separate from the product's client on purpose: a defect there
// must not be able to hide itself in the test data.

export type Rpc = (method: string, params?: unknown[]) => Promise<any>;

export class RpcError extends Error {
  override name = 'RpcError';
  readonly code: number;
  readonly data: unknown;
  constructor(method: string, error: { code: number; message: string; data?: unknown }) {
    super(`${method}: ${error.message}`);
    this.code = error.code;
    this.data = error.data;
  }
}

let id = 0;

/** A JSON-RPC caller for `url`. @throws RpcError for an error reply, TypeError when nothing listens. */
export function createRpc(url: string): Rpc {
  return async (method, params = []) => {
    const reply = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: (id += 1), method, params }),
    });
    const body = (await reply.json()) as {
      result?: unknown;
      error?: { code: number; message: string; data?: unknown };
    };
    if (body.error) throw new RpcError(method, body.error);
    return body.result;
  };
}
