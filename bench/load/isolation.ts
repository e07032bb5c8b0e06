import { quantile } from '../stats.ts';
import { readRecordings } from '../recordings.ts';
import { startNode, startService, type Program } from './processes.ts';

export interface IsolationResult {
  readonly large: string;
  /** Milliseconds. */
  readonly largeTook: number;
  /** The answer's status; its error where it is not 200. */
  readonly largeStatus: string;
  readonly quiet: Latencies;
  readonly beside: Latencies;
}

export interface Latencies {
  readonly health: { readonly p50: number; readonly p99: number };
  readonly analyses: { readonly p50: number; readonly p99: number };
}

/** Latency of `/health` and of small analyses, first alone, then for as long as a large transaction is being analysed. */
export async function measureIsolation(
  place: string,
  large: string,
  options: { quietMs: number },
): Promise<IsolationResult> {
  const hashes = readRecordings(place).map(({ hash }) => hash);
  const largeHash = readRecordings(large)[0]!.hash;
  const programs: Program[] = [];
  try {
    const node = await startNode([place, large]);
    programs.push(node);
    const service = await startService(node.url, {
      MAX_RESPONSE_BYTES: '1000000000',
      RPC_TIMEOUT_MS: '120000',
      DEADLINE_MS: '300000',
      ANALYSIS_MEMORY_MB: '8192',
    });
    programs.push(service);

    await probe(service.url, hashes, sleep(options.quietMs));
    const quiet = await probe(service.url, hashes, sleep(options.quietMs));
    const start = performance.now();
    let status = '';
    const answered = analyze(service.url, largeHash).then(async (response) => {
      status = String(response.status);
      // Read and thrown away: a report may be larger than a string can be.
      for await (const piece of response.body!)
        if (response.status !== 200) status += ` ${Buffer.from(piece as Uint8Array).toString()}`;
    });
    const beside = await probe(service.url, hashes, answered);
    return { large, largeTook: performance.now() - start, largeStatus: status, quiet, beside };
  } finally {
    await Promise.all(programs.map((program) => program.stop()));
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function analyze(url: string, hash: string): Promise<Response> {
  return fetch(`${url}/analyze`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tx_hash: hash }),
  });
}

/** One client asks for `/health`, one for small analyses, each as soon as it was answered, until `until`. */
async function probe(url: string, hashes: readonly string[], until: Promise<unknown>): Promise<Latencies> {
  let over = false;
  const ended = until.finally(() => (over = true));
  const repeat = async (request: (n: number) => Promise<Response>): Promise<{ p50: number; p99: number }> => {
    const times: number[] = [];
    while (!over) {
      const start = performance.now();
      const response = await request(times.length);
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`answered ${response.status}`);
      times.push(performance.now() - start);
      // A steady client, not a flood that competes for the processor itself.
      await sleep(5);
    }
    return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
  };
  const [health, analyses] = await Promise.all([
    repeat(() => fetch(`${url}/health`)),
    repeat((n) => analyze(url, hashes[n % hashes.length]!)),
  ]);
  await ended;
  return { health, analyses };
}
