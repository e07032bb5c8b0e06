import { quantity } from '../../evm/hex.ts';
import { traceApisToAsk, chooseTrace } from './rpc/chooseTrace.ts';
import { logsMismatch, receiptMismatch } from './context/consistency.ts';
import { isRecord } from '../../lib/shape.ts';
import { CHAIN_CALL, quantityOf, resultOf, type RpcAnswer, type RpcCall } from './rpc/rpcMessages.ts';
import { elsewhere, inconsistent, UpstreamFault } from './rpc/upstreamFault.ts';
import type { RpcEndpoint } from './rpc/rpcEndpoint.ts';
import { sendBoth, type Session } from './rpc/session.ts';
import type { Hash } from '../../model/hex.ts';
import type { RawTransaction } from '../../model/upstream.ts';

/**
 * First round trip: transaction, receipt and trace in one JSON-RPC batch. `check`, stage 2's: are they
 * about one transaction? If not, another node is asked. Throws `AnalysisError`:
 * `transaction_not_found`, `transaction_pending`, `wrong_chain`, `trace_*`, `inconsistent_upstream`, or the
 * `upstream_*` failure that outlasted the retries.
 */
export function fetchTransaction(
  session: Session,
  hash: Hash,
  check: (raw: RawTransaction) => void = () => {},
): Promise<RawTransaction> {
  // Both dialects in one batch unless that answer proves too large.
  let single = false;
  return session.ask(async (endpoint) => {
    try {
      const raw = await attempt(session, endpoint, hash, single);
      elsewhere(() => check(raw));
      return raw;
    } catch (error) {
      const tooLarge = error instanceof UpstreamFault && error.code === 'upstream_too_large';
      const { capabilities } = session.traceEndpoint ?? endpoint;
      if (!tooLarge || single || capabilities.trace) throw error;
      single = true;
      throw new UpstreamFault(error.code, 'again', error.detail);
    }
  });
}

async function attempt(
  session: Session,
  endpoint: RpcEndpoint,
  hash: Hash,
  singleDialect: boolean,
): Promise<RawTransaction> {
  const tracer = session.traceEndpoint ?? endpoint;
  const apis = traceApisToAsk(tracer.capabilities, singleDialect);
  const own: RpcCall[] = [
    { method: 'eth_getTransactionByHash', params: [hash] },
    { method: 'eth_getTransactionReceipt', params: [hash] },
  ];
  if (!endpoint.capabilities.mainnet) own.push(CHAIN_CALL);
  const traces = apis.map((api) => api.call(hash));
  const [ownAnswers, traceAnswers] = await sendBoth(session, endpoint, own, traces);

  if (own.length > 2) {
    const id = quantityOf(ownAnswers[2]);
    requireMainnet(id, endpoint);
    endpoint.capabilities.mainnet = id === 1n;
  }
  const { tx, receipt } = readMined(ownAnswers, endpoint);
  let trace: RawTransaction['trace'];
  try {
    trace = chooseTrace(apis, traceAnswers, tracer.capabilities);
  } catch (error) {
    // Another node does not help where traces have a source of their own.
    if (error instanceof UpstreamFault && tracer !== endpoint && error.retry === 'elsewhere')
      throw new UpstreamFault(error.code, 'never', error.detail);
    throw error;
  }
  const mismatch = logsMismatch(receipt, trace);
  if (mismatch) throw inconsistent(mismatch);
  return { hash, tx, receipt, trace };
}

function requireMainnet(id: bigint | null, { capabilities }: RpcEndpoint): void {
  // A node that says itself that it is on mainnet has one bad answer among good ones.
  if (id !== null && id !== 1n)
    throw new UpstreamFault('wrong_chain', capabilities.mainnet ? 'again' : 'elsewhere');
}

/** Transaction and receipt of a mined transaction, or the fault that names the missing one. */
function readMined(
  answers: readonly RpcAnswer[],
  endpoint: RpcEndpoint,
): { tx: Record<string, unknown>; receipt: Record<string, unknown> } {
  const tx = resultOf('eth_getTransactionByHash', answers[0]!);
  const receipt = resultOf('eth_getTransactionReceipt', answers[1]!);
  if (tx == null) {
    if (receipt != null) throw inconsistent('a receipt without its transaction');
    throw new UpstreamFault('transaction_not_found', 'later');
  }
  if (!isRecord(tx)) throw new UpstreamFault('transaction_malformed', 'again');
  if (receipt == null) {
    if (tx['blockNumber'] == null) throw new UpstreamFault('transaction_pending', 'later');
    throw inconsistent('no receipt for a mined transaction', 'later');
  }
  if (!isRecord(receipt)) throw new UpstreamFault('receipt_malformed', 'again');
  requireMainnet(quantity(tx['chainId']), endpoint);
  // The transaction was read just before it was mined, its receipt just after.
  if (tx['blockNumber'] == null) throw inconsistent('the transaction is pending but has a receipt');
  const mismatch = receiptMismatch(tx, receipt);
  if (mismatch) throw inconsistent(mismatch);
  return { tx, receipt };
}
