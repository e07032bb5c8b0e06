import { SYSTEM_ADDRESS, quantity, readAddress, readCount, readQuantity } from '../evm/hex.ts';
import { AnalysisError } from '../lib/errors.ts';
import { absent, isRecord, itemsOf, readList, readObject, type Fields } from '../lib/shape.ts';
import type { FrameType } from '../model/canonicalTx.ts';
import type { Address, Hash } from '../model/hex.ts';
import type { TraceMode } from '../model/upstream.ts';
import { CallBudget, readGas, readOptionalBytes, readTopics, failureOf } from './callNode.ts';
import type { CallNode, TracedLog } from './callNode.ts';
import type { CallTracerConfig, TraceApi, TracedTransaction } from './traceApi.ts';

const BAD = 'trace_malformed';
const NO_LOGS: readonly TracedLog[] = [];
const TYPES: ReadonlySet<string> = new Set<FrameType>([
  'CALL',
  'CALLCODE',
  'DELEGATECALL',
  'STATICCALL',
  'CREATE',
  'CREATE2',
  'SELFDESTRUCT',
]);

/**
 * geth's `callTracer` (`{type, from, to, value, input, output, error, calls[], logs[]}`, nested):
 * https://geth.ethereum.org/docs/developers/evm-tracing/built-in-tracers#call-tracer
 */
const callTracer = (mode: TraceMode, config: CallTracerConfig): TraceApi => ({
  mode,
  dialect: 'call_tracer',
  call: (hash) => ({ method: 'debug_traceTransaction', params: [hash, config] }),
  blockCall: ({ hash }) => ({ method: 'debug_traceBlockByHash', params: [hash, config] }),
  looksLike,
  logs: lastingLogs,
  read: readCalls,
  splitBlock,
});

const tracer = 'callTracer';

/** With the logs inside their calls, which gives their exact position. */
export const CALL_TRACER_WITH_LOG = callTracer('call_tracer_with_log', {
  tracer,
  tracerConfig: { withLog: true },
});

/** For nodes that refuse the `withLog` option. */
export const CALL_TRACER = callTracer('call_tracer', { tracer });

/** `{txHash?, result | error}` per transaction; older nodes leave out `txHash`. */
function splitBlock(items: readonly unknown[], hashes: readonly Hash[]): ReadonlyMap<Hash, unknown> {
  const found = new Map<Hash, unknown>();
  if (items.length !== hashes.length) return found;
  for (const [i, item] of items.entries()) {
    if (!isRecord(item) || item['result'] === undefined) continue;
    const named = item['txHash'];
    if (named === undefined || (typeof named === 'string' && named.toLowerCase() === hashes[i]))
      found.set(hashes[i]!, item['result']);
  }
  return found;
}

/** anvil answers an unknown hash with an empty opcode log, some nodes with null or `{}`. */
function looksLike(result: unknown): 'trace' | 'empty' | 'malformed' {
  if (absent(result)) return 'empty';
  if (!isRecord(result)) return 'malformed';
  if (typeof result['from'] === 'string' && typeof result['type'] === 'string') return 'trace';
  return Object.keys(result).length === 0 || Array.isArray(result['structLogs']) ? 'empty' : 'malformed';
}

type CallBytes = Pick<CallNode, 'input' | 'output'>;

/** The calls of one call, as far as they have been read. */
interface OpenCalls {
  readonly calls: readonly unknown[];
  next: number;
  readonly parent: number;
  readonly depth: number;
}

