import type { Address, Hex } from '../../model/hex.ts';
import type { Frame, FrameType } from '../../model/canonicalTx.ts';
import { AnalysisError } from '../../lib/errors.ts';
import { sameLog, type CallNode, type TracedLog, type LogContent } from '../../traces/callNode.ts';
import { SYSTEM_ADDRESS } from '../../evm/hex.ts';
import { sameInAnyOrder } from '../../lib/lists.ts';
import type { ReceiptLog } from './readTransaction.ts';
import { momentsOfFrame, type Timeline } from './timeline.ts';

/** Where a frame goes in the tree. */
interface FramePosition {
  readonly index: number;
  readonly up: OpenFrame | null;
  /** Position among its siblings. */
  readonly place: number;
}

/** Above the first frame. */
const NO_FRAME = { index: null, effective: true, static: false };

/** A frame under construction: `end` is set once later frames are known, `seq` once logs are placed. */
class OpenFrame implements Frame {
  end: number;
  /** Without logs, that of the frames alone. */
  seq: number;
  readonly index: number;
  readonly parent: number | null;
  readonly type: FrameType;
  readonly from: Address;
  readonly to: Address | null;
  readonly context: Address | null;
  readonly value: bigint;
  readonly input: Hex;
  readonly output: Hex;
  readonly selector: Hex | null;
  readonly error: string | null;
  readonly gasUsed: number | null;
  readonly effective: boolean;
  readonly static: boolean;
  readonly #up: OpenFrame | null;
  /** Position among its siblings. */
  readonly #place: number;

  constructor(node: CallNode, at: FramePosition) {
    const { index, up, place } = at;
    const above = up ?? NO_FRAME;
    const effective = node.error === null && above.effective;
    if (effective && node.to === null && isCreation(node))
      throw new AnalysisError('trace_malformed', 'a creation does not name its contract');
    this.index = this.seq = index;
    this.parent = above.index;
    this.end = index + 1;
    this.type = node.type;
    this.from = senderOf(node, up);
    this.to = node.to;
    this.context = contextOf(node, up);
    this.value = effective && movesValue(node) ? node.value : 0n;
    this.input = node.input;
    this.output = node.output;
    this.selector = selectorOf(node);
    this.error = node.error;
    this.gasUsed = node.gasUsed ?? null;
    this.effective = effective;
    this.static = node.type === 'STATICCALL' || above.static;
    this.#up = up;
    this.#place = place;
  }

