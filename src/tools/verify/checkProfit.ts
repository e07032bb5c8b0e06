import type { PnlEntry, TxReport } from '../../model/generated/report.ts';
import { parseDecimal, roundsTo } from './checkMoney.ts';
import type { Report } from './finding.ts';
import { NATIVE, gasCost, type RawChain } from './rawChain.ts';
import { recomputeProfit } from './recomputeProfit.ts';

/** Each profit entry against sums over its entity's movements, which are checked apart against the chain. */
export function checkProfit(report: TxReport, chain: RawChain, find: Report): void {
  const { entries } = report.economics.realized_pnl;
  entries.forEach((entry, i) => {
    const at = `/economics/realized_pnl/entries/${i}`;
    const must: Must = (holds, where, message) => {
      if (!holds) find('profit', `${at}${where}`, message);
    };
    checkEntity(entry, report, chain, must);
    checkSums(entry, report, chain, must);
  });
}

type Must = (holds: boolean, where: string, message: string) => void;

/** Actor, signer and called contract need no proof; any other account was called by one of the entity. */
function checkEntity(entry: PnlEntry, report: TxReport, chain: RawChain, must: Must): void {
  const entity = (entry.entity ?? []).map((account) => account.toLowerCase());
  const { signer, to } = report.tx;
  const known = [report.attribution.actor, signer, to].map((account) => account?.toLowerCase());
  const calls = [...chain.frames.values()].filter(({ failed }) => !failed);
  const belongs = (account: string): boolean =>
    known.includes(account) ||
    calls.some((frame) => frame.to === account && entity.includes(frame.from) && frame.from !== account);
  must(entity.length === 0 || entity[0] === known[0], '/entity', 'does not begin with the actor');
  must(entity.every(belongs), '/entity', 'has an account that none of the others called');
  must(
    entity.length === 0 || entity.includes(entry.beneficiary.toLowerCase()),
    '/beneficiary',
    'is no account of the entity',
  );
}

function checkSums(entry: PnlEntry, report: TxReport, chain: RawChain, must: Must): void {
  if (!entry.entity) return;
  const { assets, gas: paid } = recomputeProfit({
    movements: (report.movements ?? []).map(({ from, to, asset_id: assetId, amount_raw: amount }) => ({
      from: from.toLowerCase(),
      to: to.toLowerCase(),
      assetId,
      amount: BigInt(amount),
    })),
    entity: new Set(entry.entity.map((account) => account.toLowerCase())),
    signer: report.tx.signer.toLowerCase(),
    builder: String(chain.block['miner'] ?? '').toLowerCase(),
    wrapped: wrappedEther(report),
    entryPoint: report.attribution.entry_point?.toLowerCase() ?? null,
    gas: gasCost(chain),
  });
  const own = assets.get(entry.asset.id) ?? { paid: 0n, received: 0n, toBuilder: 0n };
  const equal = (where: string, shown: string | undefined, is: bigint): void =>
    must(shown === undefined || BigInt(shown) === is, where, `${is} by the movements`);
  equal('/cost_raw', entry.cost_raw, own.paid);
  equal('/proceeds_raw', entry.proceeds_raw, own.received);
  equal('/builder_payment_raw', entry.builder_payment_raw, own.toBuilder);
  equal('/gas_raw', entry.gas_raw, paid);
  for (const [id, { paid: cost, received }] of assets)
    must(id === entry.asset.id || cost === received, '/asset', `the entity is left with a result in ${id}`);
  checkGasWorth(entry, report, paid, must);
}

/** The dollars of `paid` wei, at the price the report gives for ether. */
function checkGasWorth(entry: PnlEntry, report: TxReport, paid: bigint, must: Must): void {
  const price = report.economics.valuation.prices?.find(({ asset_id: id }) => wrappedOrNative(id, report));
  const unit = parseDecimal(price?.price_exact ?? '');
  const shown = parseDecimal(entry.gas_usd.text);
  if (unit && shown)
    must(
      roundsTo(shown, { units: paid * unit.units, places: 18 + unit.places }),
      '/gas_usd',
      `is not the worth of ${paid} wei`,
    );
}

function wrappedOrNative(id: string, report: TxReport): boolean {
  return id === NATIVE || wrappedEther(report).has(id.slice(id.lastIndexOf(':') + 1));
}

/** Tokens that wrap ether: by their wraps here, or by the symbol, which is checked at the token. */
function wrappedEther(report: TxReport): Set<string> {
  const wraps = (report.movements ?? []).filter(
    ({ kind, asset_id: id }) => (kind === 'wrap' || kind === 'unwrap') && id !== NATIVE,
  );
  const named = report.inventory_deltas.filter(
    ({ asset }) => asset.symbol === 'WETH' && !asset.flags?.includes('impersonates'),
  );
  return new Set([
    ...wraps.map(({ asset_id: id }) => id.slice(id.lastIndexOf(':') + 1)),
    ...named.flatMap(({ asset }) => asset.address?.toLowerCase() ?? []),
  ]);
}
