import { encodeData, from as abiOf } from 'ox/AbiFunction';
import { encode, from as parametersOf } from 'ox/AbiParameters';
import { hexOf, lowerAddress, quantity, ZERO_ADDRESS } from '../../evm/hex.ts';
import { isRecord, type Fields } from '../../lib/shape.ts';
import type { Address, Hex } from '../../model/hex.ts';
import { quantityOf, type RpcCall } from './rpc/rpcMessages.ts';
import type { Session } from './rpc/session.ts';
import type {
  SimulatedCall,
  SimulatedRun,
  SimulationRequest,
  StateChange,
  StateOverride,
  StateOverrides,
} from '../../model/simulation.ts';

/** A trace method's answer for one call. */
export interface Traced {
  readonly result: Record<string, unknown>;
  readonly failed: boolean;
  readonly change: StateChange | null;
  /** Wei of a lent fee that the sender has left. */
  readonly lent?: bigint;
}

/** `execute(bytes32 mode, bytes executionData)` and the mode of a batch (ERC-7821). */
const EXECUTE = abiOf('function execute(bytes32 mode, bytes executionData)');
const BATCH_MODE = `0x${'01'.padEnd(64, '0')}` as const;
const CALLS = parametersOf('(address to, uint256 value, bytes data)[] calls');

/** Calls of an account as the one call to itself that its code would run (ERC-7821). */
export function batchCall({ from, calls }: Pick<SimulationRequest, 'from' | 'calls'>): SimulatedCall {
  const list = calls.map(({ to, data, value }) => ({ to: to ?? ZERO_ADDRESS, value, data }));
  return { to: from, data: encodeData(EXECUTE, [BATCH_MODE, encode(CALLS, [list])]), value: 0n };
}

/** One trace over the calls of a batch; it fails as a whole where one of them does. */
export function batchTrace(request: SimulationRequest, traced: readonly Traced[]): Record<string, unknown> {
  const { to, data } = batchCall(request);
  const failed = traced.find((one) => one.failed);
  return {
    type: 'CALL',
    from: request.from,
    to,
    value: '0x0',
    input: data,
    calls: traced.map(({ result }) => result),
    ...(failed && { error: 'execution reverted', output: failed.result['output'] ?? '0x' }),
  };
}

/** A state difference as overrides. */
export function overridesOf({ pre, post }: StateChange): StateOverrides {
  const found: Record<Address, StateOverride> = {};
  for (const [key, value] of Object.entries(post)) {
    const account = lowerAddress(key);
    if (account === null || !isRecord(value)) continue;
    const before = isRecord(pre[key]) ? pre[key] : {};
    found[account] = overrideOf(before, value);
  }
  return found;
}

function overrideOf(before: Fields, after: Fields): StateOverride {
  const override: Record<string, unknown> = {};
  for (const field of ['balance', 'code'])
    if (typeof after[field] === 'string') override[field] = after[field];
  const nonce = quantity(after['nonce']);
  if (nonce !== null) override['nonce'] = hexOf(nonce);
  // A slot set to zero is in `before` alone.
  const slots: Record<string, unknown> = {};
  if (isRecord(before['storage'])) for (const slot of Object.keys(before['storage'])) slots[slot] = ZERO;
  if (isRecord(after['storage'])) Object.assign(slots, after['storage']);
  if (Object.keys(slots).length > 0) override['stateDiff'] = slots;
  return override as StateOverride;
}

/** Overrides without the ether that a sender was lent for gas. */
export function withoutLoan(overrides: StateOverrides, sender: Address, lent = 0n): StateOverrides {
  const held = quantity(overrides[sender]?.balance);
  if (held === null) return overrides;
  return { ...overrides, [sender]: { ...overrides[sender], balance: hexOf(held - lent) } };
}

const ZERO = `0x${'0'.repeat(64)}`;

/** Later overrides over earlier ones, slot by slot. */
export function mergeOverrides(earlier: StateOverrides, later: StateOverrides): StateOverrides {
  const merged: Record<Address, StateOverride> = { ...earlier };
  for (const [key, next] of Object.entries(later)) {
    const account = key as Address;
    const known: StateOverride = merged[account] ?? {};
    const slots = { ...known.state, ...known.stateDiff, ...next.stateDiff };
    const { state: _, stateDiff: __, ...rest } = known;
    // A whole storage stays one; single slots stay single.
    merged[account] = {
      ...rest,
      ...next,
      ...(known.state ? { state: slots } : Object.keys(slots).length > 0 ? { stateDiff: slots } : {}),
    };
    if (known.state) delete (merged[account] as { stateDiff?: unknown }).stateDiff;
  }
  return merged;
}

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
