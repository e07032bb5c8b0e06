import { keccak256 } from 'ox/Hash';
import { fromString } from 'ox/Hex';
import { quantity, readHash, readQuantity } from '../../evm/hex.ts';
import { isRecord, itemsOf } from '../../lib/shape.ts';
import { canonicalError } from '../../traces/callNode.ts';
import { apiOfDialect } from '../../traces/traceApis.ts';
import { GAS_PER_BLOB } from '../../value/blobs.ts';
import type { Hash, Hex } from '../../model/hex.ts';
import type {
  SimulatedCall,
  Simulation,
  SimulationRequest,
  StateChange,
  StateOverrides,
} from '../../model/simulation.ts';
import type { RawTransaction } from '../../model/upstream.ts';
import { isRateLimit, isStateMissing, isUnsupported, faultOf, resultOf } from './rpc/rpcMessages.ts';
import type { RpcAnswer, RpcCall, SimulationCall } from './rpc/rpcMessages.ts';
import type { RpcEndpoint } from './rpc/rpcEndpoint.ts';
import type { Session } from './rpc/session.ts';
import { elsewhere, UpstreamFault } from './rpc/upstreamFault.ts';
import { batchCall, batchTrace, mergeOverrides, overridesOf, type Traced } from './simulatedBatch.ts';

/** The most gas a transaction may use (EIP-7825). */
const MOST_GAS = 1n << 24n;
const SLOT_SECONDS = 12n;

const FRAMES = { tracer: 'callTracer', tracerConfig: { withLog: true } };
const CHANGES = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } };
/** Both in one run, where the node has it (geth, reth). */
const MUX = {
  tracer: 'muxTracer',
  tracerConfig: { callTracer: FRAMES.tracerConfig, prestateTracer: CHANGES.tracerConfig },
};

/** The block whose state is used. */
interface Base {
  readonly number: bigint;
  readonly hash: Hash;
  readonly timestamp: bigint;
  readonly baseFee: bigint;
  /** Wei per blob gas; 0 where no blob is carried. */
  readonly blobFee: bigint;
  readonly nonce: bigint;
}

/**
 * Runs a transaction on the state after a block, as the first of the next block: `debug_traceCall`, else
 * `trace_call` with the logs of `eth_simulateV1`. Throws `AnalysisError`: `simulation_unavailable` where the
 * node has neither, `simulation_refused` where it does not start the call, or an `upstream_*` failure.
 */
export function simulate(session: Session, request: SimulationRequest): Promise<Simulation> {
  return session.ask(async (endpoint) => {
    const base = await readBase(session, endpoint, request);
    const run = new Run(session, session.traceEndpoint ?? endpoint, request, base);
    return run.simulate();
  });
}

async function readBase(
  session: Session,
  endpoint: RpcEndpoint,
  { from, block, blobs }: SimulationRequest,
): Promise<Base> {
  const at = typeof block === 'bigint' ? hexOf(block) : block;
  const asked: RpcCall[] = [
    // Reads need a block with a hash: for `pending` they are of the latest.
    { method: 'eth_getBlockByNumber', params: [block === 'pending' ? 'latest' : at, false] },
    { method: 'eth_getTransactionCount', params: [from, at] },
    { method: 'eth_chainId', params: [] },
  ];
  if (blobs.length > 0) asked.push({ method: 'eth_blobBaseFee', params: [] });
  const [header, nonce, chain, blobFee] = await endpoint.send(asked, session);
  if (quantity(resultOf('eth_chainId', chain!)) !== 1n) throw new UpstreamFault('wrong_chain', 'elsewhere');
  const fields = resultOf('eth_getBlockByNumber', header!);
  if (!isRecord(fields)) throw new UpstreamFault('state_unavailable', 'elsewhere', 'no such block');
  return {
    number: readQuantity(fields['number'], 'block_malformed', 'number'),
    hash: readHash(fields['hash'], 'block_malformed', 'hash'),
    timestamp: readQuantity(fields['timestamp'], 'block_malformed', 'timestamp'),
    baseFee: quantity(fields['baseFeePerGas']) ?? 0n,
    blobFee: blobFee?.ok ? (quantity(blobFee.result) ?? 0n) : 0n,
    nonce: readQuantity(resultOf('eth_getTransactionCount', nonce!), 'upstream_malformed', 'nonce'),
  };
}

class Run {
  readonly #session: Session;
  readonly #tracer: RpcEndpoint;
  readonly #request: SimulationRequest;
  readonly #base: Base;
  readonly #at: Hex | 'pending';
  #nextBlock = true;

  constructor(session: Session, tracer: RpcEndpoint, request: SimulationRequest, base: Base) {
    this.#session = session;
    this.#tracer = tracer;
    this.#request = request;
    this.#base = base;
    this.#at = request.block === 'pending' ? 'pending' : hexOf(base.number);
  }

