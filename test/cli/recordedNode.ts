import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FakeRpcError, startFakeNode, type FakeNode, type FakeNodeOptions } from '../support/fakeNode.ts';

const FOLDER = join(import.meta.dirname, '../recordings');

interface Recording {
  readonly name: string;
  readonly hash: string;
  readonly rpc: {
    readonly tx: unknown;
    readonly receipt: unknown;
    readonly block: { readonly number: string; readonly hash: string };
    readonly callTracer: unknown;
    readonly trace: unknown;
    readonly prestateDiff: unknown;
  };
  readonly tokens: Readonly<
    Record<
      string,
      {
        readonly kind: string;
        readonly symbol: string | null;
        readonly name: string | null;
        readonly decimals: number | null;
      }
    >
  >;
  readonly prices?: Readonly<
    Record<string, { readonly decimals: number; readonly answer: string; readonly updated_at: number }>
  >;
}

export const RECORDINGS: readonly Recording[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .sort()
  .map((file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Recording);

/** Hashes of the repository's own recordings, by name. */
export const HASH_OF: Readonly<Record<string, string>> = Object.fromEntries(
  RECORDINGS.map(({ name, hash }) => [name, hash]),
);

const word = (value: bigint | number): string => BigInt(value).toString(16).padStart(64, '0');
function text(value: string): string {
  const body = Buffer.from(value, 'utf8').toString('hex');
  return `0x${word(32)}${word(body.length / 2)}${body.padEnd(Math.ceil(body.length / 64) * 64, '0')}`;
}

/** `symbol`, `name`, `decimals` of recorded tokens and `latestRoundData` of recorded feeds, at their block. */
function view(block: string, to: string, data: string): string {
  const at = RECORDINGS.filter((recording) => recording.rpc.block.number === block);
  const token = at.map(({ tokens }) => tokens[to]).find((found) => found !== undefined);
  const feed = at.map(({ prices }) => prices?.[to]).find((found) => found !== undefined);
  const selector = data.slice(0, 10);
  if (token && selector === '0x95d89b41' && token.symbol !== null) return text(token.symbol);
  if (token && selector === '0x06fdde03' && token.name !== null) return text(token.name);
  if (token && selector === '0x313ce567' && token.decimals !== null && token.kind === 'erc20')
    return `0x${word(token.decimals)}`;
  if (feed && selector === '0xfeaf968c')
    return `0x${word(1)}${word(BigInt(feed.answer))}${word(feed.updated_at)}${word(feed.updated_at)}${word(1)}`;
  throw new FakeRpcError(3, 'execution reverted');
}

/** A node that knows the recorded transactions of this repository and nothing else. */
export function startRecordedNode(options: Omit<FakeNodeOptions, 'handlers'> = {}): Promise<FakeNode> {
  const byHash = new Map(RECORDINGS.map((recording) => [recording.hash, recording]));
  const byBlock = new Map(
    RECORDINGS.flatMap(
      ({ rpc }) =>
        [
          [rpc.block.number, rpc.block],
          [rpc.block.hash, rpc.block],
        ] as const,
    ),
  );
  const of = (hash: unknown) => byHash.get(String(hash))?.rpc;
  // Every recording has a block of its own.
  const inBlock = new Map(
    RECORDINGS.flatMap(({ hash, rpc }) =>
      [rpc.block.number, rpc.block.hash].map((block) => [block, { hash, rpc }] as const),
    ),
  );
  const block = ([number, full]: readonly unknown[]): unknown => {
    const found = byBlock.get(String(number));
    return found && full === true ? { ...found, transactions: [inBlock.get(String(number))!.rpc.tx] } : found;
  };
  return startFakeNode({
    ...options,
    handlers: {
      eth_blockNumber: () => '0x1000',
      eth_getTransactionByHash: ([hash]) => of(hash)?.tx,
      eth_getTransactionReceipt: ([hash]) => of(hash)?.receipt,
      eth_getBlockByNumber: block,
      eth_getBlockByHash: block,
      eth_getBlockReceipts: ([number]) => {
        const found = inBlock.get(String(number));
        return found && [found.rpc.receipt];
      },
      debug_traceBlockByHash: ([number]) => {
        const found = inBlock.get(String(number));
        return found && [{ txHash: found.hash, result: found.rpc.callTracer }];
      },
      trace_transaction: ([hash]) => of(hash)?.trace,
      debug_traceTransaction: ([hash, config]) => {
        const { tracer } = config as { tracer: string };
        return tracer === 'callTracer'
          ? of(hash)?.callTracer
          : tracer === 'prestateTracer'
            ? of(hash)?.prestateDiff
            : null;
      },
      eth_getCode: () => '0x',
      eth_call: ([call, block]) => {
        const { to, data, input } = call as { to: string; data?: string; input?: string };
        return view(String(block), to.toLowerCase(), data ?? input ?? '0x');
      },
    },
  });
}
