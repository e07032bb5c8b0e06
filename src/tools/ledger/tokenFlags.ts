import type { HoldingChange } from './chainReader.ts';
import type { Purpose } from './ledgerRows.ts';
import type { Asset, TxReport } from '../../model/generated/report.ts';
import type { Address } from '../../model/hex.ts';
import type { Rulebook } from '../../model/rulebook.ts';

/** Flags of tokens and transfers that no ledger should book: a stranger can write them. */
const DOUBTFUL: ReadonlySet<string> = new Set(['impersonates', 'suspected_spam', 'unverified_source']);

const isDoubtful = (flags: readonly string[] | undefined): boolean =>
  flags?.some((flag) => DOUBTFUL.has(flag)) ?? false;

/**
 * Ids of assets that imitate others or are marked as spam, and the movements of others that nothing in the
 * transaction shows to be real. A loss no larger than what the account surely got there is not disputed.
 */
export function doubtsOf({ inventory_deltas: deltas, movements = [] }: TxReport) {
  const marked = deltas.filter((one) => isDoubtful(one.asset.flags) || one.flags.includes('suspected_spam'));
  const spam = new Set(marked.map(({ asset }) => asset.id));
  const left = new Map<string, bigint>();
  const add = (holding: string, raw: bigint) => left.set(holding, (left.get(holding) ?? 0n) + raw);
  for (const { from, to, asset_id: id, amount_raw: raw, flags } of movements) {
    add(`${from} ${id}`, -BigInt(raw));
    if (!isDoubtful(flags)) add(`${to} ${id}`, BigInt(raw));
  }
  const disputed = movements.filter(
    ({ from, asset_id: id, flags }) => isDoubtful(flags) && !spam.has(id) && left.get(`${from} ${id}`)! < 0n,
  );
  return { spam, disputed: new Set(disputed) };
}

/**
 * Changes by transfers that nothing in the transaction shows to be real, which a node may decide: of tokens
 * that are listed or have a price, or in a transaction that the accounts asked or paid for.
 */
export function disputedChanges(report: TxReport, accounts: ReadonlySet<string>): HoldingChange[] {
  const { tx, movements = [], accounts: named = {}, classification, economics } = report;
  const { spam, disputed } = doubtsOf(report);
  const real = movements.filter((one) => !spam.has(one.asset_id) && !disputed.has(one));
  const isAsked = [tx.signer, classification.actor, ...real.map(({ from }) => from)].some(
    (account) => account !== null && accounts.has(account),
  );
  const priced = new Set((economics.valuation.prices ?? []).map(({ asset_id: id }) => id));
  const isKnown = ({ id, address }: Asset): boolean =>
    priced.has(id) || (named[address ?? '']?.source ?? 'contract') !== 'contract';
  const touched = new Set(
    [...disputed].flatMap((one) => [one.from, one.to].map((end) => `${end} ${one.asset_id}`)),
  );
  return report.inventory_deltas
    .filter(({ subject, asset }) => accounts.has(subject) && touched.has(`${subject} ${asset.id}`))
    .filter(({ asset }) => isAsked || isKnown(asset))
    .map(({ subject: account, asset, delta_raw: raw }) => {
      return { account, asset, block: tx.block_number, raw: BigInt(raw) };
    });
}

/** Class of tokens in the rules with balances that change without an event. */
const REBASING = 'rebasing';

/**
 * Assets of a report with balances that are known to change without an event, and their purpose: lent and
 * owed ones accrue interest, others are known by the rules or by the report's flags.
 */
export function movingOf(report: TxReport, rules: Pick<Rulebook, 'assetClasses'>): Map<string, Purpose> {
  const effects = report.position_effects.filter(({ category }) => category.startsWith('lending_'));
  const lending = new Set(effects.map(({ position_asset: token }) => token?.id));
  return new Map(
    report.inventory_deltas.flatMap(({ asset, flags }): [string, Purpose][] => {
      const classes = rules.assetClasses.get(asset.address?.toLowerCase() as Address) ?? [];
      if (lending.has(asset.id)) return [[asset.id, 'interest']];
      if ([...flags, ...classes].includes(REBASING)) return [[asset.id, 'rebase']];
      return flags.includes('fee_on_transfer') ? [[asset.id, 'tax']] : [];
    }),
  );
}
