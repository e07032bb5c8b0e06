import type { Asset, Motif, PositionEffect, TxReport } from '../../model/generated/report.ts';

/** One claim of a report that the node's answers do not bear out. */
export interface Finding {
  /** The rule that was broken, e.g. `evidence`, `movement`, `delta`. */
  readonly check: string;
  /** Where in the report, as a JSON pointer (RFC 6901). */
  readonly at: string;
  readonly message: string;
}

export type Report = (check: string, at: string, message: string) => void;

/** Reports a statement that does not hold. */
export type Must = (holds: boolean, at: string, message: string) => void;

export function mustOf(find: Report, check: string, below = ''): Must {
  return (holds, at, message) => {
    if (!holds) find(check, `${below}${at}`, message);
  };
}

/** The first account with a role in an act. */
export const accountIn = ({ participants }: Motif, wanted: string): string | undefined =>
  participants.find(({ role }) => role === wanted)?.account;

/** The sum of a number of each. */
export const sumOf = <T>(list: readonly T[], numberOf: (one: T) => bigint): bigint =>
  list.reduce((sum, one) => sum + numberOf(one), 0n);

/** The sum of raw amounts. */
export const total = (list: readonly { readonly amount_raw: string }[]): bigint =>
  sumOf(list, ({ amount_raw: raw }) => BigInt(raw));

export type Party = ReturnType<typeof partiesOf>[number];

/**
 * Accounts that economics sums up, taken together: the subject, or an owner with its receivers. `at`: the
 * place of their figures in the report; `owner`: the account with the positions.
 */
export function partiesOf({ economics }: TxReport) {
  const { subject, by_owner: owners = [] } = economics;
  return [
    { at: '/economics', figures: economics, owner: subject, accounts: new Set([subject]) },
    ...owners.map((figures, i) => {
      const { owner, accounts } = figures;
      return { at: `/economics/by_owner/${i}`, figures, owner, accounts: new Set([owner, ...accounts]) };
    }),
  ];
}

export interface Amount {
  readonly asset: Pick<Asset, 'id' | 'decimals'>;
  readonly raw: bigint;
}

/** Amounts by asset, where they are not zero. */
export function summed(amounts: readonly Amount[]): Amount[] {
  const nets = new Map<string, Amount>();
  for (const { asset, raw } of amounts)
    nets.set(asset.id, { asset, raw: raw + (nets.get(asset.id)?.raw ?? 0n) });
  return [...nets.values()].filter(({ raw }) => raw !== 0n);
}

/** Net changes of a party by asset, or its receipts, without its debt tokens. */
export function netsOf(report: TxReport, party: Party, key: 'delta_raw' | 'inflow_raw' = 'delta_raw') {
  const { owner, accounts } = party;
  const debts = report.position_effects.filter((e) => e.owner === owner && e.category === 'lending_debt');
  const owed = new Set(debts.map((e) => e.position_asset?.id));
  const own = report.inventory_deltas.filter((d) => accounts.has(d.subject) && !owed.has(d.asset.id));
  return summed(own.map((delta) => ({ asset: delta.asset, raw: BigInt(delta[key]) })));
}

/** Whether a withdrawal redeemed just the principal beside this interest. */
export function paysInterest(effect: PositionEffect, asset: string): boolean {
  const { category, underlying, position_delta_raw: moved } = effect;
  const principals = underlying.filter((part) => part.role === 'principal' && part.asset.id === asset);
  return category === 'lending_supply' && principals.some(({ delta_raw: raw }) => `-${raw}` === moved);
}
