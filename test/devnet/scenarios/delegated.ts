import { encodePacked, hexToSignature, type Hex } from 'viem';
import { account, addressOf, type Person } from '../accounts.ts';
import { MAINNET, NATIVE } from '../addresses.ts';
import { fn } from '../chain.ts';
import type { Ctx, Scenario } from '../scenario.ts';
import { abiEncode } from '../deploy/accounts.ts';
import { ur } from './swaps.ts';

/** Signs an EIP-712 message and splits the signature. */
export async function typed(
  owner: Person,
  domain: object,
  primaryType: string,
  types: object,
  message: object,
): Promise<[v: number, r: Hex, s: Hex]> {
  const { v, r, s } = hexToSignature(
    await account(owner).signTypedData({ domain, primaryType, types, message } as never),
  );
  return [Number(v), r, s];
}
export const fields = (list: string) =>
  list.split(', ').map((field) => {
    const [type, name] = field.split(' ');
    return { name, type };
  });

/** An EIP-7702 authorization for the batch delegate. A sender that authorizes itself has spent one nonce by then. */
export async function authorize(
  c: Ctx,
  who: Person,
  ownTransaction = false,
  delegate = c.at('batchDelegate'),
) {
  const nonce = (await c.chain.nonce(who)) + (ownTransaction ? 1 : 0);
  return account(who).signAuthorization({ chainId: 1, address: delegate, nonce });
}

export const batch = (calls: unknown[][]): Hex => fn('execute((address,uint256,bytes)[])', [calls]);
const pay = (c: Ctx, asset: string, to: Person, amount: string) => [
  c.at(asset),
  0n,
  fn('transfer(address,uint256)', [addressOf(to), c.units(asset, amount)]),
];

