import type { Address } from '../../model/hex.ts';
import type { Motif } from '../../model/motif.ts';
import { createsAccount, type Act, type Token } from './act.ts';
import type { Acts } from './acts.ts';

type Side = 'before' | 'after';

/** Kinds that serve an act before or after them, and which of the two is looked for first. */
const SERVING: ReadonlyMap<string, Side> = new Map([
  ['wrap', 'after'],
  ['approval', 'after'],
  ['collateral_toggle', 'after'],
  ['deployment', 'after'],
  ['unwrap', 'before'],
  ['refund', 'before'],
  ['protocol_fee', 'before'],
  ['builder_payment', 'before'],
  ['accrual', 'before'],
]);
/** Kinds whose bare presence next to any act makes them part of it: they exist only because something else happened. */
const DEPENDENT: ReadonlySet<string> = new Set(['refund', 'protocol_fee', 'builder_payment']);
/** Kinds that are about one asset and serve only acts in which it has a part. */
const ABOUT_ASSETS: ReadonlySet<string> = new Set(['wrap', 'unwrap', 'approval']);

export function isServing(motif: Motif): boolean {
  return SERVING.has(motif.kind) || createsAccount(motif);
}

/** Exists only because something else happened. */
export function isDependent(motif: Motif): boolean {
  return DEPENDENT.has(motif.kind);
}

/**
 * The act that something serves: of one of its accounts, about its asset where it has one, and standing nearest on the side
 * where it is expected, else on the other. What contracts other than the principals allowed one another serves whatever
 * they did it for.
 */
export function actServed(serving: Act, acts: Acts, principals: ReadonlySet<Address>): Act | null {
  const { motif, setsUp } = serving;
  const side = SERVING.get(motif.kind) ?? 'after';
  if (setsUp) return nearest(motif, acts.of(setsUp), side) ?? nearest(motif, acts.at(setsUp), side);
  const tokens = ABOUT_ASSETS.has(motif.kind) ? assetsAbout(serving) : null;
  const found: Act[] = [];
  const take = (list: readonly Act[]): void => {
    const act = nearest(motif, list, side);
    if (act) found.push(act);
  };
  for (const account of serving.own) {
    if (tokens) for (const token of tokens) take(acts.of(account, token));
    else take(acts.of(account));
  }
  const inner = motif.kind === 'approval' && serving.owner !== null && !principals.has(serving.owner);
  return (
    nearest(
      motif,
      found.sort((a, b) => a.motif.index - b.motif.index),
      side,
    ) ?? (DEPENDENT.has(motif.kind) || inner ? nearest(motif, acts.all, side) : null)
  );
}

function assetsAbout({ motif, tokens }: Act): Iterable<Token> {
  if (motif.kind !== 'approval') return tokens;
  return [
    motif.venue,
    ...motif.participants.filter(({ role }) => role === 'token_contract').map(({ account }) => account),
  ];
}

/** The nearest of acts in execution order, first on the side asked for. */
export function nearest(motif: Motif, acts: readonly Act[], side: Side): Act | null {
  let low = 0;
  for (let high = acts.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if (acts[middle]!.motif.index > motif.index) high = middle;
    else low = middle + 1;
  }
  const [before, after] = [acts[low - 1] ?? null, acts[low] ?? null];
  return side === 'before' ? (before ?? after) : (after ?? before);
}
