import { lowerAddress, quantity, wordOf } from '../../evm/hex.ts';
import { isRecord } from '../../lib/shape.ts';
import type { Address, Hex } from '../../model/hex.ts';
import type {
  SimulatedCall,
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
const EXECUTE = '0xe9ae5c53';
const BATCH_MODE = '01'.padEnd(64, '0');

/** Calls of an account as the one call to itself that its code would run (ERC-7821). */
export function batchCall({ from, calls }: Pick<SimulationRequest, 'from' | 'calls'>): SimulatedCall {
  const items = calls.map(({ to, data, value }) => {
    const bytes = data.slice(2);
    const padded = bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0');
    return `${wordOf(to ?? '0x')}${wordOf(value)}${wordOf(96)}${wordOf(bytes.length / 2)}${padded}`;
  });
  let offset = 32 * items.length;
  const heads = items.map((item) => {
    const head = wordOf(offset);
    offset += item.length / 2;
    return head;
  });
  const list = `${wordOf(32)}${wordOf(items.length)}${heads.join('')}${items.join('')}`;
  const data = `${EXECUTE}${BATCH_MODE}${wordOf(64)}${wordOf(list.length / 2)}${list}` as Hex;
  return { to: from, data, value: 0n };
}

/** One trace over the calls of a batch; it fails as a whole where one of them does. */
export function batchTrace(request: SimulationRequest, traced: readonly Traced[]): Record<string, unknown> {
  const { to, data } = batchCall(request);
  const failed = traced.find((one) => one.failed);
  const root: Record<string, unknown> = {
    type: 'CALL',
    from: request.from,
    to,
    value: '0x0',
    input: data,
    calls: traced.map(({ result }) => result),
  };
  if (failed) {
    root['error'] = 'execution reverted';
    root['output'] = failed.result['output'] ?? '0x';
  }
  return root;
}

/** A state difference as overrides, without the ether that the sender was lent for gas. */
export function overridesOf({ pre, post }: StateChange, sender: Address, lent = 0n): StateOverrides {
  const found: Record<Address, StateOverride> = {};
  for (const [key, value] of Object.entries(post)) {
    const account = lowerAddress(key);
    if (account === null || !isRecord(value)) continue;
    const before = isRecord(pre[key]) ? pre[key] : {};
    found[account] = overrideOf(before, value, account === sender ? lent : 0n);
  }
  return found;
}

function overrideOf(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  lent: bigint,
): StateOverride {
  const override: Record<string, unknown> = {};
  for (const field of ['balance', 'code'])
    if (typeof after[field] === 'string') override[field] = after[field];
  const balance = quantity(after['balance']);
  if (lent > 0n && balance !== null) override['balance'] = `0x${(balance - lent).toString(16)}`;
  const nonce = quantity(after['nonce']);
  if (nonce !== null) override['nonce'] = `0x${nonce.toString(16)}`;
  // A slot set to zero is in `before` alone.
  const cleared = isRecord(before['storage'])
    ? Object.keys(before['storage']).map((slot) => [slot, ZERO])
    : [];
  const written = isRecord(after['storage']) ? after['storage'] : {};
  const slots: Record<string, unknown> = { ...Object.fromEntries(cleared), ...written };
  if (Object.keys(slots).length > 0) override['stateDiff'] = slots;
  return override as StateOverride;
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
