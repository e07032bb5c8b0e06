import { isRecord, type RpcRequestMessage } from './rpcMessages.ts';
import type { UnreadAnswer } from '../../../model/upstream.ts';

/** Thrown in place of an answer that is to be read on another thread. No failure: nothing is retried. */
export class LargeAnswer extends Error {
  // Private: whoever logs an error logs its properties, and these are megabytes.
  readonly #answer: UnreadAnswer;
  constructor(answer: UnreadAnswer) {
    super('an answer for another thread');
    this.name = 'LargeAnswer';
    this.#answer = answer;
  }

  get answer(): UnreadAnswer {
    return this.#answer;
  }
}

/** Gathers bytes as they come into one block of memory, which can be handed to another thread without being copied again. */
export class Gathered {
  #block: Uint8Array;
  #length = 0;

  /** `expected`: how many there will be, as far as known. */
  constructor(expected: number) {
    this.#block = new Uint8Array(expected);
  }

  append(bytes: Uint8Array): void {
    const needed = this.#length + bytes.length;
    if (needed > this.#block.length) {
      const larger = new Uint8Array(Math.max(needed, 2 * this.#block.length));
      larger.set(this.#block.subarray(0, this.#length));
      this.#block = larger;
    }
    this.#block.set(bytes, this.#length);
    this.#length = needed;
  }

  take(): Uint8Array {
    return this.#block.subarray(0, this.#length);
  }
}

const NOTHING = new Uint8Array();

/**
 * The answer as a JSON value (undefined where it is none), with the ids of `requests`; null if it is not theirs. Its bytes
 * are let go of.
 */
export function readUnread(
  answer: UnreadAnswer,
  requests: readonly RpcRequestMessage[],
): { readonly data: unknown } | null {
  const { body, requests: asked } = answer;
  answer.body = NOTHING;
  if (asked.length !== requests.length || asked.some(({ method }, i) => method !== requests[i]!.method))
    return null;
  let data: unknown;
  try {
    data = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8'));
  } catch {
    return { data: undefined };
  }
  const ids = new Map<unknown, number>(asked.map(({ id }, i) => [id, requests[i]!.id]));
  for (const message of Array.isArray(data) ? (data as unknown[]) : [data]) {
    // An id that nobody asked under stays what it is, and is refused as such.
    if (isRecord(message)) message['id'] = ids.get(message['id']) ?? message['id'];
  }
  return { data };
}
