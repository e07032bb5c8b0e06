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
import { examine } from '../../../src/analyze.ts';
import { account, blockHeader, rawContext, SIGNER, txOf, type Happening } from '../../support/builders.ts';
import type { CanonicalTx } from '../../../src/model/canonicalTx.ts';
import type { Address, Hash, Hex } from '../../../src/model/hex.ts';
import type { Primitive } from '../../../src/model/primitive.ts';
import type { Rulebook } from '../../../src/model/rulebook.ts';
import { readRuleset } from '../../../src/rules/compile/loadRulebook.ts';
import { buildValueFlow } from '../../../src/stages/3-flow/buildValueFlow.ts';
import { matchIntents } from '../../../src/stages/7-intent/matchIntents.ts';
import { labelFormat } from '../../../src/value/labelFormat.ts';
import type { Verdict } from '../../../src/model/intent.ts';
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
export const WETH: Address = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';

/** The code that accounts delegate to (EIP-7702). */
const DELEGATE = account('de');

/** What happens, in order: a log, or a call of the root's callee, with ether or calldata. */
export type Act = Happening;

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
  return { call: { from, to, value: amount } };
}

/** A contract that stands when the transaction ends. */
export function creates(from: Address, to: Address): Act {
  return { call: { from, to, value: 0n, type: 'CREATE2', input: '0x6080', output: '0x6080' } };
}

/** A call without value. */
export function calls(from: Address, to: Address, signature: string, values: readonly unknown[]): Act {
  const input = calldata([signature, values]);
  return { call: { from, to, value: 0n, input } };
}

/** Ether into the canonical wrapped-ether contract, or out of it. */
export function wraps(by: Address, amount: bigint): Act[] {
  return [pays(by, WETH, amount), says(WETH, 'Deposit(address indexed dst, uint256 wad)', [by, amount])];
}
export function unwraps(by: Address, amount: bigint): Act[] {
  return [says(WETH, 'Withdrawal(address indexed src, uint256 wad)', [by, amount]), pays(WETH, by, amount)];
}

export interface Scene {
  readonly to?: Address;
  /** Ether that the transaction carries. */
  readonly value?: bigint;
  /** Accounts whose EIP-7702 authorisations it carries. */
  readonly authorities?: readonly Address[];
  /** Call that the signer makes, e.g. `deposit(uint256)` with its values. */
  readonly call?: readonly [signature: string, values: readonly unknown[]];
  readonly acts: readonly Act[];
}

/** What the rules' shapes make of a scene: without approvals, plain transfers and hints of the lexicon. */
export function recognised(scene: Scene): Primitive[] {
  return withHints(scene).filter(({ tags }) => !tags.includes('named'));
}

/** What the rules make of a scene, the lexicon's hints included. */
export function withHints(scene: Scene): Primitive[] {
  const rulebook = shippedRules();
  const tx = staged(scene);
  const kinds = new Set(['transfer', 'approval', 'batch_transfer']);
  const flow = buildValueFlow(tx, rulebook);
  return findPrimitives(tx, flow, rulebook).filter((p) => !kinds.has(p.kind));
}

/** The verdict of the shipped rules over a scene, and whose act it is. */
export async function verdictOf(scene: Scene): Promise<Verdict & { readonly actor: Address | null }> {
  const rulebook = shippedRules();
  const examined = examine({ tx: staged(scene), header: blockHeader() }, rawContext(), rulebook);
  const format = labelFormat(examined.context.tokens, rulebook);
  const verdict = await matchIntents({ ...examined, rulebook }, format);
  return { ...verdict, actor: examined.attribution.actor };
}

function calldata([signature, values]: NonNullable<Scene['call']>): Hex {
  const item = parseAbiItem(`function ${signature}` as 'function f()') as unknown as AbiFunction;
  return encodeFunctionData({ abi: [item], args: values } as never) as Hex;
}

export function staged({ to = VENUE, value = 0n, call, acts, authorities = [] }: Scene): CanonicalTx {
  // The signer's takes effect: its nonce follows on the transaction's own.
  const nonceOf = (authority: Address) => (authority === USER ? 8n : 1n);
  const authorizations = authorities.map((authority) => ({
    address: DELEGATE,
    nonce: nonceOf(authority),
    authority,
  }));
  return txOf(acts, { to, value, input: call ? calldata(call) : '0x', authorizations });
}
