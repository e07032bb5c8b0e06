import { roleOf } from '../../lib/roles.ts';
import { mergeNative, NATIVE_ASSET } from '../../value/asset.ts';
import type { Balance } from '../../value/balances.ts';
import { gaveAndGot } from '../../value/exchange.ts';
import { worthTogether } from '../../value/money.ts';
import type { Money, PriceBook } from '../../model/economics.ts';
import type { Address } from '../../model/hex.ts';
import type { EconomicsInput } from './computeEconomics.ts';

/** Categories of intents that are a trade. */
const TRADES: ReadonlySet<string> = new Set(['trade', 'nft']);
/** Class of listed tokens that people settle in, beside ether. */
const MONEY = 'stablecoin';

type TradeInput = Omit<EconomicsInput, 'context'> & { readonly book: PriceBook };

/**
 * The price of the actor's own trade: the side of it that is ether or listed stablecoins alone, the payment
 * before the receipt; tips and execution apart. Null for any other act. It prices no asset.
 */
export function considerationOf(input: TradeInput): Money | null {
  const { verdict, attribution, rulebook, book } = input;
  const { actor, entity, payments } = attribution;
  if (!TRADES.has(verdict.category) || actor === null) return null;
  const group = new Set([actor, ...entity]);
  const exchange = gaveAndGot(input, group, payments);
  // A wrap gives ether for wrapped ether.
  const own = exchange.balances.length > 0 ? exchange.balances : exchange.unmerged();
  const [paid, got] = [own.filter(({ net }) => net < 0n), own.filter(({ net }) => net > 0n)];
  if (paid.length === 0 || (got.length === 0 && !isForAnother(input, group))) return null;
  const isMoney = ({ id, asset }: Balance): boolean =>
    mergeNative(id, input.flow) === NATIVE_ASSET ||
    (asset.address !== null && rulebook.assetClasses.get(asset.address)?.includes(MONEY) === true);
  const money = [paid, got]
    .filter((side) => side.length > 0 && side.every(isMoney))
    .map((side) =>
      worthTogether(
        side.map(({ id, net }) => [id, net < 0n ? -net : net]),
        book,
      ),
    );
  return money.find(({ usd }) => usd !== null) ?? money[0] ?? null;
}

/** Whether a trade's proceeds went to an account outside the group. */
function isForAnother({ motifs }: TradeInput, group: ReadonlySet<Address>): boolean {
  return motifs.some((motif) => {
    const recipient = roleOf(motif, 'recipient');
    const isOne = motif.parent === null && motif.traits.trade !== null;
    return isOne && recipient !== null && !group.has(recipient);
  });
}
