/** Computes on first use. */
export function lazy<T extends {} | null>(compute: () => T): () => T {
  let known: T | undefined;
  return () => (known === undefined ? (known = compute()) : known);
}

/** How each part of an object is computed from it. */
export type PartsOf<P, Whole> = { readonly [K in keyof P]: (whole: Whole) => P[K] };

/** A base class with a getter for each part, computed from the object when first read, once. */
export function withParts<P extends object>(parts: PartsOf<P, never>): new () => Readonly<P> {
  class Lazy {
    readonly known: unknown[] = [];
  }
  for (const [at, name] of Object.keys(parts).entries()) {
    const compute = parts[name as keyof P] as (whole: unknown) => unknown;
    Object.defineProperty(Lazy.prototype, name, {
      get(this: Lazy) {
        if (this.known[at] === undefined) this.known[at] = compute(this);
        return this.known[at];
      },
    });
  }
  return Lazy as unknown as new () => Readonly<P>;
}
