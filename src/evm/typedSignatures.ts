import { secp256k1 } from '@noble/curves/secp256k1';
import {
  concat,
  decodeAbiParameters,
  encodeAbiParameters,
  keccak256,
  parseAbiItem,
  toFunctionSelector,
  toHex,
  type AbiFunction,
} from 'viem';
import type { Address, Hex } from '../model/hex.ts';

/** A call that may carry a signature. */
export interface SignedCall {
  readonly from: Address;
  readonly to: Address;
  readonly input: Hex;
}

/** A call's claim that `owner` signed one of the digests. */
interface Claim {
  readonly owner: Address;
  readonly digests: readonly Hex[];
  readonly signature: { readonly r: bigint; readonly s: bigint; readonly yParity: number } | null;
}

type Values = readonly unknown[];
type Reader = (values: Values, call: SignedCall, domains: readonly Hex[]) => Claim;

const CHAIN_ID = 1n;
/** A permit's nonce is not in its calldata; most accounts permit a token a few times at most. */
const NONCES_TRIED = 8n;

/**
 * Recovers the EIP-712 signer carried by a call, where it equals the account the call names. Null without a
 * signature, for an unknown domain, or for another signer. Reads permits (EIP-2612, also with a stated
 * nonce), transfers with authorisation (EIP-3009), and signature transfers of one token or a permission per
 * token. `names` are the domain names the contract may sign with.
 */
export function typedSigner(call: SignedCall, names: readonly string[]): Address | null {
  const entry = READERS.get(call.input.slice(0, 10));
  if (!entry) return null;
  try {
    const values = decodeAbiParameters(entry.abi.inputs, `0x${call.input.slice(10)}`);
    const domains = names.flatMap((name) => domainsOf(name, call.to));
    const { owner, digests, signature } = entry.read(values, call, domains);
    if (signature === null) return null;
    return digests.some((digest) => recover(digest, signature) === owner.toLowerCase())
      ? (owner.toLowerCase() as Address)
      : null;
  } catch {
    return null; // Calldata that does not decode as its selector promises.
  }
}

/** The calldata's first four bytes that `typedSigner` reads. */
export function carriesSignature(selector: Hex | null): boolean {
  return selector !== null && READERS.has(selector);
}

function recover(digest: Hex, { r, s, yParity }: NonNullable<Claim['signature']>): string | null {
  try {
    const key = new secp256k1.Signature(r, s).addRecoveryBit(yParity).recoverPublicKey(digest.slice(2));
    return `0x${keccak256(key.toRawBytes(false).subarray(1)).slice(26)}`;
  } catch {
    return null; // Not a point on the curve.
  }
}

/** EIP-712 domain separators with the versions in use, and without one. */
function domainsOf(name: string, verifyingContract: Address): Hex[] {
  const text = (value: string): Hex => keccak256(toHex(value));
  const tail = [
    ['uint256', CHAIN_ID],
    ['address', verifyingContract],
  ] as const;
  const withVersion = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)';
  const without = 'EIP712Domain(string name,uint256 chainId,address verifyingContract)';
  return [
    ...['1', '2'].map((version) =>
      struct(withVersion, [['bytes32', text(name)], ['bytes32', text(version)], ...tail]),
    ),
    struct(without, [['bytes32', text(name)], ...tail]),
  ];
}

type Field = readonly [type: string, value: unknown];

/** EIP-712 `hashStruct`. */
function struct(type: string, fields: readonly Field[]): Hex {
  return keccak256(
    encodeAbiParameters(
      [{ type: 'bytes32' }, ...fields.map(([fieldType]) => ({ type: fieldType }))],
      [keccak256(toHex(type)), ...fields.map(([, value]) => value)],
    ),
  );
}

function digestsOf(domains: readonly Hex[], ...hashes: readonly Hex[]): Hex[] {
  return hashes.flatMap((hash) => domains.map((domain) => keccak256(concat(['0x1901', domain, hash]))));
}

function vrs(v: unknown, r: unknown, s: unknown): Claim['signature'] {
  const yParity = Number(v) - 27;
  return yParity === 0 || yParity === 1 ? { r: BigInt(r as Hex), s: BigInt(s as Hex), yParity } : null;
}

/** 65 bytes, or 64 with the parity in the top bit (EIP-2098). */
function packed(bytes: unknown): Claim['signature'] {
  const digits = (bytes as Hex).slice(2);
  const [r, rest] = [`0x${digits.slice(0, 64)}`, digits.slice(64)];
  if (rest.length === 66) return vrs(parseInt(rest.slice(64), 16), r, `0x${rest.slice(0, 64)}`);
  if (rest.length !== 64) return null;
  const word = BigInt(`0x${rest}`);
  return { r: BigInt(r), s: word & ((1n << 255n) - 1n), yParity: Number(word >> 255n) };
}

const PERMIT = 'Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)';

function permit(
  [owner, spender, value, deadline]: Values,
  domains: readonly Hex[],
): Omit<Claim, 'signature'> {
  const hashes: Hex[] = [];
  for (let nonce = 0n; nonce < NONCES_TRIED; nonce++)
    hashes.push(
      struct(PERMIT, [
        ['address', owner],
        ['address', spender],
        ['uint256', value],
        ['uint256', nonce],
        ['uint256', deadline],
      ]),
    );
  return { owner: owner as Address, digests: digestsOf(domains, ...hashes) };
}

/** EIP-3009. */
function authorization(name: string, values: Values, domains: readonly Hex[]): Omit<Claim, 'signature'> {
  const [from, to, value, after, before, nonce] = values;
  const type =
    `${name}(address from,address to,uint256 value,uint256 validAfter,uint256 ` +
    'validBefore,bytes32 nonce)';
  const hash = struct(type, [
    ['address', from],
    ['address', to],
    ['uint256', value],
    ['uint256', after],
    ['uint256', before],
    ['bytes32', nonce],
  ]);
  return { owner: from as Address, digests: digestsOf(domains, hash) };
}

