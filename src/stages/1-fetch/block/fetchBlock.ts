import { differ, isRecord } from '../../../lib/shape.ts';
import { isHash } from '../context/consistency.ts';
import { traceApisToAsk, chooseTrace, noTraceApi } from '../rpc/chooseTrace.ts';
import { isUnsupported, resultOf, type RpcAnswer, type RpcCall } from '../rpc/rpcMessages.ts';
import { inconsistent, UpstreamFault } from '../rpc/upstreamFault.ts';
import type { BlockId, TraceApi } from '../../../traces/traceApi.ts';
import type { RpcEndpoint } from '../rpc/rpcEndpoint.ts';
import { sendBoth, type Session } from '../rpc/session.ts';
import { lowerAddress } from '../../../evm/hex.ts';
import type { Address, Hash } from '../../../model/hex.ts';
import type { TraceMode } from '../../../model/upstream.ts';

/** A block as the node answered: JSON-RPC results, unchecked but for the hashes that tie them together. */
export interface RawBlock extends BlockId {
  /** The account its fees went to, lower-case; null where the header names none. */
  readonly coinbase: Address | null;
  /** In block order. */
  readonly hashes: readonly Hash[];
  readonly transactions: ReadonlyMap<Hash, unknown>;
  /** Without those the node did not send. */
  readonly receipts: ReadonlyMap<Hash, unknown>;
  readonly traces: ReadonlyMap<Hash, unknown>;
  /** How the traces were asked for. */
  readonly mode: TraceMode;
}

/** Called once per reason with a line for the user: the missing method, or the answer that was too large. */
export type OnNote = (note: string) => void;

/** Calls per request when a block is asked in pieces; halved where that is still too large. */
const PIECE = 32;

const SAYS_TOO_LARGE =
  /too (?:large|big)|response size|size (?:limit|exceed)|exceed\w* .*(?:size|limit)|limit exceeded/i;

/**
 * Fetches whole blocks: transactions, receipts and traces in one JSON-RPC batch. Per-transaction calls
 * replace a method that a node lacks, which is remembered, and an answer too large or too slow.
 */
export function createBlockFetcher(onNote: OnNote): (session: Session, id: BlockId) => Promise<RawBlock> {
  const noted = new Set<string>();
  const note: OnNote = (text) => {
    if (!noted.has(text)) onNote(text);
    noted.add(text);
  };
  const memory: Memory = { lacking: new Set(), note };
  return (session, id) => session.ask((endpoint) => new BlockAttempt(session, endpoint, id, memory).run());
}

interface Memory {
  /** Nodes with a method that they lack. */
  readonly lacking: Set<string>;
  readonly note: OnNote;
}

const RECEIPTS = 'eth_getBlockReceipts';

class BlockAttempt {
  readonly #tracer: RpcEndpoint;

  constructor(
    private readonly session: Session,
    private readonly endpoint: RpcEndpoint,
    private readonly id: BlockId,
    private readonly memory: Memory,
  ) {
    this.#tracer = session.traceEndpoint ?? endpoint;
  }

  async run(): Promise<RawBlock> {
    let api = this.#nextApi();
    const [block, ofReceipts, ofTraces] = await this.#askParts(api);
    const { coinbase, hashes, transactions } = readTransactions(block!, this.id);
    const receipts = await this.#receipts(ofReceipts, hashes);
    let traces = this.#wholeTraces(api, ofTraces, hashes);
    while (traces === null) {
      traces = await this.#tracesInPieces(api, hashes);
      if (traces !== null) break;
      // The node does not know this way of tracing at all: the next one, whole block first.
      api = this.#nextApi();
      const [answer] = await this.#tracer.send([api.blockCall(this.id)], this.session);
      traces = this.#wholeTraces(api, answer, hashes);
    }
    return { ...this.id, coinbase, hashes, transactions, receipts, traces, mode: api.mode };
  }

  #nextApi(): TraceApi {
    const [api] = traceApisToAsk(this.#tracer.capabilities, true);
    if (api === undefined) throw noTraceApi();
    return api;
  }

