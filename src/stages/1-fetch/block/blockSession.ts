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

/** An upstream for the analyses of one block's transactions. */
interface BlockUpstream {
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
    if (result === undefined) throw inconsistent(`no answer to ${method} in the block`);
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

/** Reads of a block's transactions, joined: each distinct read is sent once for all that ask for it. */
interface JoinedReads {
  readonly read: ReadState;
  /** Call once for each transaction that is done, whether it asked or not. */
  leave(): void;
}

interface Waiting {
  readonly plan: ContextPlan;
  readonly reads: readonly ViewCall[];
  readonly resolve: (state: BlockState) => void;
  readonly reject: (error: unknown) => void;
}

/** Waits until each of `members` transactions has asked or left, then sends the union of their reads. */
export function joinReads(members: number, send: ReadState): JoinedReads {
  let waiting: Waiting[] = [];

  function flush(): void {
    if (waiting.length === 0 || waiting.length < members) return;
    const round = waiting;
    waiting = [];
    void answer(round);
  }

  async function answer(round: readonly Waiting[]): Promise<void> {
    try {
      const union = new Union();
      const positions = round.map(({ reads }) => union.add(reads));
      const accounts = [...new Set(round.flatMap(({ plan }) => plan.accounts))];
      const authorities = round.flatMap(({ plan }) => plan.authorities);
      const state = await send({ ...round[0]!.plan, accounts, authorities }, union.reads);
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
    read: (plan, reads) =>
      new Promise((resolve, reject) => {
        waiting.push({ plan, reads, resolve, reject });
        flush();
      }),
    leave() {
      members--;
      flush();
    },
  };
}

class Union {
  readonly reads: ViewCall[] = [];
  readonly #positions = new Map<string, number>();

  /** Positions in `reads` of the answers to these. */
  add(reads: readonly ViewCall[]): number[] {
    const names = aggregateNames(reads);
    return reads.map((read) => {
      const apart = read.apart === undefined ? undefined : names.get(read.apart)!;
      const key = `${read.to}${read.data}${read.before === true}${apart ?? ''}`;
      const known = this.#positions.get(key);
      if (known !== undefined) return known;
      const position = this.reads.push(apart === undefined ? read : { ...read, apart }) - 1;
      this.#positions.set(key, position);
      return position;
    });
  }
}

/**
 * Names for the aggregates that reads are set apart in, from their content: an aggregate may fail as a
 * whole, so two transactions share one only where each would have sent exactly the same.
 */
function aggregateNames(reads: readonly ViewCall[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { apart, to, data, before } of reads)
    if (apart !== undefined) names.set(apart, `${names.get(apart) ?? apart} ${to}${data}${before === true}`);
  return names;
}
