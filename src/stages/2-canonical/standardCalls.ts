import { TRANSFER_CALL, TRANSFER_FROM_CALL } from '../../evm/tokenCalls.ts';
import type { Hash, Hex } from '../../model/hex.ts';
import {
  APPROVAL,
  APPROVAL_FOR_ALL,
  DEPOSIT,
  TRANSFER,
  TRANSFER_BATCH,
  TRANSFER_SINGLE,
  WITHDRAWAL,
} from '../../evm/tokenTopics.ts';

/** Where a word of the event comes from: the caller, the value sent, or the call's n-th argument. */
export type Source = 'caller' | 'value' | number;

interface Standard {
  /** The event the call exists to emit, and the source of each of its arguments, in order. */
  readonly event: string;
  readonly says: readonly Source[];
  /** Events it may make besides. */
  readonly aside: readonly string[];
}

/**
 * The events that token standards (ERC-20, 721, 1155) and wrapped ether tie to their functions, by selector.
 * Only events listed here are judged: a token may emit any others.
 */
const STANDARD: ReadonlyMap<Hex, Standard> = new Map<Hex, Standard>([
  [TRANSFER_CALL, { event: TRANSFER, says: ['caller', 0, 1], aside: [] }],
  [TRANSFER_FROM_CALL, { event: TRANSFER, says: [0, 1, 2], aside: [APPROVAL] }],
  ['0x095ea7b3', { event: APPROVAL, says: ['caller', 0, 1], aside: [] }], // approve(address,uint256)
  // permit(address,address,uint256,uint256,uint8,bytes32,bytes32)
  ['0xd505accf', { event: APPROVAL, says: [0, 1, 2], aside: [] }],
  ['0xd0e30db0', { event: DEPOSIT, says: ['caller', 'value'], aside: [TRANSFER] }], // deposit()
  // withdraw(uint256)
  ['0x2e1a7d4d', { event: WITHDRAWAL, says: ['caller', 0], aside: [TRANSFER, APPROVAL] }],
  // safeTransferFrom(address,address,uint256)
  ['0x42842e0e', { event: TRANSFER, says: [0, 1, 2], aside: [APPROVAL] }],
  // safeTransferFrom(address,address,uint256,bytes)
  ['0xb88d4fde', { event: TRANSFER, says: [0, 1, 2], aside: [APPROVAL] }],
  // setApprovalForAll(address,bool)
  ['0xa22cb465', { event: APPROVAL_FOR_ALL, says: ['caller', 0, 1], aside: [] }],
  // safeTransferFrom(address,address,uint256,uint256,bytes)
  ['0xf242432a', { event: TRANSFER_SINGLE, says: ['caller', 0, 1, 2, 3], aside: [] }],
  // safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)
  ['0x2eb2c2d6', { event: TRANSFER_BATCH, says: ['caller', 0, 1], aside: [TRANSFER_SINGLE] }],
]);

const JUDGED = new Set([...STANDARD.values()].flatMap(({ event, aside }) => [event, ...aside]));

/** Functions the standards declare `view`: older contracts are called on them without STATICCALL. */
const VIEWS: ReadonlySet<Hex> = new Set<Hex>([
  '0x70a08231', // balanceOf(address)
  '0xdd62ed3e', // allowance(address,address)
  '0x18160ddd', // totalSupply()
  '0x313ce567', // decimals()
  '0x95d89b41', // symbol()
  '0x06fdde03', // name()
  '0x6352211e', // ownerOf(uint256)
  '0x081812fc', // getApproved(uint256)
  '0xe985e9c5', // isApprovedForAll(address,address)
  '0x01ffc9a7', // supportsInterface(bytes4)
  '0x00fdd58e', // balanceOf(address,uint256)
  '0x4e1273f4', // balanceOfBatch(address[],uint256[])
]);

const SELECTOR_TOPIC = /^0x[0-9a-f]{8}0{56}$/;

/**
 * How an event relates to a call: `purpose` = the call exists to emit it (`says`: its expected arguments),
 * `aside` = the call may emit it too, `alien` = the call never emits it, `open` = nothing known.
 */
export type Fit =
  | { readonly fit: 'purpose'; readonly says: readonly Source[] }
  | { readonly fit: 'aside' | 'open' | 'alien' };

const OPEN: Fit = { fit: 'open' };
const ASIDE: Fit = { fit: 'aside' };
const ALIEN: Fit = { fit: 'alien' };
const NOTE: Fit = { fit: 'purpose', says: [] };

export function fitOf(selector: Hex | null, topic: Hash | undefined): Fit {
  if (selector === null) return OPEN;
  if (VIEWS.has(selector)) return ALIEN;
  if (topic === undefined) return OPEN;
  // ds-note: an anonymous event with the selector of the logging call as first topic.
  if (SELECTOR_TOPIC.test(topic)) return topic.slice(0, 10) === selector ? NOTE : ALIEN;
  const standard = STANDARD.get(selector);
  if (!standard || !JUDGED.has(topic)) return OPEN;
  if (standard.event === topic) return { fit: 'purpose', says: standard.says };
  return standard.aside.includes(topic) ? ASIDE : ALIEN;
}
