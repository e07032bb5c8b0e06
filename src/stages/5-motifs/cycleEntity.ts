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
export type Entity = Readonly<ReturnType<typeof entityOf>>;

/** `group`: the accounts taken as one. `venues`: contracts at which trades happened, never wallets. */
export function entityOf(
  input: MotifInput,
  venues: ReadonlySet<Address>,
  group: ReadonlyMap<Address, EntityReason>,
) {
  const { flow, coinbase } = input;
  const mergeWrapped = input.rulebook.wrappedNative;
  const accounts: ReadonlySet<Address> = new Set(group.keys());
  const each = [...accounts].map((account) => balances(flow, account, { mergeWrapped }));
  const wallets = walletsOf(accounts, { flow, venues, wrappedNative: mergeWrapped, coinbase });
  const toBuilder =
    coinbase === null ? new Set<number>() : builderPayments(flow, accounts, coinbase, mergeWrapped);
  const balancesOf = (own: ReadonlySet<Address>): Balances =>
    balances(flow, own, { mergeWrapped, exclude: ({ index }) => toBuilder.has(index) });
  return {
    accounts,
    /** The contract that traded where neither the signer nor the contract it called did. */
    trader: [...group].find(([, reason]) => reason === 'trader')?.[0] ?? null,
    /** Without payments to the block builder. */
    balances: balancesOf(accounts),
    /** As `balances`, with another account counted in: one wallet may close many cycles. */
    balancesWith: memoize((account) => balancesOf(new Set([...accounts, account as Address])), MAX_WALLETS),
    /** An asset's receipts of the entity's accounts, from one another too. */
    through: (asset: AssetId): bigint =>
      each.reduce((sum, own) => sum + (own.get(asset)?.received ?? 0n), 0n),
    /** Its wallet for gains in the asset; null for none or several. */
    walletOf: (asset: AssetId): Address | null => wallets.get(asset) ?? null,
  };
}
