import { keccak256 } from 'ox/Hash';
import { concat } from 'ox/Hex';
import { digestsOf, packed, struct, vrs, type Field, type Signature } from './signing.ts';
import type { Address, Hex } from '../model/hex.ts';

/** A call that may carry a signature. */
export interface SignedCall {
  readonly from: Address;
  readonly to: Address;
  readonly input: Hex;
}

/** A call's claim that `owner` signed one of the digests. */
export interface Claim {
  readonly owner: Address;
  readonly digests: readonly Hex[];
  readonly signature: Signature | null;
}

type Values = readonly unknown[];
export type Reader = (values: Values, call: SignedCall, domains: readonly Hex[]) => Claim;

/** A nonce is often not in the calldata; most accounts sign for a contract a few times at most. */
export const NONCES_TRIED = 8n;

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

const SEVERAL = 'PermitBatch(PermitDetails[] details,address spender,uint256 sigDeadline)';
const ALLOWANCE_BATCH = `${SEVERAL}${ALLOWANCE_DETAILS}`;
const BATCH_FIELDS = 'TokenPermissions[] permitted,address spender,uint256 nonce,uint256 deadline';
const PERMITTED_BATCH = '((address token,uint256 amount)[] permitted,uint256 nonce,uint256 deadline) permit';
const DETAILS_BATCH = '(address to,uint256 requestedAmount)[] transferDetails';

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

const detailsHash = ({ token, amount, expiration, nonce }: Allowance['details']): Hex =>
  struct(ALLOWANCE_DETAILS, [
    ['address', token],
    ['uint160', amount],
    ['uint48', expiration],
    ['uint48', nonce],
  ]);

function allowanceHash({ details, spender, sigDeadline }: Allowance): Hex {
  return struct(ALLOWANCE, [
    ['bytes32', detailsHash(details)],
    ['address', spender],
    ['uint256', sigDeadline],
  ]);
}

interface AllowanceBatch extends Omit<Allowance, 'details'> {
  readonly details: readonly Allowance['details'][];
}

/** An array's hash is that of its elements' hashes one after the other. */
const listHash = (hashes: readonly Hex[]): Field => ['bytes32', keccak256(concat(...hashes))];

function allowanceBatchHash({ details, spender, sigDeadline }: AllowanceBatch): Hex {
  return struct(ALLOWANCE_BATCH, [
    listHash(details.map(detailsHash)),
    ['address', spender],
    ['uint256', sigDeadline],
  ]);
}

interface TransferBatch {
  readonly permitted: readonly TransferPermit['permitted'][];
  readonly nonce: bigint;
  readonly deadline: bigint;
}

function transferBatch(
  { permitted, nonce, deadline }: TransferBatch,
  spender: Address,
  type: string,
  witness: readonly Field[],
): Hex {
  const tokens = permitted.map(({ token, amount }) =>
    struct(TOKEN_PERMISSIONS, [
      ['address', token],
      ['uint256', amount],
    ]),
  );
  return struct(type, [
    listHash(tokens),
    ['address', spender],
    ['uint256', nonce],
    ['uint256', deadline],
    ...witness,
  ]);
}

/** Calls that carry a signature, and how to read them. */
export const SIGNATURES: readonly (readonly [signature: string, read: Reader])[] = [
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
  [
    `permitTransferFrom(${PERMITTED_BATCH},${DETAILS_BATCH},address owner,bytes signature)`,
    ([permitted, , owner, signature], { from }, domains) => {
      const type = `PermitBatchTransferFrom(${BATCH_FIELDS})${TOKEN_PERMISSIONS}`;
      const hash = transferBatch(permitted as TransferBatch, from, type, []);
      return { owner: owner as Address, digests: digestsOf(domains, hash), signature: packed(signature) };
    },
  ],
  [
    `permitWitnessTransferFrom(${PERMITTED_BATCH},${DETAILS_BATCH},address owner,bytes32 witness,string ` +
      'typeString,bytes signature)',
    ([permitted, , owner, witness, typeString, signature], { from }, domains) => {
      const type = `PermitBatchWitnessTransferFrom(${BATCH_FIELDS},${typeString as string}`;
      const hash = transferBatch(permitted as TransferBatch, from, type, [['bytes32', witness]]);
      return { owner: owner as Address, digests: digestsOf(domains, hash), signature: packed(signature) };
    },
  ],
  [
    'permit(address owner,((address token,uint160 amount,uint48 expiration,uint48 nonce)[] ' +
      'details,address spender,uint256 sigDeadline) permitBatch,bytes signature)',
    ([owner, allowance, signature], _, domains) => ({
      owner: owner as Address,
      digests: digestsOf(domains, allowanceBatchHash(allowance as AllowanceBatch)),
      signature: packed(signature),
    }),
  ],
];
