import { hash } from 'node:crypto';
import { lazy } from '../../lib/lazy.ts';
import { counted } from '../../lib/text.ts';
import { NATIVE_ASSET, parseAssetId } from '../../value/asset.ts';
import { subtractMoney, worthTogether } from '../../value/money.ts';
import type { Attribution } from '../../model/attribution.ts';
import type { BlockHeader, CanonicalTx } from '../../model/canonicalTx.ts';
import type {
  Economics,
  GasCost,
  PriceBook,
  Valuation,
  OwnerEconomics,
  PositionChange,
  ChosenPrice,
} from '../../model/economics.ts';
import type { Address } from '../../model/hex.ts';
import type { Verdict } from '../../model/intent.ts';
import type { Motif } from '../../model/motif.ts';
import type { RawContext } from '../../model/upstream.ts';
import type { Asset, AssetId, ValueFlow } from '../../model/valueFlow.ts';
import type { Scene } from '../../model/scene.ts';
import { considerationOf } from './consideration.ts';
import type { TouchedAccounts } from './choosePrice.ts';
import { executionCost, gasCostOf } from '../../value/parties/execution.ts';
import { nftSales } from './nftPrices.ts';
import { positionChanges } from './positions/positionChanges.ts';
import { priceAssets, type Pricing } from './priceAssets.ts';
import { realizedPnl } from './realizedPnl.ts';
import { subjectFlows, type SubjectFlows } from './subjectFlows.ts';
import { DEVIATING, isApart } from './tradePrices.ts';
import { ZERO_ADDRESS } from '../../evm/hex.ts';
import type { Suspects } from '../../value/suspectTokens.ts';
import { formatAmount } from '../../value/amount.ts';
import { amountsOf } from '../../value/sides.ts';

export interface EconomicsInput extends Scene {
  readonly header: BlockHeader;
  readonly context: RawContext;
  readonly attribution: Attribution;
  readonly verdict: Verdict;
  readonly suspects?: Pick<Suspects, 'consent'>;
}

/** Assets that moved, and those motifs speak of without a movement (netted inside a singleton). */
function assetsOf({ flow, motifs }: EconomicsInput): ReadonlyMap<AssetId, Asset> {
  const stated = motifs.flatMap((motif) => amountsOf(motif));
  const unmoved = stated.filter(({ asset }) => !flow.assets.has(asset));
  const found = unmoved.flatMap(({ asset }) => parseAssetId(asset) ?? []);
  return found.length === 0
    ? flow.assets
    : new Map([...flow.assets.values(), ...found].map((asset) => [asset.id, asset]));
}

/** Accounts with value, motifs or logs here; computed only when a price rests on a pool. */
function touchedAccounts(tx: CanonicalTx, flow: ValueFlow, motifs: readonly Motif[]): TouchedAccounts {
  const others = lazy(
    () => new Set([...motifs.map(({ venue }) => venue), ...tx.logs.map(({ address }) => address)]),
  );
  return { has: (account) => flow.ledgers.has(account) || others().has(account) };
}

/** Of results that are not the whole of the matter, or rest on less than they could. */
function warningsOf(
  { attribution, context, suspects, verdict }: EconomicsInput,
  of: Pick<Economics, 'subject' | 'gas' | 'valuation' | 'positions' | 'structuralProfit'>,
  flows: SubjectFlows,
  payer: ReturnType<typeof gasPayer>,
): string[] {
  const { actor, signer } = attribution;
  const { prices, unpricedAssets } = of.valuation;
  const codes = new Set(context.refusals.map(({ code }) => code));
  const warnings = {
    IntentActorDiffersFromSigner: actor !== null && actor !== signer,
    PartialValuation: unpricedAssets.length > 0 || of.gas.usd.usd === null,
    StalePrice: prices.some((price) => price.stale),
    OwnSalePrice: prices.some(({ quote }) => quote.method === 'own_trade'),
    MetadataUnavailable: context.incomplete === true,
    PriceSourceUnavailable: codes.has('source_unavailable'),
    PriceSourceMalformed: codes.has('source_malformed'),
    SignaturesUnread: suspects?.consent.cut === true,
    PositionAtCost: flows.isBooked,
    PriceDeviation: (verdict.category === 'trade' || changesOwn(of, flows)) && isLossy(flows),
    ProfitOfEntity: flows.net.usd?.numerator === 0n && (of.structuralProfit.usd?.numerator ?? 0n) !== 0n,
    FeeInsideFlows: payer.inside,
    FeeNotPaidBySubject: !payer.isSubject,
  };
  return Object.entries(warnings).flatMap(([warning, holds]) => (holds ? warning : []));
}

/** Whether the subject paid the gas, others sent the transaction (`apart`), and it was repaid (`inside`). */
function gasPayer(input: EconomicsInput) {
  const { flow, attribution } = input;
  const { actor, entity, signer, feePayer, payments } = attribution;
  if (actor === null || actor === signer || entity.includes(signer))
    return { isSubject: true, apart: false, inside: false };
  const group = new Set([actor, ...entity]);
  const inTokens = [...payments].some(([index, why]) => {
    const { from, asset } = flow.movements[index]!;
    return why !== 'pull' && group.has(from) && asset !== NATIVE_ASSET;
  });
  const inside = inTokens || executionCost(payments, flow, group) > 0n;
  return { isSubject: inside || group.has(feePayer), apart: true, inside };
}

/**
 * The result in money for the elected actor, or for the signer without one. Every figure is exact; a figure
 * that rests on an asset without a price is unavailable with the reason, never understated.
 */
