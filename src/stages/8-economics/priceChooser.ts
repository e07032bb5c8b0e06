import { usableDecimals } from '../../value/amount.ts';
import { parseAssetId } from '../../value/asset.ts';
import { groupBy } from '../../lib/lists.ts';
import { hasTag } from '../../lib/motifKinds.ts';
import type { Address } from '../../model/hex.ts';
import type { Motif } from '../../model/motif.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { RawContext } from '../../model/upstream.ts';
import type { ValueFlow } from '../../model/valueFlow.ts';
import {
  choosePrice,
  isRefusal,
  refusal,
  type PriceChoice,
  type RefusalReason,
  type TouchedAccounts,
} from './choosePrice.ts';
import { ratedQuote, type PriceKey, type RateSituation } from './ratedQuote.ts';

export interface ChooserInput {
  readonly context: RawContext;
  readonly timestamp: number;
  readonly touched: TouchedAccounts;
  readonly motifs: readonly Motif[];
  readonly flow: ValueFlow;
  readonly rulebook: Pick<Rulebook, 'wrappedNative' | 'entities' | 'motifKinds'>;
}

const NONE: readonly [] = [];

/** Prices that rest on prices that rest on prices … */
const MAX_DEPTH = 4;

const refused = (code: RefusalReason['code'], reason: string): PriceChoice => ({
  chosen: null,
  refused: [refusal(code, reason)],
});
const inOrder = (list: readonly RefusalReason[]): RefusalReason[] =>
  [...list].sort((a, b) => (`${a.code} ${a.reason}` < `${b.code} ${b.reason}` ? -1 : 1));

/**
 * Chooses the price of any asset from the sources' answers, independent of their order. Rates are resolved
 * through the prices chosen for their bases. Wrapped native is priced as native.
 */
export function priceChooser({
  context,
  timestamp,
  touched,
  motifs,
  flow,
  rulebook,
}: ChooserInput): RateSituation {
  const keyOf = (asset: PriceKey): PriceKey =>
    asset !== 'native' && rulebook.wrappedNative.has(asset) ? 'native' : asset;
  const byKey = <T extends { readonly asset: PriceKey }>(items: readonly T[]): ReadonlyMap<PriceKey, T[]> =>
    groupBy(items, ({ asset }) => keyOf(asset));
  const quotes = byKey(context.prices);
  const rates = byKey(context.rates ?? NONE);
  const declined = byKey(context.refusals);
  const settled = new Map<PriceKey, PriceChoice>();
  const open: PriceKey[] = [];
  /** The answers being worked out had to do without one of `open`: they say nothing about other occasions. */
  let cut = false;

  const decimalsOf = (asset: PriceKey): number | null =>
    keyOf(asset) === 'native' ? 18 : usableDecimals(context.tokens.get(asset as Address)?.decimals);
  const keyOfId = (id: string): PriceKey | null => {
    const asset = parseAssetId(id);
    return asset?.kind === 'native' ? 'native' : asset?.kind === 'erc20' ? asset.address : null;
  };

  const situation = { choiceFor, keyOf, decimalsOf, keyOfId, timestamp, motifs, flow, rulebook };

  function choiceFor(asset: PriceKey): PriceChoice {
    const key = keyOf(asset);
    const known = settled.get(key);
    if (known) return known;
    const isOpen = open.includes(key);
    if (isOpen || open.length >= MAX_DEPTH) {
      cut = true;
      return isOpen
        ? refused('self_referential', 'its price would rest on itself')
        : refused('no_source', 'its price would rest on too many others');
    }
    open.push(key);
    const choice = work(key);
    open.pop();
    if (open.length === 0) cut = false;
    if (!cut) settled.set(key, choice);
    return choice;
  }

  function spamReason(token: Address): string | null {
    if (hasTag(rulebook, token, 'spam')) return 'the token is listed as spam';
    return context.tokens.get(token)?.impersonates ? 'the token carries the symbol of another' : null;
  }

  function work(key: PriceKey): PriceChoice {
    const spam = key === 'native' ? null : spamReason(key);
    if (spam) return refused('spam_asset', spam);
    const quoted = quotes.get(key) ?? NONE;
    const rated = rates.get(key);
    const silent = declined.get(key);
    if (!rated && !silent) return choosePrice(quoted, timestamp, touched);
    const own = [...quoted];
    const set: RefusalReason[] = [];
    for (const rate of rated ?? []) {
      const quote = ratedQuote(rate, situation);
      if (isRefusal(quote)) set.push(quote);
      else own.push(quote);
    }
    const choice = choosePrice(own, timestamp, touched);
    const others = (silent ?? NONE).map((one) => refusal(one.code, one.reason, one.observed, one.threshold));
    return { chosen: choice.chosen, refused: [...choice.refused, ...inOrder(set), ...inOrder(others)] };
  }

  return situation;
}
