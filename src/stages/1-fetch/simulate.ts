import { hexOf, quantity } from '../../evm/hex.ts';
import { isRecord, itemsOf } from '../../lib/shape.ts';
import { canonicalError } from '../../traces/callNode.ts';
import { apiOfDialect } from '../../traces/traceApi.ts';
import { GAS_PER_BLOB } from '../../value/parties/execution.ts';
import type { Hex } from '../../model/hex.ts';
import type {
  SimulatedCall,
  SimulatedRun,
  Simulation,
  SimulationRequest,
  StateChange,
  StateOverrides,
} from '../../model/simulation.ts';
import type { RawTransaction } from '../../model/upstream.ts';
import { isRateLimit, isStateMissing, isUnsupported, faultOf } from './rpc/rpcMessages.ts';
import type { RpcAnswer, SimulationCall } from './rpc/rpcMessages.ts';
import type { RpcEndpoint } from './rpc/rpcEndpoint.ts';
import type { Session } from './rpc/session.ts';
import { elsewhere, UpstreamFault } from './rpc/upstreamFault.ts';
import { callObject, environmentsOf, MOST_GAS, readBase, transactionOf } from './simulatedBase.ts';
import type { Base, Environment } from './simulatedBase.ts';
import { batchTrace, mergeOverrides, overridesOf, withoutLoan, type Traced } from './simulatedBatch.ts';

const SLOT_SECONDS = 12n;

const FRAMES = { tracer: 'callTracer', tracerConfig: { withLog: true } };
/** Parameters for state differences. */
export const CHANGES = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } };
/** Both in one run, where the node has it (geth, reth). */
const MUX = {
  tracer: 'muxTracer',
  tracerConfig: { callTracer: FRAMES.tracerConfig, prestateTracer: CHANGES.tracerConfig },
};

/**
 * Runs a transaction on the state after a block, as the first of the next block: `debug_traceCall`, else
 * `trace_call` with the logs of `eth_simulateV1`. Once more with another fee, gas limit and fee recipient,
 * at the same time. Throws `AnalysisError`: `simulation_unavailable` where the node has neither,
 * `simulation_refused` where it does not start the call, or an `upstream_*` failure.
 */
export function simulate(session: Session, request: SimulationRequest): Promise<Simulation> {
  return session.ask(async (endpoint) => {
    const base = await readBase(session, endpoint, request);
    const [usual, other] = environmentsOf(request, base);
    const runIn = (environment: Environment): Promise<SimulatedRun> =>
      new Run(session, session.traceEndpoint ?? endpoint, { request, base, environment }).simulate();
    const [run, again] = await Promise.all([runIn(usual), runIn(other)]);
    return { ...run, again, nextNonce: base.nonce };
  });
}

class Run {
  readonly #at: Hex | 'pending';
  #nextBlock = true;

  constructor(
    private readonly session: Session,
    private readonly tracer: RpcEndpoint,
    private readonly setting: { request: SimulationRequest; base: Base; environment: Environment },
  ) {
    const { request, base } = setting;
    this.#at = request.block === 'pending' ? 'pending' : hexOf(base.number);
  }

  async simulate(): Promise<SimulatedRun> {
    const { calls, from } = this.setting.request;
    const all: Traced[] = [];
    let overrides = this.setting.request.stateOverrides;
    for (const [i, call] of calls.entries()) {
      const traced = await this.#withGas(call, i, overrides);
      if (traced === null) return this.#parity();
      all.push(traced);
      if (traced.failed || all.length === calls.length) break;
      if (!traced.change)
        throw new UpstreamFault('simulation_unavailable', 'elsewhere', 'several calls need prestateTracer');
      const left = withoutLoan(overridesOf(traced.change), from, traced.lent);
      overrides = mergeOverrides(overrides, left);
    }
    const result = calls.length === 1 ? all[0]!.result : batchTrace(this.setting.request, all);
    const changes = all.map(({ change }) => change).filter((change) => change !== null);
    const known = changes.length === all.length ? changes : null;
    const trace = { dialect: 'call_tracer', result } as const;
    return { ...this.#mined(trace, gasOf(all)), source: 'debug_traceCall', changes: known };
  }

  /** A call without an estimate that runs out of gas is given all there is. */
  async #withGas(call: SimulatedCall, i: number, overrides: StateOverrides): Promise<Traced | null> {
    const gas = this.setting.environment.gas[i]!;
    const traced = await this.#paid(call, gas, overrides);
    const isShort = this.setting.request.gas === null && gas < MOST_GAS && traced?.failed === true;
    if (!isShort || gasOf([traced]) < gas) return traced;
    return this.#paid(call, MOST_GAS, overrides);
  }

