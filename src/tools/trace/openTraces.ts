import { judge, read, type Examined } from '../../analyze.ts';
import { configuredRules } from '../../service/analyzer.ts';
import { readConfig } from '../../service/config.ts';
import { buildReport } from '../../stages/9-report/buildReport.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import { loadTx } from '../cli/rules/loadTx.ts';
import { recordingPlaces, type Recording } from '../cli/rules/recordings.ts';
import { checksumAddress } from '../../evm/address.ts';
import { decodeArguments, functionCalled, type DecodedArgument } from '../../evm/decodeArguments.ts';
import { eventNamed } from '../../evm/signatures.ts';
import type { Frame, Log } from '../../model/canonicalTx.ts';
import type { Evidence, TxReport } from '../../model/generated/report.ts';
import type { Address } from '../../model/hex.ts';
import { formatAmount } from '../../value/amount.ts';
import { argumentText, ownArguments } from '../../value/argumentText.ts';
import { failureReason } from '../../value/frames.ts';
import { cleanSymbol } from '../../value/cleanText.ts';
import { labelFormat } from '../../value/labelFormat.ts';
import type { Call, CallTree, LogItem, Target } from '../wording/calls.ts';

export type Traced = Awaited<ReturnType<typeof traceOf>>;
export type Traces = Awaited<ReturnType<typeof openTraces>>;

/** The call tree of a recorded transaction and its report, from one analysis. */
export async function traceOf({ raw, context }: Recording, rulebook: Rulebook) {
  const analysis = await judge(read(raw, context), context, rulebook);
  const report = buildReport(analysis);
  return { tree: callTree(analysis, report, rulebook), report };
}

/** Reads call trees by hash, from recordings or the node of `RPC_URL`. Rejects with `CliError`. */
export async function openTraces(loaded?: Rulebook) {
  const rulebook = loaded ?? (await configuredRules(readConfig(process.env)));
  return async (what: string) => traceOf(await loadTx(what, rulebook, recordingPlaces()), rulebook);
}

/** Calls of one tree; those beyond are counted. */
const MOST_CALLS = 3_000;

/** Anchored at a call or log. */
interface Anchored {
  readonly movements: number[];
  readonly motifs: string[];
}
type OpenLog = LogItem & Anchored;
/** A call under construction. */
type Open = { -readonly [Key in keyof Call]: Call[Key] } & Anchored & { readonly items: (Open | OpenLog)[] };

/**
 * Every call of a transaction in execution order, named and decoded where its calldata fits a known function,
 * with its logs in place and the report's movements and motifs where their evidence is. A proxy and the
 * implementation it hands the same calldata to are one call.
 */
function callTree({ tx, context }: Examined, report: TxReport, rulebook: Rulebook): CallTree {
  const { tokens } = context;
  const { name } = labelFormat(tokens, rulebook);
  const target = (address: Address): Target => {
    const full = checksumAddress(address);
    const own = report.accounts?.[full]?.name ?? name(address) ?? cleanSymbol(tokens.get(address)?.symbol);
    return { address: full, name: own };
  };
  const loud = new Set(tx.logs.map((log) => placeOf(log)));
  const calls = new Map<number, Open>();
  const at = new Map<object, number>();
  for (const frame of tx.frames.slice(0, MOST_CALLS)) {
    const parent = frame.parent === null ? null : calls.get(frame.parent)!;
    if (parent !== null && isImplementation(frame, tx.frames, loud)) {
      parent.via = [...parent.via, target(frame.to!)];
      calls.set(frame.index, parent);
      continue;
    }
    const call = openCall(frame, rulebook, target);
    if (frame.parent === null) call.gas_used = Number(tx.gasUsed);
    calls.set(frame.index, call);
    at.set(call, frame.seq);
    parent?.items.push(call);
  }
  const logs = new Map<number, OpenLog>();
  for (const log of tx.logs) {
    const call = calls.get(placeOf(log));
    if (!call) continue;
    const item = logItem(log, rulebook, target);
    at.set(item, log.seq);
    logs.set(log.logIndex, item);
    call.items.push(item);
  }
  for (const call of new Set(calls.values())) call.items.sort((a, b) => at.get(a)! - at.get(b)!);
  anchor(report, calls, logs, tx.frames);
  const omitted = Math.max(0, tx.frames.length - MOST_CALLS);
  return { hash: tx.hash, calls: tx.frames.length, omitted, root: calls.get(0)! };
}

/** Frame of a log, or the smallest known to hold it. */
const placeOf = ({ frame, within }: Log): number => frame ?? within ?? 0;

/** The only call of its caller, by DELEGATECALL with the caller's own calldata. */
function isImplementation(frame: Frame, frames: readonly Frame[], loud: ReadonlySet<number>): boolean {
  const caller = frames[frame.parent!]!;
  return (
    frame.type === 'DELEGATECALL' &&
    frame.index === caller.index + 1 &&
    frame.end === caller.end &&
    frame.input === caller.input &&
    frame.to !== null &&
    !loud.has(caller.index)
  );
}

function openCall(frame: Frame, rulebook: Rulebook, target: (address: Address) => Target): Open {
  const creation = frame.type === 'CREATE' || frame.type === 'CREATE2';
  const called = creation ? null : functionCalled(rulebook.signatures, frame.input);
  return {
    kind: 'call',
    path: [...frame.path],
    type: frame.type,
    from: target(frame.from),
    to: frame.to === null ? null : target(frame.to),
    via: [],
    selector: frame.selector,
    function: called && {
      name: called.name,
      arguments: ownArguments(called, frame.to!, rulebook).map(textOf),
    },
    value: formatAmount(frame.value, 18),
    gas_used: frame.gasUsed ?? null,
    failed: frame.error === null ? null : (failureReason(frame, rulebook.errors) ?? 'without a reason'),
    undone: !frame.effective,
    items: [],
    movements: [],
    motifs: [],
  };
}

function textOf(argument: DecodedArgument) {
  const { name, value } = argumentText(argument);
  return { name, value };
}

function logItem(log: Log, rulebook: Rulebook, target: (address: Address) => Target): OpenLog {
  const { topics, data } = log;
  const named = topics[0] ? eventNamed(rulebook.signatures, topics[0], topics.length) : null;
  const decoded = named && decodeArguments(named, { topics, data, base: 0 });
  return {
    kind: 'log',
    log_index: log.logIndex,
    contract: target(log.address),
    topic0: topics[0] ?? null,
    event: named && decoded && { name: named.name, arguments: decoded.map(textOf) },
    movements: [],
    motifs: [],
  };
}

/** Puts movements and motifs where their evidence is: the log, else the call. */
function anchor(
  report: TxReport,
  calls: ReadonlyMap<number, Open>,
  logs: ReadonlyMap<number, OpenLog>,
  frames: readonly Frame[],
): void {
  const byPath = new Map(
    frames.slice(0, MOST_CALLS).map((frame) => [frame.path.join('.'), calls.get(frame.index)!]),
  );
  const placed = ({ log_index: log, frame_path: path }: Evidence): Anchored | undefined =>
    (log === null ? undefined : logs.get(log)) ?? (path === null ? undefined : byPath.get(path.join('.')));
  (report.movements ?? []).forEach(({ evidence }, i) => placed(evidence)?.movements.push(i));
  for (const { id, evidence } of report.motifs) {
    const place = evidence.map(placed).find((one) => one !== undefined);
    place?.motifs.push(id);
  }
}
