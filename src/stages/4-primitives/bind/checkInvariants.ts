import { isRecognised } from '../../../lib/motifKinds.ts';
import { memoize } from '../../../lib/memo.ts';
import { isNetted } from './namedDifference.ts';
import type { BoundLeg } from './legOptions.ts';
import type { Candidate } from './applyMapping.ts';
import type { Address } from '../../../model/hex.ts';
import type { Invariant } from '../../../model/primitive.ts';
import type { AssetId, ValueFlow } from '../../../model/valueFlow.ts';

const INTEREST_BEARING: ReadonlySet<string> = new Set(['debt_share_in', 'collateral_share_in']);

/** Checks one event's claim against the movements it was bound to. */
export function checkInvariants(
  candidate: Candidate,
  flow: ValueFlow,
  netted: ReadonlyMap<Address, boolean>,
): Invariant[] {
  const { legs, unresolved } = candidate.binding;
  const invariants: Invariant[] = [];
  const check = (name: string, holds: boolean): void =>
    void invariants.push(holds ? holding(name) : failing(name));
  const checkAll = (name: string, some: readonly BoundLeg[], holds: (b: BoundLeg) => boolean): void => {
    if (some.length > 0) check(name, some.every(holds));
  };

  // Position tokens taken from a borrower carry interest that the event does not state.
  const stated = legs.filter((b) => b.stated !== null && !INTEREST_BEARING.has(b.leg.role));
  checkAll('amounts_agree', stated, (b) => b.leg.exact || isRounded(b.leg.amount, b.stated!));
  if (candidate.mapping.legs.length > 0) check('value_moved', legs.length + unresolved.length > 0);
  if (isNetted(candidate.binding)) check('netted_at_venue', netted.get(candidate.venue) === true);

  // An unknown contract's event counts only for value that it sent or received, or in its own token.
  if (!isRecognised(candidate.protocol) && legs.length > 0)
    check(
      'venue_involved',
      legs.some((b) => b.leg.movements.some((m) => involves(flow, m, candidate.venue))),
    );

  const given = assetsOf(legs, 'in');
  const received = assetsOf(legs, 'out');
  if (given.length > 0 && received.length > 0)
    check('assets_differ', !given.some((asset) => received.includes(asset)));

  const kinds = (b: BoundLeg): boolean =>
    b.leg.movements.every((m) => flow.movements[m]!.kind === b.spec.movementKind);
  const ofKind = (kind: string): BoundLeg[] => legs.filter((b) => b.spec.movementKind === kind);
  checkAll('minted_from_zero', ofKind('mint'), kinds);
  checkAll('burnt_to_zero', ofKind('burn'), kinds);

  const custody = custodians(legs, flow);
  if (custody.length > 1)
    check(
      'single_venue',
      custody.every((account) => account === custody[0]),
    );
  return invariants;
}

/** More than there are names of invariants. */
const NAMES = 64;
/** One object per name: every event has several. */
const holding = memoize<Invariant>((name) => ({ name, holds: true }), NAMES);
const failing = memoize<Invariant>((name) => ({ name, holds: false }), NAMES);

/** Tokens that account in shares (stETH) move up to two units more or less than asked for. */
const ROUNDING = 2n;

function isRounded(moved: bigint, stated: bigint): boolean {
  const apart = moved > stated ? moved - stated : stated - moved;
  return apart <= ROUNDING;
}

function involves(flow: ValueFlow, index: number, venue: Address): boolean {
  const m = flow.movements[index]!;
  return m.from === venue || m.to === venue || flow.assets.get(m.asset)?.address === venue;
}

/** The assets of one role: a handful, since a rule's legs are few and take a bounded number of movements. */
function assetsOf(legs: readonly BoundLeg[], role: string): AssetId[] {
  const assets: AssetId[] = [];
  for (const { leg } of legs) if (leg.role === role) assets.push(leg.asset);
  return assets;
}

/** Accounts that received the ins and sent the outs, where the mapping names them. */
function custodians(legs: readonly BoundLeg[], flow: ValueFlow): Address[] {
  const accounts: Address[] = [];
  for (const { leg, spec } of legs) {
    if (leg.role === 'in' && spec.to) for (const m of leg.movements) accounts.push(flow.movements[m]!.to);
    if (leg.role === 'out' && spec.from)
      for (const m of leg.movements) accounts.push(flow.movements[m]!.from);
  }
  return accounts;
}
