// Writes down an execution once and tells it as a node would in either trace dialect, so that tests can compare the two.
import type { Address, Hash, Hex } from '../../../src/model/hex.ts';
import type { RawTransaction, TraceDialect } from '../../../src/model/upstream.ts';

export const address = (byte: string): Address => `0x${byte.repeat(20)}`;
export const word = (value: bigint | number | string): string =>
  (typeof value === 'string' ? value.replace(/^0x/, '') : value.toString(16)).padStart(64, '0');
export const topic = (value: bigint | number | string): Hash => `0x${word(value)}`;

export const HASH: Hash = `0x${'5c'.repeat(32)}`;
export const BLOCK: Hash = `0x${'b1'.repeat(32)}`;
export const EOA = address('a1');
export const ROOT = address('c0');

export interface Emit {
  readonly emit: { readonly address?: Address; readonly topics: readonly string[]; readonly data?: string };
}

export interface Call {
  readonly type?: string;
  readonly from?: Address;
  readonly to?: Address | null;
  readonly value?: bigint;
  readonly input?: string;
  readonly output?: string;
  readonly error?: string;
  /** Calls and logs in the order they happen. */
  readonly steps?: readonly (Call | Emit)[];
}

const isEmit = (step: Call | Emit): step is Emit => 'emit' in step;
const quantity = (value: bigint | number): Hex => `0x${value.toString(16)}`;
const isPrecompile = (to: string): boolean => /^0x0{37}[01]?[0-9a-f]{2}$/.test(to) && BigInt(to) > 0n;

export interface ToldOptions {
  /** Leave out logs or their positions, as old nodes do. */
  readonly withLog?: boolean;
  readonly withPosition?: boolean;
  /** Receipt status; null = pre-Byzantium. */
  readonly status?: boolean | null;
  readonly tx?: Record<string, unknown>;
  readonly receipt?: Record<string, unknown>;
}

interface Told {
  readonly geth: Record<string, unknown>;
  readonly parity: Record<string, unknown>[];
  readonly logs: Record<string, unknown>[];
}

function tell(root: Call, options: ToldOptions): Told {
  const parity: Record<string, unknown>[] = [];
  const logs: Record<string, unknown>[] = [];
  const visit = (
    call: Call,
    parent: { context: Address } | null,
    path: number[],
    alive: boolean,
  ): Record<string, unknown> => {
    const type = call.type ?? 'CALL';
    const from = call.from ?? parent?.context ?? EOA;
    const to = call.to === undefined ? ROOT : call.to;
    const value = call.value ?? 0n;
    const lives = alive && call.error === undefined;
    const borrowed = type === 'DELEGATECALL' || type === 'CALLCODE';
    const context = borrowed ? (parent?.context ?? from) : (to ?? ROOT);
    const entry: Record<string, unknown> = { traceAddress: path, subtraces: 0, transactionHash: HASH };
    if (type === 'SELFDESTRUCT') {
      Object.assign(entry, {
        type: 'suicide',
        action: { address: from, refundAddress: to, balance: quantity(value) },
        result: null,
      });
    } else if (type.startsWith('CREATE')) {
      Object.assign(entry, {
        type: 'create',
        action: {
          from,
          value: quantity(value),
          init: call.input ?? '0x',
          creationMethod: type.toLowerCase(),
        },
        result: call.error === undefined ? { address: to, code: call.output ?? '0x' } : null,
      });
    } else {
      Object.assign(entry, {
        type: 'call',
        action: { from, to, value: quantity(value), input: call.input ?? '0x', callType: type.toLowerCase() },
        result: call.error === undefined ? { output: call.output ?? '0x' } : null,
      });
    }
    if (call.error !== undefined)
      entry['error'] = call.error === 'execution reverted' ? 'Reverted' : call.error;
    parity.push(entry);

    const geth: Record<string, unknown> = { type, from, input: call.input ?? '0x' };
    if (!(type.startsWith('CREATE') && call.error !== undefined)) geth['to'] = to;
    if (type !== 'STATICCALL') geth['value'] = quantity(value);
    if (call.output !== undefined && call.error === undefined) geth['output'] = call.output;
    if (call.error !== undefined) geth['error'] = call.error;
    const calls: unknown[] = [];
    const own: Record<string, unknown>[] = [];
    let listed = 0;
    for (const step of call.steps ?? []) {
      if (isEmit(step)) {
        const log = {
          address: step.emit.address ?? context,
          topics: step.emit.topics,
          data: step.emit.data ?? '0x',
        };
        own.push(options.withPosition === false ? log : { ...log, position: quantity(calls.length) });
        if (lives) logs.push({ ...log, logIndex: quantity(logs.length + 7), transactionHash: HASH });
        continue;
      }
      const valueless =
        (step.value ?? 0n) === 0n || step.type === 'DELEGATECALL' || step.type === 'STATICCALL';
      const hidden = step.to != null && isPrecompile(step.to) && valueless && step.type !== 'SELFDESTRUCT';
      const before = parity.length;
      calls.push(visit(step, { context }, [...path, listed], lives));
      if (hidden)
        parity.length = before; // Parity-style nodes do not list these.
      else listed++;
    }
    entry['subtraces'] = listed;
    if (calls.length > 0) geth['calls'] = calls;
    if (own.length > 0 && options.withLog !== false) geth['logs'] = own;
    return geth;
  };
  return { geth: visit(root, null, [], true), parity, logs };
}

/** The raw answers of a node that speaks `dialect`. */
export function rawTransaction(
  root: Call,
  dialect: TraceDialect = 'call_tracer',
  options: ToldOptions = {},
): RawTransaction {
  const { geth, parity, logs } = tell(root, options);
  const creation = (root.type ?? 'CALL').startsWith('CREATE');
  const to = root.to === undefined ? ROOT : root.to;
  const status = options.status === undefined ? root.error === undefined : options.status;
  return {
    hash: HASH,
    tx: {
      hash: HASH,
      blockHash: BLOCK,
      type: '0x2',
      from: root.from ?? EOA,
      to: creation ? null : to,
      value: quantity(root.value ?? 0n),
      input: root.input ?? '0x',
      nonce: '0x7',
      gasPrice: '0x9',
      ...options.tx,
    },
    receipt: {
      transactionHash: HASH,
      blockHash: BLOCK,
      blockNumber: '0x1312d00',
      from: root.from ?? EOA,
      gasUsed: '0x4c4b40',
      effectiveGasPrice: '0x8',
      contractAddress: creation && root.error === undefined ? to : null,
      logs,
      ...(status === null ? {} : { status: status ? '0x1' : '0x0' }),
      ...options.receipt,
    },
    trace: { dialect, result: dialect === 'parity' ? parity : geth },
  };
}
