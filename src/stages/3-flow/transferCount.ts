import type { Draft } from './draft.ts';

/** A multiset of transfers by asset, ends and amount, to pair each statement of a transfer with one other. */
export class TransferCount {
  readonly #counts = new Map<string, number>();

  constructor(drafts: readonly Draft[]) {
    for (const draft of drafts) {
      const key = keyOf(draft);
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    }
  }

  /** Whether there is one left like it, which then is no longer. */
  take(draft: Draft): boolean {
    if (this.#counts.size === 0) return false;
    const key = keyOf(draft);
    const left = this.#counts.get(key) ?? 0;
    if (left > 0) this.#counts.set(key, left - 1);
    return left > 0;
  }
}

function keyOf({ asset, from, to, amount }: Draft): string {
  return `${asset.id}|${from}|${to}|${amount}`;
}
