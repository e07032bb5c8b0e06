// Clients of every temper: steady ones, a crowd, slow ones, and those that send or leave too much.
import { setTimeout as sleep } from 'node:timers/promises';
import { createHash } from 'node:crypto';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';

export interface Reply {
  readonly status: number;
  readonly error: string;
  readonly retryAfter: string | null;
  readonly ms: number;
  /** SHA-256 of the body. */
  readonly digest: string;
  /** Whether the report says that the node's state could not be read. */
  readonly unread: boolean;
}

/** One request for a report; status 0 where the connection broke. */
export function ask(port: number, hash: string, agent: Agent): Promise<Reply> {
  const start = performance.now();
  return new Promise((resolve) => {
    const body = JSON.stringify({ tx_hash: hash });
    const broken = (error: Error): void =>
      resolve({
        status: 0,
        error: error.message,
        retryAfter: null,
        ms: performance.now() - start,
        digest: '',
        unread: false,
      });
    const sha256 = createHash('sha256');
    const req = request(
      {
        port,
        host: '127.0.0.1',
        agent,
        method: 'POST',
        path: '/analyze',
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      },
      (response) => {
        let size = 0;
        let head = '';
        let whole = '';
        response.on('data', (chunk: Buffer) => {
          sha256.update(chunk);
          whole += chunk.toString('latin1');
          if ((size += chunk.length) < 2_000) head += chunk.toString('latin1');
        });
        response.on('error', broken);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            error: response.statusCode === 200 ? '' : (JSON.parse(head) as { error: string }).error,
            retryAfter: response.headers['retry-after'] ?? null,
            ms: performance.now() - start,
            digest: sha256.digest('hex'),
            unread: /"state_unread"/.test(whole),
          }),
        );
      },
    );
    req.on('error', (error) => {
      // The service let go of the kept connection just then: nothing was processed (Node.js, `reusedSocket`).
      if (req.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET')
        void ask(port, hash, agent).then(resolve);
      else broken(error);
    });
    req.end(body);
  });
}

export interface Load {
  readonly counts: Map<string, number>;
  readonly times: number[];
  /** Reports that are not the quiet answer, byte for byte, and say no reason: their hashes. */
  readonly different: string[];
  /** Reports that say that no node could read the state. */
  readonly unread: { count: number };
  stop(): Promise<void>;
}

/**
 * `clients` asking one after another, with a pause, until stopped; each report is compared with `quiet`, the digest of the quiet
 * answer by transaction hash.
 */
export function steadyLoad(
  port: number,
  quiet: ReadonlyMap<string, string>,
  { clients, pauseMs = 0 }: { clients: number; pauseMs?: number },
): Load {
  const hashes = [...quiet.keys()];
  const different: string[] = [];
  const unread = { count: 0 };
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const counts = new Map<string, number>();
  const times: number[] = [];
  let running = true;
  let next = 0;
  const client = async (): Promise<void> => {
    while (running) {
      const hash = hashes[next++ % hashes.length]!;
      const { status, error, ms, digest, unread: poorer } = await ask(port, hash, agent);
      if (status === 200 && digest !== quiet.get(hash)) {
        if (poorer) unread.count++;
        else different.push(hash);
      }
      const key = status === 200 ? '200' : `${status} ${error}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      if (times.length < 200_000) times.push(ms);
      if (pauseMs > 0) await sleep(pauseMs);
    }
  };
  const all = Array.from({ length: clients }, client);
  return {
    counts,
    times,
    different,
    unread,
    stop: async () => {
      running = false;
      await Promise.all(all);
      agent.destroy();
    },
  };
}

/** Sockets that send a little and then a byte now and then, or never read what they are sent. Returns how many are still open when told to count. */
export function slowClients(
  port: number,
  count: number,
  begin: string,
  every?: string,
): { open: () => number; close: () => void } {
  const sockets = new Set<Socket>();
  for (let i = 0; i < count; i++) {
    const socket = connect(port, '127.0.0.1', () => void socket.write(begin));
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.pause();
    // A paused socket never notices that the other side has gone unless it writes.
    const timer = setInterval(() => {
      if (socket.destroyed) clearInterval(timer);
      else if (every !== undefined) socket.write(every);
      else socket.resume();
    }, 500);
    socket.on('close', () => clearInterval(timer));
  }
  return {
    open: () => sockets.size,
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Sends a body without end for as long as the service takes it; returns the bytes it received rid of. */
export function flood(port: number, mostBytes: number): Promise<number> {
  return new Promise((resolve) => {
    let sent = 0;
    const chunk = Buffer.alloc(65_536, 'x');
    const req = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/analyze',
      headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
    });
    const done = (): void => resolve(sent);
    req
      .on('error', done)
      .on('close', done)
      .on('response', (response) => void response.resume());
    const push = (): void => {
      while (sent < mostBytes && !req.destroyed) {
        sent += chunk.length;
        if (!req.write(chunk)) return void req.once('drain', push);
      }
      req.end();
    };
    push();
  });
}
