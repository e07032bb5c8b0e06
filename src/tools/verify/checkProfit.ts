import type { AssetAmount, PnlEntry, TxReport } from '../../model/generated/report.ts';
import { parseDecimal, roundsTo, times } from './decimal.ts';
import { sumOf, total, type Must } from './finding.ts';
import { NATIVE, ZERO, gasCost, isSame, tokenOf, type RawChain } from './rawChain.ts';
import { movedBy, type LogMovement } from './chainMovements.ts';

/**
 * A profit entry against sums over its entity's movements, which are checked apart against the chain. Actor,
 * signer and called contract need no proof; any other account was called by one of the entity.
 */
export function checkProfit(entry: PnlEntry, report: TxReport, chain: RawChain, must: Must): void {
  const entity = (entry.entity ?? []).map((account) => account.toLowerCase());
  const { signer, to } = report.tx;
  const known = [report.attribution.actor, signer, to].map((account) => account?.toLowerCase());
  const calls = [...chain.frames.values()].filter(({ failed }) => !failed);
  const belongs = (account: string): boolean =>
    known.includes(account) ||
    calls.some((frame) => frame.to === account && entity.includes(frame.from) && frame.from !== account);
  must(entity.length === 0 || entity[0] === known[0], '/entity', 'does not begin with the actor');
  must(entity.every(belongs), '/entity', 'has an account that none of the others called');
  const isOwn = entity.length === 0 || entity.includes(entry.beneficiary.toLowerCase());
  must(isOwn, '/beneficiary', 'is no account of the entity');
  if (entry.entity) checkSums(entry, report, profitOf(entry.entity, report, chain, gasCost(chain)), must);
}

function checkSums(entry: PnlEntry, report: TxReport, { assets, gas }: Profit, must: Must): void {
  const own = assets.get(entry.asset.id) ?? NO_RESULT;
  checkHops(entry, report, own, must);
  const { builder_payment_raw: tip, gas_raw: spent = gas } = entry;
  must(BigInt(tip) === own.toBuilder, '/builder_payment_raw', `${own.toBuilder} by the movements`);
  must(BigInt(spent) === gas, '/gas_raw', `${gas} by the movements`);
  for (const [id, { paid: cost, received }] of assets)
    must(id === entry.asset.id || cost === received, '/asset', `the entity is left with a result in ${id}`);
  const merged = mergeWrapped(report);
  const price = report.economics.valuation.prices?.find(({ asset_id: id }) => merged(id) === NATIVE);
  const unit = parseDecimal(price?.price_exact ?? '');
  const shown = parseDecimal(entry.gas_usd.text);
  if (unit && shown)
    must(roundsTo(shown, times(unit, gas, 18)), '/gas_usd', `is not the worth of ${gas} wei`);
}

/** Cost and proceeds: amounts at the hops of cycles, else the movements; the rest are fees. */
function checkHops(entry: PnlEntry, report: TxReport, own: AssetResult, must: Must): void {
  const cycles = report.motifs.filter(
    ({ id, kind }) => entry.cycle.motif_ids.includes(id) && kind.endsWith('cycle'),
  );
  const merged = mergeWrapped(report);
  const isCounted = ({ asset: { id } }: AssetAmount): boolean =>
    id === entry.asset.id || merged(id) === NATIVE;
  const legs = (side: 'assets_in' | 'assets_out'): bigint =>
    total(cycles.flatMap((motif) => motif[side]).filter(isCounted));
  const [cost, proceeds] =
    cycles.length > 0 ? [legs('assets_out'), legs('assets_in')] : [own.paid, own.received];
  must(BigInt(entry.cost_raw) === cost, '/cost_raw', `${cost} by the hops`);
  must(BigInt(entry.proceeds_raw) === proceeds, '/proceeds_raw', `${proceeds} by the hops`);
  const fees = BigInt(entry.fees_raw ?? 0);
  const left = own.received - own.paid;
  const isLeft = fees >= 0n && BigInt(entry.gross_raw) - fees === left;
  must(isLeft, '/fees_raw', `${left} are left by the movements`);
}

/** Tokens that wrap ether: by their wraps here, or by the symbol, which is checked at the token. */
function wrappedEther(report: TxReport): Set<string> {
  const wraps = (report.movements ?? []).filter((m) => m.kind.endsWith('wrap') && m.asset_id !== NATIVE);
  const named = report.inventory_deltas.filter(
    ({ asset }) => asset.symbol === 'WETH' && !asset.flags?.includes('impersonates'),
  );
  return new Set([
    ...wraps.map(({ asset_id: id }) => tokenOf(id)),
    ...named.flatMap(({ asset }) => asset.address?.toLowerCase() ?? []),
  ]);
}

/** The id of an asset, ether's for tokens that wrap it. */
export function mergeWrapped(report: TxReport): (asset: string) => string {
  const wrapped = wrappedEther(report);
  return (asset) => merged(asset, wrapped);
}

/** An account's balance change of an asset, of ether and the tokens that wrap it together. */
export function accountNet(report: TxReport, account: string, asset: string): bigint {
  const merged = mergeWrapped(report);
  const own = report.inventory_deltas.filter(({ subject }) => isSame(subject, account));
  const same = own.filter(({ asset: { id } }) => merged(id) === merged(asset));
  return sumOf(same, ({ delta_raw: raw }) => BigInt(raw));
}

