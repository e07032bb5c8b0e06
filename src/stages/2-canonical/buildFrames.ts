import type { Address, Hex } from '../../model/hex.ts';
import type { Frame, FrameType } from '../../model/canonicalTx.ts';
import { AnalysisError } from '../../lib/errors.ts';
import type { CallNode, TracedLog } from './callNode.ts';

/** A frame under construction: `end` and `seq` are set once what follows it is known. */
export class OpenFrame implements Frame {
  end: number;
  seq = 0;
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
  readonly effective: boolean;
  readonly static: boolean;
  readonly #up: OpenFrame | null;
  /** Position among its siblings. */
  readonly #place: number;

  constructor(node: CallNode, index: number, up: OpenFrame | null, place: number, reverted: boolean) {
    const error = node.error ?? (up === null && reverted ? 'failed' : null);
    const effective = error === null && (up?.effective ?? true);
    const creation = node.type === 'CREATE' || node.type === 'CREATE2';
    if (creation && effective && node.to === null)
      throw new AnalysisError('trace_malformed', 'a creation does not name its contract');
    this.index = index;
    this.parent = up?.index ?? null;
    this.end = index + 1;
    this.type = node.type;
    this.from = senderOf(node, up);
    this.to = node.to;
    this.context = contextOf(node, up);
    this.value = effective && movesValue(node) ? node.value : 0n;
    this.input = node.input;
    this.output = node.output;
    this.selector = creation || node.input.length < 10 ? null : (node.input.slice(0, 10) as Hex);
    this.error = error;
    this.effective = effective;
    this.static = node.type === 'STATICCALL' || (up?.static ?? false);
    this.#up = up;
    this.#place = place;
  }

  /** Put together when asked for: a list for each frame of a deep trace is more than the trace. */
  get path(): readonly number[] {
    const path: number[] = [];
    for (let at: OpenFrame = this; at.#up !== null; at = at.#up) path.push(at.#place);
    return path.reverse();
  }
}

/** A traced log that survived: where it stands among the frames that were kept. */
export interface PlacedLog extends Omit<TracedLog, 'position'> {
  readonly frame: number;
  /** Number of the frame's kept children before it; null where the node did not say. */
  readonly position: number | null;
}

export interface FrameTree {
  readonly frames: OpenFrame[];
  /** Logs of frames whose effects remain, by frame; empty where the dialect carries none. */
  readonly tracedLogs: readonly PlacedLog[];
}

/**
 * Interprets the calls a node listed: leaves out value-less precompile calls, decides what lasted, what value moved and
 * on whose storage each frame acted. `reverted` says that the receipt reports failure, which undoes everything. Throws
 * `trace_malformed` for a successful creation without an address.
 */
export function buildFrames(nodes: readonly CallNode[], reverted: boolean): FrameTree {
  const frames: OpenFrame[] = [];
  /** Node index → frame index, or -1 where the node or an ancestor was left out. */
  const frameOf = new Int32Array(nodes.length).fill(-1);
  /** Of frames. */
  const childCount = new Int32Array(nodes.length);
  /** Of nodes that tell of logs: how many of the first calls were kept, for each number of them. */
  const keptBefore = new Map<number, number[]>();

  for (let index = 0; index < nodes.length; index++) {
    const node = nodes[index]!;
    const parent = node.parent === null ? null : frameOf[node.parent]!;
    const kept = parent === null || (parent >= 0 && !isValuelessPrecompileCall(node));
    if (node.parent !== null && nodes[node.parent]!.logs.length > 0) count(keptBefore, node.parent, kept);
    if (!kept) continue;
    frameOf[index] = frames.length;
    const up = parent === null ? null : frames[parent]!;
    frames.push(
      new OpenFrame(node, frames.length, up, parent === null ? 0 : childCount[parent]!++, reverted),
    );
  }
  setEnds(frames);

  const tracedLogs: PlacedLog[] = [];
  for (let index = 0; index < nodes.length; index++) {
    const { logs } = nodes[index]!;
    const frame = frameOf[index]!;
    if (logs.length === 0 || frame < 0 || !frames[frame]!.effective) continue;
    const before = keptBefore.get(index) ?? NONE_BEFORE;
    for (const { position, address, topics, data } of logs) {
      tracedLogs.push({
        address,
        topics,
        data,
        frame,
        position: position === null ? null : before[Math.min(position, before.length - 1)]!,
      });
    }
  }
  return { frames, tracedLogs };
}

const NONE_BEFORE: readonly number[] = [0];

function count(keptBefore: Map<number, number[]>, node: number, kept: boolean): void {
  const before = keptBefore.get(node);
  if (before) before.push(before[before.length - 1]! + (kept ? 1 : 0));
  else keptBefore.set(node, [0, kept ? 1 : 0]);
}

/** A SELFDESTRUCT is its caller's own: some tracers name the caller's caller where an account names itself as beneficiary. */
function senderOf(node: CallNode, up: OpenFrame | null): Address {
  return node.type === 'SELFDESTRUCT' ? (up?.context ?? node.from) : node.from;
}

/** Whose storage a frame acts on: borrowed code (DELEGATECALL, CALLCODE) and SELFDESTRUCT stay with the caller. */
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
  return (
    node.type === 'CALL' || node.type === 'CREATE' || node.type === 'CREATE2' || node.type === 'SELFDESTRUCT'
  );
}

const PRECOMPILE_SHAPE = /^0x0{36}0[01][0-9a-f]{2}$/;

/** geth lists calls of 0x01–0x1ff, Parity-style nodes only those that carry value: one tree needs the smaller set. */
function isValuelessPrecompileCall(node: CallNode): boolean {
  if (node.to === null || !PRECOMPILE_SHAPE.test(node.to) || node.to.endsWith('000')) return false;
  if (node.type === 'CREATE' || node.type === 'CREATE2' || node.type === 'SELFDESTRUCT') return false;
  return node.type === 'DELEGATECALL' || node.type === 'STATICCALL' || node.value === 0n;
}

function setEnds(frames: readonly OpenFrame[]): void {
  for (let i = frames.length - 1; i > 0; i--) {
    const parent = frames[frames[i]!.parent!]!;
    if (parent.end < frames[i]!.end) parent.end = frames[i]!.end;
  }
}
