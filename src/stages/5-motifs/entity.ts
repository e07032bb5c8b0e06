import { mergeNative } from '../../value/asset.ts';
import { balances, type Balance } from '../../value/balances.ts';
import { ZERO_ADDRESS } from '../../evm/hex.ts';
import type { Address } from '../../model/hex.ts';
import type { MotifInput } from './draftMotif.ts';
import type { Hop } from './hops.ts';
import type { AssetId, Movement, ValueFlow } from '../../model/valueFlow.ts';

type Balances = ReadonlyMap<AssetId, Balance>;

/**
 * The signer, the contract it called and the one contract that traded for them, taken as one trader. Native
 * and wrapped native are one asset.
 */
export interface Entity {
  /** The contract that traded where neither the signer nor the contract it called did. */
  readonly trader: Address | null;
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

/**
 * `venues`: contracts at which trades happened; they are never wallets. `trader`: an account to count in.
 */
export function entityOf(input: MotifInput, venues: ReadonlySet<Address>, trader: Address | null): Entity {
  const { tx, flow, coinbase } = input;
  const mergeWrapped = input.rulebook.wrappedNative;
  const accounts = new Set([tx.from, tx.to, trader].filter((account) => account !== null));
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
    trader,
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

/**
 * The account behind all trades of the hops, where it is one contract that signer or called contract
 * called: a bot behind a dispatcher, an account behind an entry point.
 */
export function traderBehind(
  hops: readonly Hop[],
  { tx }: MotifInput,
  venues: ReadonlySet<Address>,
): Address | null {
  const ends = hops.flatMap(({ sent, received }) => [sent?.account, received?.account]);
  const traders = new Set(ends.filter((account) => account && !venues.has(account)));
  const [trader] = traders;
  if (!trader || traders.size > 1 || trader === tx.from || trader === tx.to) return null;
  const called = tx.frames.some(
    ({ effective, static: readOnly, from, to }) =>
      effective && !readOnly && to === trader && (from === tx.to || from === tx.from),
  );
  return called ? trader : null;
}

function sentBy(accounts: ReadonlySet<Address>, { outgoing, movements }: ValueFlow): Movement[] {
  return [...accounts].flatMap((account) => (outgoing.get(account) ?? []).map((index) => movements[index]!));
}
