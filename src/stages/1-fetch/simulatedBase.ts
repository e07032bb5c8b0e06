import { keccak256 } from '../../evm/keccak.ts';
import { fromString } from 'ox/Hex';
import { hexOf, lowerAddress, quantity, readHash, readQuantity, ZERO_ADDRESS } from '../../evm/hex.ts';
import { isRecord } from '../../lib/shape.ts';
import type { Address, Hex } from '../../model/hex.ts';
import type { SimulatedCall, SimulationRequest } from '../../model/simulation.ts';
import type { RpcEndpoint } from './rpc/rpcEndpoint.ts';
import { CHAIN_CALL, quantityOf, resultOf, type RpcAnswer, type RpcCall } from './rpc/rpcMessages.ts';
import type { Session } from './rpc/session.ts';
import { UpstreamFault } from './rpc/upstreamFault.ts';
import { batchCall } from './simulatedBatch.ts';

/** The most gas a transaction may use (EIP-7825). */
export const MOST_GAS = 1n << 24n;
/** Gas of a call that nothing estimates, as those that rest on an earlier call of their batch. */
const UNESTIMATED_GAS = 3_000_000n;
/** Where a node names no tip. */
const USUAL_TIP = 1_000_000_000n;

/** The block that gives the state, and the values a wallet would ask the node for. */
export type Base = Awaited<ReturnType<typeof readBase>>;

/** The environment that a contract can read beside the state: fees, gas limit, fee recipient. */
export interface Environment {
  /** Wei per gas. */
  readonly price: bigint;
  readonly feeRecipient: Address;
  /** Gas limits, one per call. */
  readonly gas: readonly bigint[];
  /** The second run's, with a fee no request has. */
  readonly isOther: boolean;
}

/** One round trip: the block, the sender, and the gas that a wallet would ask for. */
export async function readBase(session: Session, endpoint: RpcEndpoint, request: SimulationRequest) {
  const { from, block, blobs, calls, gas, stateOverrides } = request;
  const at = typeof block === 'bigint' ? hexOf(block) : block;
  const pretended = Object.keys(stateOverrides).length > 0 ? [stateOverrides] : [];
  const estimates = (gas === null ? calls : []).map((call) => {
    return { method: 'eth_estimateGas', params: [callObject(request, call), at, ...pretended] };
  });
  const asked = [
    // Reads need a block with a hash: for `pending` they are of the latest.
    { method: 'eth_getBlockByNumber', params: [block === 'pending' ? 'latest' : at, false] },
    { method: 'eth_getTransactionCount', params: [from, at] },
    CHAIN_CALL,
    { method: 'eth_getBalance', params: [from, at] },
    { method: 'eth_maxPriorityFeePerGas', params: [] },
    ...estimates,
    ...(blobs.length > 0 ? [{ method: 'eth_blobBaseFee', params: [] }] : []),
  ] as readonly RpcCall[];
  const answers = await endpoint.send(asked, session);
  const [header, nonce, chain, balance, tip, ...further] = answers;
  if (quantityOf(chain) !== 1n) throw new UpstreamFault('wrong_chain', 'elsewhere');
  return {
    ...readHeader(header!),
    /** Wei per blob gas; 0 where no blob is carried. */
    blobFee: quantityOf(further[estimates.length]) ?? 0n,
    /** The sender's. */
    nonce: readQuantity(resultOf('eth_getTransactionCount', nonce!), 'upstream_malformed', 'nonce'),
    balance: quantityOf(balance) ?? 0n,
    /** Wei per gas above the base fee that a wallet would offer. */
    tip: quantityOf(tip) ?? USUAL_TIP,
    /** One per call; null where the node has no estimate. */
    gas: calls.map((_, i) => (i < estimates.length ? quantityOf(further[i]) : null)),
  };
}

