import { join } from 'node:path';
import { encodeAbiParameters, encodeEventTopics, parseAbiItem, type AbiEvent } from 'viem';
import { loadRulebook } from '../../../src/rules/compile/loadRulebook.ts';
import { buildValueFlow } from '../../../src/stages/3-flow/buildValueFlow.ts';
import { findPrimitives } from '../../../src/stages/4-primitives/findPrimitives.ts';
import { joinTriggers } from '../../../src/stages/5-motifs/joinTriggers.ts';
import type { CanonicalTx, Frame, Log } from '../../../src/model/canonicalTx.ts';
import type { Address, Hash, Hex } from '../../../src/model/hex.ts';
import type { Primitive } from '../../../src/model/primitive.ts';
import type { ValueFlow } from '../../../src/model/valueFlow.ts';

export const rulebook = loadRulebook([join(import.meta.dirname, '../../../rules')]);
export const WETH = [...rulebook.wrappedNative][0]!;
export const ZERO = `0x${'0'.repeat(40)}` as Address;
export const ETH = 'eip155:1/slip44:60';
export const erc20 = (address: Address): string => `eip155:1/erc20:${address}`;

/** A made-up account: `account(7)` is 0x0…07000. */
export const account = (n: number): Address => `0x${(n * 0x1000).toString(16).padStart(40, '0')}`;

export type Step =
  | { readonly log: { readonly address: Address; readonly topics: readonly Hash[]; readonly data: Hex } }
  | { readonly frame: Partial<Frame> & { readonly from: Address; readonly to: Address } };

/** An event of a contract, encoded from its signature. */
export function event(address: Address, signature: string, args: readonly unknown[]): Step {
  const item = parseAbiItem(`event ${signature}`) as AbiEvent;
  const indexed = item.inputs.flatMap((input, i) => (input.indexed ? [args[i]] : []));
  const plain = item.inputs.flatMap((input, i) => (input.indexed ? [] : [{ input, value: args[i] }]));
  const topics = encodeEventTopics({ abi: [item], eventName: item.name, args: indexed as never }) as Hash[];
  return {
    log: {
      address,
      topics: topics.map((t) => t.toLowerCase() as Hash),
      data: encodeAbiParameters(
        plain.map((p) => p.input),
        plain.map((p) => p.value),
      ),
    },
  };
}

export const transfer = (token: Address, from: Address, to: Address, amount: bigint): Step =>
  event(token, 'Transfer(address indexed from, address indexed to, uint256 value)', [from, to, amount]);

export const nftTransfer = (token: Address, from: Address, to: Address, id: bigint): Step =>
  event(token, 'Transfer(address indexed from, address indexed to, uint256 indexed id)', [from, to, id]);

/** Wei sent along with an inner call. */
export const send = (from: Address, to: Address, value: bigint): Step => ({ frame: { from, to, value } });

export const v2Swap = (
  pool: Address,
  to: Address,
  amounts: readonly [bigint, bigint, bigint, bigint],
): Step =>
  event(
    pool,
    'Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
    [to, ...amounts, to],
  );

export const v3Swap = (pool: Address, to: Address, amount0: bigint, amount1: bigint): Step =>
  event(
    pool,
    'Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
    [to, to, amount0, amount1, 1n, 1n, 0],
  );

export interface TxOptions {
  readonly from?: Address;
  readonly to?: Address | null;
  readonly value?: bigint;
  readonly input?: Hex;
  /** Whether logs name the frame that emitted them, as one trace dialect does. */
  readonly framed?: boolean;
}

/** A transaction whose root call does the steps in order. */
export function transaction(steps: readonly Step[], options: TxOptions = {}): CanonicalTx {
  const { from = account(1), to = account(2), value = 0n, input = '0x', framed = false } = options;
  const frame = (index: number, seq: number, part: Partial<Frame>): Frame => ({
    index,
    parent: index === 0 ? null : 0,
    end: index + 1,
    path: index === 0 ? [] : [index - 1],
    type: 'CALL',
    from,
    to,
    context: part.to ?? to,
    value: 0n,
    input: '0x',
    output: '0x',
    selector: (part.input?.length ?? 0) >= 10 ? (part.input!.slice(0, 10) as Hex) : null,
    error: null,
    effective: true,
    static: false,
    seq,
    ...part,
  });
  const frames: Frame[] = [frame(0, 0, { value, input })];
  const logs: Log[] = [];
  steps.forEach((step, i) => {
    if ('frame' in step) frames.push(frame(frames.length, i + 1, step.frame));
    else
      logs.push({
        logIndex: logs.length,
        index: logs.length,
        ...step.log,
        frame: framed ? 0 : null,
        seq: i + 1,
      });
  });
  frames[0] = { ...frames[0]!, end: frames.length };
  return {
    hash: `0x${'1'.repeat(64)}`,
    dialect: framed ? 'call_tracer' : 'parity',
    blockNumber: 20_000_000n,
    blockHash: `0x${'2'.repeat(64)}`,
    type: 2,
    from,
    to,
    value,
    input,
    nonce: 0n,
    succeeded: true,
    createdContract: null,
    gasUsed: 21_000n,
    effectiveGasPrice: 1n,
    blobGasUsed: 0n,
    blobGasPrice: 0n,
    authorizations: [],
    frames,
    logs,
  };
}

export interface Analysed {
  readonly tx: CanonicalTx;
  readonly flow: ValueFlow;
  readonly primitives: readonly Primitive[];
}

export function analyse(steps: readonly Step[], options: TxOptions = {}): Analysed {
  const tx = transaction(steps, options);
  const flow = buildValueFlow(tx, rulebook);
  return { tx, flow, primitives: joinTriggers(findPrimitives(tx, flow, rulebook), tx, flow) };
}

/** Kind, venue and legs as `role amount asset`, the gist of a primitive. */
export function gist(primitive: Primitive): string {
  return `${primitive.kind} @${primitive.venue}: ${primitive.legs.map((l) => `${l.role} ${l.amount} ${l.asset.replace('eip155:1/', '')}`).join(', ')}`;
}

export const kinds = (list: readonly { readonly kind: string }[]): string[] => list.map((p) => p.kind);
