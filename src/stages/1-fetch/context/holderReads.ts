import { addressOfWord, wordAt, wordOf, ZERO_ADDRESS } from '../../../evm/hex.ts';
import { keyOfLog } from '../../../evm/signatures.ts';
import { addTo } from '../../../lib/lists.ts';
import { nftId } from '../../../value/asset.ts';
import { resolverOf, type BindScope, type Resolver } from '../../../value/resolver.ts';
import type { CanonicalTx } from '../../../model/canonicalTx.ts';
import type { Address } from '../../../model/hex.ts';
import type { BindExpr, Rulebook } from '../../../model/rulebook.ts';
import type { AssetId } from '../../../model/valueFlow.ts';
import type { ReadAnswer } from './viewReads.ts';
import type { ViewCall } from './multicall.ts';

/** The question about each NFT that a role asks the holder of. */
export type HolderPlan = ReadonlyMap<AssetId, ViewCall>;

/** NFTs of one transaction. */
export const MAX_HOLDERS = 40;
/** `ownerOf(uint256)` of ERC-721. */
const OWNER_OF = '0x6352211e';

/** Plans the NFTs with holders that the roles of the transaction's events and calls name. */
export function planHolders(
  { from: signer, to: txTo, frames, logs }: CanonicalTx,
  { prepared }: Partial<Pick<Rulebook, 'prepared'>>,
): HolderPlan {
  const plan = new Map<AssetId, ViewCall>();
  const roles = prepared?.derive(askingRoles);
  if (!roles?.size) return plan;
  const holderOf = (to: Address, id: bigint): null => {
    const call = { to, data: `${OWNER_OF}${wordOf(id)}`, apart: `holders ${to}` } as const;
    if (plan.size < MAX_HOLDERS) plan.set(nftId('erc721', to, id), call);
    return null;
  };
  const ask = (
    asked: readonly Resolver[],
    own: Pick<BindScope, 'args' | 'contract' | 'caller' | 'value'>,
  ): void => {
    const scope = { ...own, signer, txTo, holderOf, callArgs: null, outputArgs: null, legs: [] };
    for (const account of asked) account(scope);
  };
  for (const { address: contract, topics, data } of logs) {
    const asked = roles.get(keyOfLog({ topics }));
    if (asked) ask(asked, { args: { topics, data, base: 0 }, contract, caller: null, value: null });
  }
  for (const { selector, to: contract, from: caller, value, input, effective } of frames) {
    const asked = selector === null || contract === null || !effective ? undefined : roles.get(selector);
    if (asked) ask(asked, { args: { topics: [], data: input, base: 4 }, contract: contract!, caller, value });
  }
  return plan;
}

/** Roles that ask for a holder, by the event or function. */
function askingRoles({ events, calls }: Pick<Rulebook, 'events' | 'calls'>): Map<string, Resolver[]> {
  const found = new Map<string, Resolver[]>();
  for (const [key, { mappings }] of [...events, ...calls])
    for (const { roles, params } of mappings) {
      const named = new Map(params.map((param) => [param.name, param]));
      for (const { account } of roles) {
        const options: readonly BindExpr[] = account.op === 'first' ? account.of : [account];
        if (options.some(({ op }) => op === 'holder')) addTo(found, key, resolverOf(account, named));
      }
    }
  return found;
}

/** Before the block and at its end; no contract can spoil the reads of another. */
export const holderCalls = (plan: HolderPlan): ViewCall[] =>
  [...plan.values()].flatMap((call) => [{ ...call, before: true }, call]);

/** Holders through the block. Of an NFT that the block made or burnt the only answer counts. */
export function readHolders(plan: HolderPlan, answers: readonly ReadAnswer[]): Map<AssetId, Address> {
  const holders = new Map<AssetId, Address>();
  [...plan.keys()].forEach((asset, i) => {
    const around = answers.slice(2 * i, 2 * i + 2);
    const words = around.map((answer) => (answer == null ? null : wordAt(answer, 0)));
    const found = new Set(words.map((word) => word && addressOfWord(word)));
    const [holder, ...others] = [...found].filter((one) => one !== null && one !== ZERO_ADDRESS);
    if (holder && others.length === 0 && !around.includes(undefined)) holders.set(asset, holder);
  });
  return holders;
}
