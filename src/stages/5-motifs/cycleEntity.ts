import { memoize } from '../../lib/memo.ts';
import { balances, type Balance } from '../../value/balances.ts';
import type { Address } from '../../model/hex.ts';
import { builderPayments } from '../../value/parties/execution.ts';
import { walletsOf, type EntityReason } from '../../value/parties/entity.ts';
import type { MotifInput } from './draftMotif.ts';
import type { AssetId } from '../../model/valueFlow.ts';

const MAX_WALLETS = 64;

type Balances = ReadonlyMap<AssetId, Balance>;

/** The signer and the accounts that act as one with it. Native and wrapped native are one asset. */
export interface Entity {
  readonly accounts: ReadonlySet<Address>;
  /** The contract that traded where neither the signer nor the contract it called did. */
  readonly trader: Address | null;
  /** Without payments to the block builder. */
  readonly balances: Balances;
  /** As `balances`, with another account counted in. */
  readonly balancesWith: (account: Address) => Balances;
  /** An asset's receipts of the entity's accounts, from one another too. */
  readonly through: (asset: AssetId) => bigint;
  /** Its wallet for gains in the asset; null for none or several. */
  readonly walletOf: (asset: AssetId) => Address | null;
}

/** `group`: the accounts taken as one. `venues`: contracts at which trades happened, never wallets. */
export function entityOf(
  input: MotifInput,
  venues: ReadonlySet<Address>,
  group: ReadonlyMap<Address, EntityReason>,
): Entity {
  const { flow, coinbase } = input;
  const mergeWrapped = input.rulebook.wrappedNative;
  const accounts = new Set(group.keys());
  const each = [...accounts].map((account) => balances(flow, account, { mergeWrapped }));
  const wallets = walletsOf(accounts, { flow, venues, wrappedNative: mergeWrapped, coinbase });
  const toBuilder =
    coinbase === null ? new Set<number>() : builderPayments(flow, accounts, coinbase, mergeWrapped);
  const balancesOf = (own: ReadonlySet<Address>): Balances =>
    balances(flow, own, { mergeWrapped, exclude: ({ index }) => toBuilder.has(index) });
  return {
    accounts,
    trader: [...group].find(([, reason]) => reason === 'trader')?.[0] ?? null,
    balances: balancesOf(accounts),
    // One wallet may close many cycles.
    balancesWith: memoize((account) => balancesOf(new Set([...accounts, account as Address])), MAX_WALLETS),
    through: (asset) => each.reduce((sum, own) => sum + (own.get(asset)?.received ?? 0n), 0n),
    walletOf: (asset) => wallets.get(asset) ?? null,
  };
}
