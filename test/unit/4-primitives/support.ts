import { join } from 'node:path';
import { encodeAbiParameters, encodeEventTopics, pad, parseAbiItem, toHex, type AbiEvent } from 'viem';
import { loadRulebook } from '../../../src/rules/compile/loadRulebook.ts';
import { buildValueFlow } from '../../../src/stages/3-flow/buildValueFlow.ts';
import { findPrimitives } from '../../../src/stages/4-primitives/findPrimitives.ts';
import { txOf } from '../../support/builders.ts';
import type { CanonicalTx, Frame } from '../../../src/model/canonicalTx.ts';
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

/** The payer's own call of the token; the logs that follow are its own, up to the next call. */
export const asks = (token: Address, from: Address, to: Address, amount: bigint): Step => ({
  frame: {
    from,
    to: token,
    input: `0xa9059cbb${pad(to, { size: 32 }).slice(2)}${toHex(amount, { size: 32 }).slice(2)}`,
  },
});

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
  const { framed = false, ...over } = options;
  return txOf(
    steps.map((step) => ('frame' in step ? { call: step.frame } : step)),
    {
      from: account(1),
      to: account(2),
      dialect: framed ? 'call_tracer' : 'parity',
      gasUsed: 21_000n,
      effectiveGasPrice: 1n,
      logs: { frame: framed ? 0 : null },
      ...over,
    },
  );
}

export interface Analysed {
  readonly tx: CanonicalTx;
  readonly flow: ValueFlow;
  readonly primitives: readonly Primitive[];
}

export function analyse(steps: readonly Step[], options: TxOptions = {}): Analysed {
  const tx = transaction(steps, options);
  const flow = buildValueFlow(tx, rulebook);
  return { tx, flow, primitives: findPrimitives(tx, flow, rulebook) };
}

/** Kind, venue and legs as `role amount asset`, the gist of a primitive. */
export function gist(primitive: Primitive): string {
  return `${primitive.kind} @${primitive.venue}: ${primitive.legs.map((l) => `${l.role} ${l.amount} ${l.asset.replace('eip155:1/', '')}`).join(', ')}`;
}

export const kinds = (list: readonly { readonly kind: string }[]): string[] => list.map((p) => p.kind);
