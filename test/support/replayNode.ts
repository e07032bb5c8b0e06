import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { join } from 'node:path';

/** Recorded mainnet transactions and the node that replays them lie beside the repository, where they are at all. */
const SHARED = join(import.meta.dirname, '../../../shared');
const PROGRAM = join(SHARED, 'replay/replay-node.mjs');
/** Path of a corpus file. */
export const corpus = (file: string): string => join(SHARED, 'corpus', file);

export const REPLAY_AVAILABLE = existsSync(PROGRAM) && existsSync(corpus('whole-blocks.ndjson.gz'));

export function warnIfAbsent(what: string): void {
  if (!REPLAY_AVAILABLE)
    console.warn(`SKIPPED: ${what} needs the recorded transactions in ${SHARED}, which are not here`);
}

export interface ReplayOptions {
  readonly files?: readonly string[];
  readonly dialect?: 'both' | 'geth' | 'parity';
  readonly fault?: string;
  readonly rate?: number;
}

export interface ReplayNode {
  readonly url: string;
  stats(): Promise<{ http_requests: number; rpc_calls: number; by_method: Record<string, number> }>;
  close(): Promise<void>;
}

/** Every corpus file. */
export const CORPUS = [
  'labelled-defi',
  'full-traces',
  'geth-tracers',
  'whole-blocks',
  'block-10m',
  'mev-blocks',
].map((name) => `${name}.ndjson.gz`);

/** Hashes of the transactions in these corpus files, each once. */
export function recordedHashes(files: readonly string[]): Set<string> {
  const texts = files.map((file) => gunzipSync(readFileSync(corpus(file))).toString('utf8'));
  return new Set(
    texts.flatMap((text) =>
      text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as { hash: string }).hash),
    ),
  );
}

/** Numbers of the blocks in these corpus files, ascending. */
export function recordedBlocks(files: readonly string[]): bigint[] {
  const numbers = new Set<bigint>();
  for (const file of files)
    for (const line of gunzipSync(readFileSync(corpus(file)))
      .toString('utf8')
      .split('\n')) {
      if (line === '') continue;
      const { rpc } = JSON.parse(line) as { rpc: { receipt: { blockNumber: string } } };
      numbers.add(BigInt(rpc.receipt.blockNumber));
    }
  return [...numbers].sort((a, b) => (a < b ? -1 : 1));
}

export const DEFAULT_FILES = ['whole-blocks.ndjson.gz', 'full-traces.ndjson.gz'];

/** Starts a replaying node of its own on a free port. */
export function startReplayNode(options: ReplayOptions = {}): Promise<ReplayNode> {
  const args = [PROGRAM, '--port', '0', '--dialect', options.dialect ?? 'both'];
  if (options.fault) args.push('--fault', options.fault, '--fault-rate', String(options.rate ?? 1));
  const child = spawn(process.execPath, [...args, ...(options.files ?? DEFAULT_FILES).map(corpus)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the replay node ended with ${code}`)));
    child.stdout.on('data', (data: Buffer) => {
      const url = /http:\/\/[\d.:]+/.exec(data.toString())?.[0];
      if (!url) return;
      resolve({
        url,
        stats: async () =>
          (await (await fetch(`${url}/__stats`)).json()) as Awaited<ReturnType<ReplayNode['stats']>>,
        close: () => (child.kill('SIGKILL'), gone),
      });
    });
  });
}

export interface Recording {
  readonly hash: `0x${string}`;
  readonly logs: number;
  readonly succeeded: boolean;
  /** False for records with more gas used than the transaction allows, which are refused. */
  readonly sound: boolean;
  readonly tokens: Readonly<
    Record<string, { symbol: string | null; decimals: number | null; standard?: string }>
  >;
}

/** Hashes of the recordings with what a test must know of them. */
export function recordings(files: readonly string[] = DEFAULT_FILES): Recording[] {
  return files.flatMap((file) =>
    gunzipSync(readFileSync(corpus(file)))
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line): Recording => {
        const { hash, rpc, tokens } = JSON.parse(line) as {
          hash: `0x${string}`;
          tokens: Recording['tokens'] | undefined;
          rpc: { tx: { gas: string }; receipt: { logs: unknown[]; status: string; gasUsed: string } };
        };
        return {
          hash,
          logs: rpc.receipt.logs.length,
          succeeded: rpc.receipt.status === '0x1',
          sound: BigInt(rpc.receipt.gasUsed) <= BigInt(rpc.tx.gas),
          tokens: tokens ?? {},
        };
      }),
  );
}
