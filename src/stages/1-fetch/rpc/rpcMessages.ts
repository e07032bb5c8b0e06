import { quantity } from '../../../evm/hex.ts';
import { parseJson } from '../../../lib/json.ts';
import type { PublicRpcSchema } from 'viem';
import { isRecord } from '../../../lib/shape.ts';
import { malformed, UpstreamFault } from './upstreamFault.ts';
import type { TraceCall } from '../../../traces/traceApi.ts';
import type { Hash } from '../../../model/hex.ts';

type CallOf<Schema> = Schema extends { Method: infer Method; Parameters?: infer Parameters }
  ? {
      readonly method: Method;
      readonly params: Parameters extends readonly unknown[] ? Readonly<Parameters> : readonly [];
    }
  : never;

/** A method with its parameters: the standard ones (EIP-1474) as viem types them, and the trace APIs. */
export type RpcCall =
  | CallOf<PublicRpcSchema[number]>
  | { readonly method: 'eth_getBlockReceipts'; readonly params: readonly [hash: Hash] }
  | TraceCall
  | SimulationCall;

/** Methods that run a call without mining it. */
export interface SimulationCall {
  readonly method: 'debug_traceCall' | 'trace_call' | 'eth_simulateV1';
  readonly params: readonly unknown[];
}

export interface RpcError {
  readonly code: number;
  /** The node's text: for classifying the error and for the redacted log, never for the client. */
  readonly message: string;
}

export type RpcAnswer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: RpcError };

/** Asks a node for its chain. */
export const CHAIN_CALL: RpcCall = { method: 'eth_chainId', params: [] };

/** The quantity that a node answered; null where it answered none. */
export const quantityOf = (answer: RpcAnswer | undefined): bigint | null =>
  answer?.ok ? quantity(answer.result) : null;

export type RpcRequestMessage = RpcCall & { readonly jsonrpc: '2.0'; readonly id: number };

/** The error of a JSON-RPC response object, with hostile fields made harmless; null where there is none. */
export function readError(message: unknown): RpcError | null {
  if (!isRecord(message) || message['error'] == null) return null;
  const error = message['error'];
  if (!isRecord(error)) return { code: 0, message: typeof error === 'string' ? error.slice(0, 300) : '' };
  const { code, message: text } = error;
  return {
    code: typeof code === 'number' && Number.isSafeInteger(code) ? code : 0,
    message: typeof text === 'string' ? text.slice(0, 300) : '',
  };
}

function readAnswer(message: Record<string, unknown>): RpcAnswer {
  const error = readError(message);
  if (error) return { ok: false, error };
  if (!('result' in message)) throw malformed('an answer without result or error');
  return { ok: true, result: message['result'] };
}

/** The answer to a single request. An error may come with id null: the node could not read the request. */
export function readSingle(request: RpcRequestMessage, body: unknown): RpcAnswer {
  if (!isRecord(body)) throw malformed('not a response object');
  const excusable = body['id'] == null && readError(body) !== null;
  if (body['id'] !== request.id && !excusable) throw malformed('the answer to another request');
  return readAnswer(body);
}

/** Answers of a batch in the order of the requests. Throws unless each has exactly one, under its own id. */
export function readBatch(requests: readonly RpcRequestMessage[], body: unknown): RpcAnswer[] {
  if (!Array.isArray(body)) throw malformed('not a batch of responses');
  if (body.length !== requests.length) throw malformed('a batch of another length');
  let byId: ReadonlyMap<unknown, Record<string, unknown>> | null = null;
  return requests.map(({ id }, i) => {
    const inPlace: unknown = body[i];
    if (isRecord(inPlace) && inPlace['id'] === id) return readAnswer(inPlace);
    const message = (byId ??= new Map(
      (body as unknown[]).filter(isRecord).map((one) => [one['id'], one]),
    )).get(id);
    if (!message) throw malformed('answers to other requests');
    return readAnswer(message);
  });
}

const anyOf = (...patterns: readonly RegExp[]): RegExp =>
  new RegExp(patterns.map(({ source }) => source).join('|'), 'i');

const SAYS_UNSUPPORTED = anyOf(
  /\b(?:method|namespace|api)\b.*\bnot (?:found|supported|available|allowed|exist|enabled|whitelisted)/,
  /\b(?:method|namespace|api)\b.*\b(?:disabled|unavailable|unsupported)/,
  /unsupported method|not available on|upgrade your (?:plan|tier)/,
);

