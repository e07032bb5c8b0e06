import { describe, expect, it } from 'vitest';
import { encodeFunctionData, parseAbi, parseSignature, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { carriesSignature, typedSigner } from '../../../src/evm/typedSignatures.ts';
import type { Address } from '../../../src/model/hex.ts';

const owner = privateKeyToAccount(`0x${'42'.repeat(32)}`);
const OWNER = owner.address.toLowerCase() as Address;
const [TOKEN, SPENDER, CALLER]: Address[] = ['a1', 'b2', 'c3'].map((b): Address => `0x${b.repeat(20)}`);
const UNTIL = 2_000_000_000n;

const permitAbi = parseAbi(['function permit(address,address,uint256,uint256,uint8,bytes32,bytes32)']);

async function permit(nonce: bigint, version = '1', value = 7n): Promise<Hex> {
  const field = (name: string, type: string) => ({ name, type });
  const signature = await owner.signTypedData({
    domain: { name: 'Token', version, chainId: 1, verifyingContract: TOKEN! },
    types: {
      Permit: [
        field('owner', 'address'),
        field('spender', 'address'),
        ...['value', 'nonce', 'deadline'].map((name) => field(name, 'uint256')),
      ],
    },
    primaryType: 'Permit',
    message: { owner: owner.address, spender: SPENDER!, value, nonce, deadline: UNTIL },
  });
  const { r, s, yParity } = parseSignature(signature);
  const args = [owner.address, SPENDER!, 7n, UNTIL, 27 + yParity, r, s] as const;
  return encodeFunctionData({ abi: permitAbi, args });
}

const signerOf = (input: Hex, names = ['Token'], to = TOKEN!) =>
  typedSigner({ from: CALLER!, to, input }, names);

describe('typedSigner', () => {
  it('recovers who signed a permit, with either version and one of the first nonces', async () => {
    expect(signerOf(await permit(0n))).toBe(OWNER);
    expect(signerOf(await permit(7n, '2'))).toBe(OWNER);
    expect(signerOf(await permit(8n))).toBeNull();
  });

  it('takes no signature over another amount, name or contract', async () => {
    expect(signerOf(await permit(0n, '1', 8n))).toBeNull();
    expect(signerOf(await permit(0n), ['Other'])).toBeNull();
    expect(signerOf(await permit(0n), ['Token'], SPENDER)).toBeNull();
    expect(signerOf(await permit(0n), [])).toBeNull();
  });

  it('recovers a signature transfer: the spender that calls is part of what was signed', async () => {
    const permitted = { token: SPENDER!, amount: 5n };
    const signature = await owner.signTypedData({
      domain: { name: 'Permits', chainId: 1, verifyingContract: TOKEN! },
      types: {
        TokenPermissions: [
          { name: 'token', type: 'address' },
          { name: 'amount', type: 'uint256' },
        ],
        PermitTransferFrom: [
          { name: 'permitted', type: 'TokenPermissions' },
          { name: 'spender', type: 'address' },
          { name: 'nonce', type: 'uint256' },
          { name: 'deadline', type: 'uint256' },
        ],
      },
      primaryType: 'PermitTransferFrom',
      message: { permitted, spender: CALLER!, nonce: 9n, deadline: UNTIL },
    });
    const input = encodeFunctionData({
      abi: parseAbi([
        'function permitTransferFrom(((address token,uint256 amount) permitted,uint256 nonce,uint256 deadline) permit,(address to,uint256 requestedAmount) details,address owner,bytes signature)',
      ]),
      args: [
        { permitted, nonce: 9n, deadline: UNTIL },
        { to: CALLER!, requestedAmount: 5n },
        owner.address,
        signature,
      ],
    });
    expect(typedSigner({ from: CALLER!, to: TOKEN!, input }, ['Permits'])).toBe(OWNER);
    expect(typedSigner({ from: SPENDER!, to: TOKEN!, input }, ['Permits'])).toBeNull();
  });

  it('reads only what carries a signature, and no calldata that is cut short', () => {
    expect(carriesSignature('0xd505accf')).toBe(true);
    expect(carriesSignature('0xa9059cbb')).toBe(false);
    expect(signerOf('0xd505accf1234')).toBeNull();
  });
});
