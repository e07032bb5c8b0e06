import { concatHex, encodePacked, size, type Address, type Hex } from 'viem';
import { account, addressOf } from '../accounts.ts';
import { MAINNET, NATIVE } from '../addresses.ts';
import { fn, type Request } from '../chain.ts';
import type { Ctx } from '../scenario.ts';

export interface SafeCall {
  to: Address;
  value?: bigint;
  data: Hex;
  /** 1 is DELEGATECALL, as MultiSend wants it. */
  operation?: 0 | 1;
  /** Non-zero: the Safe repays whoever executes, in `gasToken` (native when absent). */
  gasPrice?: bigint;
  baseGas?: bigint;
  safeTxGas?: bigint;
  gasToken?: Address;
}

/** execTransaction of the treasury, signed by two of its three owners. */
export async function safeTransaction(
  c: Ctx,
  call: SafeCall,
  safe = c.at('treasury'),
  owners: string[] = ['alice', 'bob'],
): Promise<Request> {
  const nonce = await c.chain.read<bigint>(safe, 'nonce() view returns (uint256)');
  const fields = [
    call.to,
    call.value ?? 0n,
    call.data,
    call.operation ?? 0,
    call.safeTxGas ?? 0n,
    call.baseGas ?? 0n,
    call.gasPrice ?? 0n,
    call.gasToken ?? NATIVE,
    NATIVE,
  ];
  const hash = await c.chain.read<Hex>(
    safe,
    'getTransactionHash(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,uint256) view returns (bytes32)',
    [...fields, nonce],
  );
  // The Safe wants its signatures in the order of the signers' addresses.
  const sorted = [...owners].sort((a, b) => (BigInt(addressOf(a)) < BigInt(addressOf(b)) ? -1 : 1));
  const signatures = concatHex(await Promise.all(sorted.map((owner) => account(owner).sign({ hash }))));
  return {
    to: safe,
    data: fn('execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)', [
      ...fields,
      signatures,
    ]),
  };
}

/** Several calls as one: MultiSend's packed list, run by DELEGATECALL. */
export function multiSend(_: Ctx, calls: { to: Address; value?: bigint; data: Hex }[]): SafeCall {
  const packed = concatHex(
    calls.map(({ to, value, data }) =>
      encodePacked(
        ['uint8', 'address', 'uint256', 'uint256', 'bytes'],
        [0, to, value ?? 0n, BigInt(size(data)), data],
      ),
    ),
  );
  return { to: MAINNET.multiSend, data: fn('multiSend(bytes)', [packed]), operation: 1 };
}
