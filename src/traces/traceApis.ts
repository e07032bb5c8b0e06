import type { TraceDialect } from '../model/upstream.ts';
import { CALL_TRACER, CALL_TRACER_WITH_LOG } from './callTracer.ts';
import { PARITY } from './parity.ts';
import type { TraceApi } from './traceApi.ts';

/** Every trace API, best first: logs inside the frames give their exact position. */
export const TRACE_APIS: readonly TraceApi[] = [CALL_TRACER_WITH_LOG, CALL_TRACER, PARITY];

/** An API with results in the dialect's form. */
export function apiOfDialect(dialect: TraceDialect): TraceApi {
  return TRACE_APIS.find((api) => api.dialect === dialect)!;
}
