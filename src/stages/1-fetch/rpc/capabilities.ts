import { TRACE_APIS } from '../../../traces/traceApis.ts';
import type { TraceMode } from '../../../model/upstream.ts';
import type { TraceApi } from '../../../traces/traceApi.ts';

/** A node's capabilities: the only knowledge that outlives an analysis. */
export interface Capabilities {
  /** Whether it takes JSON-RPC batches; null until the first one. */
  batches: boolean | null;
  /** The trace mode that works; null until known. */
  trace: TraceMode | null;
  readonly unsupported: Set<TraceMode>;
  /** True once the node answered that it is on chain 1. */
  mainnet: boolean;
}

export function newCapabilities(): Capabilities {
  return { batches: null, trace: null, unsupported: new Set(), mainnet: false };
}

/**
 * The trace APIs one request asks, best first: one of each dialect while the node's is unknown, so that
 * finding out costs no round trip. `singleDialect` asks one alone, after an answer with both was too large.
 */
export function traceApisToAsk(capabilities: Capabilities, singleDialect: boolean): readonly TraceApi[] {
  const { trace, unsupported } = capabilities;
  if (trace) return TRACE_APIS.filter(({ mode }) => mode === trace);
  const open = TRACE_APIS.filter(({ mode }) => !unsupported.has(mode));
  const best = open.filter((api, i) => open.findIndex(({ dialect }) => dialect === api.dialect) === i);
  return singleDialect ? best.slice(0, 1) : best;
}

/** Forgets the trace mode after it stopped working: another node may answer behind the same address. */
export function forgetTrace(capabilities: Capabilities): void {
  capabilities.trace = null;
  capabilities.unsupported.clear();
}
