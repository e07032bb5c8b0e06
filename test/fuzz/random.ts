/** A small seeded generator (mulberry32): the same seed gives the same cases on every machine. */
export class Random {
  #state: number;
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 0 ≤ x < 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** 0 … n-1. */
  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('nothing to pick from');
    return list[this.below(list.length)]!;
  }

  hex(digits: number): string {
    let text = '';
    while (text.length < digits) text += this.below(16).toString(16);
    return text;
  }

  /** A whole number of wei-like size: mostly small, now and then at the edges of 64, 128 and 256 bits. */
  amount(): bigint {
    const edge = [0n, 1n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 128n, 2n ** 255n, 2n ** 256n - 1n];
    return this.chance(0.3) ? this.pick(edge) : BigInt(`0x${this.hex(1 + this.below(40))}`);
  }
}

/** Spreads case numbers over the generator's range, so that neighbouring cases have nothing in common. */
export function seedOf(seed: number, index: number): number {
  return (Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)) >>> 0;
}
