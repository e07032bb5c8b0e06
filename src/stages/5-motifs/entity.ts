import { mergeNative } from '../../value/asset.ts';
import { balances, type Balance } from '../../value/balances.ts';
import { ZERO_ADDRESS } from '../../evm/hex.ts';
import type { Address } from '../../model/hex.ts';
import type { MotifInput } from './draftMotif.ts';
import type { AssetId, Movement, ValueFlow } from '../../model/valueFlow.ts';

type Balances = ReadonlyMap<AssetId, Balance>;

/** The signer and the contract it called, taken as one trader. Native and wrapped native are one asset. */
export interface Entity {
  /** Without payments to the block builder. */
  readonly balances: Balances;
  /** As `balances`, with another account counted in. */
  readonly balancesWith: (account: Address) => Balances;
  /** An asset's receipts of the entity's accounts, from one another too. */
  readonly through: (asset: AssetId) => bigint;
  /**
   * The one further account that received the asset from the entity and sent nothing: a wallet for its gains.
   * Null for none or several.
   */
  readonly walletOf: (asset: AssetId) => Address | null;
}

/** `venues`: contracts at which trades happened; they are never wallets. */
export function entityOf(input: MotifInput, venues: ReadonlySet<Address>): Entity {
  const { tx, flow, coinbase } = input;
  const mergeWrapped = input.rulebook.wrappedNative;
  const accounts = new Set<Address>(tx.to === null ? [tx.from] : [tx.from, tx.to]);
  const each = [...accounts].map((account) => balances(flow, account, { mergeWrapped }));
  const wallets = new Map<AssetId, Set<Address>>();
  for (const { to, asset } of sentBy(accounts, flow)) {
    const known = accounts.has(to) || venues.has(to) || mergeWrapped.has(to);
    if (known || to === coinbase || to === ZERO_ADDRESS || flow.outgoing.get(to)?.length) continue;
    const id = mergeNative(asset, mergeWrapped);
    wallets.set(id, (wallets.get(id) ?? new Set()).add(to));
  }
  const balancesOf = (group: ReadonlySet<Address>): Balances =>
    balances(flow, group, { mergeWrapped, exclude: ({ to }) => to === coinbase && !group.has(to) });
  const extended = new Map<Address, Balances>();
  return {
    balances: balancesOf(accounts),
    balancesWith: (account) => {
      let own = extended.get(account);
      if (!own) extended.set(account, (own = balancesOf(new Set([...accounts, account]))));
      return own;
    },
    through: (asset) => each.reduce((sum, own) => sum + (own.get(asset)?.received ?? 0n), 0n),
    walletOf: (asset) => {
      const found = wallets.get(asset);
      return found?.size === 1 ? [...found][0]! : null;
    },
  };
}

function sentBy(accounts: ReadonlySet<Address>, { outgoing, movements }: ValueFlow): Movement[] {
  return [...accounts].flatMap((account) => (outgoing.get(account) ?? []).map((index) => movements[index]!));
}
