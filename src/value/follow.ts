import { mergeNative } from './asset.ts';
import type { Address } from '../model/hex.ts';
import type { AssetId, Movement, ValueFlow } from '../model/valueFlow.ts';

export type Direction = 'onward' | 'back';

/** Whether to go on through the account at a movement's far end; `stop` ends the walk. */
export type Visit = (movement: Movement, account: Address) => boolean | 'stop';

/**
 * Follows value from accounts along movements, breadth first; each account is expanded once. Read from the
 * lists of movements: graphology-traversal cannot separate the assets of parallel edges.
 */
export function follow(flow: ValueFlow, starts: Iterable<Address>, direction: Direction, visit: Visit): void {
  const lists = direction === 'onward' ? flow.outgoing : flow.incoming;
  const far = direction === 'onward' ? 'to' : 'from';
  const expanded = new Set(starts);
  // A set also yields elements added during iteration.
  for (const account of expanded)
    for (const index of lists.get(account) ?? []) {
      const movement = flow.movements[index]!;
      const next = visit(movement, movement[far]);
      if (next === 'stop') return;
      if (next) expanded.add(movement[far]);
    }
}

/** An asset at an account (`<account> <asset>`), or a step that turns assets into others. */
export type Holding = string;

export const holding = (account: Address, asset: AssetId): Holding => `${account} ${asset}`;

/** Where value goes besides movements: from a holding into a step, and from a step to holdings. */
export interface Links {
  readonly onward: ReadonlyMap<Holding, readonly Holding[]>;
  readonly back: ReadonlyMap<Holding, readonly Holding[]>;
}

/**
 * Every holding that value can have reached: along movements of the same asset (`merged` names it) between
 * accounts that are not `excluded`, and over `links`. Order in time is ignored. An account's movements are
 * grouped by asset when it is first reached.
 */
export class HoldingFlow {
  readonly #flow: ValueFlow;
  readonly #links: Links;
  readonly #merged: (asset: AssetId) => AssetId;
  readonly #excluded: ReadonlySet<Address>;
  readonly #steps = {
    onward: new Map<Address, Map<Holding, Set<Holding>>>(),
    back: new Map<Address, Map<Holding, Set<Holding>>>(),
  };

  constructor(
    flow: ValueFlow,
    links: Links,
    merged: (asset: AssetId) => AssetId,
    excluded: ReadonlySet<Address>,
  ) {
    this.#flow = flow;
    this.#links = links;
    this.#merged = merged;
    this.#excluded = excluded;
  }

  reach(starts: Iterable<Holding>, direction: Direction): ReadonlySet<Holding> {
    const seen = new Set(starts);
    // A set also yields elements added during iteration.
    for (const from of seen) {
      for (const next of this.#links[direction].get(from) ?? []) seen.add(next);
      const account = from.slice(0, from.indexOf(' ')) as Address;
      for (const next of this.#stepsOf(account, direction).get(from) ?? []) seen.add(next);
    }
    return seen;
  }

  /** Holdings one movement away from each holding of an account. */
  #stepsOf(account: Address, direction: Direction): ReadonlyMap<Holding, ReadonlySet<Holding>> {
    let steps = this.#steps[direction].get(account);
    if (steps) return steps;
    this.#steps[direction].set(account, (steps = new Map()));
    if (this.#excluded.has(account)) return steps;
    const onward = direction === 'onward';
    for (const index of (onward ? this.#flow.outgoing : this.#flow.incoming).get(account) ?? []) {
      const movement = this.#flow.movements[index]!;
      const far = onward ? movement.to : movement.from;
      if (this.#excluded.has(far)) continue;
      const asset = this.#merged(movement.asset);
      const from = holding(account, asset);
      const to = holding(far, asset);
      const known = steps.get(from);
      if (known) known.add(to);
      else steps.set(from, new Set([to]));
    }
    return steps;
  }
}

/** Limits of one walk: chains of routers are short, a hostile maze is not worth walking. */
const MAX_ACCOUNTS = 256;
const MAX_MOVEMENTS = 4_096;

/** The accounts at which value came from or went to, each once; none where a limit is reached. */
export type ValueEnds = (account: Address, asset: AssetId) => readonly Address[];

/**
 * Follows one asset from an account through carriers to where it stops: the account itself unless it is a
 * carrier. Native and wrapped native are one asset. Memoizes its answers.
 */
export function valueEnds(
  flow: ValueFlow,
  wrappedNative: ReadonlySet<Address>,
  carriers: ReadonlySet<Address>,
  direction: Direction,
): ValueEnds {
  const known = new Map<string, readonly Address[]>();
  return (account, asset) => {
    if (!carriers.has(account)) return [account];
    const id = mergeNative(asset, wrappedNative);
    const key = `${account} ${id}`;
    let ends = known.get(key);
    if (!ends) {
      const carries = (m: Movement, next: Address): boolean =>
        mergeNative(m.asset, wrappedNative) === id &&
        m.kind !== 'wrap' &&
        m.kind !== 'unwrap' &&
        !wrappedNative.has(next);
      known.set(key, (ends = endsFrom(flow, account, direction, { carries, carriers })));
    }
    return ends;
  };
}

function endsFrom(
  flow: ValueFlow,
  account: Address,
  direction: Direction,
  { carries, carriers }: { carries: (m: Movement, next: Address) => boolean; carriers: ReadonlySet<Address> },
): readonly Address[] {
  const seen = new Set([account]);
  let edges = 0;
  const limited = (): boolean => edges > MAX_MOVEMENTS || seen.size > MAX_ACCOUNTS;
  follow(flow, [account], direction, (movement, next) => {
    edges++;
    if (carries(movement, next)) seen.add(next);
    if (limited()) return 'stop';
    return seen.has(next) && carriers.has(next);
  });
  return limited() ? [] : [...seen].filter((end) => !carriers.has(end));
}
