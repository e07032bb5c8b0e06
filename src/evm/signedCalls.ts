import { ANY_AMOUNT, grant, type Claim, type Reader, type SignedCall, type Values } from './claim.ts';
import { PERMIT2 } from './permit2.ts';
import { digestsOf, packed, struct, vrs, type Field } from './signing.ts';
import type { Address, Hex } from '../model/hex.ts';

/** A nonce is often not in the calldata; most accounts sign for a contract a few times at most. */
export const NONCES_TRIED = 8n;

const PERMIT = 'Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)';

function permit(
  [owner, spender, value, deadline]: Values,
  { to }: SignedCall,
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
  const grants = [grant(to, spender as Address, value as bigint)];
  return { owner: owner as Address, digests: digestsOf(domains, ...hashes), grants };
}

/** EIP-3009. */
function authorization(
  name: string,
  values: Values,
  { to: token }: SignedCall,
  domains: readonly Hex[],
): Omit<Claim, 'signature'> {
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
  const grants = [grant(token, null, value as bigint)];
  return { owner: from as Address, digests: digestsOf(domains, hash), grants };
}

const AUTHORIZATION =
  'address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce';
const STATED_NONCE = 'Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)';

/** Calls that carry a signature, and how to read them. */
export const SIGNATURES: readonly (readonly [signature: string, read: Reader])[] = [
  [
    'permit(address owner,address spender,uint256 value,uint256 deadline,uint8 v,bytes32 r,bytes32 s)',
    (values, made, domains) => ({
      ...permit(values, made, domains),
      signature: vrs(values[4], values[5], values[6]),
    }),
  ],
  [
    'permit(address owner,address spender,uint256 value,uint256 deadline,bytes signature)',
    (values, made, domains) => ({ ...permit(values, made, domains), signature: packed(values[4]) }),
  ],
  [
    'permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed,uint8 ' +
      'v,bytes32 r,bytes32 s)',
    ([holder, spender, nonce, expiry, allowed, v, r, s], { to }, domains) => {
      const fields: Field[] = [
        ['address', holder],
        ['address', spender],
        ['uint256', nonce],
        ['uint256', expiry],
        ['bool', allowed],
      ];
      const digests = digestsOf(domains, struct(STATED_NONCE, fields));
      const grants = [grant(to, spender as Address, allowed === true ? ANY_AMOUNT : 0n)];
      return { owner: holder as Address, digests, signature: vrs(v, r, s), grants };
    },
  ],
  ...['TransferWithAuthorization', 'ReceiveWithAuthorization'].flatMap((name): [string, Reader][] => {
    const call = name[0]!.toLowerCase() + name.slice(1);
    return [
      [
        `${call}(${AUTHORIZATION},uint8 v,bytes32 r,bytes32 s)`,
        (values, made, domains) => ({
          ...authorization(name, values, made, domains),
          signature: vrs(values[6], values[7], values[8]),
        }),
      ],
      [
        `${call}(${AUTHORIZATION},bytes signature)`,
        (values, made, domains) => ({
          ...authorization(name, values, made, domains),
          signature: packed(values[6]),
        }),
      ],
    ];
  }),
  ...PERMIT2,
];
