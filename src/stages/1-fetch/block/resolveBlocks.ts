import { isRecord } from '../../../lib/shape.ts';
import { hexOf, quantity } from '../../../evm/hex.ts';
import { CHAIN_CALL, quantityOf, resultOf, type RpcAnswer, type RpcCall } from '../rpc/rpcMessages.ts';
import { malformed, UpstreamFault } from '../rpc/upstreamFault.ts';
import type { BlockId } from '../../../traces/traceApi.ts';
import type { Session } from '../rpc/session.ts';
import type { Hash } from '../../../model/hex.ts';

/** A block by its number or its hash. */
export type BlockRef = bigint | Hash;

/** Numbers and hashes of blocks in one request, null for unknown ones. Throws `wrong_chain` off mainnet. */
export function resolveBlocks(session: Session, refs: readonly BlockRef[]): Promise<(BlockId | null)[]> {
  const calls = refs.map(
    (ref): RpcCall =>
      typeof ref === 'bigint'
        ? { method: 'eth_getBlockByNumber', params: [hexOf(ref), false] }
        : { method: 'eth_getBlockByHash', params: [ref, false] },
  );
  return session.ask(async (endpoint) => {
    const [chain, ...headers] = await endpoint.send([CHAIN_CALL, ...calls], session);
    const id = quantityOf(chain!);
    if (id !== null && id !== 1n) throw new UpstreamFault('wrong_chain', 'elsewhere');
    return headers.map(readId);
  });
}

/** Number of the newest block. */
export function newestBlock(session: Session): Promise<bigint> {
  return session.ask(async (endpoint) => {
    const [answer] = await endpoint.send([{ method: 'eth_blockNumber', params: [] }], session);
    const number = quantity(resultOf('eth_blockNumber', answer!));
    if (number === null) throw malformed('eth_blockNumber');
    return number;
  });
}

function readId(answer: RpcAnswer): BlockId | null {
  const result = resultOf('the block', answer);
  if (result === null) return null;
  const block = isRecord(result) ? result : {};
  const number = quantity(block['number']);
  const hash = block['hash'];
  if (number === null || typeof hash !== 'string' || hash.length !== 66)
    throw new UpstreamFault('block_malformed', 'again');
  return { number, hash: hash.toLowerCase() as Hash };
}
