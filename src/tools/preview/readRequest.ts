import { keccak256 } from '../../evm/keccak.ts';
import * as Eip1559 from 'ox/TxEnvelopeEip1559';
import * as Eip2930 from 'ox/TxEnvelopeEip2930';
import * as Eip4844 from 'ox/TxEnvelopeEip4844';
import * as Eip7702 from 'ox/TxEnvelopeEip7702';
import * as Legacy from 'ox/TxEnvelopeLegacy';
import { quantity } from '../../evm/hex.ts';
import { recover } from '../../evm/signing.ts';
import { isRecord } from '../../lib/shape.ts';
import { addressOf, amountOf, bad, bytesOf, RequestError } from './readFields.ts';
import { readTypedData } from './typedData.ts';
import { mergeOverrides } from '../../stages/1-fetch/simulatedBatch.ts';
import { parseJson } from '../../lib/json.ts';
import type { Address, Hash, Hex } from '../../model/hex.ts';
import type { SimulatedCall, SimulationRequest, StateOverrides } from '../../model/simulation.ts';

/** Calls in one batch. */
const MOST_CALLS = 32;
const MOST_OVERRIDES = 256;
/** Blobs of one transaction (EIP-7594). */
const MOST_BLOBS = 6;

/** `latest`, `pending`, or a number. */
function blockOf(value: unknown): SimulationRequest['block'] {
  if (value === undefined || value === null || value === 'latest') return 'latest';
  return value === 'pending' ? 'pending' : (amountOf(value, 'block') ?? 'latest');
}

function callOf(fields: Record<string, unknown>): SimulatedCall {
  const to = fields['to'] === undefined || fields['to'] === null ? null : addressOf(fields['to'], 'to');
  const data = bytesOf(fields['data'] ?? fields['input'], 'data');
  if (to === null && data === '0x') bad('to is missing: a call without it creates a contract from data');
  return { to, data, value: amountOf(fields['value'], 'value') ?? 0n };
}

function blobsOf(value: unknown): readonly Hex[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > MOST_BLOBS)
    return bad(`blobVersionedHashes must be a list of at most ${MOST_BLOBS}`);
  return value.map((hash: unknown) => bytesOf(hash, 'a blob hash'));
}

/** Accounts that authorise code, or are read; the node checks each entry. */
const MOST_ENTRIES = 256;

function listOf(value: unknown, what: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) && value.length <= MOST_ENTRIES && value.every(isRecord)
    ? value
    : bad(`${what} must be a list of objects`);
}

/** Options of the run, beside its calls. */
export interface RunOptions {
  readonly block?: unknown;
  readonly gas?: unknown;
  readonly stateOverrides?: unknown;
}

/** A signed transaction as `0x…`, or a request as wallets pass it. Throws `RequestError`. */
export async function readAny(request: unknown, options: RunOptions = {}): Promise<SimulationRequest> {
  return typeof request === 'string' ? readSigned(request, options) : readRequest(request, options);
}

const FEES = ['gas', 'gasLimit', 'gasPrice', 'maxFeePerGas', 'maxPriorityFeePerGas', 'maxFeePerBlobGas'];
const SHARED = ['from', 'nonce', 'chainId', 'type', 'accessList', 'authorizationList', ...FEES];
/** Keys that nodes add to a mined transaction, and wallets to one with blobs. */
const UNUSED = ['hash', 'blockHash', 'blockNumber', 'blockTimestamp', 'transactionIndex', 'r', 's', 'v'];
const SIDECAR = ['blobVersionedHashes', 'blobs', 'commitments', 'proofs', 'sidecars', 'yParity'];
const CALL_KEYS = ['to', 'data', 'input', 'value'];
const BATCH_KEYS = [...SHARED, 'calls', 'version', 'id', 'atomicRequired', 'capabilities'];
const KEYS = [...SHARED, ...CALL_KEYS, ...UNUSED, ...SIDECAR];
const SIGN = 'eth_signTypedData';
const METHODS = ['eth_sendTransaction', 'eth_signTransaction', 'wallet_sendCalls'];