const TOKEN_PERMISSIONS = 'TokenPermissions(address token,uint256 amount)';

interface TransferPermit {
  readonly permitted: { readonly token: Address; readonly amount: bigint };
  readonly nonce: bigint;
  readonly deadline: bigint;
}

function signatureTransfer(
  { permitted, nonce, deadline }: TransferPermit,
  spender: Address,
  type: string,
  witness: readonly Field[],
): Hex {
  const tokens = struct(TOKEN_PERMISSIONS, [
    ['address', permitted.token],
    ['uint256', permitted.amount],
  ]);
  return struct(type, [
    ['bytes32', tokens],
    ['address', spender],
    ['uint256', nonce],
    ['uint256', deadline],
    ...witness,
  ]);
}

const TRANSFER_FIELDS = 'TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline';
const PERMITTED = '((address token,uint256 amount) permitted,uint256 nonce,uint256 deadline) permit';
const DETAILS = '(address to,uint256 requestedAmount) transferDetails';
const AUTHORIZATION =
  'address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce';
const STATED_NONCE = 'Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)';
const ALLOWANCE_DETAILS = 'PermitDetails(address token,uint160 amount,uint48 expiration,uint48 nonce)';
const SINGLE = 'PermitSingle(PermitDetails details,address spender,uint256 sigDeadline)';
const ALLOWANCE = `${SINGLE}${ALLOWANCE_DETAILS}`;

interface Allowance {
  readonly details: {
    readonly token: Address;
    readonly amount: bigint;
    readonly expiration: number;
    readonly nonce: number;
  };
  readonly spender: Address;
  readonly sigDeadline: bigint;
}

function allowanceHash({ details, spender, sigDeadline }: Allowance): Hex {
  const inner = struct(ALLOWANCE_DETAILS, [
    ['address', details.token],
    ['uint160', details.amount],
    ['uint48', details.expiration],
    ['uint48', details.nonce],
  ]);
  return struct(ALLOWANCE, [
    ['bytes32', inner],
    ['address', spender],
    ['uint256', sigDeadline],
  ]);
}

const SIGNATURES: readonly (readonly [signature: string, read: Reader])[] = [
  [
    'permit(address owner,address spender,uint256 value,uint256 deadline,uint8 v,bytes32 r,bytes32 s)',
    (values, _, domains) => ({ ...permit(values, domains), signature: vrs(values[4], values[5], values[6]) }),
  ],
  [
    'permit(address owner,address spender,uint256 value,uint256 deadline,bytes signature)',
    (values, _, domains) => ({ ...permit(values, domains), signature: packed(values[4]) }),
  ],
  [
    'permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed,uint8 ' +
      'v,bytes32 r,bytes32 s)',
    ([holder, spender, nonce, expiry, allowed, v, r, s], _, domains) => {
      const fields: Field[] = [
        ['address', holder],
        ['address', spender],
        ['uint256', nonce],
        ['uint256', expiry],
        ['bool', allowed],
      ];
      const digests = digestsOf(domains, struct(STATED_NONCE, fields));
      return { owner: holder as Address, digests, signature: vrs(v, r, s) };
    },
  ],
  ...['TransferWithAuthorization', 'ReceiveWithAuthorization'].flatMap((name): [string, Reader][] => {
    const call = name[0]!.toLowerCase() + name.slice(1);
    return [
      [
        `${call}(${AUTHORIZATION},uint8 v,bytes32 r,bytes32 s)`,
        (values, _, domains) => ({
          ...authorization(name, values, domains),
          signature: vrs(values[6], values[7], values[8]),
        }),
      ],
      [
        `${call}(${AUTHORIZATION},bytes signature)`,
        (values, _, domains) => ({ ...authorization(name, values, domains), signature: packed(values[6]) }),
      ],
    ];
  }),
  [
    `permitTransferFrom(${PERMITTED},${DETAILS},address owner,bytes signature)`,
    ([permitted, , owner, signature], { from }, domains) => {
      const type = `PermitTransferFrom(${TRANSFER_FIELDS})${TOKEN_PERMISSIONS}`;
      const hash = signatureTransfer(permitted as TransferPermit, from, type, []);
      return { owner: owner as Address, digests: digestsOf(domains, hash), signature: packed(signature) };
    },
  ],
  [
    `permitWitnessTransferFrom(${PERMITTED},${DETAILS},address owner,bytes32 witness,string ` +
      'typeString,bytes signature)',
    ([permitted, , owner, witness, typeString, signature], { from }, domains) => {
      const type = `PermitWitnessTransferFrom(${TRANSFER_FIELDS},${typeString as string}`;
      const hash = signatureTransfer(permitted as TransferPermit, from, type, [['bytes32', witness]]);
      return { owner: owner as Address, digests: digestsOf(domains, hash), signature: packed(signature) };
    },
  ],
  [
    'permit(address owner,((address token,uint160 amount,uint48 expiration,uint48 nonce) ' +
      'details,address spender,uint256 sigDeadline) permitSingle,bytes signature)',
    ([owner, allowance, signature], _, domains) => ({
      owner: owner as Address,
      digests: digestsOf(domains, allowanceHash(allowance as Allowance)),
      signature: packed(signature),
    }),
  ],
];

const READERS: ReadonlyMap<string, { readonly abi: AbiFunction; readonly read: Reader }> = new Map(
  SIGNATURES.map(([signature, read]) => {
    const abi = parseAbiItem(`function ${signature}` as 'function f()') as AbiFunction;
    return [toFunctionSelector(abi), { abi, read }];
  }),
);