export const delegated: Scenario[] = [
  {
    name: 'eip3009-relayed',
    title: "A relayer submits Grace's signed payment of 75 USDC",
    intent: 'TokenTransfer',
    expect: {
      signer: 'relayer',
      actor: 'grace',
      nets: [
        ['grace', 'USDC', '-75'],
        ['dave', 'USDC', '75'],
      ],
      motifs: ['transfer'],
    },
    async run(c) {
      const message = {
        from: addressOf('grace'),
        to: addressOf('dave'),
        value: c.units('USDC', '75'),
        validAfter: 0n,
        validBefore: 4_000_000_000n,
        nonce: `0x${'07'.repeat(32)}`,
      };
      const signature = await typed(
        'grace',
        { name: 'USD Coin', version: '1', chainId: 1, verifyingContract: MAINNET.usdc },
        'TransferWithAuthorization',
        {
          TransferWithAuthorization: fields(
            'address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce',
          ),
        },
        message,
      );
      return c.send('relayer', {
        to: MAINNET.usdc,
        data: fn(
          'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
          [...Object.values(message), ...signature],
        ),
      });
    },
  },
  {
    name: 'permit-relayed',
    title: "A relayer uses Heidi's permit: 500 DAI for Grace, 5 for itself",
    intent: 'TokenTransfer',
    expect: {
      signer: 'relayer',
      actor: 'heidi',
      nets: [
        ['heidi', 'DAI', '-505'],
        ['grace', 'DAI', '500'],
        ['relayer', 'DAI', '5'],
      ],
      motifs: ['transfer'],
    },
    async run(c) {
      const deadline = 4_000_000_000n;
      const message = {
        owner: addressOf('heidi'),
        spender: c.at('permitRelay'),
        value: c.units('DAI', '505'),
        nonce: 0n,
        deadline,
      };
      const signature = await typed(
        'heidi',
        { name: 'Dai Stablecoin', version: '1', chainId: 1, verifyingContract: MAINNET.dai },
        'Permit',
        { Permit: fields('address owner, address spender, uint256 value, uint256 nonce, uint256 deadline') },
        message,
      );
      return c.send('relayer', {
        to: c.at('permitRelay'),
        data: fn('pull(address,address,address,uint256,uint256,uint256,uint8,bytes32,bytes32)', [
          MAINNET.dai,
          addressOf('heidi'),
          addressOf('grace'),
          c.units('DAI', '500'),
          c.units('DAI', '5'),
          deadline,
          ...signature,
        ]),
      });
    },
  },
  {
    name: 'swap-permit2',
    title: 'Carol swaps 1,000 USDC for WETH, pulled by Permit2',
    intent: 'DirectSwap',
    expect: {
      signer: 'carol',
      actor: 'carol',
      nets: [
        ['carol', 'USDC', '-1000'],
        ['carol', 'WETH', '+'],
        ['v3UsdcWeth', 'USDC', '1000'],
      ],
      motifs: ['swap'],
    },
    setup: (c) => c.permit2('carol', 'USDC', 'universalRouter'),
    run: (c) =>
      c.send('carol', {
        to: MAINNET.universalRouter,
        data: ur(
          [0x00],
          [
            abiEncode(
              ['address', 'uint256', 'uint256', 'bytes', 'bool'],
              [
                addressOf('carol'),
                c.units('USDC', '1000'),
                0n,
                encodePacked(['address', 'uint24', 'address'], [c.at('USDC'), 500, c.at('WETH')]),
                true,
              ],
            ),
          ],
        ),
      }),
  },
  {
    name: 'delegation-only',
    title: 'Ivan delegates his account and does nothing else',
    intent: 'AccountDelegation',
    expect: { signer: 'ivan', actor: 'ivan', nets: [], motifs: ['delegation'] },
    async run(c) {
      const hash = await c.send('ivan', {
        to: addressOf('ivan'),
        authorizationList: [await authorize(c, 'ivan', true)],
        gas: 100_000n,
        data: fn('ping()'),
      });
      await c.chain.spendNonce('ivan');
      return hash;
    },
  },
  {
    name: 'delegation-revoked',
    title: 'Ivan takes the delegation back',
    intent: 'AccountDelegation',
    expect: { signer: 'ivan', actor: 'ivan', nets: [], motifs: ['delegation'] },
    async run(c) {
      const hash = await c.send('ivan', {
        to: addressOf('ivan'),
        authorizationList: [await authorize(c, 'ivan', true, NATIVE)],
        gas: 100_000n,
      });
      await c.chain.spendNonce('ivan');
      return hash;
    },
  },
  {
    name: '7702-self',
    title: 'Judy, delegated, pays twice in one transaction',
    intent: 'BatchTransfer',
    expect: {
      signer: 'judy',
      actor: 'judy',
      nets: [
        ['judy', 'USDC', '-11'],
        ['judy', 'DAI', '-12'],
        ['dave', 'USDC', '11'],
        ['erin', 'DAI', '12'],
      ],
      motifs: ['batch_transfer', 'delegation'],
    },
    async run(c) {
      const hash = await c.send('judy', {
        to: addressOf('judy'),
        authorizationList: [await authorize(c, 'judy', true)],
        data: batch([pay(c, 'USDC', 'dave', '11'), pay(c, 'DAI', 'erin', '12')]),
      });
      await c.chain.spendNonce('judy');
      return hash;
    },
  },
  {
    name: '7702-sponsored',
    title: "A relayer pays for Heidi's delegated payment",
    intent: 'TokenTransfer',
    expect: {
      signer: 'relayer',
      actor: 'heidi',
      nets: [
        ['heidi', 'USDC', '-21'],
        ['dave', 'USDC', '21'],
      ],
      motifs: ['transfer', 'delegation'],
    },
    async run(c) {
      const hash = await c.send('relayer', {
        to: addressOf('heidi'),
        authorizationList: [await authorize(c, 'heidi')],
        data: batch([pay(c, 'USDC', 'dave', '21')]),
      });
      await c.chain.spendNonce('heidi');
      return hash;
    },
  },
  {
    name: '7702-ordinary',
    title: 'The delegated account is called in an ordinary transaction',
    intent: 'TokenTransfer',
    expect: {
      signer: 'relayer',
      actor: 'heidi',
      nets: [
        ['heidi', 'DAI', '-22'],
        ['dave', 'DAI', '22'],
      ],
      motifs: ['transfer'],
    },
    run: (c) => c.send('relayer', { to: addressOf('heidi'), data: batch([pay(c, 'DAI', 'dave', '22')]) }),
  },
];
