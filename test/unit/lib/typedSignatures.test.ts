import { describe, expect, it } from 'vitest';
import { encodeFunctionData, parseAbi, parseSignature, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { SignedCall } from '../../../src/evm/signedCalls.ts';
import { carriesSignature, readSignedCall } from '../../../src/evm/typedSignatures.ts';
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

const accountOf = (made: SignedCall, names: readonly string[], budget = { left: 16, cut: false }) => {
  const read = readSignedCall(made, names, budget);
  return read?.isSigned() === true ? read.account : null;
};

const signerOf = (input: Hex, names = ['Token'], to = TOKEN!) =>
  accountOf({ from: CALLER!, to, input }, names);

describe('readSignedCall', () => {
  it('recovers who signed a permit, with either version and one of the first nonces', async () => {
    expect(signerOf(await permit(0n))).toBe(OWNER);
    expect(signerOf(await permit(7n, '2'))).toBe(OWNER);
    expect(signerOf(await permit(8n))).toBeNull();
  });

  it('recovers at most as many signatures as it is allowed, and says that more came', async () => {
    const budget = { left: 16, cut: false };
    const wrong = await permit(99n);
    // One name: two usual versions times eight nonces are all there is; the next form is one too many.
    expect(accountOf({ from: CALLER!, to: TOKEN!, input: wrong }, ['Token', 'Other'], budget)).toBeNull();
    expect(budget).toMatchObject({ left: 0, cut: true });
    const right = await permit(0n);
    expect(accountOf({ from: CALLER!, to: TOKEN!, input: right }, ['Token'], budget)).toBeNull();
  });

  it('recovers nothing until it is asked, and once then', async () => {
    const budget = { left: 16, cut: false };
    const read = readSignedCall({ from: CALLER!, to: TOKEN!, input: await permit(0n) }, ['Token'], budget)!;
    expect([read.account, budget.left]).toEqual([OWNER, 16]);
    expect([read.isSigned(), read.isSigned(), budget.left]).toEqual([true, true, 15]);
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
    expect(accountOf({ from: CALLER!, to: TOKEN!, input }, ['Permits'])).toBe(OWNER);
    expect(accountOf({ from: SPENDER!, to: TOKEN!, input }, ['Permits'])).toBeNull();
  });

  const word = (name: string, type = 'uint256') => ({ name, type });
  const tokenPermissions = [word('token', 'address'), word('amount')];
  const several = [
    { token: SPENDER!, amount: 5n },
    { token: CALLER!, amount: 6n },
  ];

  it('recovers a signature transfer of several tokens, with a witness and without', async () => {
    const fields = [
      word('permitted', 'TokenPermissions[]'),
      word('spender', 'address'),
      word('nonce'),
      word('deadline'),
    ];
    const domain = { name: 'Permits', chainId: 1, verifyingContract: TOKEN! };
    const message = { permitted: several, spender: CALLER!, nonce: 9n, deadline: UNTIL };
    const plain = await owner.signTypedData({
      domain,
      types: { TokenPermissions: tokenPermissions, PermitBatchTransferFrom: fields },
      primaryType: 'PermitBatchTransferFrom',
      message,
    });
    const witness: Hex = `0x${'07'.repeat(32)}`;
    const witnessed = await owner.signTypedData({
      domain,
      types: {
        TokenPermissions: tokenPermissions,
        PermitBatchWitnessTransferFrom: [...fields, word('witness', 'bytes32')],
      },
      primaryType: 'PermitBatchWitnessTransferFrom',
      message: { ...message, witness },
    });
    const batch = '((address token,uint256 amount)[] permitted,uint256 nonce,uint256 deadline) permit';
    const details = '(address to,uint256 requestedAmount)[] details';
    const permit = { permitted: several, nonce: 9n, deadline: UNTIL };
    const to = several.map(({ amount }) => ({ to: CALLER!, requestedAmount: amount }));
    const call = (signature: Hex, permitted = permit) =>
      encodeFunctionData({
        abi: parseAbi([`function permitTransferFrom(${batch},${details},address owner,bytes signature)`]),
        args: [permitted, to, owner.address, signature],
      } as never);
    const withWitness = encodeFunctionData({
      abi: parseAbi([
        `function permitWitnessTransferFrom(${batch},${details},address owner,bytes32 witness,string typeString,bytes signature)`,
      ]),
      args: [
        permit,
        to,
        owner.address,
        witness,
        'bytes32 witness)TokenPermissions(address token,uint256 amount)',
        witnessed,
      ],
    } as never);
    expect(signerOf(call(plain), ['Permits'])).toBe(OWNER);
    expect(signerOf(withWitness, ['Permits'])).toBe(OWNER);
    // Another amount, another order, another caller, the signature of the other form: none was signed.
    const other = { ...permit, permitted: [several[0]!, { ...several[1]!, amount: 7n }] };
    expect(signerOf(call(plain, other), ['Permits'])).toBeNull();
    expect(signerOf(call(plain, { ...permit, permitted: [...several].reverse() }), ['Permits'])).toBeNull();
    expect(accountOf({ from: SPENDER!, to: TOKEN!, input: call(plain) }, ['Permits'])).toBeNull();
    expect(signerOf(call(witnessed), ['Permits'])).toBeNull();
  });

  it('recovers a permission for several tokens', async () => {
    const details = several.map(({ token, amount }) => ({ token, amount, expiration: 99, nonce: 1 }));
    const batch = { details, spender: CALLER!, sigDeadline: UNTIL };
    const signature = await owner.signTypedData({
      domain: { name: 'Permits', chainId: 1, verifyingContract: TOKEN! },
      types: {
        PermitDetails: [
          word('token', 'address'),
          word('amount', 'uint160'),
          word('expiration', 'uint48'),
          word('nonce', 'uint48'),
        ],
        PermitBatch: [word('details', 'PermitDetails[]'), word('spender', 'address'), word('sigDeadline')],
      },
      primaryType: 'PermitBatch',
      message: batch,
    });
    const abi = parseAbi([
      'function permit(address owner,((address token,uint160 amount,uint48 expiration,uint48 nonce)[] details,address spender,uint256 sigDeadline) permitBatch,bytes signature)',
    ]);
    const input = encodeFunctionData({ abi, args: [owner.address, batch, signature] });
    const longer = { ...batch, sigDeadline: UNTIL + 1n };
    expect(signerOf(input, ['Permits'])).toBe(OWNER);
    expect(
      signerOf(encodeFunctionData({ abi, args: [owner.address, longer, signature] }), ['Permits']),
    ).toBeNull();
  });

  it('recovers the author of a forwarded request, with a stated nonce or one of the first', async () => {
    const request = { from: owner.address, to: SPENDER!, value: 0n, gas: 100_000n };
    const head = [word('from', 'address'), word('to', 'address'), word('value'), word('gas'), word('nonce')];
    const data: Hex = '0x1234';
    const early = await owner.signTypedData({
      domain: { name: 'MinimalForwarder', version: '0.0.1', chainId: 1, verifyingContract: TOKEN! },
      types: { ForwardRequest: [...head, word('data', 'bytes')] },
      primaryType: 'ForwardRequest',
      message: { ...request, nonce: 30n, data },
    });
    const stated = (nonce: bigint) =>
      encodeFunctionData({
        abi: parseAbi([
          'function execute((address from,address to,uint256 value,uint256 gas,uint256 nonce,bytes data) req,bytes signature)',
        ]),
        args: [{ ...request, nonce, data }, early],
      });
    expect(signerOf(stated(30n), [])).toBe(OWNER);
    expect(signerOf(stated(31n), [])).toBeNull();
    expect(signerOf(stated(30n), [], SPENDER)).toBeNull();
    const late = await owner.signTypedData({
      domain: { name: 'Relay', version: '1', chainId: 1, verifyingContract: TOKEN! },
      types: { ForwardRequest: [...head, word('deadline', 'uint48'), word('data', 'bytes')] },
      primaryType: 'ForwardRequest',
      message: { ...request, nonce: 3n, deadline: 2_000_000_000, data },
    });
    const until = (deadline: number) =>
      encodeFunctionData({
        abi: parseAbi([
          'function execute((address from,address to,uint256 value,uint256 gas,uint48 deadline,bytes data,bytes signature) request)',
        ]),
        args: [{ ...request, deadline, data, signature: late }],
      });
    expect(signerOf(until(2_000_000_000), ['Relay'])).toBe(OWNER);
    expect(signerOf(until(2_000_000_001), ['Relay'])).toBeNull();
    expect(signerOf(until(2_000_000_000), [])).toBeNull();
  });

  it('reads only what carries a signature, and no calldata that is cut short', () => {
    expect(carriesSignature('0xd505accf')).toBe(true);
    expect(carriesSignature('0xa9059cbb')).toBe(false);
    expect(signerOf('0xd505accf1234')).toBeNull();
  });
});