  /** Everything in one batch, the block alone where that is too much; the rest is asked per transaction. */
  async #askParts(api: TraceApi): Promise<(RpcAnswer | undefined)[]> {
    const block: RpcCall = { method: 'eth_getBlockByHash', params: [this.id.hash, true] };
    const receipts: RpcCall = { method: RECEIPTS, params: [this.id.hash] };
    const own = this.#lacks(this.endpoint, RECEIPTS) ? [block] : [block, receipts];
    const whole = api.blockCall(this.id);
    const trace = this.#lacks(this.#tracer, whole.method) ? [] : [whole];
    try {
      const [answers, [traces]] = await sendBoth(this.session, this.endpoint, own, trace);
      return [answers[0], answers[1], traces];
    } catch (error) {
      if (!isTooMuch(error)) throw error;
      this.memory.note('the node does not answer a whole block at once: asking for its parts one by one');
      return this.endpoint.send([block], this.session);
    }
  }

  async #receipts(
    answer: RpcAnswer | undefined,
    hashes: readonly Hash[],
  ): Promise<ReadonlyMap<Hash, unknown>> {
    if (answer?.ok && Array.isArray(answer.result)) return receiptsIn(answer.result, hashes);
    if (answer && !answer.ok) this.#learn(this.endpoint, RECEIPTS, answer);
    this.#noteLack(this.endpoint, RECEIPTS);
    const calls = hashes.map((hash): RpcCall => ({ method: 'eth_getTransactionReceipt', params: [hash] }));
    const answers = await this.#inPieces(this.endpoint, calls);
    return byHash(hashes, answers, () => true);
  }

  #wholeTraces(
    api: TraceApi,
    answer: RpcAnswer | undefined,
    hashes: readonly Hash[],
  ): ReadonlyMap<Hash, unknown> | null {
    if (hashes.length === 0) return new Map();
    if (answer?.ok === false) this.#learn(this.#tracer, api.blockCall(this.id).method, answer);
    if (!answer?.ok || !Array.isArray(answer.result)) return null;
    const found = api.splitBlock(answer.result, hashes);
    if (found.size === 0) return null;
    this.#tracer.capabilities.trace = api.mode;
    return found;
  }

  /** One call per transaction; null where the node does not know this way of tracing. */
  async #tracesInPieces(api: TraceApi, hashes: readonly Hash[]): Promise<ReadonlyMap<Hash, unknown> | null> {
    const { capabilities } = this.#tracer;
    const [first, ...rest] = hashes.map((hash) => api.call(hash));
    const answers = await this.#inPieces(this.#tracer, [first!]);
    try {
      if (answers[0]) chooseTrace([api], [answers[0]], capabilities);
    } catch (error) {
      if (capabilities.unsupported.has(api.mode)) return null;
      if (!(error instanceof UpstreamFault) || error.code === 'upstream_rate_limited') throw error;
    }
    this.#noteLack(this.#tracer, api.blockCall(this.id).method);
    answers.push(...(await this.#inPieces(this.#tracer, rest)));
    return byHash(hashes, answers, (result) => api.looksLike(result) === 'trace');
  }

  /** Sends the calls a few at a time; undefined where even one alone is too large or too slow. */
  async #inPieces(
    endpoint: RpcEndpoint,
    calls: readonly RpcCall[],
    size = PIECE,
  ): Promise<(RpcAnswer | undefined)[]> {
    const answers: (RpcAnswer | undefined)[] = [];
    for (let i = 0; i < calls.length; i += size) {
      const piece = calls.slice(i, i + size);
      try {
        answers.push(...(await endpoint.send(piece, this.session)));
      } catch (error) {
        if (!isTooMuch(error)) throw error;
        if (piece.length === 1) answers.push(undefined);
        else answers.push(...(await this.#inPieces(endpoint, piece, Math.ceil(piece.length / 2))));
      }
    }
    return answers;
  }

  #lacks({ name }: RpcEndpoint, method: string): boolean {
    return this.memory.lacking.has(`${name} ${method}`);
  }

  #noteLack(endpoint: RpcEndpoint, method: string): void {
    if (this.#lacks(endpoint, method))
      this.memory.note(`${endpoint.name} lacks ${method}: asking per transaction`);
  }

  #learn({ name }: RpcEndpoint, method: string, { error }: RpcAnswer & { ok: false }): void {
    const { lacking, note } = this.memory;
    if (isUnsupported(error)) lacking.add(`${name} ${method}`);
    else if (SAYS_TOO_LARGE.test(error.message))
      note(`${name} finds the answer to ${method} too large: asking per transaction`);
    else note(`${method} failed at ${name}: asking per transaction`);
  }
}

