import type { PositionChange, PositionPart } from '../../../model/economics.ts';
import type { Address } from '../../../model/hex.ts';
import type { AssetId } from '../../../model/valueFlow.ts';

const SUPPLY = 'lending_supply';
const DEBT = 'lending_debt';
/** Effect of interest that the market adds to a position: it was the owner's before. */
const ACCRUED = 'collect';
/** Parts that stay with the owner or are lost: they change no claim on the market. */
const NO_CLAIM: ReadonlySet<string> = new Set(['fee', 'reward', 'penalty']);

type Amount = readonly [AssetId, bigint];

/** Changes of a subject's lending positions, in the assets that the market owes it or that it owes. */
export interface LendingClaims {
  /** Tokens of these positions: their value is in the claims and debts. */
  readonly tokens: ReadonlySet<AssetId>;
  /** Tokens of debts: no asset to receive or send. */
  readonly debtTokens: ReadonlySet<AssetId>;
  /** Positive: the market owes more. */
  readonly supplied: readonly Amount[];
  /** Positive: the subject owes more. */
  readonly owed: readonly Amount[];
}

/**
 * Lending as a balance sheet: a supply is a claim on its market, a loan is a liability. A position token
 * counts at the assets exchanged for it; one that was also sent elsewhere keeps its own price, or has none.
 */
export function lendingClaims(subject: Address, positions: readonly PositionChange[]): LendingClaims {
  const own = positions.filter(
    ({ owner, category }) => owner === subject && (category === SUPPLY || category === DEBT),
  );
  const uncertain = new Set(
    own
      .filter(({ effect, parts, motif: { status } }) => {
        return (parts.length === 0 && effect !== ACCRUED) || status !== 'Proven';
      })
      .map(placeOf),
  );
  const counted = own.filter((change) => !uncertain.has(placeOf(change)));
  const tokensOf = (changes: readonly PositionChange[]): ReadonlySet<AssetId> =>
    new Set(changes.flatMap(({ position }) => position ?? []));
  const debts = counted.filter(({ category }) => category === DEBT);
  return {
    tokens: tokensOf(counted),
    debtTokens: tokensOf(own.filter(({ category }) => category === DEBT)),
    supplied: counted
      .filter(({ category }) => category === SUPPLY)
      .flatMap((change) =>
        exchanged(change).map(([asset, delta]): Amount => [asset, supplySign(change) * delta]),
      ),
    owed: debts.flatMap(exchanged),
  };
}

/** A token, or the market where a position has none. */
function placeOf({ position, motif }: PositionChange): string {
  return position ?? motif.venue;
}

/** A liquidation's collateral is lost; any other supply is a claim on the market. */
function supplySign({ effect }: PositionChange): bigint {
  return effect === 'liquidate' ? 1n : -1n;
}

/** Assets that a change exchanged with its market. */
function exchanged({ parts, category, delta }: PositionChange): Amount[] {
  const paid = (part: PositionPart): boolean =>
    category === SUPPLY &&
    delta !== null &&
    parts.some((other) => other.role === 'principal' && other.asset === part.asset && other.delta === -delta);
  return parts
    .filter((part) => !NO_CLAIM.has(part.role) && (part.role !== 'interest' || paid(part)))
    .map((part) => [part.asset, part.delta]);
}
