import { AnalysisError } from '../../../lib/errors.ts';
import { readBlockHeader, hashIsWrong } from '../../../evm/blockHeader.ts';
import { unchecked } from '../../../lib/unchecked.ts';
import type { ContextPlan } from './planContext.ts';
import { groupReads, readAnswers, readCode, readSingle, rpcOfGroup, tagOf } from './viewReads.ts';
import type { ReadAnswer } from './viewReads.ts';
import { quantityOf, resultOf, type RpcAnswer, type RpcCall } from '../rpc/rpcMessages.ts';
import { elsewhere, inconsistent } from '../rpc/upstreamFault.ts';
import type { ViewCall } from './multicall.ts';
import type { BlockState, Session } from '../rpc/session.ts';
import type { Address } from '../../../model/hex.ts';
import type { NonceSpan } from '../../../model/upstream.ts';

/** The state at the end of the plan's block; the header alone where every node has pruned the state. */
export async function readState(
  session: Session,
  plan: ContextPlan,
  reads: readonly ViewCall[],
): Promise<BlockState> {
  if (session.readState) return session.readState(plan, reads);
  // By number: after a reorganisation the hash that comes back is another one, and that is noticed.
  const at = tagOf(plan.blockNumber, false);
  const header: RpcCall = { method: 'eth_getBlockByNumber', params: [at, false] };
  try {
    return await session.ask((endpoint) => {
      const send = (calls: readonly RpcCall[]): Promise<RpcAnswer[]> => endpoint.send(calls, session);
      return readAll(plan, reads, header, send);
    });
  } catch (error) {
    if (!(error instanceof AnalysisError) || error.code !== 'state_unavailable') throw error;
    return session.ask(async (endpoint) => {
      const [answer] = await endpoint.send([header], session);
      const unread = { delegations: new Map(), redelegated: new Set<Address>(), nonces: new Map() };
      return {
        ...readHeader(answer!, plan),
        answers: reads.map(() => undefined),
        ...unread,
        stateless: true,
      };
    });
  }
}

async function readAll(
  plan: ContextPlan,
  reads: readonly ViewCall[],
  header: RpcCall,
  send: (calls: readonly RpcCall[]) => Promise<RpcAnswer[]>,
): Promise<BlockState> {
  const { accounts, watched, blockNumber } = plan;
  const [before, at] = [tagOf(blockNumber, true), tagOf(blockNumber, false)];
  const groups = groupReads(reads, plan);
  const [block, ...results] = await send([
    header,
    ...accounts.map((account): RpcCall => ({ method: 'eth_getCode', params: [account, at] })),
    ...watched.flatMap((account) =>
      [before, at].map((when): RpcCall => ({ method: 'eth_getTransactionCount', params: [account, when] })),
    ),
    ...groups.map((group) => rpcOfGroup(group, plan)),
  ]);
  const found = readHeader(block!, plan);
  const codes = new Map(results.splice(0, accounts.length).map((one, i) => [accounts[i]!, readCode(one)]));
  const nonces = readNonces(watched, results.splice(0, 2 * watched.length));
  const answers = reads.map((): ReadAnswer => null);
  const again = readAnswers(groups, results, plan, answers);
  const singles = again.length > 0 ? await send(again.map(({ call }) => call)) : [];
  for (const [i, read] of again.entries()) answers[read.position] = readSingle(read, singles[i]!);
  const delegations = readDelegations(codes);
  const redelegated = new Set(watched.filter((one) => mayBeOther(one, codes.get(one)!, nonces)));
  return { ...found, answers, delegations, redelegated, nonces };
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

function readDelegations(codes: ReadonlyMap<Address, string>): ReadonlyMap<Address, Address> {
  const found = new Map<Address, Address>();
  for (const [account, code] of codes) {
    const match = DELEGATION.exec(code);
    if (match) found.set(account, `0x${match[1]!.toLowerCase()}`);
  }
  return found;
}

/** To set a delegation or take it back spends a nonce. Where the node knows none it may be other code. */
function mayBeOther(account: Address, code: string, nonces: ReadonlyMap<Address, NonceSpan>): boolean {
  const span = nonces.get(account);
  if (span === undefined) return DELEGATION.test(code);
  return span.before !== span.after && (code === '0x' || DELEGATION.test(code));
}