/** The node does not offer the method at all (EIP-1474: -32601 not found, -32004 not supported). */
export function isUnsupported({ code, message }: RpcError): boolean {
  return code === -32601 || code === -32004 || (code !== 3 && SAYS_UNSUPPORTED.test(message));
}

const SAYS_REVERT = anyOf(
  /revert|out of gas|gas required exceeds|write protection/,
  /invalid opcode|invalid jump|bad instruction|stack (?:under|over)flow|vm execution/,
);

/** The EVM ran and failed (geth: code 3, Parity: -32015). The contract's reason may hold any text. */
export function isRevert({ code, message }: RpcError): boolean {
  return code === 3 || code === -32015 || SAYS_REVERT.test(message);
}

/** The node gave up executing the contract: geth's `execution aborted (timeout = 5s)`. */
export function isExecutionTimeout({ message }: RpcError): boolean {
  return /execution (?:was )?(?:aborted|timed? ?out)/i.test(message);
}

const SAYS_NO_STATE = anyOf(
  /missing trie node|prun(?:ed|ing)|historical|archive|state .*(?:not |un)available|no state/,
  /header not found|(?:unknown|missing) block|block .*not found|header for hash/,
);

/** The node does not have the state asked for; another one may. */
export function isStateMissing(error: RpcError): boolean {
  // 4444: pruned history (execution-apis).
  return error.code === 4444 || (!isRevert(error) && SAYS_NO_STATE.test(error.message));
}

/** A rate limit reported inside JSON-RPC (-32005 of EIP-1474, 429 and -32029 of hosted nodes). */
export function isRateLimit({ code, message }: RpcError): boolean {
  return code === 429 || code === -32029 || /rate.?limit|too many requests/i.test(message);
}

/** The result of a call. Throws its fault where it failed. */
export function resultOf(call: string, answer: RpcAnswer): unknown {
  if (!answer.ok) throw faultOf(call, answer.error);
  return answer.result;
}

/** The fault for a failed call. */
export function faultOf(call: string, error: RpcError): UpstreamFault {
  const extras = { note: error.message };
  if (isRateLimit(error)) return new UpstreamFault('upstream_rate_limited', 'again', null, extras);
  const detail = `${call} failed with code ${error.code}`;
  if (isStateMissing(error)) return new UpstreamFault('state_unavailable', 'later', detail, extras);
  // -32600 and -32602: this node does not take the request at all.
  const refused = isUnsupported(error) || error.code === -32600 || error.code === -32602;
  return new UpstreamFault('upstream_rpc', refused ? 'elsewhere' : 'again', detail, extras);
}

/** Smaller bodies are not scanned: they cannot hold enough values to matter. */
const SCAN_FROM = 262_144;
/** The EVM nests 1,024 calls, each an object inside an array; the rest is the envelope. */
const MAX_DEPTH = 2_200;
/** Values of the largest body: real traces have more than 20 bytes per value, `[[],[],…]` has three. */
const MAX_VALUES = 4_000_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/**
 * A body as a JSON value; undefined where it is not JSON. Throws `upstream_malformed` for a body that nests
 * deeper or holds more values than any trace: parsing it would take many times its size in memory.
 */
export function readJson(body: Buffer): unknown {
  if (body.length > SCAN_FROM) requireBounds(body);
  return parseJson(body);
}

function requireBounds(body: Buffer): void {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]!;
    if (byte === QUOTE) {
      at = endOfString(body, at);
    } else if (byte === COMMA) {
      values++;
    } else if (byte === 0x5b || byte === 0x7b) {
      values++;
      if (++depth > MAX_DEPTH) throw malformed('nested too deeply');
    } else if (byte === 0x5d || byte === 0x7d) {
      depth--;
    }
    if (values > MAX_VALUES) throw malformed('too many values');
  }
}

/** Position of the closing quote, found by the engine's search: most of a trace is hex strings. */
function endOfString(body: Buffer, start: number): number {
  for (let end = body.indexOf(QUOTE, start + 1); end >= 0; end = body.indexOf(QUOTE, end + 1)) {
    let escapes = 0;
    while (body[end - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return body.length;
}
