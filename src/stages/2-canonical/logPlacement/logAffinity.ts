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

/** A log as it can be compared with calls: its indexed arguments, then its data, word by word. */
export interface Statement {
  readonly topic: Hash | undefined;
  readonly words: readonly string[];
}

export function statementOf(log: ReceiptLog): Statement {
  const words = log.topics.slice(1).map((topic) => topic.slice(2));
  for (let at = 2; at + 64 <= log.data.length && words.length < LOG_WORDS; at += 64)
    words.push(log.data.slice(at, at + 64));
  return { topic: log.topics[0], words };
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

/** A statement with its words as numbers; `stated` leaves out zeros and repetitions. */
interface Numbered {
  readonly statement: Statement;
  readonly words: readonly number[];
  readonly stated: ReadonlySet<number>;
  /** By the selector's number. */
  readonly fits: (Fit | undefined)[];
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
  readonly #callWords: (ReadonlySet<number> | undefined)[] = [];
  readonly #callers: Address[] = [];
  readonly #lastChild: Int32Array;
  /** Selectors by number, of every frame. */
  readonly #selectors: Int32Array;
  /** Words by number: a log is compared with very many calls. */
  readonly #numbers = new Map<string, number>();
  /** Words each frame's standard function should emit, computed on first use. */
  readonly #sayings: (readonly number[] | undefined)[] = [];
  /** Whether each frame is a proxy's forwarding call: 0 not computed, 1 yes, 2 no. */
  readonly #handOver: Uint8Array;
  /** Results of `fitOf` by topic and selector. */
  readonly #fits = new Map<Hash | undefined, Numbered['fits']>();
  /** The statement that is being judged, all frames in turn. */
  #current: Numbered | null = null;

  constructor(private readonly frames: readonly Frame[]) {
    this.#lastChild = new Int32Array(frames.length).fill(-1);
    this.#handOver = new Uint8Array(frames.length);
    this.#selectors = new Int32Array(frames.length);
    const selectors = new Map<Hex | null, number>();
    for (const frame of frames) {
      // msg.sender: DELEGATECALL keeps the caller's (EIP-7).
      this.#callers.push(
        frame.type === 'DELEGATECALL' && frame.parent !== null ? this.#callers[frame.parent]! : frame.from,
      );
      let number = selectors.get(frame.selector);
      if (number === undefined) selectors.set(frame.selector, (number = selectors.size));
      this.#selectors[frame.index] = number;
      if (frame.parent !== null) this.#lastChild[frame.parent] = frame.index;
    }
  }

  judge(statement: Statement, index: number): Judgement {
    const current = this.#current?.statement === statement ? this.#current : this.#take(statement);
    const standard = (current.fits[this.#selectors[index]!] ??= fitOf(
      this.frames[index]!.selector,
      statement.topic,
    ));
    const unfit = standard.fit === 'alien' || this.#forwards(index);
    if (standard.fit === 'purpose') {
      const missing = this.#missing(standard.says, current.words, index);
      return purposeOf(missing, standard.says.length, unfit);
    }
    const cost =
      this.#overlapCost(current.stated, index) + (unfit ? UNFIT : standard.fit === 'aside' ? ASIDE : 0);
    return { cost, verdict: unfit ? 'unfit' : 'possible', repeat: 0 };
  }

  #take(statement: Statement): Numbered {
    const words = statement.words.map((word) => this.#number(word));
    const stated = new Set(words);
    stated.delete(this.#number(ZERO_WORD));
    let fits = this.#fits.get(statement.topic);
    if (!fits) this.#fits.set(statement.topic, (fits = []));
    return (this.#current = { statement, words, stated, fits });
  }

  #number(word: string): number {
    let number = this.#numbers.get(word);
    if (number === undefined) this.#numbers.set(word, (number = this.#numbers.size));
    return number;
  }

  /** Counts the expected words the log lacks. `says` of one frame is always the same, or empty. */
  #missing(says: readonly Source[], words: readonly number[], index: number): number {
    if (says.length === 0) return 0;
    const saying = (this.#sayings[index] ??= says.map((source) => this.#number(this.#word(source, index))));
    let missing = 0;
    for (let i = 0; i < saying.length; i++) if (saying[i] !== words[i]) missing++;
    return missing;
  }

  #overlapCost(stated: ReadonlySet<number>, index: number): number {
    if (stated.size === 0) return 0;
    const spoken = this.#wordsOfCall(index);
    let missing = 0;
    for (const word of stated) if (!spoken.has(word)) missing++;
    return Math.ceil((FOREIGN * missing) / stated.size);
  }

  /** True for a proxy's forwarding call: it ends in a DELEGATECALL with the same input. */
  #forwards(index: number): boolean {
    if (this.#handOver[index] === 0) this.#handOver[index] = this.#handsOver(index) ? 1 : 2;
    return this.#handOver[index] === 1;
  }

  #handsOver(index: number): boolean {
    const last = this.#lastChild[index]!;
    if (last < 0) return false;
    const child = this.frames[last]!;
    return child.type === 'DELEGATECALL' && child.effective && child.input === this.frames[index]!.input;
  }

  #word(source: Source, index: number): string {
    const { input, value } = this.frames[index]!;
    if (source === 'caller') return wordOf(this.#callers[index]!);
    if (source === 'value') return wordOf(value);
    return input.slice(10 + source * 64, 74 + source * 64);
  }

  #wordsOfCall(index: number): ReadonlySet<number> {
    const known = this.#callWords[index];
    if (known) return known;
    const { selector, input } = this.frames[index]!;
    const words = new Set([
      this.#number(this.#word('caller', index)),
      this.#number(this.#word('value', index)),
    ]);
    if (selector !== null) {
      for (let at = 10; at + 64 <= input.length && words.size < CALL_WORDS; at += 64)
        words.add(this.#number(input.slice(at, at + 64)));
    }
    this.#callWords[index] = words;
    return words;
  }
}
