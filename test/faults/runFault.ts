import { readConfig, type Config } from '../../src/service/config.ts';
import { createLog } from '../../src/lib/log.ts';
import { createMask } from '../../src/lib/mask.ts';
import { secretUrls } from '../../src/service/config.ts';
import { serve } from '../../src/service/server.ts';
import { fetchAnalyze } from '../support/fetchAnalyze.ts';
import { recordings, startReplayNode, type Recording, type ReplayOptions } from '../support/replayNode.ts';
import type { CreateAnalyze } from '../../src/service/server.ts';

/** Every way the replaying node can misbehave, with the failure the client must be told when it never stops. */
export const FAULTS: Record<string, RegExp> = {
  http500: /the upstream node answered with an HTTP error: HTTP 500$/,
  http429: /the upstream node is rate limiting$/,
  hang: /the upstream node did not answer in time$/,
  reset: /the upstream node cannot be reached$/,
  truncate: /not JSON-RPC: not JSON$/,
  html: /not JSON-RPC: not JSON$/,
  'rpc-error': /the upstream node answered with an error: \w+ failed with code -32005$/,
  'empty-trace': /the trace endpoint returned an empty result$/,
  'null-receipt': /do not belong together: no receipt for a mined transaction$/,
  'wrong-id': /not JSON-RPC: answers to other requests$/,
  'no-logs':
    /do not belong together: (the logs do not match the bloom filter of their receipt|the trace holds \d+ logs, the receipt 0)$/,
};

/** Parts of an upstream URL that must show up nowhere. */
export const SECRETS = ['s3cretUser', 's3cretPass', 's3cretPathKey', 's3cretQueryKey'];

export function withSecrets(url: string): string {
  return url.replace('http://', 'http://s3cretUser:s3cretPass@') + '/v3/s3cretPathKey?apikey=s3cretQueryKey';
}

export interface Outcome {
  readonly tried: number;
  readonly succeeded: number;
  /** Errors told to clients, with how often. */
  readonly errors: ReadonlyMap<string, number>;
  readonly slowestMs: number;
  /** Everything the service said: answers with headers, log lines of every level, metrics. */
  readonly said: string;
}

export const LIMITS = { deadlineMs: 6_000, rpcTimeoutMs: 300 } as const;

export interface Run extends ReplayOptions {
  readonly count: number;
  readonly config?: Partial<Config>;
  /** Further upstreams, asked after the faulty one. */
  readonly others?: readonly string[];
  /** Which recordings to ask for. */
  readonly choose?: (recording: Recording) => boolean;
  readonly createAnalyze?: CreateAnalyze;
}

/** Runs the service against a replaying node with a fault and asks it for `count` transactions, eight at a time. */
export async function runFault(run: Run): Promise<Outcome> {
  const node = await startReplayNode(run);
  const lines: string[] = [];
  const rpcUrls = [withSecrets(node.url), ...(run.others ?? [])];
  const config: Config = {
    ...readConfig({}),
    rpcUrls,
    host: '127.0.0.1',
    port: 0,
    adminPort: 0,
    logLevel: 'trace',
    ...LIMITS,
    ...run.config,
  };
  const log = createLog({
    level: 'trace',
    mask: createMask(secretUrls(config)),
    stream: { write: (line) => void lines.push(line) },
  });
  const server = await serve(config, run.createAnalyze ?? (({ upstream }) => fetchAnalyze(upstream)), {
    log,
  });
  const hashes = recordings(run.files)
    .filter(run.choose ?? (() => true))
    .map((r) => r.hash)
    .slice(0, run.count);
  const errors = new Map<string, number>();
  const said: string[] = [];
  let succeeded = 0;
  let slowestMs = 0;
  let next = 0;
  const client = async (): Promise<void> => {
    for (let hash = hashes[next++]; hash !== undefined; hash = hashes[next++]) {
      const start = performance.now();
      const response = await fetch(`${server.url}/analyze`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ tx_hash: hash }),
      });
      const text = await response.text();
      slowestMs = Math.max(slowestMs, performance.now() - start);
      said.push(JSON.stringify([...response.headers]), text);
      if (response.status === 200) succeeded++;
      else {
        const { error } = JSON.parse(text) as { error: string };
        const key = response.status === 502 ? error : `${response.status} ${error}`;
        errors.set(key, (errors.get(key) ?? 0) + 1);
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: 8 }, client));
    for (const path of ['metrics', 'ready', 'x'])
      said.push(await (await fetch(`http://127.0.0.1:${server.adminPort}/${path}`)).text());
  } finally {
    await server.close();
    await node.close();
  }
  return { tried: hashes.length, succeeded, errors, slowestMs, said: [...said, ...lines].join('\n') };
}
