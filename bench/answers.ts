import { decodeFunctionData, encodeFunctionResult, multicall3Abi, parseAbi, type Hex } from 'viem';
import type { Recorded } from './recordings.ts';

/** A call as it stands in a JSON-RPC request. */
export interface Call {
  readonly id?: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

const METADATA = parseAbi([
  'function symbol() view returns (string)',
  'function name() view returns (string)',
  'function decimals() view returns (uint8)',
  'function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)',
]);
const SYMBOL = '0x95d89b41';
const NAME = '0x06fdde03';
const DECIMALS = '0x313ce567';
const LATEST_ROUND = '0xfeaf968c';
const AGGREGATE3 = '0x82ad56cb';
/** Any price serves to measure with: 2,000 dollars with the eight decimals of dollar feeds. */
const ANSWER = 2_000n * 10n ** 8n;

/**
 * A node's answers about recorded transactions, as JSON texts made once: replaying costs next to nothing. Each
 * transaction's reads are remembered from the first time they are asked for.
 */
export class Answers {
  readonly #byHash = new Map<string, { tx: string; receipt: string; trace: string }>();
  readonly #blocks = new Map<string, { text: string; timestamp: bigint }>();
  readonly #tokens = new Map<string, Recorded['tokens'][string]>();
  readonly #calls = new Map<string, string>();

  constructor(recorded: Iterable<Recorded>) {
    for (const { hash, rpc, tokens } of recorded) {
      this.#byHash.set(hash, {
        tx: JSON.stringify(rpc.tx),
        receipt: JSON.stringify(rpc.receipt),
        trace: JSON.stringify(rpc.callTracer),
      });
      this.#blocks.set(String(rpc.block['number']), {
        text: JSON.stringify({ ...rpc.block, transactions: [] }),
        timestamp: BigInt(String(rpc.block['timestamp'])),
      });
      for (const [address, meta] of Object.entries(tokens)) this.#tokens.set(address.toLowerCase(), meta);
    }
  }

  /** The body of the HTTP response to a single call or a batch. */
  respond(request: Call | readonly Call[]): string {
    return Array.isArray(request)
      ? `[${request.map((call: Call) => this.#one(call)).join(',')}]`
      : this.#one(request as Call);
  }

  #one(call: Call): string {
    const result = this.#result(call);
    const id = JSON.stringify(call.id ?? null);
    return result === null
      ? `{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"the method ${call.method} does not exist/is not available"}}`
      : `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
  }

  #result({ method, params = [] }: Call): string | null {
    const key = String(params[0]);
    switch (method) {
      case 'eth_chainId':
        return '"0x1"';
      case 'eth_getCode':
        return '"0x"';
      case 'eth_getTransactionByHash':
        return this.#byHash.get(key)?.tx ?? 'null';
      case 'eth_getTransactionReceipt':
        return this.#byHash.get(key)?.receipt ?? 'null';
      case 'debug_traceTransaction':
        return this.#byHash.get(key)?.trace ?? 'null';
      case 'eth_getBlockByNumber':
        return this.#blocks.get(key)?.text ?? 'null';
      case 'eth_call': {
        const { to, data } = params[0] as { to: string; data: Hex };
        const at = String(params[1]);
        const known = `${to}|${data}|${at}`;
        let text = this.#calls.get(known);
        if (text === undefined) this.#calls.set(known, (text = JSON.stringify(this.#call(to, data, at))));
        return text;
      }
      default:
        return null;
    }
  }

  #call(to: string, data: Hex, at: string): Hex {
    if (data.startsWith(AGGREGATE3)) {
      const { args } = decodeFunctionData({ abi: multicall3Abi, data }) as unknown as {
        args: [{ target: Hex; callData: Hex }[]];
      };
      const results = args[0].map(({ target, callData }) => {
        const returnData = this.#call(target, callData, at);
        return { success: returnData !== '0x', returnData };
      });
      return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result: results });
    }
    const token = this.#tokens.get(to.toLowerCase());
    const answer = (functionName: 'symbol' | 'name' | 'decimals' | 'latestRoundData', result: unknown): Hex =>
      encodeFunctionResult({ abi: METADATA, functionName, result: result as never });
    if (data === LATEST_ROUND) {
      const updated = (this.#blocks.get(at)?.timestamp ?? 0n) - 60n;
      return answer('latestRoundData', [1n, ANSWER, updated, updated, 1n]);
    }
    if (data === SYMBOL && token?.symbol != null) return answer('symbol', token.symbol);
    if (data === NAME && token?.name != null) return answer('name', token.name);
    if (data === DECIMALS && token?.decimals != null) return answer('decimals', token.decimals);
    return '0x';
  }
}
