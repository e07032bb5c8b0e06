import type { LogMovement } from './chainMovements.ts';
import { NATIVE } from './rawChain.ts';

const ZERO = `0x${'0'.repeat(40)}`;

export interface ProfitInput {
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
interface AssetResult {
  readonly paid: bigint;
  readonly received: bigint;
  readonly toBuilder: bigint;
}

export interface ProfitResult {
  readonly assets: ReadonlyMap<string, AssetResult>;
  /** Wei that the entity paid for gas. */
  readonly gas: bigint;
}

/** A refund to the submitter of more than so many times the gas is a payment of its own. */
const REFUND_LIMIT = 3n;

/**
 * The result of an entity from movements alone: sums over its border, payments to the block builder and for
 * execution apart. Shares nothing with the analysis.
 */
export function recomputeProfit(input: ProfitInput): ProfitResult {
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
    const sum = assets.get(id) ?? { paid: 0n, received: 0n, toBuilder: 0n };
    if (entity.has(m.to)) assets.set(id, { ...sum, received: sum.received + m.amount });
    else if (m.to === input.builder || helpers.has(m.to))
      assets.set(id, { ...sum, toBuilder: sum.toBuilder + m.amount });
    else assets.set(id, { ...sum, paid: sum.paid + m.amount });
  }
  const own = entity.has(signer) ? input.gas : 0n;
  return { assets, gas: own + netOf(execution, entity) };
}

const tokenOf = (assetId: string): string => assetId.slice(assetId.lastIndexOf(':') + 1);
const merged = (assetId: string, wrapped: ReadonlySet<string>): string =>
  wrapped.has(tokenOf(assetId)) ? NATIVE : assetId;

/** Wrapping and unwrapping: ether to or from the wrapped token, its mint or burn. */
function converts({ from, to, assetId }: LogMovement, wrapped: ReadonlySet<string>): boolean {
  if (assetId === NATIVE) return wrapped.has(from) || wrapped.has(to);
  const token = tokenOf(assetId);
  return wrapped.has(token) && [from, to].some((account) => account === ZERO || account === token);
}

function netOf(list: readonly LogMovement[], entity: ReadonlySet<string>): bigint {
  return list.reduce((sum, { from, amount }) => sum + (entity.has(from) ? amount : -amount), 0n);
}

function paymentsForGas(border: readonly LogMovement[], input: ProfitInput): LogMovement[] {
  const { entity, entryPoint, signer, gas } = input;
  const ether = border.filter(({ assetId }) => assetId === NATIVE);
  const prefunds = ether.filter(
    ({ from, to }) => entryPoint !== null && (to === entryPoint || from === entryPoint),
  );
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
      const left = moved.reduce((sum, m) => sum + (m.to === account ? m.amount : -m.amount), 0n);
      return left === 0n && moved.every((m) => (m.to === account ? entity.has(m.from) : m.to === builder));
    });
  };
  return new Set(payers.filter((account) => !entity.has(account) && passes(account)));
}
