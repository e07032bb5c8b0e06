// A small stage on which contracts speak: logs encoded as a node would hand them over, read by the real rules.
import { join } from 'node:path';
import {
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  parseAbiItem,
  type AbiEvent,
  type AbiFunction,
  type AbiParameter,
} from 'viem';
import { account, canonicalTx, frame, log, SIGNER } from '../../support/builders.ts';
import type { CanonicalTx, Frame, Log } from '../../../src/model/canonicalTx.ts';
import type { Address, Hash, Hex } from '../../../src/model/hex.ts';
import type { Primitive } from '../../../src/model/primitive.ts';
import type { Rulebook } from '../../../src/model/rulebook.ts';
import { readRuleset } from '../../../src/rules/compile/loadRulebook.ts';
import { buildValueFlow } from '../../../src/stages/3-flow/buildValueFlow.ts';
import { findPrimitives } from '../../../src/stages/4-primitives/findPrimitives.ts';

export const RULES = join(import.meta.dirname, '../../../rules');
export const ruleset = readRuleset([RULES]);

/** The shipped rules; throws with all their problems where they do not load. */
export function shippedRules(): Rulebook {
  if (ruleset.rulebook === null)
    throw new Error(ruleset.problems.map((p) => `${p.file}:${p.line} ${p.code} ${p.message}`).join('\n'));
  return ruleset.rulebook;
}

export const USER = SIGNER;
export const OTHER = account('d7');
export const VENUE = account('c0');
export const TOKEN = account('70');
export const REWARD = account('71');
export const ZERO: Address = `0x${'0'.repeat(40)}`;

/** What happens, in order: a log, or ether sent along a call. */
export type Act =
  | { readonly log: Pick<Log, 'address' | 'topics' | 'data'> }
  | { readonly ether: { readonly from: Address; readonly to: Address; readonly amount: bigint } };

/** A log of `signature` at `at`; values in the order of the parameters. */
export function says(at: Address, signature: string, values: readonly unknown[]): Act {
  const item = parseAbiItem(`event ${signature}` as 'event E()') as unknown as AbiEvent;
  const inputs = item.inputs as readonly (AbiParameter & { indexed?: boolean })[];
  const args = inputs.filter((p) => p.indexed).map((p) => values[inputs.indexOf(p)]);
  const topics = [...encodeEventTopics({ abi: [item], args } as never)] as Hash[];
  const rest = inputs.filter((p) => !p.indexed);
  const data =
    rest.length === 0
      ? '0x'
      : (encodeAbiParameters(
          rest,
          rest.map((p) => values[inputs.indexOf(p)]),
        ) as Hex);
  return { log: { address: at, topics, data } };
}

export function moves(token: Address, from: Address, to: Address, amount: bigint): Act {
  return says(token, 'Transfer(address indexed from, address indexed to, uint256 value)', [from, to, amount]);
}

export function movesNft(token: Address, from: Address, to: Address, id: bigint): Act {
  return says(token, 'Transfer(address indexed from, address indexed to, uint256 indexed tokenId)', [
    from,
    to,
    id,
  ]);
}

export function pays(from: Address, to: Address, amount: bigint): Act {
  return { ether: { from, to, amount } };
}

export interface Scene {
  readonly to?: Address;
  /** Call that the signer makes, e.g. `deposit(uint256)` with its values. */
  readonly call?: readonly [signature: string, values: readonly unknown[]];
  readonly acts: readonly Act[];
}

/** What the rules' shapes make of a scene: without approvals, plain transfers and hints of the lexicon. */
export function recognised(scene: Scene): Primitive[] {
  return withHints(scene).filter(({ tags }) => !tags.includes('named'));
}

/** What the rules make of a scene, the lexicon's hints included. */
export function withHints({ to = VENUE, call, acts }: Scene): Primitive[] {
  const rulebook = shippedRules();
  const tx = staged(to, call, acts);
  const kinds = new Set(['transfer', 'approval', 'batch_transfer']);
  return findPrimitives(tx, buildValueFlow(tx, rulebook), rulebook).filter((p) => !kinds.has(p.kind));
}

function staged(to: Address, call: Scene['call'], acts: readonly Act[]): CanonicalTx {
  const input = call
    ? (encodeFunctionData({
        abi: [parseAbiItem(`function ${call[0]}` as 'function f()') as unknown as AbiFunction],
        args: call[1],
      } as never) as Hex)
    : '0x';
  const frames: Frame[] = [
    frame({ to, context: to, input, selector: call ? (input.slice(0, 10) as Hex) : null, end: 1 }),
  ];
  const logs: Log[] = [];
  acts.forEach((act, i) => {
    const seq = i + 1;
    if ('ether' in act) {
      const index = frames.length;
      frames.push(
        frame({
          index,
          parent: 0,
          end: index + 1,
          path: [index - 1],
          from: act.ether.from,
          to: act.ether.to,
          context: act.ether.to,
          value: act.ether.amount,
          seq,
        }),
      );
    } else logs.push(log({ ...act.log, logIndex: logs.length, index: logs.length, frame: 0, seq }));
  });
  frames[0] = { ...frames[0]!, end: frames.length };
  return canonicalTx({ to, input, frames, logs });
}
