import type { TxReport } from '../../model/generated/report.ts';

/** One claim of a report that the node's answers do not bear out. */
export interface Finding {
  /** The rule that was broken, e.g. `evidence`, `movement`, `delta`. */
  readonly check: string;
  /** Where in the report, as a JSON pointer (RFC 6901). */
  readonly at: string;
  readonly message: string;
}

export type Report = (check: string, at: string, message: string) => void;

/** Accounts that economics sums up, taken together: the subject, or an owner with its receivers. */
export interface Party {
  /** Place of its figures in the report. */
  readonly at: string;
  readonly figures: Pick<TxReport['economics'], 'token_in' | 'token_out' | 'net_usd_before_gas'>;
  /** The account with the positions. */
  readonly owner: string;
  readonly accounts: ReadonlySet<string>;
}

export function partiesOf({ economics }: TxReport): Party[] {
  const { subject, by_owner: owners = [] } = economics;
  return [
    { at: '/economics', figures: economics, owner: subject, accounts: new Set([subject]) },
    ...owners.map((figures, i) => ({
      at: `/economics/by_owner/${i}`,
      figures,
      owner: figures.owner,
      accounts: new Set([figures.owner, ...figures.accounts]),
    })),
  ];
}

type Asset = TxReport['inventory_deltas'][number]['asset'];

/** Net changes of a party by asset. */
export function netsOf({ inventory_deltas: deltas }: TxReport, { accounts }: Party) {
  const nets = new Map<string, { readonly asset: Asset; readonly raw: bigint }>();
  for (const { subject, asset, delta_raw: raw } of deltas) {
    if (accounts.has(subject))
      nets.set(asset.id, { asset, raw: BigInt(raw) + (nets.get(asset.id)?.raw ?? 0n) });
  }
  return [...nets.values()].filter(({ raw }) => raw !== 0n);
}