  /** A sender with too little for a fee that the request does not state is lent it. */
  async #paid(call: SimulatedCall, gas: bigint, overrides: StateOverrides): Promise<Traced | null> {
    const { from, maxFeePerGas, calls } = this.setting.request;
    const cost = gas * this.setting.environment.price;
    const held = quantity(overrides[from]?.balance) ?? this.setting.base.balance;
    const sum = calls.reduce((total, { value }) => total + value + cost, 0n);
    const isEnough = held < call.value || held >= sum;
    const isStated = maxFeePerGas !== null && !this.setting.environment.isOther;
    const sent = this.#callObject(call, gas);
    if (isEnough || isStated) return this.#debug(sent, overrides);
    const lent = { ...overrides, [from]: { ...overrides[from], balance: hexOf(held + cost) } };
    const traced = await this.#debug(sent, lent);
    return traced && { ...traced, lent: cost - gasOf([traced]) * this.setting.environment.price };
  }

  #callObject(call: SimulatedCall, gas: bigint): Record<string, unknown> {
    const price = { gas: hexOf(gas), gasPrice: hexOf(this.setting.environment.price) };
    return callObject(this.setting.request, call, price);
  }

  /** With the next block's number, time and fee recipient, which some nodes refuse. */
  #options(tracer: object, stateOverrides: StateOverrides): Record<string, unknown> {
    const { number, timestamp } = this.setting.base;
    const { feeRecipient } = this.setting.environment;
    const next = { number: hexOf(number + 1n), time: hexOf(timestamp + SLOT_SECONDS), feeRecipient };
    return {
      ...tracer,
      ...(Object.keys(stateOverrides).length > 0 && { stateOverrides }),
      ...(this.#nextBlock && { blockOverrides: next }),
    };
  }

  /** Runs the call once per tracer. */
  async #trace(
    call: Record<string, unknown>,
    tracers: readonly object[],
    overrides: StateOverrides,
  ): Promise<RpcAnswer[]> {
    const callOf = (tracer: object): SimulationCall => {
      return { method: 'debug_traceCall', params: [call, this.#at, this.#options(tracer, overrides)] };
    };
    const ask = (): Promise<RpcAnswer[]> => this.#sendOnce(...tracers.map(callOf));
    const answers = await ask();
    const refused = answers.some((one) => !one.ok && /override/i.test(one.error.message));
    if (!refused || !this.#nextBlock) return answers;
    this.#nextBlock = false;
    return ask();
  }

  /** A run that timed out is not asked for again: the node may still be busy with it. */
  async #sendOnce(...calls: readonly SimulationCall[]): Promise<RpcAnswer[]> {
    try {
      return await this.tracer.send(calls, this.session);
    } catch (error) {
      if (!(error instanceof UpstreamFault) || error.code !== 'upstream_timeout') throw error;
      throw new UpstreamFault('upstream_timeout', 'never', error.detail);
    }
  }

  /** Null where the node does not offer the method. */
  async #debug(call: Record<string, unknown>, overrides: StateOverrides): Promise<Traced | null> {
    const { capabilities } = this.tracer;
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
  async #parity(): Promise<SimulatedRun> {
    const { calls, stateOverrides } = this.setting.request;
    if (calls.length > 1 || Object.keys(stateOverrides).length > 0)
      throw new UpstreamFault('simulation_unavailable', 'elsewhere', 'several calls need debug_traceCall');
    const call = this.#callObject(calls[0]!, this.setting.environment.gas[0]!);
    const [trace, simulated] = await this.#sendOnce(
      { method: 'trace_call', params: [call, ['trace'], this.#at] },
      { method: 'eth_simulateV1', params: [{ blockStateCalls: [{ calls: [call] }] }, this.#at] },
    );
    const none = 'the node offers neither debug_traceCall nor trace_call';
    if (!trace!.ok && isUnsupported(trace!.error))
      throw new UpstreamFault('simulation_unavailable', 'elsewhere', none);
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
  ): Omit<SimulatedRun, 'source' | 'changes'> {
    const { number, blobFee } = this.setting.base;
    const tx = transactionOf(this.setting.request, this.setting.base, this.setting.environment);
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
      effectiveGasPrice: hexOf(this.setting.environment.price),
      blobGasUsed: hexOf(GAS_PER_BLOB * BigInt(this.setting.request.blobs.length)),
      blobGasPrice: hexOf(blobFee),
      logs: (failed ? [] : logs).filter(isRecord).map(({ address, topics, data }, index) => {
        return { address, topics, data: data ?? '0x', logIndex: hexOf(BigInt(index)) };
      }),
    };
    return { raw: { hash, tx, receipt, trace }, blockNumber: number, nextBlock: this.#nextBlock };
  }
}

/** How nodes word a refusal of a run that needs another setting, and our words for it. */
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

/** Whether an answer is a state difference. */
export function isChange(value: unknown): value is StateChange {
  return isRecord(value) && isRecord(value['pre']) && isRecord(value['post']);
}

const gasOf = (traced: readonly Traced[]): bigint =>
  traced.reduce((sum, { result }) => sum + (quantity(result['gasUsed']) ?? 0n), 0n);
