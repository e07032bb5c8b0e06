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
import type { Address, Hex } from '../../../model/hex.ts';
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
  const { accounts, blockNumber } = plan;
  const [before, at] = [tagOf(blockNumber, true), tagOf(blockNumber, false)];
  const authorities = [...new Set(plan.authorities.filter((account) => account !== null))];
  const groups = groupReads(reads, plan);
  const [block, ...results] = await send([
    header,
    ...accounts.map((account) => codeOf(account, at)),
    ...authorities.flatMap((account) =>
      [before, at].map((when): RpcCall => ({ method: 'eth_getTransactionCount', params: [account, when] })),
    ),
    ...groups.map((group) => rpcOfGroup(group, plan)),
  ]);
  const found = readHeader(block!, plan);
  const codes = results.splice(0, accounts.length).map((answer) => readCode(answer).toLowerCase());
  const nonces = readNonces(authorities, results.splice(0, 2 * authorities.length));
  const answers = reads.map((): ReadAnswer => null);
  const again = readAnswers(groups, results, plan, answers);
  const codeAtEnd = new Map(accounts.map((account, i) => [account, codes[i]!]));
  const mayChange = (account: Address): boolean => MAY_CHANGE.test(codeAtEnd.get(account)!);
  const changeable = accounts.filter((account) => mayChange(account) && plan.ranCode(account));
  const calls = [...again.map(({ call }) => call), ...changeable.map((account) => codeOf(account, before))];
  const singles = calls.length > 0 ? await send(calls) : [];
  for (const [i, read] of again.entries()) answers[read.position] = readSingle(read, singles[i]!);
  const codesBefore = singles.slice(again.length);
  const isOther = (account: Address, i: number): boolean =>
    !saysCode(codesBefore[i]!, codeAtEnd.get(account)!);
  const redelegated = new Set(changeable.filter(isOther));
  return { ...found, answers, delegations: readDelegations(codeAtEnd), redelegated, nonces };
}

const codeOf = (account: Address, at: Hex): RpcCall => ({ method: 'eth_getCode', params: [account, at] });

/** A node without the parent's state says nothing. */
const saysCode = (answer: RpcAnswer, code: string): boolean =>
  answer.ok && String(answer.result).toLowerCase() === code;

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
const DELEGATION = /^0xef0100([0-9a-f]{40})$/;
/** A delegation, or the code of an account that has just taken its own back. */
const MAY_CHANGE = /^0x(ef0100[0-9a-f]{40})?$/;

function readDelegations(codes: ReadonlyMap<Address, string>): ReadonlyMap<Address, Address> {
  const found = new Map<Address, Address>();
  for (const [account, code] of codes) {
    const match = DELEGATION.exec(code);
    if (match) found.set(account, `0x${match[1]!}`);
  }
  return found;
}