/** The answer to the whole request is too large or too slow: smaller requests may do. */
function isTooMuch(error: unknown): boolean {
  if (!(error instanceof UpstreamFault)) return false;
  if (error.code === 'upstream_too_large' || error.code === 'upstream_timeout') return true;
  return error.code === 'upstream_rpc' && SAYS_TOO_LARGE.test(error.note ?? '');
}

/** The results that are wanted, by the hashes they were asked for. */
function byHash(
  hashes: readonly Hash[],
  answers: readonly (RpcAnswer | undefined)[],
  isWanted: (result: unknown) => boolean,
): ReadonlyMap<Hash, unknown> {
  const found = new Map<Hash, unknown>();
  for (const [i, hash] of hashes.entries()) {
    const answer = answers[i];
    if (answer?.ok && answer.result != null && isWanted(answer.result)) found.set(hash, answer.result);
  }
  return found;
}

/** `transactionsRoot` of a block without transactions: keccak256 of RLP of nothing (Yellow Paper, 4.4). */
const NO_TRANSACTIONS = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';

/** Receipts by hash. Throws for one of another block: the list could leave out transactions unseen. */
function receiptsIn(list: readonly unknown[], hashes: readonly Hash[]): ReadonlyMap<Hash, unknown> {
  const listed = new Set(hashes);
  const found = new Map<Hash, unknown>();
  for (const receipt of list) {
    const hash = isRecord(receipt) ? receipt['transactionHash'] : null;
    if (typeof hash !== 'string') continue;
    found.set(hash.toLowerCase() as Hash, receipt);
    if (!listed.has(hash.toLowerCase() as Hash))
      throw inconsistent('receipts of transactions the block does not list');
  }
  return found;
}

/** The block's transactions; each must name this very block. */
function readTransactions(
  answer: RpcAnswer,
  { hash: blockHash }: BlockId,
): Pick<RawBlock, 'coinbase' | 'hashes' | 'transactions'> {
  const block = resultOf('eth_getBlockByHash', answer);
  if (block === null) throw inconsistent('the block is gone: a reorganisation');
  if (!isRecord(block) || !Array.isArray(block['transactions']))
    throw new UpstreamFault('block_malformed', 'again');
  if (!isHash(block['hash'], blockHash)) throw inconsistent('another block than asked for');
  const transactions = new Map<Hash, unknown>();
  for (const tx of block['transactions'] as unknown[]) transactions.set(hashIn(tx, blockHash), tx);
  if (transactions.size === 0 && differ(block['transactionsRoot'], NO_TRANSACTIONS))
    throw new UpstreamFault('block_malformed', 'again', 'none of its transactions');
  return { coinbase: lowerAddress(block['miner']), hashes: [...transactions.keys()], transactions };
}

/** The hash of a transaction that the node lists in this block. */
function hashIn(tx: unknown, blockHash: Hash): Hash {
  if (!isRecord(tx) || typeof tx['hash'] !== 'string')
    throw new UpstreamFault('block_malformed', 'again', 'a transaction without a hash');
  if (differ(tx['blockHash'], blockHash)) throw inconsistent('a transaction of another block');
  return tx['hash'].toLowerCase() as Hash;
}
