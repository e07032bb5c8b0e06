import { TRACE_MODES, dialectOf, forgetTrace, type Capabilities } from './rpc/capabilities.ts';
import {
  faultOf,
  isRateLimit,
  isRecord,
  isUnsupported,
  type RpcAnswer,
  type RpcError,
} from './rpc/rpcMessages.ts';
import { UpstreamFault } from './rpc/upstreamFault.ts';
import type { RawTransaction, TraceMode } from '../../model/upstream.ts';

type Finding =
  | { readonly kind: 'ok'; readonly result: unknown }
  | { readonly kind: 'empty' | 'malformed' | 'unsupported' }
  | { readonly kind: 'failed'; readonly error: RpcError };

/**
 * A trace is trusted by its shape alone: some nodes answer an unknown hash with a success that holds no trace
 * (`{failed, gas, returnValue, structLogs: []}`), others with null or `[]`.
 */
export function traceKind(mode: TraceMode, result: unknown): 'ok' | 'empty' | 'malformed' {
  if (result == null) return 'empty';
  if (mode === 'parity') {
    if (!Array.isArray(result)) return 'malformed';
    if (result.length === 0) return 'empty';
    return (result as unknown[]).every(
      (item) => isRecord(item) && isRecord(item['action']) && Array.isArray(item['traceAddress']),
    )
      ? 'ok'
      : 'malformed';
  }
  if (!isRecord(result)) return 'malformed';
  if (typeof result['from'] === 'string' && typeof result['type'] === 'string') return 'ok';
  return Object.keys(result).length === 0 || Array.isArray(result['structLogs']) ? 'empty' : 'malformed';
}

function finding(mode: TraceMode, answer: RpcAnswer): Finding {
  if (answer.ok) {
    const kind = traceKind(mode, answer.result);
    return kind === 'ok' ? { kind, result: answer.result } : { kind };
  }
  // A node that knows the tracer but not its option; asked again without it.
  const refusesOption =
    mode === 'call_tracer_with_log' &&
    (answer.error.code === -32602 || /withlog|tracerconfig|unknown field/i.test(answer.error.message));
  return refusesOption || isUnsupported(answer.error)
    ? { kind: 'unsupported' }
    : { kind: 'failed', error: answer.error };
}

/**
 * Picks the trace among the answers to the modes asked (best mode first) and keeps in `capabilities` what they taught.
 * Throws `trace_unavailable`, `trace_empty` or `trace_malformed` where none is a trace.
 */
export function chooseTrace(
  modes: readonly TraceMode[],
  answers: readonly RpcAnswer[],
  capabilities: Capabilities,
): RawTransaction['trace'] {
  const findings = modes.map((mode, i) => finding(mode, answers[i]!));
  for (let i = 0; i < modes.length; i++) {
    if (findings[i]!.kind !== 'unsupported') continue;
    const mode = modes[i]!;
    // What worked is gone: another node may answer now, so nothing known of the old one holds.
    if (capabilities.trace === mode) forgetTrace(capabilities);
    capabilities.unsupported.add(mode);
    // A method that is missing is missing with every option.
    const answer = answers[i]!;
    if (mode === 'call_tracer_with_log' && !answer.ok && isUnsupported(answer.error))
      capabilities.unsupported.add('call_tracer');
  }
  // Whatever brought no trace is no longer the way that works: the next attempt asks in every way that may.
  capabilities.trace = null;
  // Only what the node cannot do may settle the dialect, not a better mode's passing failure.
  let settled = true;
  for (let i = 0; i < modes.length; i++) {
    const found = findings[i]!;
    if (found.kind === 'ok') {
      if (settled) capabilities.trace = modes[i]!;
      return { dialect: dialectOf(modes[i]!), result: found.result };
    }
    if (found.kind !== 'unsupported') settled = false;
  }
  throw explain(findings, capabilities);
}

function explain(findings: readonly Finding[], capabilities: Capabilities): UpstreamFault {
  const failed = findings.find((f) => f.kind === 'failed');
  if (capabilities.unsupported.size === TRACE_MODES.length) {
    forgetTrace(capabilities);
    return new UpstreamFault(
      'trace_unavailable',
      'elsewhere',
      'the node offers neither debug_traceTransaction nor trace_transaction',
    );
  }
  if (failed?.kind === 'failed' && isRateLimit(failed.error)) return faultOf('the trace', failed.error);
  if (findings.some((f) => f.kind === 'empty')) return new UpstreamFault('trace_empty', 'again');
  if (findings.some((f) => f.kind === 'malformed')) return new UpstreamFault('trace_malformed', 'again');
  if (failed?.kind === 'failed')
    return new UpstreamFault('trace_unavailable', 'again', `code ${failed.error.code}`, {
      note: failed.error.message,
    });
  return new UpstreamFault('trace_unavailable', 'again');
}
