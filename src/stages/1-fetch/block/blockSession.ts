import { oncePerAsset } from '../prices/priceApi.ts';
import { newCapabilities } from '../rpc/capabilities.ts';
import { CircuitBreaker } from '../rpc/circuitBreaker.ts';
import { UpstreamFault } from '../rpc/upstreamFault.ts';
import { readState } from '../context/fetchContext.ts';
import { joinReads } from './joinReads.ts';
import type { RawBlock } from './fetchBlock.ts';
import type { RpcAnswer, RpcCall } from '../rpc/rpcMessages.ts';
import type { RpcEndpoint } from '../rpc/rpcEndpoint.ts';
import type { Session } from '../rpc/session.ts';
import type { Upstream } from '../rpc/upstream.ts';
import type { Hash } from '../../../model/hex.ts';

/** An upstream for the analyses of one block's transactions. */
export interface BlockUpstream {
  readonly upstream: Upstream;
  /** Call once for each transaction that is done. */
  leave(): void;
}

/**
 * An upstream that answers the first round trip of every analysis from a fetched block, and joins their
 * second round trips into one. `members`: how many analyses there will be. The session is the one the block
 * was fetched with.
 */
export function blockUpstream(
  upstream: Upstream,
  session: Session,
  block: RawBlock,
  members: number,
): BlockUpstream {
  const recorded = recordedEndpoint(block);
  const joined = joinReads(members, (plan, reads) => readState(session, plan, reads));
  const open = (): Session => ({
    ...session,
    traceEndpoint: null,
    ask: (attempt) => attempt(recorded),
    readState: joined.read,
  });
  const priceApi = upstream.priceApi && oncePerAsset(upstream.priceApi);
  return { upstream: { ...upstream, open, priceApi }, leave: () => joined.leave() };
}

/** Answers about single transactions from the block; a missing one is a fault. */
function recordedEndpoint(block: RawBlock): RpcEndpoint {
  const capabilities = { ...newCapabilities(), batches: true, trace: block.mode, mainnet: true };
  const find = (from: ReadonlyMap<Hash, unknown>, { method, params }: RpcCall): RpcAnswer => {
    const result = from.get((params as readonly unknown[])[0] as Hash);
    if (result === undefined)
      throw new UpstreamFault('inconsistent_upstream', 'again', `no answer to ${method} in the block`);
    return { ok: true, result };
  };
  return {
    name: 'block',
    capabilities,
    breaker: new CircuitBreaker(),
    send: (calls) =>
      Promise.resolve(
        calls.map((call) => {
          if (call.method === 'eth_getTransactionByHash') return find(block.transactions, call);
          if (call.method === 'eth_getTransactionReceipt') return find(block.receipts, call);
          return find(block.traces, call);
        }),
      ),
  };
}
