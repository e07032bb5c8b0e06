import type { RawLog } from './rawChain.ts';

/** Value a log says moved, in lane ids of reports. */
export interface LogMovement {
  readonly from: string;
  readonly to: string;
  readonly assetId: string;
  readonly amount: bigint;
}

// keccak256 of the event signatures of ERC-20/721, ERC-1155 and canonical wrapped ether.
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const TRANSFER_SINGLE = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62';
const TRANSFER_BATCH = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb';
const DEPOSIT = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c';
const WITHDRAWAL = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65';

const ZERO = `0x${'0'.repeat(40)}`;
const word = (data: string, i: number) => data.slice(2 + 64 * i, 66 + 64 * i);
const uint = (hex: string | undefined) =>
  hex && /^(0x)?[0-9a-f]{64}$/.test(hex) ? BigInt(hex.startsWith('0x') ? hex : `0x${hex}`) : 0n;
const address = (hex: string | undefined) => (hex ? `0x${hex.slice(-40)}` : '');
const numbers = (data: string, head: number) => {
  const start = Number(uint(word(data, head)) / 32n);
  const count = Number(uint(word(data, start)));
  return count > 100_000 ? [] : Array.from({ length: count }, (_, i) => uint(word(data, start + 1 + i)));
};

/** Movements of the token standards in one log (EIP-20, EIP-721, EIP-1155, wrapped ether); empty for any other event. */
export function decodeLog(log: RawLog, chain = 'eip155:1'): LogMovement[] {
  const [topic, a, b, c] = log.topics;
  const lane = (standard: string, id?: bigint) =>
    `${chain}/${standard}:${log.address}${id === undefined ? '' : `/${id}`}`;
  if (topic === TRANSFER && log.topics.length === 4)
    return [{ from: address(a), to: address(b), assetId: lane('erc721', uint(c)), amount: 1n }];
  if (topic === TRANSFER) {
    // Old tokens left some of the three arguments unindexed: topics first, then data words, in order.
    const words = [
      ...log.topics.slice(1),
      ...Array.from({ length: Math.floor((log.data.length - 2) / 64) }, (_, i) => word(log.data, i)),
    ];
    return words.length >= 3
      ? [{ from: address(words[0]), to: address(words[1]), assetId: lane('erc20'), amount: uint(words[2]) }]
      : [];
  }
  if (topic === TRANSFER_SINGLE)
    return [
      {
        from: address(b),
        to: address(c),
        assetId: lane('erc1155', uint(word(log.data, 0))),
        amount: uint(word(log.data, 1)),
      },
    ];
  if (topic === TRANSFER_BATCH) {
    const amounts = numbers(log.data, 1);
    return numbers(log.data, 0).map((id, i) => ({
      from: address(b),
      to: address(c),
      assetId: lane('erc1155', id),
      amount: amounts[i] ?? 0n,
    }));
  }
  if (topic === DEPOSIT && a)
    return [{ from: ZERO, to: address(a), assetId: lane('erc20'), amount: uint(word(log.data, 0)) }];
  if (topic === WITHDRAWAL && a)
    return [{ from: address(a), to: ZERO, assetId: lane('erc20'), amount: uint(word(log.data, 0)) }];
  return [];
}

/** True for the transfer events of the token standards: leaving one out of a report loses value. */
export function isStandardTransfer(log: RawLog): boolean {
  const topic = log.topics[0];
  return (
    (topic === TRANSFER && log.topics.length >= 3) || topic === TRANSFER_SINGLE || topic === TRANSFER_BATCH
  );
}
