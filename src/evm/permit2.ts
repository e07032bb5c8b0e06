import { keccak256 } from 'ox/Hash';
import { concat } from 'ox/Hex';
import { grant, type Claim, type Reader, type SignedGrant } from './claim.ts';
import { digestsOf, packed, struct, type Field } from './signing.ts';
import type { Address, Hex } from '../model/hex.ts';

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

interface Details {
  readonly requestedAmount: bigint;
}

/** What a signature transfer takes: by its own field, never by what is allowed at most. */
const taken = ({ permitted }: TransferPermit, { requestedAmount }: Details): readonly SignedGrant[] => [
  grant(permitted.token, null, requestedAmount),
];
const takenOf = ({ permitted }: TransferBatch, details: readonly Details[]): readonly SignedGrant[] =>
  permitted.map(({ token }, i) => grant(token, null, details[i]?.requestedAmount ?? 0n));
const allowed = (
  { spender }: Pick<Allowance, 'spender'>,
  details: readonly Allowance['details'][],
): readonly SignedGrant[] => details.map(({ token, amount }) => grant(token, spender, amount));

function claimed(
  owner: unknown,
  digests: Claim['digests'],
  signature: unknown,
  grants: readonly SignedGrant[],
): Claim {
  return { owner: owner as Address, digests, signature: packed(signature), grants };
}

/** Signature transfers and permissions of Permit2, and how to read them. */
export const PERMIT2: readonly (readonly [signature: string, read: Reader])[] = [
  [
    `permitTransferFrom(${PERMITTED},${DETAILS},address owner,bytes signature)`,
    ([permitted, details, owner, signature], { from }, domains) => {
      const type = `PermitTransferFrom(${TRANSFER_FIELDS})${TOKEN_PERMISSIONS}`;
      const hash = signatureTransfer(permitted as TransferPermit, from, type, []);
      const grants = taken(permitted as TransferPermit, details as Details);
      return claimed(owner, digestsOf(domains, hash), signature, grants);
    },
  ],
  [
    `permitWitnessTransferFrom(${PERMITTED},${DETAILS},address owner,bytes32 witness,string ` +
      'typeString,bytes signature)',
    ([permitted, details, owner, witness, typeString, signature], { from }, domains) => {
      const type = `PermitWitnessTransferFrom(${TRANSFER_FIELDS},${typeString as string}`;
      const hash = signatureTransfer(permitted as TransferPermit, from, type, [['bytes32', witness]]);
      const grants = taken(permitted as TransferPermit, details as Details);
      return claimed(owner, digestsOf(domains, hash), signature, grants);
    },
  ],
  [
    'permit(address owner,((address token,uint160 amount,uint48 expiration,uint48 nonce) ' +
      'details,address spender,uint256 sigDeadline) permitSingle,bytes signature)',
    ([owner, allowance, signature], _, domains) => ({
      owner: owner as Address,
      digests: digestsOf(domains, allowanceHash(allowance as Allowance)),
      signature: packed(signature),
      grants: allowed(allowance as Allowance, [(allowance as Allowance).details]),
    }),
  ],
  [
    `permitTransferFrom(${PERMITTED_BATCH},${DETAILS_BATCH},address owner,bytes signature)`,
    ([permitted, details, owner, signature], { from }, domains) => {
      const type = `PermitBatchTransferFrom(${BATCH_FIELDS})${TOKEN_PERMISSIONS}`;
      const hash = transferBatch(permitted as TransferBatch, from, type, []);
      const grants = takenOf(permitted as TransferBatch, details as readonly Details[]);
      return claimed(owner, digestsOf(domains, hash), signature, grants);
    },
  ],
  [
    `permitWitnessTransferFrom(${PERMITTED_BATCH},${DETAILS_BATCH},address owner,bytes32 witness,string ` +
      'typeString,bytes signature)',
    ([permitted, details, owner, witness, typeString, signature], { from }, domains) => {
      const type = `PermitBatchWitnessTransferFrom(${BATCH_FIELDS},${typeString as string}`;
      const hash = transferBatch(permitted as TransferBatch, from, type, [['bytes32', witness]]);
      const grants = takenOf(permitted as TransferBatch, details as readonly Details[]);
      return claimed(owner, digestsOf(domains, hash), signature, grants);
    },
  ],
  [
    'permit(address owner,((address token,uint160 amount,uint48 expiration,uint48 nonce)[] ' +
      'details,address spender,uint256 sigDeadline) permitBatch,bytes signature)',
    ([owner, allowance, signature], _, domains) => ({
      owner: owner as Address,
      digests: digestsOf(domains, allowanceBatchHash(allowance as AllowanceBatch)),
      signature: packed(signature),
      grants: allowed(allowance as AllowanceBatch, (allowance as AllowanceBatch).details),
    }),
  ],
];
