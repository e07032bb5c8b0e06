import { AnalysisError } from '../../../lib/errors.ts';
import { readBlockHeader, hashIsWrong } from '../../../evm/blockHeader.ts';
import { unchecked } from '../../../lib/unchecked.ts';
import type { ContextPlan } from './planContext.ts';
import {
  groupReads,
  readAnswers,
  readCode,
  readSingles,
  rpcsOfGroups,
  tagOf,
  type ReadAnswer,
} from './viewReads.ts';
import { quantityOf, resultOf, type RpcAnswer, type RpcCall } from '../rpc/rpcMessages.ts';
import { elsewhere, inconsistent } from '../rpc/upstreamFault.ts';
import type { ViewCall } from './multicall.ts';
import type { RpcEndpoint } from '../rpc/rpcEndpoint.ts';
import type { BlockState, Session } from '../rpc/session.ts';
import type { Address, Hex } from '../../../model/hex.ts';
import type { NonceSpan } from '../../../model/upstream.ts';

/**
 * Reads the state at the end of the plan's block; sessions of a whole block join their reads. Where every
 * node has pruned it, only the header is read and the answer says so.
 */
export async function readState(
  session: Session,
  plan: ContextPlan,
  reads: readonly ViewCall[],
): Promise<BlockState> {
  if (session.readState) return session.readState(plan, reads);
  try {
    return await session.ask((endpoint) => attempt(session, endpoint, plan, reads));
  } catch (error) {
    if (!(error instanceof AnalysisError) || error.code !== 'state_unavailable') throw error;
    return session.ask((endpoint) => headerAlone(session, endpoint, plan, reads));
  }
}

/** The header alone, of a block with its state pruned on every node. */
async function headerAlone(
  session: Session,
  endpoint: RpcEndpoint,
  plan: ContextPlan,
  reads: readonly ViewCall[],
): Promise<BlockState> {
  const [answer] = await endpoint.send([headerCall(tagOf(plan.blockNumber, false))], session);
  const unread = { delegations: new Map(), nonces: new Map(), stateless: true };
  return { ...readHeader(answer!, plan), answers: reads.map(() => undefined), ...unread };
}

/** By number: after a reorganisation the hash that comes back is another one, and that is noticed. */
const headerCall = (at: Hex): RpcCall => ({ method: 'eth_getBlockByNumber', params: [at, false] });

async function attempt(
  session: Session,
  endpoint: RpcEndpoint,
  plan: ContextPlan,
  reads: readonly ViewCall[],
): Promise<BlockState> {
  const at = tagOf(plan.blockNumber, false);
  const groups = groupReads(reads, plan);
  const asked: RpcCall[] = [headerCall(at)];
  for (const account of plan.accounts) asked.push({ method: 'eth_getCode', params: [account, at] });
  const authorities = [...new Set(plan.authorities.filter((account) => account !== null))];
  for (const account of authorities)
    for (const when of [tagOf(plan.blockNumber, true), at])
      asked.push({ method: 'eth_getTransactionCount', params: [account, when] });
  asked.push(...rpcsOfGroups(groups, plan, at));
  const results = await endpoint.send(asked, session);
  const { block, timestamp } = readHeader(results[0]!, plan);
  const delegations = readDelegations(plan.accounts, results.slice(1, 1 + plan.accounts.length));
  const counts = results.slice(1 + plan.accounts.length);
  const nonces = readNonces(authorities, counts.splice(0, 2 * authorities.length));
  const answers = reads.map((): ReadAnswer => null);
  const again = readAnswers(groups, counts, plan, answers);
  if (again.calls.length > 0) {
    readSingles(again, await endpoint.send(again.calls, session), answers);
  }
  return { block, timestamp, answers, delegations, nonces };
}

/** Nonces around the block; a node without the parent's state leaves an account out. */
function readNonces(
  accounts: readonly Address[],
  answers: readonly RpcAnswer[],
): ReadonlyMap<Address, NonceSpan> {
  const found = new Map<Address, NonceSpan>();
  accounts.forEach((account, i) => {
    const [before, after] = [quantityOf(answers[2 * i]), quantityOf(answers[2 * i + 1])];
    if (before !== null && after !== null) found.set(account, { before, after });
  });
  return found;
}

function readHeader(answer: RpcAnswer, plan: ContextPlan): { block: unknown; timestamp: number } {
  const block = resultOf('eth_getBlockByNumber', answer);
  if (block == null) throw inconsistent('no header for the block the receipt names', 'later');
  const { timestamp } = elsewhere(() => readBlockHeader(block, plan));
  const isWrong = hashIsWrong(block as Record<string, unknown>);
  if (isWrong) throw inconsistent('the header has another hash than it says');
  if (isWrong === null) unchecked.headers++;
  return { block, timestamp };
}

/** EIP-7702: a delegated account's code is `0xef0100 ‖ address`; no other code has this form. */
const DELEGATION = /^0xef0100([0-9a-f]{40})$/i;

function readDelegations(
  accounts: readonly Address[],
  codes: readonly RpcAnswer[],
): ReadonlyMap<Address, Address> {
  const found = new Map<Address, Address>();
  accounts.forEach((account, i) => {
    const match = DELEGATION.exec(readCode(codes[i]!));
    if (match) found.set(account, `0x${match[1]!.toLowerCase()}`);
  });
  return found;
}
