import { keyOfLog } from '../../../evm/signatures.ts';
import { groupBy } from '../../../lib/lists.ts';
import { lazy } from '../../../lib/lazy.ts';
import { runOf } from '../../../value/frames.ts';
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

  /** Of each log, the emitter's one of the same kind before it. */
  readonly #before = lazy(() => {
    const last = new Map<string, Log>();
    return this.tx.logs.map((log) => {
      const key = `${log.address} ${log.topics[0]}`;
      const before = last.get(key);
      last.set(key, log);
      return before;
    });
  });

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

  /** When the emitter was called for this event, and when, since then, it last logged a like event. */
  spanOf(index: number | null): { readonly start: number; readonly since: number } {
    const log = this.tx.logs[index ?? -1];
    if (log === undefined) return { start: 0, since: 0 };
    const frame = this.tx.frames[log.within ?? -1];
    const start = (frame && runOf(new Set([log.address]), frame, this.tx)?.seq) ?? 0;
    return { start, since: Math.max(start, this.#before()[log.index]?.seq ?? 0) };
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
