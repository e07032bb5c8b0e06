import type { RpcCall } from './rpcMessages.ts';
import type { Hash } from '../../../model/hex.ts';
import type { TraceDialect, TraceMode } from '../../../model/upstream.ts';

/** Ways to ask for a trace, best first: logs inside the frames tell their exact position. */
export const TRACE_MODES: readonly TraceMode[] = ['call_tracer_with_log', 'call_tracer', 'parity'];

/** What a node turned out to speak. The only thing that outlives an analysis. */
export interface Capabilities {
  /** Null until the first batch. */
  batches: boolean | null;
  /** The trace mode that works; null until known. */
  trace: TraceMode | null;
  readonly unsupported: Set<TraceMode>;
  /** True once the node named chain 1. */
  mainnet: boolean;
}

export function newCapabilities(): Capabilities {
  return { batches: null, trace: null, unsupported: new Set(), mainnet: false };
}

/**
 * The trace modes one request asks for. While the node's dialect is unknown both dialects go into the same batch, so that
 * finding out costs no round trip; `singleDialect` asks for one alone, after an answer with both was too large.
 */
export function traceModesToAsk(capabilities: Capabilities, singleDialect = false): TraceMode[] {
  if (capabilities.trace) return [capabilities.trace];
  const open = TRACE_MODES.filter((mode) => !capabilities.unsupported.has(mode));
  const callTracer = open.find((mode) => mode !== 'parity');
  const modes: TraceMode[] = [];
  if (callTracer) modes.push(callTracer);
  if (open.includes('parity')) modes.push('parity');
  return singleDialect ? modes.slice(0, 1) : modes;
}

/** Forgets which trace mode works, after it stopped working (another node behind the same address, say). */
export function forgetTrace(capabilities: Capabilities): void {
  capabilities.trace = null;
  capabilities.unsupported.clear();
}

const WITHOUT_LOGS = { tracer: 'callTracer' } as const;
const WITH_LOGS = { tracer: 'callTracer', tracerConfig: { withLog: true } } as const;

export function traceCall(mode: TraceMode, hash: Hash): RpcCall {
  if (mode === 'parity') return { method: 'trace_transaction', params: [hash] };
  return {
    method: 'debug_traceTransaction',
    params: [hash, mode === 'call_tracer_with_log' ? WITH_LOGS : WITHOUT_LOGS],
  };
}

export function dialectOf(mode: TraceMode): TraceDialect {
  return mode === 'parity' ? 'parity' : 'call_tracer';
}
