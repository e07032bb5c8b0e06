import { oncePerAsset } from '../prices/priceApi.ts';
import { newCapabilities } from '../rpc/chooseTrace.ts';
import { CircuitBreaker } from '../rpc/circuitBreaker.ts';
import { inconsistent } from '../rpc/upstreamFault.ts';
import { readState } from '../context/readState.ts';
import type { RawBlock } from './fetchBlock.ts';
import type { RpcAnswer, RpcCall } from '../rpc/rpcMessages.ts';
import type { RpcEndpoint } from '../rpc/rpcEndpoint.ts';
import type { Session, BlockState, ReadState } from '../rpc/session.ts';
import type { Upstream } from '../rpc/upstream.ts';
import type { Hash } from '../../../model/hex.ts';
import type { ViewCall } from '../context/multicall.ts';
import type { ContextPlan } from '../context/planContext.ts';

/**
 * An upstream that answers the first round trip of every analysis from a fetched block, and joins their
 * second round trips into one. `members`: how many analyses there will be; each calls `leave` once it is
 * done. The session is the one the block was fetched with.
 */
export function blockUpstream(upstream: Upstream, session: Session, block: RawBlock, members: number) {
  const recorded = recordedEndpoint(block);
  const { read, leave } = joinReads(members, (plan, reads) => readState(session, plan, reads));
  const ask: Session['ask'] = (attempt) => attempt(recorded);
  const open = (): Session => ({ ...session, traceEndpoint: null, ask, readState: read });
  const priceApi = upstream.priceApi && oncePerAsset(upstream.priceApi);
  return { upstream: { ...upstream, open, priceApi }, leave };
}

/** Answers about single transactions from the block; a missing one is a fault. */
function recordedEndpoint(block: RawBlock): RpcEndpoint {
  const capabilities = { ...newCapabilities(), batches: true, trace: block.mode, mainnet: true };
  const recorded: Partial<Record<RpcCall['method'], ReadonlyMap<Hash, unknown>>> = {
    eth_getTransactionByHash: block.transactions,
    eth_getTransactionReceipt: block.receipts,
  };
  const answer = ({ method, params }: RpcCall): RpcAnswer => {
    const result = (recorded[method] ?? block.traces).get((params as readonly unknown[])[0] as Hash);
    if (result === undefined) throw inconsistent(`no answer to ${method} in the block`);
    return { ok: true, result };
  };
  const send: RpcEndpoint['send'] = (calls) => Promise.resolve(calls.map(answer));
  return { name: 'block', capabilities, breaker: new CircuitBreaker(), send };
}

interface Waiting {
  readonly plan: ContextPlan;
  readonly reads: readonly ViewCall[];
  readonly resolve: (state: BlockState) => void;
  readonly reject: (error: unknown) => void;
}

/** Joined reads: once each of `members` asked or left, each distinct read is sent once for all of them. */
export function joinReads(members: number, send: ReadState) {
  let waiting: Waiting[] = [];

  async function flush(): Promise<void> {
    if (waiting.length === 0 || waiting.length < members) return;
    const round = waiting;
    waiting = [];
    try {
      const { reads, positions } = unionOf(round);
      const accounts = [...new Set(round.flatMap(({ plan }) => plan.accounts))];
      const watched = [...new Set(round.flatMap(({ plan }) => plan.watched))];
      const state = await send({ ...round[0]!.plan, accounts, watched }, reads);
      for (const [i, { plan, resolve }] of round.entries()) {
        const delegated = plan.accounts.filter((account) => state.delegations.has(account));
        resolve({
          ...state,
          answers: positions[i]!.map((position) => state.answers[position]),
          delegations: new Map(delegated.map((account) => [account, state.delegations.get(account)!])),
        });
      }
    } catch (error) {
      for (const { reject } of round) reject(error);
    }
  }

  return {
    read: ((plan, reads) =>
      new Promise((resolve, reject) => {
        waiting.push({ plan, reads, resolve, reject });
        void flush();
      })) satisfies ReadState,
    /** Call once for each transaction that is done, whether it asked or not. */
    leave() {
      members--;
      void flush();
    },
  };
}

/** Each distinct read once, and for each member the positions of the answers to its own. */
function unionOf(round: readonly Waiting[]): { reads: ViewCall[]; positions: number[][] } {
  const union: ViewCall[] = [];
  const known = new Map<string, number>();
  const positions = round.map(({ reads }) => {
    const names = aggregateNames(reads);
    return reads.map((read) => {
      const apart = read.apart === undefined ? undefined : names.get(read.apart)!;
      const key = `${read.to}${read.data}${read.before === true}${apart ?? ''}`;
      if (!known.has(key)) known.set(key, union.push(apart === undefined ? read : { ...read, apart }) - 1);
      return known.get(key)!;
    });
  });
  return { reads: union, positions };
}

/** Aggregates named by content: they may fail as a whole, so two transactions share only equal ones. */
function aggregateNames(reads: readonly ViewCall[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { apart, to, data, before } of reads)
    if (apart !== undefined) names.set(apart, `${names.get(apart) ?? apart} ${to}${data}${before === true}`);
  return names;
}
