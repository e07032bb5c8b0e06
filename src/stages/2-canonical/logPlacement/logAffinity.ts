import { wordOf, ZERO_WORD } from '../../../evm/hex.ts';
import type { Address, Hash, Hex } from '../../../model/hex.ts';
import type { Frame } from '../../../model/canonicalTx.ts';
import type { ReceiptLog } from '../readTransaction.ts';
import { fitOf, type Fit, type Source } from '../standardCalls.ts';

/** Words compared per log and per call: events and calls that move value say so in their first arguments. */
const LOG_WORDS = 8;
const CALL_WORDS = 24;

/** Cost of a log without any word of its own in the call; a share of it per missing word. */
const FOREIGN = 18;
/** A call that cannot be expected to make the event at all. */
const UNFIT = 18;
/** Something the call may do besides its purpose. */
const ASIDE = 6;
/** A second event of a call's one purpose. */
const REPEATED = 6;

/** A log as it can be compared with calls. */
export interface Statement {
  readonly topic: Hash | undefined;
  /** Its indexed arguments, then its data, word by word. */
  readonly words: readonly string[];
  /** The same without zeros and repetitions. */
  readonly stated: ReadonlySet<string>;
  /** Results of `fitOf`: a log is compared with very many calls. */
  readonly fits: Map<Hex | null, Fit>;
}

export function statementOf({ topics, data }: ReceiptLog): Statement {
  const words = topics.slice(1).map((topic) => topic.slice(2));
  for (let at = 2; at + 64 <= data.length && words.length < LOG_WORDS; at += 64)
    words.push(data.slice(at, at + 64));
  const stated = new Set(words);
  stated.delete(ZERO_WORD);
  return { topic: topics[0], words, stated, fits: new Map() };
}

/**
 * `exact`: the call's one purpose, word for word. `unfit`: a proxy's forwarding call, a view, or a standard
 * function for something else. `possible`: all others, where the cost is only a hint.
 */
export interface Judgement {
  readonly cost: number;
  readonly verdict: 'exact' | 'possible' | 'unfit';
  /** Cost of one more such event in the same call. */
  readonly repeat: number;
}

/** A log of a call that the standards define it for: each missing word of the call costs its share. */
function purposeOf(missing: number, said: number, unfit: boolean): Judgement {
  const cost = Math.ceil((FOREIGN * missing) / Math.max(1, said)) + (unfit ? UNFIT : 0);
  return { cost, verdict: unfit ? 'unfit' : missing === 0 ? 'exact' : 'possible', repeat: REPEATED };
}

/**
 * How badly a log fits a frame, 0 = perfectly. The token standards define it for their own events; any other
 * event mostly repeats its call's arguments, caller or value, so comparing 32-byte words works without
 * knowing the ABI.
 */
export class LogAffinity {
  readonly #callers: Address[] = [];
  readonly #lastChild: Int32Array;
  /** Computed on first use, as the words of calls. */
  readonly #forwarding: (boolean | undefined)[] = [];
  readonly #callWords: (ReadonlySet<string> | undefined)[] = [];

  constructor(private readonly frames: readonly Frame[]) {
    this.#lastChild = new Int32Array(frames.length).fill(-1);
    for (const { index, type, parent, from } of frames) {
      // msg.sender: DELEGATECALL keeps the caller's (EIP-7).
      this.#callers.push(type === 'DELEGATECALL' && parent !== null ? this.#callers[parent]! : from);
      if (parent !== null) this.#lastChild[parent] = index;
    }
  }

  judge({ topic, words, stated, fits }: Statement, index: number): Judgement {
    const { selector } = this.frames[index]!;
    let standard = fits.get(selector);
    if (!standard) fits.set(selector, (standard = fitOf(selector, topic)));
    const unfit = standard.fit === 'alien' || (this.#forwarding[index] ??= this.#forwards(index));
    if (standard.fit === 'purpose') {
      const { says } = standard;
      const missing = says.filter((source, i) => this.#word(source, index) !== words[i]).length;
      return purposeOf(missing, says.length, unfit);
    }
    const cost = this.#overlapCost(stated, index) + (unfit ? UNFIT : standard.fit === 'aside' ? ASIDE : 0);
    return { cost, verdict: unfit ? 'unfit' : 'possible', repeat: 0 };
  }

  #overlapCost(stated: ReadonlySet<string>, index: number): number {
    if (stated.size === 0) return 0;
    const spoken = (this.#callWords[index] ??= this.#wordsOfCall(index));
    let missing = 0;
    for (const word of stated) if (!spoken.has(word)) missing++;
    return Math.ceil((FOREIGN * missing) / stated.size);
  }

  /** True for a proxy's forwarding call: it ends in a DELEGATECALL with the same input. */
  #forwards(index: number): boolean {
    const last = this.frames[this.#lastChild[index]!];
    return last?.type === 'DELEGATECALL' && last.effective && last.input === this.frames[index]!.input;
  }

  #word(source: Source, index: number): string {
    const { input, value } = this.frames[index]!;
    if (source === 'caller') return wordOf(this.#callers[index]!);
    if (source === 'value') return wordOf(value);
    return input.slice(10 + source * 64, 74 + source * 64);
  }

  #wordsOfCall(index: number): ReadonlySet<string> {
    const { selector, input } = this.frames[index]!;
    const words = new Set([this.#word('caller', index), this.#word('value', index)]);
    if (selector !== null)
      for (let at = 10; at + 64 <= input.length && words.size < CALL_WORDS; at += 64)
        words.add(input.slice(at, at + 64));
    return words;
  }
}