interface ProfitInput {
  /** All movements of the transaction, addresses in lower case. */
  readonly movements: readonly LogMovement[];
  readonly entity: ReadonlySet<string>;
  readonly signer: string;
  /** The block's fee recipient. */
  readonly builder: string;
  /** Contracts of wrapped ether. */
  readonly wrapped: ReadonlySet<string>;
  /** ERC-4337 entry point; null without one. */
  readonly entryPoint: string | null;
  /** Wei that the transaction's gas cost. */
  readonly gas: bigint;
}

/** Amounts an entity's accounts together paid and received of one asset, ether and wrapped ether as one. */
type AssetResult = Readonly<Record<'paid' | 'received' | 'toBuilder', bigint>>;
const NO_RESULT: AssetResult = { paid: 0n, received: 0n, toBuilder: 0n };
type Profit = ReturnType<typeof recomputeProfit>;

/** A refund to the submitter of more than so many times the gas is a payment of its own. */
const REFUND_LIMIT = 3n;

/** The result of accounts taken as one, from the movements of the report; with gas where it is given. */
export function profitOf(accounts: readonly string[], report: TxReport, chain: RawChain, gas?: bigint) {
  return recomputeProfit({
    movements: (report.movements ?? []).map(movedBy),
    entity: new Set(accounts.map((account) => account.toLowerCase())),
    signer: report.tx.signer.toLowerCase(),
    builder: String(chain.block['miner'] ?? '').toLowerCase(),
    wrapped: wrappedEther(report),
    entryPoint: gas === undefined ? null : (report.attribution.entry_point?.toLowerCase() ?? null),
    gas: gas ?? 0n,
  });
}

/** An entity's results by asset, and its wei for gas, from movements alone; those to the builder apart. */
export function recomputeProfit(input: ProfitInput) {
  const { entity, signer } = input;
  const border = input.movements.filter(
    (m) => entity.has(m.from) !== entity.has(m.to) && !converts(m, input.wrapped),
  );
  const execution = entity.has(signer) ? [] : paymentsForGas(border, input);
  const helpers = forwarders(input);
  const assets = new Map<string, AssetResult>();
  for (const m of border) {
    if (execution.includes(m)) continue;
    const id = merged(m.assetId, input.wrapped);
    const sum = assets.get(id) ?? NO_RESULT;
    const isTip = m.to === input.builder || helpers.has(m.to);
    const key = entity.has(m.to) ? 'received' : isTip ? 'toBuilder' : 'paid';
    assets.set(id, { ...sum, [key]: sum[key] + m.amount });
  }
  const own = entity.has(signer) ? input.gas : 0n;
  return { assets, gas: own + netOf(execution, entity) };
}

const merged = (assetId: string, wrapped: ReadonlySet<string>): string =>
  assetId.includes('/erc20:') && wrapped.has(tokenOf(assetId)) ? NATIVE : assetId;

/** Wrapping and unwrapping: ether to or from the wrapped token, its mint or burn. */
function converts({ from, to, assetId }: LogMovement, wrapped: ReadonlySet<string>): boolean {
  if (assetId === NATIVE) return wrapped.has(from) || wrapped.has(to);
  const token = tokenOf(assetId);
  return wrapped.has(token) && [from, to].some((account) => account === ZERO || account === token);
}

const netOf = (list: readonly LogMovement[], entity: ReadonlySet<string>): bigint =>
  sumOf(list, ({ from, amount }) => (entity.has(from) ? amount : -amount));

function paymentsForGas(border: readonly LogMovement[], input: ProfitInput): LogMovement[] {
  const { entity, entryPoint, signer, gas } = input;
  const ether = border.filter(({ assetId }) => assetId === NATIVE);
  const prefunds = ether.filter((m) => entryPoint !== null && [m.from, m.to].includes(entryPoint));
  const refunds = ether.filter(({ from, to }) => entity.has(from) && to === signer);
  const counted = netOf(refunds, entity) <= gas * REFUND_LIMIT ? [...prefunds, ...refunds] : prefunds;
  return netOf(counted, entity) > 0n ? counted : [];
}

/** Accounts that the entity alone paid and that sent all of an asset on to the builder. */
function forwarders({ movements, entity, builder, wrapped }: ProfitInput): Set<string> {
  const payers = movements.filter(({ to }) => to === builder).map(({ from }) => from);
  const passes = (account: string): boolean => {
    const own = movements.filter((m) => (m.from === account || m.to === account) && !converts(m, wrapped));
    const ids = new Set(own.map((m) => merged(m.assetId, wrapped)));
    return [...ids].some((id) => {
      const moved = own.filter((m) => merged(m.assetId, wrapped) === id);
      const left = sumOf(moved, (m) => (m.to === account ? m.amount : -m.amount));
      return left === 0n && moved.every((m) => (m.to === account ? entity.has(m.from) : m.to === builder));
    });
  };
  return new Set(payers.filter((account) => !entity.has(account) && passes(account)));
}
