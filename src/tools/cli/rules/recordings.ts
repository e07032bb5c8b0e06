import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseJson } from '../../../lib/json.ts';
import { readAddress } from '../../../evm/hex.ts';
import type { Address, Hash } from '../../../model/hex.ts';
import type { AssetId } from '../../../model/valueFlow.ts';
import type { RawContext, RawTransaction, TokenMetadata } from '../../../model/upstream.ts';
import { didYouMean } from '../../../rules/compile/didYouMean.ts';
import { isArchive, readArchive } from '../../../rules/read/archive.ts';
import { RECORDINGS } from '../../../rules/read/readRuleFiles.ts';
import { CliError } from '../cliIo.ts';
import { rulesetDirs } from './rulesets.ts';

/** A transaction as a node answered: the input of the pure part of the pipeline. */
export interface Recording {
  readonly name: string;
  readonly raw: RawTransaction;
  readonly context: RawContext;
}

/** The JSON of one recording; unknown keys are ignored. */
interface RecordingJson {
  readonly name?: string;
  readonly id?: string;
  readonly hash: string;
  readonly rpc: Readonly<Record<'tx' | 'receipt' | 'block' | 'callTracer' | 'trace', unknown>>;
  readonly tokens?: Readonly<Record<string, Partial<Omit<TokenMetadata, 'address'>>>>;
  readonly delegations?: Readonly<Record<string, string>>;
  /** Accounts that may have run other code than at the block's end. */
  readonly redelegated?: readonly string[];
  /** Holders of the NFTs that roles ask for. */
  readonly holders?: Readonly<Record<AssetId, string>>;
  /** Nonces of EIP-7702 authorities at the end of the parent block and of the block. */
  readonly nonces?: Readonly<Record<string, readonly [before: number, after: number]>>;
}

/** The named places, else the `recordings` of each overlay, last first, and `test/recordings` here. */
export function recordingPlaces(
  named: readonly string[] = [],
  dirs: readonly string[] = rulesetDirs(),
): readonly string[] {
  if (named.length > 0) return named;
  const overlays = dirs.slice(1).map((dir) => (isArchive(dir) ? dir : join(dir, RECORDINGS)));
  const own = overlays.filter((place) => existsSync(place)).reverse();
  const common = join(process.cwd(), 'test/recordings');
  return own.length > 0 && !existsSync(common) ? own : [...own, common];
}

/** The recording of this name (a file without `.json`) or, given a path, of that file. Throws `CliError`. */
export function findRecording(name: string, named: readonly string[] = []): Recording {
  if (name.endsWith('.json') && existsSync(name)) return readRecordings(name)[0]!;
  const places = recordingPlaces(named);
  for (const place of places) {
    const path = join(place, `${name}.json`);
    if (existsSync(path)) return readRecordings(path)[0]!;
    if (!isArchive(place) && !/\.ndjson(\.gz)?$/.test(place)) continue;
    const found = readRecordings(place).find((r) => r.name === name || r.raw.hash === name.toLowerCase());
    if (found) return found;
  }
  const known = places.flatMap((place) => filesIn(place) ?? []).map((file) => basename(file, '.json'));
  throw new CliError(`no recording ${didYouMean(name, known)} in ${places.join(', ')}`);
}

/** The `.json` files of a folder, or the file itself; null where there is neither. */
function filesIn(place: string): string[] | null {
  const stat = statSync(place, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat ? [place] : null;
  const names = readdirSync(place).filter((name) => name.endsWith('.json'));
  return names.sort().map((name) => join(place, name));
}

/** Every recording of the places: folders of `.json` files, or `.json`, `.ndjson` and `.ndjson.gz` files. */
export function allRecordings(named: readonly string[] = []): Recording[] {
  return recordingPlaces(named).flatMap((place) => {
    const files = filesIn(place);
    if (files === null) throw new CliError(`there are no recordings at ${place}`);
    return files.flatMap(readRecordings);
  });
}

/** Of a file: an archive of rules, `.json`, `.ndjson` or `.ndjson.gz`. */
function readRecordings(path: string): Recording[] {
  if (isArchive(path))
    return Object.entries(readArchive(path).files)
      .filter(([inside]) => inside.startsWith(`${RECORDINGS}/`))
      .map(([inside, text]) => toRecording(JSON.parse(text) as RecordingJson, `${path}/${inside}`));
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  const parts = path.endsWith('.json') ? [text] : text.split('\n').filter((line) => line.trim() !== '');
  return parts.map((part, i) => {
    const json = parseJson(part);
    if (json === undefined) throw new CliError(`${path}${parts.length > 1 ? `:${i + 1}` : ''} is not JSON`);
    return toRecording(json as RecordingJson, path);
  });
}

function toRecording(json: RecordingJson, path: string): Recording {
  const { rpc, hash } = json;
  const trace = typeof rpc === 'object' && rpc !== null ? traceOf(rpc) : null;
  if (typeof hash !== 'string' || trace === null)
    throw new CliError(
      `${path} is not a recording: it needs hash, rpc.tx, rpc.receipt, rpc.block and ` +
        'rpc.callTracer or rpc.trace',
    );
  const address = (text: string): Address => readAddress(text, 'internal', path);
  const byAddress = <V, T>(entries: Readonly<Record<string, V>> = {}, of: (value: V, key: Address) => T) =>
    new Map(Object.entries(entries).map(([key, value]) => [address(key), of(value, address(key))] as const));
  return {
    name: json.name ?? json.id ?? hash,
    raw: { hash: hash.toLowerCase() as Hash, tx: rpc.tx, receipt: rpc.receipt, trace },
    context: {
      block: rpc.block,
      tokens: byAddress(json.tokens, ({ symbol = null, name = null, decimals = null }, token) => {
        return { address: token, symbol, name, decimals };
      }),
      prices: [],
      refusals: [],
      delegations: byAddress(json.delegations, address),
      redelegated: new Set((json.redelegated ?? []).map(address)),
      holders: new Map(Object.entries(json.holders ?? {}).map(([nft, account]) => [nft, address(account)])),
      nonces: byAddress(json.nonces, ([before, after]) => ({ before: BigInt(before), after: BigInt(after) })),
    },
  };
}

function traceOf({ callTracer, trace }: RecordingJson['rpc']): RawTransaction['trace'] | null {
  if (callTracer != null) return { dialect: 'call_tracer', result: callTracer };
  return trace == null ? null : { dialect: 'parity', result: trace };
}
