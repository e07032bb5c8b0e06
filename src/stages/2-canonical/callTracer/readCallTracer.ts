import type { Hex } from '../../../model/hex.ts';
import type { FrameType } from '../../../model/canonicalTx.ts';
import { AnalysisError } from '../../../lib/errors.ts';
import { readCount, readQuantity } from '../../../evm/hex.ts';
import { CallBudget, type CallNode, type TracedLog } from '../callNode.ts';
import { canonicalError } from '../frameError.ts';
import { readTopics, repeatsLog, type LogContent, type LogWording } from '../logPlacement/logContent.ts';
import { absent, readList, readObject, type Fields } from '../shape.ts';
import type { SharedTexts } from '../sharedTexts.ts';

const BAD = 'trace_malformed';
const WORDING: LogWording = { log: 'a traced log', topics: 'traced log topics', topic: 'traced log topic' };
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
 * Reads geth's `callTracer` result (`{type, from, to, value, input, output, error, calls[], logs[]}`, nested) into
 * pre-order. Iterative, because a trace may nest deeper than the JavaScript stack bears. What it repeats of the
 * transaction's input and of `logs`, the receipt's, is not read once more. Throws `trace_empty` or `trace_malformed`.
 */
export function readCallTracer(
  result: unknown,
  input: Hex,
  logs: readonly LogContent[],
  texts: SharedTexts,
): CallNode[] {
  if (absent(result)) throw new AnalysisError('trace_empty');
  const told: Told = { texts, logs, next: 0 };
  const nodes: CallNode[] = [];
  const budget = new CallBudget();
  const open: OpenCalls[] = [];
  const enter = (raw: unknown, parent: number | null, depth: number): void => {
    budget.spend(depth);
    const fields = readObject(raw, BAD, 'a call is not an object');
    const index = nodes.length;
    nodes.push(readCall(fields, parent, parent === null ? input : nodes[parent]!.input, told));
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

/** The calls of one call, as far as they have been read. */
interface OpenCalls {
  readonly calls: readonly unknown[];
  next: number;
  readonly parent: number;
  readonly depth: number;
}

/** `outer`: the input of the call around it, which a proxy hands on as it is. */
function readCall(fields: Fields, parent: number | null, outer: Hex, told: Told): CallNode {
  const type = fields['type'];
  if (typeof type !== 'string' || !TYPES.has(type)) {
    // anvil answers an unknown hash with an opcode log and some tracers with {}: neither is a call.
    throw new AnalysisError(
      parent === null && absent(type) ? 'trace_empty' : BAD,
      'a call has no known type',
    );
  }
  const failed = !absent(fields['error']) && fields['error'] !== '';
  const creation = type === 'CREATE' || type === 'CREATE2';
  return {
    parent,
    type: type as FrameType,
    from: told.texts.address(fields['from'], BAD, 'call from'),
    to:
      creation && (failed || absent(fields['to'])) ? null : told.texts.address(fields['to'], BAD, 'call to'),
    value: absent(fields['value']) ? 0n : readQuantity(fields['value'], BAD, 'call value'),
    input: fields['input'] === outer ? outer : readOptionalBytes(fields['input'], 'call input', told.texts),
    output: readOptionalBytes(fields['output'], 'call output', told.texts),
    error: failed ? canonicalError(fields['error']) : null,
    logs: absent(fields['logs'])
      ? NO_LOGS
      : readList(fields['logs'], BAD, 'call logs is not a list').map((raw) => readTracedLog(raw, told)),
  };
}

function readOptionalBytes(value: unknown, what: string, texts: SharedTexts): Hex {
  return absent(value) ? '0x' : texts.bytes(value, BAD, what);
}

/** What was told before: the texts that recur, the receipt's logs, and the one that the trace is to come to next. */
interface Told {
  readonly texts: SharedTexts;
  readonly logs: readonly LogContent[];
  next: number;
}

function readTracedLog(raw: unknown, told: Told): TracedLog {
  const fields = readObject(raw, BAD, 'a traced log is not an object');
  const next = told.logs[told.next];
  const repeats = next !== undefined && repeatsLog(fields, next);
  if (repeats) told.next++;
  const { address, topics, data } = repeats ? next : readContent(fields, told.texts);
  const position = fields['position'];
  return { address, topics, data, position: absent(position) ? null : readPosition(position) };
}

function readContent(fields: Fields, texts: SharedTexts): LogContent {
  const topics = readTopics(fields['topics'], BAD, WORDING, texts);
  return {
    address: texts.address(fields['address'], BAD, 'traced log address'),
    topics,
    data: readOptionalBytes(fields['data'], 'traced log data', texts),
  };
}

function readPosition(value: unknown): number {
  return Math.min(readCount(value, BAD, 'traced log position'), 0xffff_ffff);
}
