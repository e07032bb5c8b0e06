import type { DisplayMoney, NftSale, PnlEntry, TxReport } from '../../model/generated/report.ts';
import { NOTHING, addsUp, asNumber, parseDecimal, plus, roundsTo, type Decimal } from './decimal.ts';
import { sha256, stringToBytes } from 'viem';
import { countedEffects, worthIn, type Worth } from './checkMoney.ts';
import { venueOf } from './checkClaims.ts';
import { checkProfit } from './checkProfit.ts';
import { mustOf, partiesOf, type Must, type Report } from './finding.ts';
import { NATIVE, quantity, type RawChain } from './rawChain.ts';

/** Profit entries, counts of assets, prices' own words and warnings follow from the rest of the report. */
export function checkEconomics(report: TxReport, chain: RawChain, find: Report): void {
  const { net_usd_before_gas: before, fee_usd: fee, net_usd_after_gas: after } = report.economics;
  report.economics.realized_pnl.entries.forEach((entry, i) => {
    const must = mustOf(find, 'profit', `/economics/realized_pnl/entries/${i}`);
    checkEntry(entry, report, must);
    checkProfit(entry, report, chain, must);
  });
  const must = mustOf(find, 'economics', '/economics/net_usd_after_gas');
  const isKnown = before.available && fee.available;
  must(after.available === isKnown, '', 'is available exactly when the net before gas and the fee are');
  const cost = parseDecimal(fee.text);
  const parts = [parseDecimal(before.text), cost && plus(NOTHING, cost, -1n)];
  const isSum = !after.available || !isKnown || addsUp(after.text, parts);
  must(isSum, '', `${after.text} is not ${before.text} less ${fee.text}`);
  checkPnlSums(report, find);
  checkValuation(report, chain, find);
  checkWarnings(report, find);
}

/** Native currency, as prices name it. */
const ETHER = { id: NATIVE, decimals: 18 } as const;

function checkEntry(entry: PnlEntry, report: TxReport, must: Must): void {
  const gross = BigInt(entry.proceeds_raw) - BigInt(entry.cost_raw);
  must(BigInt(entry.gross_raw) === gross, '/gross_raw', `proceeds less cost are ${gross}`);
  const worth = worthIn(report);
  const places = [
    ['/gross_usd', entry.gross_usd, entry.asset, gross],
    ['/fees_usd', entry.fees_usd, entry.asset, BigInt(entry.fees_raw ?? 0)],
    ['/builder_payment_usd', entry.builder_payment_usd, ETHER, BigInt(entry.builder_payment_raw)],
  ] as const;
  let net = worth([{ asset: ETHER, raw: -BigInt(entry.gas_raw ?? 0) }]);
  const isAt = (at: string, money: DisplayMoney | undefined, exact: Decimal | null): void => {
    must(money !== undefined || !report.engine, at, 'is left out');
    const shown = parseDecimal(money?.text ?? '');
    if (shown && exact) must(roundsTo(shown, exact), at, `${money!.text} is not the amount at its price`);
  };
  for (const [at, money, asset, raw] of places) {
    const exact = worth([{ asset, raw }]);
    net = net && exact && plus(net, exact, at === '/gross_usd' ? 1n : -1n);
    isAt(at, money, exact);
  }
  const shown = parseDecimal(entry.net_usd.text);
  if (shown && net) must(roundsTo(shown, net), '/net_usd', 'is not the gross less fees, gas and builder');
  checkCycle(entry, report, must);
  const accounts = new Set((report.movements ?? []).flatMap(({ from, to }) => [from, to]));
  must(accounts.has(entry.beneficiary), '/beneficiary', 'received nothing in this transaction');
}

