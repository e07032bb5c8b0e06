import { ANY_AMOUNT, grant, type SignedStruct, type SignedForm, type Values } from './signedStruct.ts';
import { PERMIT2 } from './permit2.ts';
import { struct } from './signing.ts';
import type { Address, Hex } from '../model/hex.ts';

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
  return {
    owner: from,
    hashes,
    grants: [],
    forwards: { to: (to as Address).toLowerCase() as Address, data: data as Hex },
  };
}

function* overNonces(type: string, values: Values): Iterable<Hex> {
  for (const nonce of NONCES) yield struct(type, { ...values, nonce });
}
