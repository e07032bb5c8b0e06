/**
 * OpenTelemetry traces over OTLP/HTTP. Headers, sampling and service name follow the SDK's OTEL_* variables.
 */
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { ENGINE_VERSION } from '../analyze.ts';
import type { BeginTrace } from './http/analyze.ts';

const PROPAGATOR = new W3CTraceContextPropagator();
const METHODS_NAMED = 5;

export type Tracing = ReturnType<typeof openTracing>;

/** `endpoint`: base address of an OTLP/HTTP collector, such as `http://localhost:4318`. */
export function openTracing(endpoint: string) {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  const named = resourceFromAttributes({ 'service.name': 'txreport', 'service.version': ENGINE_VERSION });
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(named)
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('txreport', ENGINE_VERSION);
  /** Sends the waiting spans, as far as the collector takes them. */
  const close = (): Promise<void> => provider.shutdown().catch(() => {});
  return { begin: beginWith(tracer), close };
}

function beginWith(tracer: Tracer): BeginTrace {
  return ({ hash, requestId, traceparent }) => {
    const parent =
      traceparent === undefined
        ? ROOT_CONTEXT
        : PROPAGATOR.extract(ROOT_CONTEXT, { traceparent }, { get: () => traceparent, keys: () => [] });
    const attributes = { 'tx.hash': hash, 'txreport.request_id': requestId };
    const request = tracer.startSpan('POST /analyze', { kind: SpanKind.SERVER, attributes }, parent);
    const context = trace.setSpan(parent, request);
    /** A span of something that just ended. */
    const past = (name: string, ms: number, kind: SpanKind, details: Record<string, string | number>) => {
      const endTime = Date.now();
      return tracer.startSpan(name, { kind, attributes: details, startTime: endTime - ms }, context);
    };
    return {
      onStage: (stage, ms) => past(`stage ${stage}`, ms, SpanKind.INTERNAL, {}).end(),
      onCall: ({ upstream, methods, ms, outcome, cause }) => {
        const distinct = [...new Set(methods)].slice(0, METHODS_NAMED).join(',');
        const span = past(`upstream ${upstream}`, ms, SpanKind.CLIENT, {
          'rpc.system': 'jsonrpc',
          'rpc.method': distinct,
          'txreport.calls': methods.length,
          'txreport.outcome': outcome,
          ...(cause !== null && { 'txreport.cause': cause }),
        });
        if (outcome !== 'ok' && outcome !== 'large') span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
      end: (outcome, intentKind) => {
        request.setAttribute('txreport.outcome', outcome);
        if (intentKind !== null) request.setAttribute('txreport.intent_kind', intentKind);
        if (outcome !== 'ok') request.setStatus({ code: SpanStatusCode.ERROR });
        request.end();
      },
    };
  };
}