function checkCycle({ cycle }: PnlEntry, { motifs }: TxReport, must: Must): void {
  const known = new Set(motifs.map(({ id }) => id));
  const areKnown = cycle.motif_ids.every((id) => known.has(id));
  must(areKnown, '/cycle/motif_ids', 'names a motif that does not exist');
  const cycles = motifs.filter(({ kind, parent_id: whole }) => kind.endsWith('cycle') && whole === null);
  if (cycles.length > 0) {
    const ids = new Set<string | null>(cycles.map(({ id }) => id));
    must(cycle.motif_ids.join() === [...ids].join(), '/cycle/motif_ids', `are ${[...ids].join()}`);
    const pools = motifs.filter(({ parent_id: whole }) => ids.has(whole)).map(venueOf);
    must(cycle.pools.join() === [...new Set(pools)].join(), '/cycle/pools', `are ${pools.join()}`);
  }
  must(cycle.closed, '/cycle/closed', 'a profit is realised only by a closed flow');
}

function checkPnlSums({ economics: { realized_pnl: pnl } }: TxReport, find: Report): void {
  const must = mustOf(find, 'profit', '/economics/realized_pnl');
  for (const key of ['gross_usd', 'net_usd'] as const) {
    const total = pnl[key];
    if (!total) continue;
    const parts = pnl.entries.map((entry) => parseDecimal(entry[key].text));
    const isSum = parts.length > 1 ? addsUp(total.text, parts) : total.text === pnl.entries[0]?.[key].text;
    must(isSum, `/${key}`, 'is not the sum of its entries');
  }
}

/** The words of `price_warning`. */
const WARNING = new RegExp(
  '^(\\d+ prices? outside the freshness threshold)?(; )?' +
    '(for \\d+ priced assets? another source was set aside)?$',
);

function checkValuation(report: TxReport, chain: RawChain, find: Report): void {
  const { valuation } = report.economics;
  const must = mustOf(find, 'valuation', '/economics/valuation');
  checkPriced(report, must);
  (valuation.refusals ?? []).forEach(({ observed, threshold }, i) => {
    const isPaired = (observed === null) === (threshold === null);
    must(isPaired, `/refusals/${i}`, 'states what was observed or missed alone');
  });
  must(WARNING.test(valuation.price_warning ?? ''), '/price_warning', 'is no warning of this version');
  const snapshot = snapshotOf(report);
  must(valuation.snapshot_id === snapshot || !report.engine, '/snapshot_id', `is ${snapshot} by the prices`);
  const time = Number(quantity(chain.block['timestamp']));
  (valuation.prices ?? []).forEach((price, i) => {
    must(price.block === report.tx.block_number, `/prices/${i}/block`, 'is not the block of the transaction');
    const age = time - price.as_of;
    must(price.age_s === age, `/prices/${i}/age_s`, `is ${age} at the block's time`);
    const [shown, exact] = [parseDecimal(price.price_usd.text), parseDecimal(price.price_exact ?? '')];
    if (shown && exact)
      must(roundsTo(shown, exact), `/prices/${i}/price_usd`, 'is not the exact price rounded');
  });
}

/** Of the assets that moved, those without a price are listed, each with a refusal. */
function checkPriced(report: TxReport, must: Must): void {
  const { valuation } = report.economics;
  const moved = new Set((report.movements ?? []).map(({ asset_id: id }) => id));
  const unpriced = valuation.unpriced_assets;
  const priced = new Set((valuation.prices ?? []).map(({ asset_id: id }) => id));
  for (const { position_asset: token } of countedEffects(report, partiesOf(report)[0]!))
    if (token && !priced.has(token.id)) moved.delete(token.id);
  must(valuation.total_assets === moved.size, '/total_assets', `${moved.size} assets moved`);
  const left = moved.size - unpriced.length;
  must(valuation.priced_assets === left, '/priced_assets', `${left} of the moved assets have a price`);
  const refused = new Set((valuation.refusals ?? []).map(({ asset_id: id }) => id));
  const expected = [...moved].filter((id) => !priced.has(id));
  const isSame = expected.length === unpriced.length && unpriced.every((id) => expected.includes(id));
  must(isSame, '/unpriced_assets', `without a price moved ${expected.join(', ') || 'nothing'}`);
  const hasReasons = [NATIVE, ...expected].every((id) => refused.has(id) || priced.has(id));
  must(hasReasons, '/refusals', 'an asset has neither a price nor a refusal');
}

