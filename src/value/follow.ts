import { mergeNative } from './asset.ts';
import type { Address } from '../model/hex.ts';
import type { AssetId, Movement, ValueFlow } from '../model/valueFlow.ts';

export type Direction = 'onward' | 'back';

/** Whether to go on through the account at a movement's far end; `stop` ends the walk. */
export type Visit = (movement: Movement, account: Address) => boolean | 'stop';

/**
 * Follows value from accounts along movements, breadth first; each account is expanded once. Returns these
 * accounts. Reads the lists of movements: graphology-traversal does not separate assets of parallel edges.
 */
export function follow(
  flow: ValueFlow,
  starts: Iterable<Address>,
  direction: Direction,
  visit: Visit,
): ReadonlySet<Address> {
  const lists = direction === 'onward' ? flow.outgoing : flow.incoming;
  const far = direction === 'onward' ? 'to' : 'from';
  const expanded = new Set(starts);
  // A set also yields elements added during iteration.
  for (const account of expanded)
    for (const index of lists.get(account) ?? []) {
      const movement = flow.movements[index]!;
      const next = visit(movement, movement[far]);
      if (next === 'stop') return expanded;
      if (next) expanded.add(movement[far]);
    }
  return expanded;
}

/** An asset at an account, or a step that turns assets into others, with the flows to and from it. */
export interface Holding {
  /** The account, or the step's name. */
  readonly place: string;
  readonly onward: Holding[];
  readonly back: Holding[];
}

export type HoldingFlow = ReturnType<typeof holdingFlow>;

/**
 * Every holding that value can have reached: along movements of the same asset (`merged` names it) between
 * accounts that are not `excluded`, and over links. Order in time is ignored. An account's movements are
 * read when it is first reached.
 */
export function holdingFlow(
  flow: ValueFlow,
  merged: (asset: AssetId) => AssetId,
  excluded: ReadonlySet<Address>,
) {
  const holdings = new Map<string, Map<AssetId, Holding>>();
  const read = { onward: new Set<string>(excluded), back: new Set<string>(excluded) };
  const at = (place: string, asset: AssetId): Holding => {
    let own = holdings.get(place);
    if (!own) holdings.set(place, (own = new Map()));
    let holding = own.get(asset);
    if (!holding) own.set(asset, (holding = { place, onward: [], back: [] }));
    return holding;
  };
  const readMovements = (place: string, direction: Direction): void => {
    if (read[direction].has(place)) return;
    read[direction].add(place);
    const account = place as Address;
    const onward = direction === 'onward';
    for (const index of (onward ? flow.outgoing : flow.incoming).get(account) ?? []) {
      const { from, to, asset } = flow.movements[index]!;
      const far = onward ? to : from;
      const id = merged(asset);
      if (!excluded.has(far)) at(account, id)[direction].push(at(far, id));
    }
  };
  return {
    at,
    /** Value goes on besides movements. */
    link: (from: Holding, to: Holding): void => {
      from.onward.push(to);
      to.back.push(from);
    },
    reach: (starts: Iterable<Holding>, direction: Direction): ReadonlySet<Holding> => {
      const seen = new Set(starts);
      // A set also yields elements added during iteration.
      for (const holding of seen) {
        readMovements(holding.place, direction);
        for (const next of holding[direction]) seen.add(next);
      }
      return seen;
    },
  };
}

/** Limits of one walk: chains of routers are short, a hostile maze is not worth walking. */
const MAX_ACCOUNTS = 256;
const MAX_MOVEMENTS = 4_096;

/** The accounts at which value came from or went to, each once; none where a limit is reached. */
export type ValueEnds = (account: Address, asset: AssetId) => readonly Address[];

/** Whether it exchanges an account's native currency for the wrapped one, or back: no payment. */
export const isWrapping = ({ kind }: Movement): boolean => kind === 'wrap' || kind === 'unwrap';

/**
 * Follows one asset from an account through carriers to where it stops: the account itself unless it is a
 * carrier. Native and wrapped native are one asset. Memoizes its answers.
 */
export function valueEnds(flow: ValueFlow, carriers: ReadonlySet<Address>, direction: Direction): ValueEnds {
  if (carriers.size === 0) return (account) => [account];
  const known = new Map<string, readonly Address[]>();
  const endsOf = (start: Address, id: AssetId): readonly Address[] => {
    const seen = new Set([start]);
    let edges = 0;
    const limited = (): boolean => edges > MAX_MOVEMENTS || seen.size > MAX_ACCOUNTS;
    follow(flow, [start], direction, (movement, next) => {
      edges++;
      const staysHere = isWrapping(movement) || flow.wrappedNative.has(next);
      if (!staysHere && mergeNative(movement.asset, flow) === id) seen.add(next);
      if (limited()) return 'stop';
      return seen.has(next) && carriers.has(next);
    });
    return limited() ? [] : [...seen].filter((end) => !carriers.has(end));
  };
  return (account, asset) => {
    if (!carriers.has(account)) return [account];
    const id = mergeNative(asset, flow);
    const key = `${account} ${id}`;
    let ends = known.get(key);
    if (!ends) known.set(key, (ends = endsOf(account, id)));
    return ends;
  };
}
