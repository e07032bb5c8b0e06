/** Rules by their places in a list, as bits: sets of them are joined and cut a word at a time. */
export type RuleSet = Uint32Array;

/** The empty set, of a list this long. */
export function noRules(count: number): RuleSet {
  return new Uint32Array((count + 31) >>> 5);
}

/** Adds the rule at a place. */
export function add(set: RuleSet, place: number): void {
  set[place >>> 5]! |= 1 << (place & 31);
}

export function has(set: RuleSet, place: number): boolean {
  return (set[place >>> 5]! & (1 << (place & 31))) !== 0;
}

/** Adds what is in another set. */
export function join(set: RuleSet, other: RuleSet): void {
  for (let i = 0; i < set.length; i++) set[i]! |= other[i]!;
}

/** Drops what is not in another set. */
export function cut(set: RuleSet, other: RuleSet): void {
  for (let i = 0; i < set.length; i++) set[i]! &= other[i]!;
}

/** The first rule at that place or after it; −1 where there is none. */
export function firstFrom(set: RuleSet, place: number): number {
  let word = place >>> 5;
  let bits = set[word]! & (-1 << (place & 31));
  while (bits === 0) {
    if (++word >= set.length) return -1;
    bits = set[word]!;
  }
  // What is left of a number and its negative is its lowest bit.
  return 32 * word + 31 - Math.clz32(bits & -bits);
}
