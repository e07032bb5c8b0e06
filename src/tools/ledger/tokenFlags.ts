import type { HoldingRead } from './chainReader.ts';
import type { Purpose } from './ledgerRows.ts';
import type { Asset, TxReport } from '../../model/generated/report.ts';
import type { Address } from '../../model/hex.ts';
import type { Rulebook } from '../../model/rulebook.ts';

/** Flags of tokens and transfers that no ledger should book: a stranger can write them. */
const DOUBTFUL: ReadonlySet<string> = new Set(['impersonates', 'suspected_spam', 'unverified_source']);

/** Whether flags say that a stranger may have written it. */
export const isDoubtful = (flags: readonly string[] | undefined): boolean =>
  flags?.some((flag) => DOUBTFUL.has(flag)) ?? false;

/** Names a change of an account's balance of an asset in one transaction. */
export const changeKey = (hash: string, account: string, assetId: string): string =>
  `${hash} ${account} ${assetId}`;

/** Ids of assets that imitate others or are marked as spam. */
export const spamOf = ({ inventory_deltas: deltas }: TxReport): ReadonlySet<string> =>
  new Set(
    deltas.flatMap(({ asset, flags }) =>
      isDoubtful(asset.flags) || flags.includes('suspected_spam') ? asset.id : [],
    ),
  );

/**
 * Changes by transfers that nothing in the transaction shows to be real, which a node may decide: of tokens
 * that are listed or have a price, or in a transaction that the accounts asked or paid for.
 */
export function disputedChanges(report: TxReport, accounts: ReadonlySet<string>): HoldingRead[] {
  const { tx, movements = [], accounts: named = {}, classification, economics } = report;
  const spam = spamOf(report);
  const real = movements.filter(({ asset_id: id, flags }) => !spam.has(id) && !isDoubtful(flags));
  const isAsked = [tx.signer, classification.actor, ...real.map(({ from }) => from)].some(
    (account) => account !== null && accounts.has(account),
  );
  const priced = new Set((economics.valuation.prices ?? []).map(({ asset_id: id }) => id));
  const isKnown = ({ id, address }: Asset): boolean =>
    priced.has(id) || (named[address ?? '']?.source ?? 'contract') !== 'contract';
  const doubted = movements.filter(({ asset_id: id, flags }) => isDoubtful(flags) && !spam.has(id));
  return report.inventory_deltas.flatMap(({ subject: account, asset }) =>
    accounts.has(account) &&
    (isAsked || isKnown(asset)) &&
    doubted.some(({ from, to, asset_id: id }) => id === asset.id && (from === account || to === account))
      ? { account, asset, block: tx.block_number }
      : [],
  );
}

/** Class of tokens in the rules with balances that change without an event. */
const REBASING = 'rebasing';

/**
 * Assets of a report with balances that are known to change without an event, and their purpose: lent and
 * owed ones accrue interest, others are known by the rules or by the report's flags.
 */
export function movingOf(
  { inventory_deltas: deltas, position_effects: effects }: TxReport,
  { assetClasses }: Pick<Rulebook, 'assetClasses'>,
): Map<string, Purpose> {
  const lending = new Set(
    effects.flatMap(({ category, position_asset: token }) =>
      category.startsWith('lending_') && token ? token.id : [],
    ),
  );
  const purposeOf = ({ asset, flags }: TxReport['inventory_deltas'][number]): Purpose | null => {
    const classes = assetClasses.get(asset.address?.toLowerCase() as Address) ?? [];
    if (lending.has(asset.id)) return 'interest';
    if ([...flags, ...classes].includes(REBASING)) return 'rebase';
    return flags.includes('fee_on_transfer') ? 'tax' : null;
  };
  return new Map(
    deltas.flatMap((delta): [string, Purpose][] => {
      const purpose = purposeOf(delta);
      return purpose === null ? [] : [[delta.asset.id, purpose]];
    }),
  );
}
