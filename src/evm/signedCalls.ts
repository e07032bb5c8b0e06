import { struct } from './signing.ts';
import type { Address, Hex } from '../model/hex.ts';

const TOKEN = '(address token,uint256 amount)';
const ALLOWANCE = '(address token,uint160 amount,uint48 expiration,uint48 nonce)';

/** A signature transfer of one token or several (`[]`): takes by its own field, never all that is allowed. */
function transfer(list: '' | '[]', witness: string): SignedForm {
  const several = list === '' ? '' : 'Batch';
  const witnessed = witness === '' ? '' : 'Witness';
  const head =
    `Permit${several}${witnessed}TransferFrom(TokenPermissions${list} permitted,address spender,` +
    'uint256 nonce,uint256 deadline';
  const tail = `)TokenPermissions${TOKEN}`;
  return [
    `permit${witnessed}TransferFrom((${TOKEN}${list} permitted,uint256 nonce,uint256 deadline) permit,` +
      `(address to,uint256 requestedAmount)${list} transferDetails,address owner,${witness}bytes signature)`,
    ({ permit, transferDetails, owner, witness: word, typeString }, { from: spender }) => {
      const { permitted, nonce, deadline } = permit as Values;
      const value = { permitted, nonce, deadline, spender, witness: word };
      const hash = (): Hex =>
        witness === ''
          ? struct(head + tail, value)
          : struct(`${head},bytes32 witness${tail}`, value, `${head},${typeString as string}`);
      const taken = oneOrMore(transferDetails);
      const grants = oneOrMore(permitted).map(({ token }, i) =>
        grant(token, null, taken[i]?.['requestedAmount'] ?? 0n),
      );
      return { owner, hashes: () => [hash()], grants };
    },
  ];
}

/** Permission over one token or several (`[]`). */
function allowance(list: '' | '[]'): SignedForm {
  const several = list === '' ? 'Single' : 'Batch';
  const fields = `PermitDetails${list} details,address spender,uint256 sigDeadline`;
  const type = `Permit${several}(${fields})PermitDetails${ALLOWANCE}`;
  return [
    `permit(address owner,(${ALLOWANCE}${list} details,address spender,uint256 sigDeadline) permitted,` +
      'bytes signature)',
    ({ owner, permitted }) => {
      const { details, spender } = permitted as Values;
      const grants = oneOrMore(details).map(({ token, amount }) => grant(token, spender, amount));
      return { owner, hashes: () => [struct(type, permitted as Values)], grants };
    },
  ];
}

const WITNESS = 'bytes32 witness,string typeString,';

/** Signature transfers and permissions of Permit2, and how to read them. */
const PERMIT2: readonly SignedForm[] = (['', '[]'] as const).flatMap((list) => [
  transfer(list, ''),
  transfer(list, WITNESS),
  allowance(list),
]);

/** A call that may carry a signature. */
export interface SignedCall {
  readonly from: Address;
  readonly to: Address;
  readonly input: Hex;
}

/** The amount another may take by a signature; without a spender, the signed call itself takes it. */
export interface SignedGrant {
  readonly token: Address | null;
  readonly spender: Address | null;
  readonly amount: bigint;
}

/** A call's claim that `owner` signed one of the structs, and the grants in it. */
export interface SignedStruct {
  readonly owner: unknown;
  /** EIP-712 hashes of the structs; one was signed. */
  readonly hashes: () => Iterable<Hex>;
  readonly grants: readonly SignedGrant[];
  /** The call that a forwarder was signed to make. */
  readonly forwards?: { readonly to: Address; readonly data: Hex };
}

/** uint256 max: unlimited. */
export const ANY_AMOUNT = (1n << 256n) - 1n;

const low = (address: unknown): Address => (address as Address).toLowerCase() as Address;
const grant = (token: unknown, spender: unknown, amount: unknown): SignedGrant => ({
  token: low(token),
  spender: spender === null ? null : low(spender),
  amount: BigInt(amount as bigint),
});

/** Decoded arguments by name. */
export type Values = Readonly<Record<string, unknown>>;
const oneOrMore = (value: unknown): Values[] => [value].flat() as Values[];

/** A call's signature, and how to read its struct. The signature is `signature`, or `v`, `r` and `s`. */
export type SignedForm = readonly [call: string, read: (values: Values, call: SignedCall) => SignedStruct];

/** A nonce is often not in the calldata; most accounts sign for a contract a few times at most. */
const NONCES = [0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n];
/** Parameters of a signature in three words. */
const VRS = 'uint8 v,bytes32 r,bytes32 s';

/** EIP-2612. */
const PERMIT = 'address owner,address spender,uint256 value';
/** EIP-3009. */
const AUTHORIZATION =
  'address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce';
const STATED_NONCE = 'address holder,address spender,uint256 nonce,uint256 expiry,bool allowed';
/** ERC-2771, as forwarders of OpenZeppelin's library have it signed. */
const REQUEST = 'address from,address to,uint256 value,uint256 gas';

/** Calls that carry a signature, and how to read them. */
export const SIGNATURES: readonly SignedForm[] = [
  ...[VRS, 'bytes signature'].map(
    (signature): SignedForm => [
      `permit(${PERMIT},uint256 deadline,${signature})`,
      (values, { to }) => ({
        owner: values['owner'],
        hashes: () => overNonces(`Permit(${PERMIT},uint256 nonce,uint256 deadline)`, values),
        grants: [grant(to, values['spender'], values['value'])],
      }),
    ],
  ),
  [
    `permit(${STATED_NONCE},${VRS})`,
    (values, { to }) => ({
      owner: values['holder'],
      hashes: () => [struct(`Permit(${STATED_NONCE})`, values)],
      grants: [grant(to, values['spender'], values['allowed'] === true ? ANY_AMOUNT : 0n)],
    }),
  ],
  ...['Transfer', 'Receive'].flatMap((name) =>
    [VRS, 'bytes signature'].map(
      (signature): SignedForm => [
        `${name.toLowerCase()}WithAuthorization(${AUTHORIZATION},${signature})`,
        (values, { to }) => ({
          owner: values['from'],
          hashes: () => [struct(`${name}WithAuthorization(${AUTHORIZATION})`, values)],
          grants: [grant(to, null, values['value'])],
        }),
      ],
    ),
  ),
  ...PERMIT2,
];

/** Requests that forwarders execute for their authors, with the name of their domain. */
export const FORWARDED: readonly (readonly [...SignedForm, name: string])[] = [
  [
    `execute((${REQUEST},uint256 nonce,bytes data) req,bytes signature)`,
    ({ req }) =>
      forwarded(req as Values, () => [
        struct(`ForwardRequest(${REQUEST},uint256 nonce,bytes data)`, req as Values),
      ]),
    'MinimalForwarder',
  ],
  [
    `execute((${REQUEST},uint48 deadline,bytes data,bytes signature) request)`,
    ({ request }) => {
      const type = `ForwardRequest(${REQUEST},uint256 nonce,uint48 deadline,bytes data)`;
      return forwarded(request as Values, () => overNonces(type, request as Values));
    },
    'ERC2771Forwarder',
  ],
];

function forwarded({ from, to, data }: Values, hashes: SignedStruct['hashes']): SignedStruct {
  const forwards = { to: low(to), data: data as Hex };
  return { owner: from, hashes, grants: [], forwards };
}

function* overNonces(type: string, values: Values): Iterable<Hex> {
  for (const nonce of NONCES) yield struct(type, { ...values, nonce });
}