/** A key that is not read is refused: it may matter. */
function requireKnown(fields: Record<string, unknown>, keys: readonly string[], what: string): void {
  const unknown = Object.keys(fields).find((key) => fields[key] !== undefined && !keys.includes(key));
  if (unknown !== undefined) bad(`${what} has a key that is not read: ${unknown.slice(0, 50)}`);
  const { capabilities, data, input, chainId } = fields;
  if (isRecord(capabilities) && Object.keys(capabilities).length > 0) bad('capabilities are not read');
  if (data != null && input != null && data !== input) bad('data and input differ');
  if (chainId != null && quantity(chainId) !== 1n && chainId !== 1) bad('the request is for another chain');
}

/**
 * A request as wallets pass it: the parameters of `eth_sendTransaction`, or of `wallet_sendCalls` (EIP-5792),
 * alone, as a list of parameters, or as a whole JSON-RPC request; so also of `eth_signTypedData_v4`. Throws
 * `RequestError`.
 */
export function readRequest(value: unknown, options: RunOptions = {}): SimulationRequest {
  const whole = isRecord(value) && 'params' in value ? value : { params: value };
  const { method: named = METHODS[0], params: inner } = whole as Record<string, unknown>;
  const method = String(named);
  if (method.startsWith(SIGN)) return typedRequest(inner, options);
  if (!METHODS.includes(method)) bad(`requests of ${method.slice(0, 50)} are not read`);
  const [fields, ...more] = [inner].flat() as unknown[];
  if (more.length > 0) bad('the request has more than one parameter');
  if (!isRecord(fields)) bad('the request must be an object with from, and to or calls');
  return requestOf(fields, callsOf(fields), options);
}

function callsOf(fields: Record<string, unknown>): SimulatedCall[] {
  const isBatch = fields['calls'] !== undefined;
  requireKnown(fields, isBatch ? BATCH_KEYS : KEYS, 'the request');
  const list: unknown = isBatch ? fields['calls'] : [fields];
  if (!Array.isArray(list) || list.length === 0 || list.length > MOST_CALLS)
    bad(`calls must be a list of 1 to ${MOST_CALLS}`);
  return list.map((call: unknown) => {
    if (!isRecord(call)) return bad('a call must be an object');
    if (isBatch) requireKnown(call, [...CALL_KEYS, 'capabilities'], 'a call');
    return callOf(call);
  });
}

/** The effect of its signature, as calls of the signer. */
function typedRequest(params: unknown, options: RunOptions): SimulationRequest {
  if (!Array.isArray(params) || params.length !== 2) bad(`${SIGN} takes a signer and typed data`);
  const [from, given] = params as readonly unknown[];
  const data = typeof given === 'string' ? parseJson(given) : given;
  const { calls, stateOverrides, ...typed } = readTypedData(addressOf(from, 'the signer'), data);
  const request = requestOf({ from }, calls, options);
  return { ...request, typed, stateOverrides: mergeOverrides(request.stateOverrides, stateOverrides) };
}

function requestOf(fields: Record<string, unknown>, calls: readonly SimulatedCall[], options: RunOptions) {
  const amount = (key: string, other?: string, given?: unknown): bigint | null =>
    amountOf(given ?? fields[key] ?? fields[other ?? key], key);
  return {
    from: addressOf(fields['from'], 'from'),
    calls,
    gas: amount('gas', 'gasLimit', options.gas),
    maxFeePerGas: amount('maxFeePerGas', 'gasPrice'),
    maxPriorityFeePerGas: amount('maxPriorityFeePerGas', 'gasPrice'),
    block: blockOf(options.block),
    stateOverrides: readOverrides(options.stateOverrides),
    blobs: blobsOf(fields['blobVersionedHashes']),
    nonce: amount('nonce'),
    authorizationList: listOf(fields['authorizationList'], 'authorizationList'),
    accessList: listOf(fields['accessList'], 'accessList'),
    signed: null,
    typed: null,
  };
}

