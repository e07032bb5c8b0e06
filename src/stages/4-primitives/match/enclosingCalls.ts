import { keyOfLog } from '../../../evm/signatures.ts';
import { groupBy } from '../../../lib/lists.ts';
import { lazy } from '../../../lib/lazy.ts';
import type { CanonicalTx, Frame, Log } from '../../../model/canonicalTx.ts';
import type { Hex } from '../../../model/hex.ts';

/**
 * The call an event was made in, for events that a function makes once each: the n-th of them belongs to the
 * n-th call. Only where calls and events are equal in number and no call lies inside another, so that it
 * holds with either trace dialect.
 */
export class EnclosingCalls {
  /** By event, contract and function: the log's index leads to the frame. */
  readonly #pairings = new Map<string, ReadonlyMap<number, Frame>>();
  readonly #logs = lazy(() => groupBy(this.tx.logs, ({ address }) => address));
  readonly #calls = lazy(() =>
    groupBy(this.tx.frames, ({ type, effective, static: still, to }) =>
      type === 'CALL' && effective && !still ? to : null,
    ),
  );

  constructor(private readonly tx: CanonicalTx) {}

  /** The frame that ran `selector` at the emitter when it logged; null when the trace does not show it. */
  of(index: number | null, selector: Hex | null): Frame | null {
    if (index === null || selector === null) return null;
    const log = this.tx.logs[index]!;
    const key = `${keyOfLog(log)} ${log.address} ${selector}`;
    let frames = this.#pairings.get(key);
    if (!frames) this.#pairings.set(key, (frames = this.#pair(log, selector)));
    return frames.get(index) ?? null;
  }

  #pair({ address, topics: [topic, ...others] }: Log, selector: Hex): ReadonlyMap<number, Frame> {
    const logs = this.#logs()
      .get(address)!
      .filter(({ topics }) => topics[0] === topic && topics.length === others.length + 1);
    const calls = (this.#calls().get(address) ?? []).filter((frame) => frame.selector === selector);
    const nested = calls.some((frame, i) => i > 0 && frame.index < calls[i - 1]!.end);
    const paired = logs.length === calls.length && !nested;
    return new Map(paired ? logs.map(({ index }, i) => [index, calls[i]!]) : []);
  }
}