function readHeader(answer: RpcAnswer) {
  const fields = resultOf('eth_getBlockByNumber', answer);
  if (!isRecord(fields)) throw new UpstreamFault('state_unavailable', 'elsewhere', 'no such block');
  const miner = lowerAddress(fields['miner']) ?? ZERO_ADDRESS;
  const hash = readHash(fields['hash'], 'block_malformed', 'hash');
  return {
    number: readQuantity(fields['number'], 'block_malformed', 'number'),
    hash,
    timestamp: readQuantity(fields['timestamp'], 'block_malformed', 'timestamp'),
    baseFee: quantity(fields['baseFeePerGas']) ?? 0n,
    miner: miner === ZERO_ADDRESS ? unknownTo(hash) : miner,
  };
}

/** A call of a request as JSON-RPC takes it; `gas`: its limit and price. */
export function callObject(
  { from, authorizationList, accessList, blobs }: SimulationRequest,
  { to, data, value }: SimulatedCall,
  gas: object = {},
): Record<string, unknown> {
  return {
    from,
    data,
    value: hexOf(value),
    ...gas,
    ...(to !== null && { to }),
    ...(authorizationList.length > 0 && { authorizationList }),
    ...(accessList.length > 0 && { accessList }),
    ...(blobs.length > 0 && { blobVersionedHashes: blobs }),
  };
}

/**
 * How the request is run first, as a wallet would send it now, and how once more. Contracts may know a
 * simulation by its price, gas limit and fee recipient: their effects must not differ.
 */
export function environmentsOf(
  request: SimulationRequest,
  base: Base,
): readonly [usual: Environment, other: Environment] {
  const { calls, gas, signed } = request;
  const price = priceOf(request, base);
  const usual = base.gas.map((one) => gas ?? (one === null ? UNESTIMATED_GAS : (one * 5n) / 4n));
  const other = gas === null ? MOST_GAS : gas * 2n > MOST_GAS ? gas : gas * 2n;
  return [
    { price, feeRecipient: base.miner, gas: usual, isOther: false },
    {
      price: otherPrice(request, base, price),
      feeRecipient: unknownTo(keccak256(base.hash)),
      gas: calls.map(() => (signed === null ? other : (gas ?? MOST_GAS))),
      isOther: true,
    },
  ];
}

/** A signature fixes the most that a transaction pays. */
function otherPrice({ signed, maxFeePerGas }: SimulationRequest, { baseFee }: Base, price: bigint): bigint {
  if (signed === null || maxFeePerGas === null) return price * 2n + 1n;
  return price < maxFeePerGas ? maxFeePerGas : baseFee;
}

/** Wei per gas that would be paid (EIP-1559); never below the base fee, which the report's check asks for. */
function priceOf({ maxFeePerGas, maxPriorityFeePerGas }: SimulationRequest, { baseFee, tip }: Base): bigint {
  const wanted = baseFee + (maxPriorityFeePerGas ?? tip);
  const capped = maxFeePerGas !== null && maxFeePerGas < wanted ? maxFeePerGas : wanted;
  return capped < baseFee ? baseFee : capped;
}

/** The transaction as the node would answer about it, mined in the block. */
export function transactionOf(request: SimulationRequest, base: Base, { gas }: Environment) {
  const { from, calls, signed, blobs, authorizationList } = request;
  const sent = calls.length === 1 ? calls[0]! : batchCall(request);
  const plain = calls.map(({ to, data, value }) => [to, data, hexOf(value)]);
  const type = authorizationList.length > 0 ? 4 : blobs.length > 0 ? 3 : 2;
  return {
    blockHash: base.hash,
    blockNumber: hexOf(base.number),
    hash: signed?.hash ?? keccak256(fromString(JSON.stringify([from, plain]))),
    from,
    to: sent.to,
    value: hexOf(sent.value),
    input: sent.data,
    nonce: hexOf(request.nonce ?? base.nonce),
    type: hexOf(BigInt(signed?.type ?? type)),
    gas: hexOf(gas.reduce((sum, one) => sum + one, 0n)),
    authorizationList,
  };
}

/** An account that no contract can know beforehand. */
const unknownTo = (hash: Hex): Address => `0x${hash.slice(-40)}`;
