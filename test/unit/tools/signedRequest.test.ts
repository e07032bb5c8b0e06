// Signed transactions of every type, made by viem.
import { keccak256, serializeTransaction } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { readSigned } from '../../../src/tools/preview/readRequest.ts';

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const to = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2';
const base = { to, data: '0xd0e30db0', value: 5n, nonce: 7, gas: 100_000n, chainId: 1 } as const;
const fees = { maxFeePerGas: 10n, maxPriorityFeePerGas: 2n };

describe('a signed transaction', () => {
  it.each([
    ['legacy, before EIP-155', 0, { ...base, chainId: undefined, type: 'legacy', gasPrice: 9n }, 9n],
    ['legacy', 0, { ...base, type: 'legacy', gasPrice: 9n }, 9n],
    ['EIP-2930', 1, { ...base, type: 'eip2930', gasPrice: 9n, accessList: [] }, 9n],
    ['EIP-1559', 2, { ...base, ...fees, type: 'eip1559' }, 10n],
    [
      'EIP-4844',
      3,
      {
        ...base,
        ...fees,
        type: 'eip4844',
        maxFeePerBlobGas: 3n,
        blobVersionedHashes: [`0x01${'22'.repeat(31)}`],
      },
      10n,
    ],
  ] as const)('%s is read as it was signed', async (_, type, tx, fee) => {
    const raw = await account.signTransaction(tx as never);
    expect(await readSigned(raw)).toMatchObject({
      from: account.address.toLowerCase(),
      calls: [{ to: to.toLowerCase(), data: '0xd0e30db0', value: 5n }],
      gas: 100_000n,
      maxFeePerGas: fee,
      nonce: 7n,
      authorizationList: [],
      signed: { hash: keccak256(raw), type },
    });
  });

  it('EIP-7702 keeps its authorisations', async () => {
    const own = await account.signAuthorization({ chainId: 1, nonce: 8, contractAddress: to });
    const raw = await account.signTransaction({
      ...base,
      ...fees,
      type: 'eip7702',
      authorizationList: [own],
    } as never);
    const { authorizationList } = await readSigned(raw);
    expect(authorizationList).toEqual([
      {
        chainId: '0x1',
        address: to.toLowerCase(),
        nonce: '0x8',
        yParity: `0x${own.yParity}`,
        r: `0x${BigInt(own.r).toString(16)}`,
        s: `0x${BigInt(own.s).toString(16)}`,
      },
    ]);
  });

  it.each([
    ['unsigned', serializeTransaction({ ...base, ...fees, type: 'eip1559' }), /not signed/],
    ['of another chain', null, /another chain/],
    ['of no known type', '0x7f00', /no signed transaction/],
    ['cut off', '0x02f86b', /no signed transaction/],
  ])('%s is refused', async (_, raw, why) => {
    const text = raw ?? (await account.signTransaction({ ...base, ...fees, chainId: 10, type: 'eip1559' }));
    await expect(readSigned(text)).rejects.toThrow(why);
  });
});
