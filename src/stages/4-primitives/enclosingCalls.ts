import type { CanonicalTx, Frame } from '../../model/canonicalTx.ts';
import type { Address, Hex } from '../../model/hex.ts';

/**
 * The call an event was made in, for events that a function makes once each: the n-th of them belongs to the n-th call.
 * Only where calls and events are equal in number and no call lies inside another, so that it holds whether or not the
 * trace says where a log stands.
 */
export class EnclosingCalls {
  readonly #tx: CanonicalTx;
  readonly #paired = new Map<string, ReadonlyMap<number, Frame>>();
  #events: Map<string, number[]> | null = null;
  #calls: Map<string, Frame[]> | null = null;

  constructor(tx: CanonicalTx) {
    this.#tx = tx;
  }

  /** The frame that ran `selector` at the emitter when the log was made; null where that cannot be told. */
  of(log: number, selector: Hex): Frame | null {
    const { address, topics } = this.#tx.logs[log]!;
    const event = `${address}|${topics[0]}|${topics.length}`;
    const key = `${event}|${selector}`;
    let pairs = this.#paired.get(key);
    if (!pairs) this.#paired.set(key, (pairs = this.#pair(event, address, selector)));
    return pairs.get(log) ?? null;
  }

  #pair(event: string, emitter: Address, selector: Hex): ReadonlyMap<number, Frame> {
    this.#events ??= groupBy(this.#tx.logs, ({ address, topics }) => `${address}|${topics[0]}|${topics.length}`, (log) => log.index);
    this.#calls ??= groupBy(this.#tx.frames.filter((f) => f.type === 'CALL' && f.effective && !f.static && f.selector !== null), (f) => `${f.to}|${f.selector}`, (f) => f);
    const logs = this.#events.get(event) ?? [];
    const frames = this.#calls.get(`${emitter}|${selector}`) ?? [];
    const nested = frames.some((frame, i) => i > 0 && frame.index < frames[i - 1]!.end);
    return logs.length !== frames.length || nested ? new Map() : new Map(logs.map((log, i) => [log, frames[i]!]));
  }
}

function groupBy<T, V>(items: readonly T[], keyOf: (item: T) => string, valueOf: (item: T) => V): Map<string, V[]> {
  const groups = new Map<string, V[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(valueOf(item));
    else groups.set(key, [valueOf(item)]);
  }
  return groups;
}
