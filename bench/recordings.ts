import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { synthetic, type Shape } from './synthetic.ts';

/** One transaction as a node answered about it: JSON-RPC results by what was asked. */
export interface Recorded {
  readonly name: string;
  readonly hash: `0x${string}`;
  readonly rpc: {
    readonly tx: Readonly<Record<string, unknown>>;
    readonly receipt: Readonly<Record<string, unknown>> & {
      readonly logs: readonly { readonly address: string }[];
    };
    readonly block: Readonly<Record<string, unknown>>;
    readonly callTracer: unknown;
  };
  readonly tokens: Readonly<
    Record<
      string,
      { readonly symbol?: string | null; readonly name?: string | null; readonly decimals?: number | null }
    >
  >;
}

/** The recordings of the repository: what every run measures. */
export const OWN_RECORDINGS = join(import.meta.dirname, '../test/recordings');

/**
 * Recordings of a folder of `.json` files, or of a `.json`, `.ndjson` or `.ndjson.gz` file; or the synthetic transaction
 * that `synthetic:<shape>:<size>` names. Those without a call trace are left out. Throws where there are none.
 */
export function readRecordings(place: string): Recorded[] {
  const [scheme, shape, size] = place.split(':');
  if (scheme === 'synthetic') return [synthetic(shape as Shape, Number(size))];
  const files = statSync(place).isDirectory()
    ? readdirSync(place)
        .filter((name) => name.endsWith('.json'))
        .sort()
        .map((name) => join(place, name))
    : [place];
  const found = files.flatMap(readFile).filter(({ rpc }) => rpc.callTracer != null);
  if (found.length === 0) throw new Error(`no recordings in ${place}`);
  return found;
}

function readFile(path: string): Recorded[] {
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const { id, name, hash, rpc, tokens } = JSON.parse(line) as Recorded & { id?: string };
      return { name: name ?? id ?? hash, hash, rpc, tokens: tokens ?? {} };
    });
}
