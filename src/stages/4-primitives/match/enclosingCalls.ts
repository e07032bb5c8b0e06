import { groupBy } from '../../../lib/lists.ts';
import type { CanonicalTx, Frame, Log } from '../../../model/canonicalTx.ts';
import type { Address, Hex } from '../../../model/hex.ts';

/**
 * One event of a contract, paired with the calls of one of its functions: the log's index leads to the frame.
 */
interface Pairing {
  readonly topic: string | undefined;
  readonly topicCount: number;
  readonly selector: Hex;
  readonly frames: ReadonlyMap<number, Frame>;
}

/**
 * The call an event was made in, for events that a function makes once each: the n-th of them belongs to the
 * n-th call. Only where calls and events are equal in number and no call lies inside another, so that it
 * holds with either trace dialect.
 */
export class EnclosingCalls {
  readonly #tx: CanonicalTx;
  /** By contract; each has as many as the rules pair events of it with functions. */
  readonly #pairings = new Map<Address, Pairing[]>();
  #logs: ReadonlyMap<Address, readonly Log[]> | null = null;
  #calls: ReadonlyMap<Address, readonly Frame[]> | null = null;

  constructor(tx: CanonicalTx) {
    this.#tx = tx;
  }

  /** The frame that ran `selector` at the emitter when it logged; null when the trace does not show it. */
  of(log: number, selector: Hex): Frame | null {
    const { address, topics } = this.#tx.logs[log]!;
    let pairings = this.#pairings.get(address);
    if (!pairings) this.#pairings.set(address, (pairings = []));
    let pairing = pairings.find(
      (p) => p.selector === selector && p.topic === topics[0] && p.topicCount === topics.length,
    );
    if (!pairing) pairings.push((pairing = this.#pair(address, topics[0], topics.length, selector)));
    return pairing.frames.get(log) ?? null;
  }

  #pair(emitter: Address, topic: string | undefined, topicCount: number, selector: Hex): Pairing {
    this.#logs ??= groupBy(this.#tx.logs, ({ address }) => address);
    this.#calls ??= groupBy(this.#tx.frames, ({ type, effective, static: still, to }) =>
      type === 'CALL' && effective && !still ? to : null,
    );
    const logs = (this.#logs.get(emitter) ?? []).filter(
      ({ topics }) => topics[0] === topic && topics.length === topicCount,
    );
    const calls = (this.#calls.get(emitter) ?? []).filter((frame) => frame.selector === selector);
    const nested = calls.some((frame, i) => i > 0 && frame.index < calls[i - 1]!.end);
    const frames = new Map<number, Frame>();
    if (logs.length === calls.length && !nested) logs.forEach(({ index }, i) => frames.set(index, calls[i]!));
    return { topic, topicCount, selector, frames };
  }
}