/** The digest of the prices; null without any. */
function snapshotOf({ tx, economics: { valuation } }: TxReport): string | null {
  const lines = (valuation.prices ?? []).map((price) => {
    // Addresses are digested in small letters.
    const place = price.source.replace(/0x[\da-f]{40}/gi, (address) => address.toLowerCase());
    return JSON.stringify([price.asset_id, price.method, place, price.price_exact, price.as_of]);
  });
  const digest = sha256(stringToBytes([tx.block_number, ...lines].join('\n')));
  return lines.length === 0 ? null : `sha256:${digest.slice(2)}`;
}

function checkWarnings({ economics: e, attribution }: TxReport, find: Report): void {
  const must = mustOf(find, 'economics', '/economics');
  const expect = (code: string, wanted: boolean): void => {
    const isRight = e.warnings.includes(code) === wanted;
    must(isRight, '/warnings', `${code} ${wanted ? 'is missing' : 'has no reason'}`);
  };
  expect('PartialValuation', e.valuation.unpriced_assets.length > 0 || !e.fee_usd.available);
  const { signer, actor } = attribution;
  expect('IntentActorDiffersFromSigner', actor !== null && actor !== signer);
  const outside = e.warnings.filter((code) => code.startsWith('Fee'));
  must(outside.length <= 1, '/warnings', 'says two things about the gas');
  const isAsked = e.subject !== signer || outside.length === 0;
  must(isAsked, '/warnings', 'the subject signed, so it paid the gas');
  const agrees = e.fee_paid_by_subject !== e.warnings.includes('FeeNotPaidBySubject');
  must(agrees, '/fee_paid_by_subject', 'does not agree with the warnings');
  const isStale = (e.valuation.prices ?? []).some(({ stale }) => stale);
  expect('StalePrice', isStale);
}

/** The parties of a sale: the sign of the NFT's change, and the money that pays for it. */
const PARTIES = [
  { side: 'buyer', money: 'price_usd', sign: 1n, fault: 'did not gain it' },
  { side: 'seller', money: 'proceeds_usd', sign: -1n, fault: 'did not give it' },
] as const;

/** NFT sales against the balances of buyers and sellers that took part in one sale only. */
export function checkSales(report: TxReport, find: Report): void {
  const { nft_sales: sales = [] } = report.economics;
  const worth = worthIn(report);
  for (const [i, sale] of sales.entries()) {
    const at = `/economics/nft_sales/${i}`;
    checkFees(sale, at, find);
    for (const { side, money, sign, fault } of PARTIES) {
      if (sales.some((other) => other !== sale && other[side] === sale[side])) continue;
      const [stated, exact] = [amountOf(sale[money]), moneyOf(report, sale[side], -sign, worth)];
      if (stated && exact && !roundsTo(stated, exact))
        find('sales', `${at}/${money}`, `${sale[money].text} is not what balances and prices give`);
      const moved = report.inventory_deltas.some(
        (d) => d.subject === sale[side] && d.asset.id === sale.asset.id && BigInt(d.delta_raw) * sign > 0n,
      );
      if (!moved && sale[money].available) find('sales', `${at}/${side}`, `${sale[side]} ${fault}`);
    }
  }
}

function checkFees({ price_usd, proceeds_usd, fees_usd }: NftSale, at: string, find: Report): void {
  const [price, proceeds, fees] = [price_usd, proceeds_usd, fees_usd].map(amountOf);
  if (price && proceeds && fees && Math.abs(asNumber(price) - asNumber(proceeds) - asNumber(fees)) > 0.0151)
    find('sales', `${at}/fees_usd`, `${fees_usd.text} is not price less proceeds`);
}

const amountOf = ({ available, text }: DisplayMoney): Decimal | null =>
  available ? parseDecimal(text) : null;

/** Dollars of an account's changes in money, NFTs left out; null where a part has no price. */
function moneyOf(report: TxReport, account: string, sign: bigint, worth: Worth): Decimal | null {
  const money = report.inventory_deltas.filter(
    ({ subject, asset: { kind } }) => subject === account && (kind === 'native' || kind === 'erc20'),
  );
  return worth(money.map(({ asset, delta_raw: raw }) => ({ asset, raw: sign * BigInt(raw) })));
}