  async simulate(): Promise<Simulation> {
    const { calls } = this.#request;
    const all: Traced[] = [];
    let overrides = this.#request.stateOverrides;
    for (const call of calls) {
      const traced = await this.#debug(call, overrides);
      if (traced === null) return this.#parity();
      all.push(traced);
      if (traced.failed || all.length === calls.length) break;
      if (!traced.change)
        throw new UpstreamFault('simulation_unavailable', 'elsewhere', 'several calls need prestateTracer');
      overrides = mergeOverrides(overrides, overridesOf(traced.change));
    }
    const result = calls.length === 1 ? all[0]!.result : batchTrace(this.#request, all);
    const changes = all.map(({ change }) => change).filter((change) => change !== null);
    const known = changes.length === all.length ? changes : null;
    const trace = { dialect: 'call_tracer', result } as const;
    return { ...this.#mined(trace, gasOf(all)), source: 'debug_traceCall', changes: known };
  }

  #callObject({ to, data, value }: SimulatedCall): Record<string, unknown> {
    const { from, gas, signed, maxFeePerGas, blobs } = this.#request;
    const call: Record<string, unknown> = { from, data, value: hexOf(value), gas: hexOf(gas ?? MOST_GAS) };
    // Contracts may read the price; without one the node asks for no balance to pay it with.
    if (maxFeePerGas !== null) call['gasPrice'] = hexOf(priceOf(this.#request, this.#base.baseFee));
    if (to !== null) call['to'] = to;
    if (signed && signed.authorizationList.length > 0) call['authorizationList'] = signed.authorizationList;
    if (blobs.length > 0) call['blobVersionedHashes'] = blobs;
    return call;
  }

  /** With the next block's number and time, which some nodes refuse. */
  #options(tracer: object, stateOverrides: StateOverrides): Record<string, unknown> {
    const options: Record<string, unknown> = { ...tracer };
    if (Object.keys(stateOverrides).length > 0) options['stateOverrides'] = stateOverrides;
    const { number, timestamp } = this.#base;
    if (this.#nextBlock)
      options['blockOverrides'] = { number: hexOf(number + 1n), time: hexOf(timestamp + SLOT_SECONDS) };
    return options;
  }

  /** Runs the call once per tracer. */
  async #trace(
    call: SimulatedCall,
    tracers: readonly object[],
    overrides: StateOverrides,
  ): Promise<RpcAnswer[]> {
    const method = 'debug_traceCall';
    const ask = (): Promise<RpcAnswer[]> =>
      this.#sendOnce(
        ...(tracers.map((tracer) => ({
          method,
          params: [this.#callObject(call), this.#at, this.#options(tracer, overrides)],
        })) as readonly SimulationCall[]),
      );
    const answers = await ask();
    const refused = answers.some((one) => !one.ok && /override/i.test(one.error.message));
    if (!refused || !this.#nextBlock) return answers;
    this.#nextBlock = false;
    return ask();
  }

  /** What a node could not run in time is not run again: it may still be at it. */
  async #sendOnce(...calls: readonly SimulationCall[]): Promise<RpcAnswer[]> {
    try {
      return await this.#tracer.send(calls, this.#session);
    } catch (error) {
      if (!(error instanceof UpstreamFault) || error.code !== 'upstream_timeout') throw error;
      throw new UpstreamFault('upstream_timeout', 'never', error.detail);
    }
  }

  /** Null where the node does not offer the method. */
  async #debug(call: SimulatedCall, overrides: StateOverrides): Promise<Traced | null> {
    const { capabilities } = this.#tracer;
    if (capabilities.mux) {
      const [both] = await this.#trace(call, [MUX], overrides);
      const found = both!.ok && isRecord(both!.result) ? both!.result : {};
      if (isRecord(found['callTracer'])) return tracedOf(found['callTracer'], found['prestateTracer']);
      // anvil answers `{}` to a tracer it does not know.
      if (both!.ok || /tracer/i.test(both!.error.message)) capabilities.mux = false;
    }
    const [frames, change] = await this.#trace(call, [FRAMES, CHANGES], overrides);
    if (!frames!.ok && isUnsupported(frames!.error)) return null;
    return tracedOf(started(frames!), change!.ok ? change!.result : null);
  }

  /** Nodes without `debug_` methods: calls from `trace_call`, logs from `eth_simulateV1`. */
  async #parity(): Promise<Simulation> {
    const { calls, stateOverrides } = this.#request;
    if (calls.length > 1 || Object.keys(stateOverrides).length > 0)
      throw new UpstreamFault('simulation_unavailable', 'elsewhere', 'several calls need debug_traceCall');
    const call = this.#callObject(calls[0]!);
    const [trace, simulated] = await this.#sendOnce(
      { method: 'trace_call', params: [call, ['trace'], this.#at] },
      { method: 'eth_simulateV1', params: [{ blockStateCalls: [{ calls: [call] }] }, this.#at] },
    );
    if (!trace!.ok && isUnsupported(trace!.error))
      throw new UpstreamFault(
        'simulation_unavailable',
        'elsewhere',
        'the node offers neither debug_traceCall nor trace_call',
      );
    const result = started(trace!);
    const blocks = itemsOf(started(simulated!));
    const outcome = isRecord(blocks[0]) ? itemsOf(blocks[0]['calls'])[0] : null;
    if (!isRecord(result) || !isRecord(outcome)) throw new UpstreamFault('trace_malformed', 'elsewhere');
    this.#nextBlock = false;
    const flat = { dialect: 'parity', result: result['trace'] } as const;
    const gasUsed = quantity(outcome['gasUsed']) ?? 0n;
    const mined = this.#mined(flat, gasUsed, itemsOf(outcome['logs']));
    return { ...mined, source: 'trace_call', changes: null };
  }

  /** The simulation as the node would answer about a transaction of the block. */
  #mined(
    trace: RawTransaction['trace'],
    gasUsed: bigint,
    logs: readonly unknown[] = apiOfDialect(trace.dialect).logs(trace.result),
  ): Pick<Simulation, 'raw' | 'blockNumber' | 'nextBlock'> {
    const { number, baseFee, blobFee } = this.#base;
    const tx = transactionOf(this.#request, this.#base);
    const { hash, from, blockHash, blockNumber } = tx;
    const [root] = elsewhere(() => apiOfDialect(trace.dialect).read(trace.result, tx));
    const failed = root!.error !== null;
    const receipt = {
      blockHash,
      blockNumber,
      transactionHash: hash,
      from,
      contractAddress: tx.to === null ? root!.to : null,
      status: failed ? '0x0' : '0x1',
      gasUsed: hexOf(gasUsed),
      effectiveGasPrice: hexOf(priceOf(this.#request, baseFee)),
      blobGasUsed: hexOf(GAS_PER_BLOB * BigInt(this.#request.blobs.length)),
      blobGasPrice: hexOf(blobFee),
      logs: failed ? [] : logs.filter(isRecord).map((log, index) => logOf(log, index)),
    };
    return { raw: { hash, tx, receipt, trace }, blockNumber: number, nextBlock: this.#nextBlock };
  }
}

/** The transaction as the node would answer about it, mined in the block. */
function transactionOf(request: SimulationRequest, base: Base) {
  const { from, calls, gas, signed, blobs } = request;
  const sent = calls.length === 1 ? calls[0]! : batchCall(request);
  return {
    blockHash: base.hash,
    blockNumber: hexOf(base.number),
    hash: signed?.hash ?? keccak256(fromString(JSON.stringify([from, calls.map(plain)]))),
    from,
    to: sent.to,
    value: hexOf(sent.value),
    input: sent.data,
    nonce: hexOf(signed?.nonce ?? base.nonce),
    type: hexOf(BigInt(signed?.type ?? (blobs.length > 0 ? 3 : 2))),
    gas: hexOf(gas ?? MOST_GAS),
    authorizationList: signed?.authorizationList ?? [],
  };
}

/** A node's words for refusing what it would run otherwise, and ours. */
const REFUSALS: readonly (readonly [RegExp, string])[] = [
  [/base ?fee/i, 'the fee is below the base fee'],
  // geth: tracing on top of pending is not supported
  [/pending/i, 'the node does not trace on the pending block, only on latest'],
];

/** The result of a call the node started. Throws `simulation_refused`, with the cause in fixed words. */
function started(answer: RpcAnswer): unknown {
  if (answer.ok) return answer.result;
  const { error } = answer;
  if (isRateLimit(error) || isStateMissing(error)) throw faultOf('the simulation', error);
  if (isUnsupported(error)) throw new UpstreamFault('simulation_unavailable', 'elsewhere', null);
  const cause =
    REFUSALS.find(([pattern]) => pattern.test(error.message))?.[1] ?? canonicalError(error.message);
  const detail = cause === 'failed' ? `code ${error.code}` : cause;
  throw new UpstreamFault('simulation_refused', 'never', detail, { note: error.message });
}

function tracedOf(result: unknown, change: unknown): Traced {
  if (!isRecord(result) || typeof result['type'] !== 'string')
    throw new UpstreamFault('trace_malformed', 'elsewhere');
  return { result, failed: result['error'] != null, change: isChange(change) ? change : null };
}

function isChange(value: unknown): value is StateChange {
  return isRecord(value) && isRecord(value['pre']) && isRecord(value['post']);
}

const hexOf = (value: bigint): Hex => `0x${value.toString(16)}`;

const plain = ({ to, data, value }: SimulatedCall): unknown[] => [to, data, hexOf(value)];

function logOf({ address, topics, data }: Record<string, unknown>, index: number): object {
  return { address, topics, data: data ?? '0x', logIndex: hexOf(BigInt(index)) };
}

const gasOf = (traced: readonly Traced[]): bigint =>
  traced.reduce((sum, { result }) => sum + (quantity(result['gasUsed']) ?? 0n), 0n);

/** Wei per gas that would be paid (EIP-1559); never below the base fee, which the report's check asks for. */
function priceOf({ maxFeePerGas, maxPriorityFeePerGas }: SimulationRequest, baseFee: bigint): bigint {
  const wanted = baseFee + (maxPriorityFeePerGas ?? 0n);
  const capped = maxFeePerGas !== null && maxFeePerGas < wanted ? maxFeePerGas : wanted;
  return capped < baseFee ? baseFee : capped;
}