  /** Built on demand: stored lists would take more memory than a deep trace itself. */
  get path(): readonly number[] {
    const path: number[] = [];
    for (let up = this.#up, place = this.#place; up !== null; place = up.#place, up = up.#up)
      path.push(place);
    return path.reverse();
  }
}

/** A traced log of a lasting frame, with its position among the frames that were kept. */
interface PlacedLog extends Omit<TracedLog, 'position'> {
  readonly frame: number;
  /** Number of the frame's kept children before it; null where the node did not say. */
  readonly position: number | null;
}

export interface FrameTree {
  readonly frames: OpenFrame[];
  /** Logs of lasting frames, by frame; empty where the dialect carries none. */
  readonly tracedLogs: readonly PlacedLog[];
}

/**
 * Interprets the calls a node listed: leaves out value-less precompile calls, and works out which effects
 * remain, which value moved and which account's storage each frame used. Throws `trace_malformed` for a
 * successful creation without an address.
 */
export function buildFrames(nodes: readonly CallNode[]): FrameTree {
  const frames: OpenFrame[] = [];
  /** Node index → frame index, or -1 where the node or an ancestor was left out. */
  const frameOf = new Int32Array(nodes.length).fill(-1);
  /** By frame index. */
  const childCount = new Int32Array(nodes.length);
  /** For nodes with logs: how many of the first n calls were kept, by n. */
  const keptBefore = new Map<number, number[]>();

  for (let index = 0; index < nodes.length; index++) {
    const node = nodes[index]!;
    const parent = node.parent === null ? null : frameOf[node.parent]!;
    const kept = parent === null || (parent >= 0 && !isValuelessPrecompileCall(node));
    if (node.parent !== null && nodes[node.parent]!.logs.length > 0) {
      const before = keptBefore.get(node.parent) ?? [0];
      before.push(before.at(-1)! + Number(kept));
      keptBefore.set(node.parent, before);
    }
    if (!kept) continue;
    frameOf[index] = frames.length;
    const at =
      parent === null
        ? { index: 0, up: null, place: 0 }
        : { index: frames.length, up: frames[parent]!, place: childCount[parent]!++ };
    frames.push(new OpenFrame(node, at));
  }
  setEnds(frames);
  return { frames, tracedLogs: placeLogs(nodes, frames, frameOf, keptBefore) };
}

function placeLogs(
  nodes: readonly CallNode[],
  frames: readonly OpenFrame[],
  frameOf: Int32Array,
  keptBefore: ReadonlyMap<number, readonly number[]>,
): PlacedLog[] {
  const tracedLogs: PlacedLog[] = [];
  for (let index = 0; index < nodes.length; index++) {
    const { logs } = nodes[index]!;
    const frame = frameOf[index]!;
    if (logs.length === 0 || frame < 0 || !frames[frame]!.effective) continue;
    const before = keptBefore.get(index) ?? [0];
    for (const { position: at, address, topics, data } of logs) {
      const position = at === null ? null : before[Math.min(at, before.length - 1)]!;
      tracedLogs.push({ address, topics, data, frame, position });
    }
  }
  return tracedLogs;
}

/** For SELFDESTRUCT, some tracers name the caller's caller where an account names itself as beneficiary. */
function senderOf(node: CallNode, up: OpenFrame | null): Address {
  return node.type === 'SELFDESTRUCT' ? (up?.context ?? node.from) : node.from;
}

/** The account with the storage in use: the caller's for DELEGATECALL, CALLCODE and SELFDESTRUCT. */
function contextOf(node: CallNode, up: OpenFrame | null): Address | null {
  switch (node.type) {
    case 'DELEGATECALL':
    case 'CALLCODE':
    case 'SELFDESTRUCT':
      return up?.context ?? node.from;
    default:
      return node.to;
  }
}

/** DELEGATECALL and STATICCALL carry no value (EIP-7, EIP-214); CALLCODE's goes from an account to itself. */
function movesValue(node: CallNode): boolean {
  return node.type === 'CALL' || node.type === 'SELFDESTRUCT' || isCreation(node);
}

export function isCreation(node: CallNode): boolean {
  return node.type === 'CREATE' || node.type === 'CREATE2';
}

function selectorOf(node: CallNode): Hex | null {
  return isCreation(node) || node.input.length < 10 ? null : (node.input.slice(0, 10) as Hex);
}

const PRECOMPILE_SHAPE = /^0x0{36}0[01][0-9a-f]{2}$/;

/** geth lists all calls of 0x01–0x1ff, Parity-style nodes only those with value: both give one tree. */
function isValuelessPrecompileCall(node: CallNode): boolean {
  if (node.to === null || !PRECOMPILE_SHAPE.test(node.to) || node.to.endsWith('000')) return false;
  if (isCreation(node) || node.type === 'SELFDESTRUCT') return false;
  return node.type === 'DELEGATECALL' || node.type === 'STATICCALL' || node.value === 0n;
}

function setEnds(frames: readonly OpenFrame[]): void {
  for (let i = frames.length - 1; i > 0; i--) {
    const parent = frames[frames[i]!.parent!]!;
    if (parent.end < frames[i]!.end) parent.end = frames[i]!.end;
  }
}

/**
 * Frame of every receipt log by the call tracer, or null where the trace cannot be used: it carries no logs
 * or positions, attributes logs to frames that cannot have emitted them, or orders them otherwise than the
 * receipt. Logs are joined by order and content, never by a tracer's own index, because some tracers count
 * reverted logs. Throws `inconsistent_upstream` when the trace's logs are not the receipt's.
 */
export function tracedFrames(
  tree: FrameTree,
  timeline: Timeline,
  logs: readonly ReceiptLog[],
): readonly number[] | null {
  const { tracedLogs } = tree;
  if (tracedLogs.length === 0) return null;
  const placed = tracedLogs.length === logs.length ? inTheirFrames(tree, timeline) : null;
  if (placed?.every((log, i) => sameLog(log, logs[i]!))) return placed.map(({ frame }) => frame);
  if (!sameLogs(tracedLogs, logs))
    throw new AnalysisError('inconsistent_upstream', "the trace's logs are not the receipt's");
  return null;
}

/** The logs in execution order; null where a position is missing or a frame cannot have emitted its log. */
function inTheirFrames({ frames, tracedLogs }: FrameTree, timeline: Timeline): readonly PlacedLog[] | null {
  const placed = new Int32Array(tracedLogs.length);
  let ordered = true;
  // The logs of a frame are adjacent.
  let current = -1;
  let moments: readonly number[] = [];
  for (let i = 0; i < tracedLogs.length; i++) {
    const { frame, address, position } = tracedLogs[i]!;
    if (position === null || (address !== frames[frame]!.context && address !== SYSTEM_ADDRESS)) return null;
    if (frame !== current) moments = momentsOfFrame(frames, timeline, (current = frame));
    placed[i] = moments[Math.min(position, moments.length - 1)]!;
    if (i > 0 && placed[i - 1]! > placed[i]!) ordered = false;
  }
  if (ordered) return tracedLogs;
  // Stable: logs of one moment belong to one frame and stay in its order.
  return tracedLogs
    .map((log, i) => ({ log, moment: placed[i]! }))
    .sort((a, b) => a.moment - b.moment)
    .map(({ log }) => log);
}

/** The same logs the same number of times, in any order. */
function sameLogs(traced: readonly PlacedLog[], logs: readonly ReceiptLog[]): boolean {
  const identity = (log: LogContent): string => `${log.address}|${log.topics.join(',')}|${log.data}`;
  return sameInAnyOrder(traced.map(identity), logs.map(identity));
}
