import type { Address, Hex } from '../../model/hex.ts';
import type { SimulatedRun, SimulationRequest, StateOverrides } from '../../model/simulation.ts';
import { quantityOf, type RpcCall } from './rpc/rpcMessages.ts';
import type { Session } from './rpc/session.ts';
import { hexOf } from './simulatedBase.ts';
import { mergeOverrides, overridesOf } from './simulatedBatch.ts';

/** The word that a read answers before a run and after it; null where it answers none. */
export type WordsAround = readonly [before: bigint | null, after: bigint | null];

/** Asks contracts in the state before a run and in the one that it leaves. One round trip. */
export async function readAround(
  session: Session,
  { block, stateOverrides }: SimulationRequest,
  { blockNumber, changes }: SimulatedRun,
  reads: readonly { readonly to: Address; readonly data: Hex }[],
): Promise<WordsAround[]> {
  const at = block === 'pending' ? 'pending' : hexOf(blockNumber);
  let after = stateOverrides;
  for (const change of changes ?? []) after = mergeOverrides(after, overridesOf(change));
  const callOf = (read: (typeof reads)[number], state: StateOverrides) => ({
    method: 'eth_call',
    params: [read, at, ...(Object.keys(state).length > 0 ? [state] : [])],
  });
  const calls = [
    ...reads.map((read) => callOf(read, stateOverrides)),
    // Only the contract's own storage: a copy of all that changed in each read would be large.
    ...reads.map((read) => callOf(read, { ...stateOverrides, [read.to]: after[read.to] ?? {} })),
  ];
  const answers = await session.ask((endpoint) => endpoint.send(calls as readonly RpcCall[], session));
  return reads.map((_, i) => [quantityOf(answers[i]), quantityOf(answers[reads.length + i])]);
}
