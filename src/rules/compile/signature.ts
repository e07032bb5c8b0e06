import * as AbiEvent from 'ox/AbiEvent';
import * as AbiFunction from 'ox/AbiFunction';
import * as AbiItem from 'ox/AbiItem';
import type { Parameter as AbiParameter } from 'ox/AbiParameters';
import { memoize } from '../../lib/memo.ts';
import type { Hash, Hex, Address } from '../../model/hex.ts';
import type { ParamSpec } from '../../model/rulebook.ts';
import type { ProblemCode } from '../read/problems.ts';
import { checksumAddress } from '../../evm/address.ts';
import { headSize, parseAbiType } from '../../evm/readArgument.ts';

export type SignatureKind = 'event' | 'function' | 'error';

export interface ParsedSignature {
  readonly name: string;
  /** `Name(type,type)`, the text that is hashed. */
  readonly canonical: string;
  /** topic0 of an event, else the 4-byte selector. */
  readonly id: Hash | Hex;
  /** Topics of the event's logs, topic0 included; 0 for functions and errors. */
  readonly topicCount: number;
  readonly params: readonly ParamSpec[];
  /** ABI types of `params`, in the same order. */
  readonly inputs: readonly AbiParameter[];
}

type Input = AbiParameter & { indexed?: boolean };

/** The first name that occurs twice, or null. */
export function repeated(names: readonly string[]): string | null {
  return names.find((name, i) => names.indexOf(name) !== i) ?? null;
}

/** More than any block's gas could pay for. */
const MAX_HEAD_BYTES = 1 << 20;

export interface SignatureFault {
  readonly code: ProblemCode;
  readonly message: string;
}

export function isFault(result: object): result is SignatureFault {
  return 'code' in result;
}

/** Canonical ABI type: tuples are written `(…)`, as in the hashed signature. */
function canonicalType(param: AbiParameter): string {
  if (!param.type.startsWith('tuple')) return param.type;
  const components = 'components' in param ? (param.components as readonly AbiParameter[]) : [];
  return `(${components.map(canonicalType).join(',')})${param.type.slice('tuple'.length)}`;
}

/** A topic holds only the hash of a value longer than a word. */
export function isUnreadable(param: AbiParameter, indexed: boolean): boolean {
  return indexed && /^(?:string|bytes|tuple)$|\]$/.test(param.type);
}

/** The signature in a Solidity declaration: `event E(address a);`, `function f(uint256 x) external`. */
function pasted(kind: SignatureKind, text: string): string {
  const [, declared = text] = new RegExp(`^\\s*${kind}\\s+(.*)$`, 's').exec(text) ?? [];
  return declared.trim().replace(/\s*;$/, '');
}

/**
 * Compiles a human-readable signature such as `Transfer(address indexed from, address indexed to, uint256
 * value)`; `returns` values count among the parameters. Returns a fault for text Solidity would refuse;
 * never throws.
 */
export function parseSignature(kind: SignatureKind | 'call', text: string): ParsedSignature | SignatureFault {
  return parsed(`${kind === 'call' ? 'function' : kind} ${text}`);
}

/** Signatures are parsed by the compiler, the lint and, in editors, with every change of a file. */
const parsed = memoize((key: string) => {
  const kind = key.slice(0, key.indexOf(' ')) as SignatureKind;
  return parse(kind, key.slice(kind.length + 1));
}, 8_000);

/** The first line of the parser's message. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unreadable';
  return ((error as { shortMessage?: string }).shortMessage ?? error.message).split('\n')[0]!;
}

interface AbiEntry {
  readonly type: string;
  readonly name: string;
  readonly inputs: readonly Input[];
  readonly outputs?: readonly AbiParameter[];
}

const bad = (message: string): SignatureFault => ({ code: 'bad_signature', message });

function parse(kind: SignatureKind, text: string): ParsedSignature | SignatureFault {
  let entry: AbiEntry;
  try {
    const written = `${kind} ${pasted(kind, text)}` as 'event E()';
    entry = AbiItem.from(written, { prepare: false }) as unknown as AbiEntry;
  } catch (error) {
    return bad(`${text.slice(0, 120)}: ${reasonOf(error)}`);
  }
  const { type, name, inputs, outputs = [] } = entry;
  if (type !== kind) return bad(`${text.slice(0, 120)}: not a signature of a ${kind}`);
  if (kind === 'function' && /^(?:fallback|receive|constructor)$/.test(name))
    return bad(`${name} has no selector: no call carries it`);
  const all = [...inputs, ...outputs];
  const odd = all.find((p) => /^function|\[0\]/.test(p.type));
  if (odd) return bad(`type ${odd.type} is not supported`);
  const named = all.map((p, i) => p.name || (i < inputs.length ? `arg${i}` : `return${i - inputs.length}`));
  const twice = repeated(named);
  if (twice !== null) return { code: 'duplicate_param', message: `parameter ${twice}` };
  const indexedCount = inputs.filter((p) => p.indexed).length;
  if (indexedCount > 3) return { code: 'too_many_indexed', message: `${indexedCount} indexed parameters` };

  let topic = 0;
  const heads = { input: 0, output: 0 };
  const params = all.map((p: Input, i): ParamSpec => {
    const side = i < inputs.length ? 'input' : 'output';
    const indexed = p.indexed === true;
    const type = canonicalType(p);
    const offset = indexed ? (topic += 1) : heads[side];
    if (!indexed) heads[side] += headSize(parseAbiType(type)!);
    const at = side === 'output' ? { at: 'output' as const } : {};
    return { name: named[i]!, type, indexed, offset, ...at };
  });
  if (Math.max(heads.input, heads.output) > MAX_HEAD_BYTES)
    return bad('the fixed-size parameters take more room than any log or call has');
  const canonical = `${name}(${inputs.map(canonicalType).join(',')})`;
  const id = kind === 'event' ? AbiEvent.getSelector(canonical) : AbiFunction.getSelector(canonical);
  return { name, canonical, id, topicCount: kind === 'event' ? indexedCount + 1 : 0, params, inputs: all };
}

/**
 * Reads an address of a rule file. Mixed case must be the EIP-55 checksum, which catches a mistyped digit;
 * all-lower-case text has no checksum and is refused.
 */
export function checkAddress(text: string): { readonly address: Address } | SignatureFault {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return { code: 'bad_address', message: text.slice(0, 80) };
  const address = text.toLowerCase() as Address;
  const checksum = checksumAddress(address);
  return checksum === text
    ? { address }
    : { code: 'bad_checksum', message: `${text}: copy the address again from a source that you trust` };
}