/** Iterative: a hostile trace may nest deeper than the JavaScript stack allows. */
function readCalls(result: unknown, { input = '0x' }: TracedTransaction): CallNode[] {
  if (absent(result)) throw new AnalysisError('trace_empty');
  const nodes: CallNode[] = [];
  const budget = new CallBudget();
  const open: OpenCalls[] = [];
  const enter = (raw: unknown, parent: number | null, depth: number): void => {
    budget.spend(depth);
    const fields = readObject(raw, BAD, 'a call is not an object');
    const index = nodes.length;
    // A proxy passes on its input and the output, the transaction is the first call.
    nodes.push(readCall(fields, parent, parent === null ? { input, output: '0x' } : nodes[parent]!));
    const calls = readList(fields['calls'], BAD, 'calls is not a list');
    if (calls.length > 0) open.push({ calls, next: 0, parent: index, depth: depth + 1 });
  };
  enter(result, null, 0);
  while (open.length > 0) {
    const inner = open[open.length - 1]!;
    if (inner.next === inner.calls.length) open.pop();
    else enter(inner.calls[inner.next++], inner.parent, inner.depth);
  }
  return nodes;
}

function readCall(fields: Fields, parent: number | null, around: CallBytes): CallNode {
  const type = fields['type'];
  if (typeof type !== 'string' || !TYPES.has(type)) {
    const code = parent === null && absent(type) ? 'trace_empty' : BAD;
    throw new AnalysisError(code, 'a call has no known type');
  }
  const error = failureOf(fields, parent);
  return {
    parent,
    type: type as FrameType,
    from: readAddress(fields['from'], BAD, 'call from'),
    to: calleeOf(fields, type, error !== null),
    value: absent(fields['value']) ? 0n : readQuantity(fields['value'], BAD, 'call value'),
    input: readOptionalBytes(fields['input'], 'call input', around.input),
    output: readOptionalBytes(fields['output'], 'call output', around.output),
    error,
    gasUsed: readGas(fields['gasUsed']),
    logs: absent(fields['logs'])
      ? NO_LOGS
      : readList(fields['logs'], BAD, 'call logs is not a list').map(readTracedLog),
  };
}

/** Null for a failed creation, which has no contract. */
function calleeOf(fields: Fields, type: string, failed: boolean): Address | null {
  const creation = type === 'CREATE' || type === 'CREATE2';
  if (creation && (failed || absent(fields['to']))) return null;
  return readAddress(fields['to'], BAD, 'call to');
}

function readTracedLog(raw: unknown): TracedLog {
  const fields = readObject(raw, BAD, 'a traced log is not an object');
  const position = fields['position'];
  return {
    address: readAddress(fields['address'], BAD, 'traced log address'),
    topics: readTopics(fields['topics'], BAD, 'traced log'),
    data: readOptionalBytes(fields['data'], 'traced log data'),
    position: absent(position)
      ? null
      : Math.min(readCount(position, BAD, 'traced log position'), 0xffff_ffff),
  };
}

/** A call with subcalls and logs being visited. */
interface OpenCall {
  readonly calls: readonly unknown[];
  readonly logs: readonly unknown[];
  call: number;
  log: number;
}

function lastingLogs(result: unknown): readonly unknown[] {
  const found: unknown[] = [];
  const open: OpenCall[] = [];
  const enter = (call: unknown): void => {
    if (!isRecord(call) || !absent(call['error'])) return;
    const calls = itemsOf(call['calls']);
    const logs = itemsOf(call['logs']);
    if (calls.length + logs.length > 0) open.push({ calls, logs, call: 0, log: 0 });
  };
  enter(result);
  while (open.length > 0) {
    const at = open[open.length - 1]!;
    const last = at.call === at.calls.length;
    while (at.log < at.logs.length && (last || positionOf(at.logs[at.log]) <= at.call)) {
      const log = at.logs[at.log++];
      if (!isSystemLog(log)) found.push(log);
    }
    if (last) open.pop();
    else enter(at.calls[at.call++]);
  }
  return found;
}

/** EIP-7708: the protocol writes the logs of native transfers, so tracers may or may not list them. */
export function isSystemLog(log: unknown): boolean {
  const address = isRecord(log) ? log['address'] : null;
  return typeof address === 'string' && address.length === 42 && address.toLowerCase() === SYSTEM_ADDRESS;
}

/** How many calls of its frame come before a log; Infinity where the node does not say. */
function positionOf(log: unknown): number {
  const position = isRecord(log) ? quantity(log['position']) : null;
  return position === null ? Infinity : Number(position);
}