export function computeEconomics(input: EconomicsInput): Economics {
  const { tx, header, flow, context, attribution, motifs, verdict, rulebook } = input;
  const subject = attribution.actor ?? tx.from;
  const pricing = priceAssets({
    flow,
    motifs,
    context,
    rulebook,
    assets: assetsOf(input),
    timestamp: header.timestamp,
    touched: touchedAccounts(tx, flow, motifs),
  });
  const { book } = pricing;
  const gas = gasCost(tx, header, book);
  const positions = positionChanges(input);
  const flows = subjectFlows({ subject, owner: subject, flow, context, positions, book });
  const valued = { tx, header, flow, attribution, motifs, verdict, rulebook, book, gas };
  const pnl = realizedPnl(valued);
  const payer = gasPayer(input);
  const isValued = (id: AssetId): boolean => book.prices.has(id) || !flows.counted.has(id);
  const assets = new Set([...flow.assets.keys()].filter(isValued));
  const { structuralProfit } = pnl;
  const prices = valuation(assets, pricing, tx.blockNumber);
  const figures = { subject, gas, valuation: prices, positions, structuralProfit };
  return {
    subject,
    gas,
    inflow: flows.inflow,
    netBeforeGas: flows.net,
    netAfterGas: subtractMoney(flows.net, gas.usd),
    netAfterOwnGas: payer.apart ? flows.net : null,
    netWithPositions: flows.netWithPositions,
    consideration: considerationOf(valued),
    tokenIn: flows.tokenIn,
    tokenOut: flows.tokenOut,
    structuralProfit,
    realizedPnl: pnl.realized,
    valuation: prices,
    positions,
    nftSales: nftSales(pricing.trades, book),
    owners: ownerEconomics(input, positions, book),
    warnings: warningsOf(input, figures, flows, payer),
    feePaidBySubject: payer.isSubject,
    book,
  };
}

/** Whether it changed positions of the subject, all of them in the figures. */
const changesOwn = ({ positions, subject }: Pick<Economics, 'positions' | 'subject'>, flows: SubjectFlows) =>
  !flows.isBooked && positions.some(({ owner }) => owner === subject);

/** Whether the two sides of a trade or position differ so much in worth that a price may be wrong. */
function isLossy({ inflow, net }: Pick<SubjectFlows, 'inflow' | 'net'>): boolean {
  const sides = [inflow.usd, subtractMoney(inflow, net).usd].filter((usd) => usd && usd.numerator > 0n);
  return sides.length === 2 && isApart(sides[0]!, sides[1]!, DEVIATING);
}

/** Gas in wei and US dollars. */
function gasCost(tx: CanonicalTx, header: BlockHeader, book: PriceBook): GasCost {
  const cost = gasCostOf(tx);
  return {
    baseFee: header.baseFeePerGas,
    priorityFee: tx.effectiveGasPrice - header.baseFeePerGas,
    cost,
    usd: worthTogether([[NATIVE_ASSET, cost]], book),
  };
}

/**
 * Amounts sent and received by each owner of a batch of orders or a bundle of user operations. The
 * receivers of an owner's orders count with it, unless they receive for others too. Gas is the submitter's.
 */
function ownerEconomics(
  { attribution, flow, context }: EconomicsInput,
  positions: readonly PositionChange[],
  book: PriceBook,
): OwnerEconomics[] {
  const { owners = [] } = attribution;
  return owners.map((owner) => {
    const accounts = accountsOf(owner, attribution);
    const own = { subject: new Set(accounts), owner, flow, context, positions, book };
    const { inflow, net, netWithPositions, tokenIn, tokenOut } = subjectFlows(own);
    return { owner, accounts, inflow, netBeforeGas: net, netWithPositions, tokenIn, tokenOut };
  });
}

function accountsOf(owner: Address, { owners = [], orders }: Attribution): Address[] {
  const receivers = orders.flatMap(({ owner: other, receiver }) =>
    other === owner && receiver ? [receiver] : [],
  );
  const isOwn = (receiver: Address): boolean =>
    receiver !== ZERO_ADDRESS &&
    !owners.includes(receiver) &&
    orders.every((order) => order.receiver !== receiver || order.owner === owner);
  return [...new Set([owner, ...receivers.filter(isOwn)])];
}

/** Digest of the priced assets with source, time and price: equal prices at the same block, equal id. */
function snapshotId(prices: readonly ChosenPrice[], block: bigint): string | null {
  if (prices.length === 0) return null;
  // Lines of JSON. Only a source's name may need escapes.
  const lines = prices.map(({ asset, unit: { usd }, quote: { method, source, asOf } }) => {
    const price = formatAmount(usd.numerator, usd.scale);
    return `["${asset}","${method}",${JSON.stringify(source)},"${price}",${asOf}]`;
  });
  return `sha256:${hash('sha256', [block, ...lines].join('\n'))}`;
}

function warningText(stale: number, doubted: number): string | null {
  const parts: string[] = [];
  if (stale > 0) parts.push(`${counted(stale, 'price')} outside the freshness threshold`);
  if (doubted > 0) parts.push(`for ${counted(doubted, 'priced asset')} another source was set aside`);
  return parts.length > 0 ? parts.join('; ') : null;
}

/** Which assets moved, how many of them have a price, and the prices and refusals behind every figure. */
function valuation(assets: ReadonlySet<AssetId>, pricing: Pricing, block: bigint): Valuation {
  const { prices, refusals } = pricing.book;
  // Refusals are in the order of the ids.
  const unpriced = [...refusals.keys()].filter((asset) => assets.has(asset));
  const used = [...prices.values()];
  return {
    snapshotId: snapshotId(used, block),
    pricedAssets: assets.size - unpriced.length,
    totalAssets: assets.size,
    unpricedAssets: unpriced,
    priceWarning: warningText(used.filter((price) => price.stale).length, pricing.doubted.length),
    refusals: [...refusals.values()],
    prices: used,
  };
}