/** A signed transaction (EIP-2718 or legacy); its signer is recovered. Throws `RequestError`. */
export async function readSigned(raw: string, options: RunOptions = {}): Promise<SimulationRequest> {
  const serialized = bytesOf(raw, 'the transaction');
  try {
    return readEnvelope(serialized, options);
  } catch (error) {
    if (error instanceof RequestError) throw error;
    return bad('the transaction is no signed transaction of a known type');
  }
}

function readEnvelope(serialized: Hex, options: RunOptions): SimulationRequest {
  const { tx, from } = openEnvelope(serialized);
  if (tx.chainId !== undefined && tx.chainId !== 1) bad('the transaction is for another chain');
  const call = callOf({ to: tx.to, data: tx.data, value: `0x${(tx.value ?? 0n).toString(16)}` });
  const fields = { ...tx, from, nonce: BigInt(tx.nonce ?? 0), authorizationList: authorizationsOf(tx) };
  const signed = {
    hash: keccak256(serialized) as Hash,
    type: serialized.startsWith('0x0') ? Number(serialized.slice(0, 4)) : 0,
  };
  return { ...requestOf(fields, [call], options), signed };
}

/** By the first byte (EIP-2718). */
const ENVELOPES = { '0x01': Eip2930, '0x02': Eip1559, '0x03': Eip4844, '0x04': Eip7702 } as const;

type Envelope = ReturnType<((typeof ENVELOPES)[keyof typeof ENVELOPES] | typeof Legacy)['deserialize']> & {
  readonly [fee in 'gasPrice' | 'maxFeePerGas' | 'maxPriorityFeePerGas']?: bigint | undefined;
};

/** A signed transaction and its signer. Throws where it cannot be read. */
function openEnvelope(serialized: Hex): { readonly tx: Envelope; readonly from: Address } {
  const type = ENVELOPES[serialized.slice(0, 4) as keyof typeof ENVELOPES] ?? Legacy;
  const tx = type.deserialize(serialized as never) as Envelope;
  const { r, s, yParity } = tx;
  if (r === undefined || s === undefined || yParity === undefined)
    return bad('the transaction is not signed');
  const from = recover(type.getSignPayload(tx as never), { r, s, yParity });
  return { tx, from: from ?? bad('the transaction carries no valid signature') };
}

/** In JSON-RPC form (EIP-7702). */
function authorizationsOf(tx: Envelope): readonly unknown[] {
  const hex = (value: bigint | number): Hex => `0x${BigInt(value).toString(16)}`;
  return ('authorizationList' in tx ? (tx.authorizationList ?? []) : []).map((one) => ({
    chainId: hex(one.chainId),
    address: one.address,
    nonce: hex(one.nonce),
    yParity: hex(one.yParity ?? 0),
    r: hex(one.r),
    s: hex(one.s),
  }));
}

const FIELDS = ['balance', 'nonce', 'code', 'state', 'stateDiff'];

/** State overrides as geth takes them: `{address: {balance, nonce, code, state, stateDiff}}`. */
export function readOverrides(value: unknown): StateOverrides {
  if (value === undefined || value === null) return {};
  if (!isRecord(value)) return bad('state overrides must be an object by address');
  const entries = Object.entries(value);
  if (entries.length > MOST_OVERRIDES) bad(`state overrides are limited to ${MOST_OVERRIDES} accounts`);
  return Object.fromEntries(
    entries.map(([address, fields]) => {
      if (!isRecord(fields)) return bad(`the override of ${address.slice(0, 50)} must be an object`);
      const unknown = Object.keys(fields).find((field) => !FIELDS.includes(field));
      if (unknown !== undefined) bad(`no override is called ${unknown.slice(0, 50)}`);
      return [addressOf(address, 'an override'), fields];
    }),
  ) as StateOverrides;
}
