import type { TraceMode, RawTransaction } from '../../../model/upstream.ts';
import { TRACE_APIS, type TraceApi } from '../../../traces/traceApi.ts';
import { faultOf, isRateLimit, isStateMissing, isUnsupported } from './rpcMessages.ts';
import type { RpcAnswer, RpcError } from './rpcMessages.ts';
import { UpstreamFault } from './upstreamFault.ts';

/** A node's capabilities: the only knowledge that outlives an analysis. */
export type Capabilities = ReturnType<typeof newCapabilities>;

export function newCapabilities() {
  return {
    /** Whether it takes JSON-RPC batches; null until the first one. */
    batches: null as boolean | null,
    /** The trace mode that works; null until known. */
    trace: null as TraceMode | null,
    unsupported: new Set<TraceMode>(),
    /** True once the node answered that it is on chain 1. */
    mainnet: false,
    /** False once it refused to run several tracers at once. */
    mux: true,
  };
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

type Finding =
  | { readonly kind: ReturnType<TraceApi['looksLike']>; readonly result: unknown }
  | { readonly kind: 'unsupported' }
  | { readonly kind: 'failed'; readonly error: RpcError };

function finding(api: TraceApi, answer: RpcAnswer): Finding {
  if (answer.ok) return { kind: api.looksLike(answer.result), result: answer.result };
  const { error } = answer;
  return refusesOption(api, error) || isUnsupported(error)
    ? { kind: 'unsupported' }
    : { kind: 'failed', error };
}

/** A node may know the tracer but not its `withLog` option. */
function refusesOption({ mode }: TraceApi, { code, message }: RpcError): boolean {
  if (mode !== 'call_tracer_with_log') return false;
  return code === -32602 || /withlog|tracerconfig|unknown field/i.test(message);
}

/**
 * Picks the trace among the answers to the APIs asked (best first) and updates `capabilities`.
 * Throws `trace_unavailable`, `trace_empty` or `trace_malformed` where no answer is a trace.
 */
export function chooseTrace(
  apis: readonly TraceApi[],
  answers: readonly RpcAnswer[],
  capabilities: Capabilities,
): RawTransaction['trace'] {
  const findings = apis.map((api, i) => finding(api, answers[i]!));
  for (const [i, api] of apis.entries())
    if (findings[i]!.kind === 'unsupported') noteUnsupported(api, answers[i]!, capabilities);
  // Unless set below, the next attempt asks every API that may work.
  capabilities.trace = null;
  // Only a missing capability may settle the dialect, not a better API's passing failure.
  let settled = true;
  for (const [i, { mode, dialect }] of apis.entries()) {
    const found = findings[i]!;
    if (found.kind === 'trace') {
      if (settled) capabilities.trace = mode;
      return { dialect, result: found.result };
    }
    if (found.kind !== 'unsupported') settled = false;
  }
  throw explain(findings, capabilities);
}

function noteUnsupported({ mode }: TraceApi, answer: RpcAnswer, capabilities: Capabilities): void {
  // If it worked before, another node may answer at the address, and all knowledge of the old one is stale.
  if (capabilities.trace === mode) capabilities.unsupported.clear();
  capabilities.unsupported.add(mode);
  // A method that is missing is missing with every option.
  if (mode === 'call_tracer_with_log' && !answer.ok && isUnsupported(answer.error))
    capabilities.unsupported.add('call_tracer');
}

/** The node has no trace API at all. */
export function noTraceApi(): UpstreamFault {
  const detail = 'the node offers neither debug_traceTransaction nor trace_transaction';
  return new UpstreamFault('trace_unavailable', 'elsewhere', detail);
}

function explain(findings: readonly Finding[], capabilities: Capabilities): UpstreamFault {
  if (capabilities.unsupported.size === TRACE_APIS.length) {
    capabilities.unsupported.clear();
    return noTraceApi();
  }
  const failed = findings.find((f) => f.kind === 'failed');
  if (failed && isRateLimit(failed.error)) return faultOf('the trace', failed.error);
  if (findings.some((f) => f.kind === 'empty')) return new UpstreamFault('trace_empty', 'again');
  if (findings.some((f) => f.kind === 'malformed')) return new UpstreamFault('trace_malformed', 'again');
  if (!failed) return new UpstreamFault('trace_unavailable', 'again');
  const { code, message } = failed.error;
  const retry = isStateMissing(failed.error) || /not found/i.test(message) ? 'later' : 'again';
  return new UpstreamFault('trace_unavailable', retry, `code ${code}`, { note: message });
}
