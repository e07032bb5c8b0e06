import type { Movement } from '../../model/generated/report.ts';
import { sumOf } from './finding.ts';
import {
  ZERO,
  quantity,
  tokenOf,
  wordHex,
  wordsIn,
  wordsOf,
  type RawChain,
  type RawFrame,
  type RawLog,
} from './rawChain.ts';

/** Value a log says moved, in lane ids of reports. */
export interface LogMovement {
  readonly from: string;
  readonly to: string;
  readonly assetId: string;
  readonly amount: bigint;
}

/** A movement as the report states it, addresses in lower case. */
export const movedBy = (m: Movement): LogMovement => ({
  from: m.from.toLowerCase(),
  to: m.to.toLowerCase(),
  assetId: m.asset_id,
  amount: BigInt(m.amount_raw),
});

// keccak256 of the event signatures of ERC-20/721, ERC-1155 and canonical wrapped ether.
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const TRANSFER_SINGLE = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62';
const TRANSFER_BATCH = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb';
const DEPOSIT = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c';
const WITHDRAWAL = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65';

const uint = (hex: string | undefined) =>
  hex && /^(0x)?[0-9a-f]{64}$/.test(hex) ? BigInt(hex.startsWith('0x') ? hex : `0x${hex}`) : 0n;
const address = (hex: string | undefined) => (hex ? `0x${hex.slice(-40)}` : '');
const numbers = (words: readonly string[], head: number) => {
  const start = Number(uint(words[head]) / 32n);
  const count = Number(uint(words[start]));
  return count > 100_000 ? [] : Array.from({ length: count }, (_, i) => uint(words[start + 1 + i]));
};

type Hex = string | undefined;
const move = (from: Hex, to: Hex, assetId: string, amount: bigint): LogMovement => {
  return { from: address(from), to: address(to), assetId, amount };
};

/** Movements in a log of EIP-20, EIP-721, EIP-1155 or wrapped ether; empty for any other event. */
export function decodeLog(log: RawLog): LogMovement[] {
  const [topic, a, b, c] = log.topics;
  const lane = (standard: string, id?: bigint) =>
    `eip155:1/${standard}:${log.address}${id === undefined ? '' : `/${id}`}`;
  const words = wordsIn(log.data);
  const [first, second] = [uint(words[0]), uint(words[1])];
  if (topic === TRANSFER && log.topics.length === 4) return [move(a, b, lane('erc721', uint(c)), 1n)];
  // Old tokens left some of the three arguments unindexed.
  const [from, to, amount] = wordsOf(log);
  if (topic === TRANSFER) return amount ? [move(from, to, lane('erc20'), uint(amount))] : [];
  if (topic === TRANSFER_SINGLE) return [move(b, c, lane('erc1155', first), second)];
  if (topic === TRANSFER_BATCH) {
    const amounts = numbers(words, 1);
    return numbers(words, 0).map((id, i) => move(b, c, lane('erc1155', id), amounts[i] ?? 0n));
  }
  if (!a) return [];
  if (topic === DEPOSIT) return [move(ZERO, a, lane('erc20'), first)];
  return topic === WITHDRAWAL ? [move(a, ZERO, lane('erc20'), first)] : [];
}

/** True for the transfer events of the token standards: leaving one out of a report loses value. */
export function isStandardTransfer(log: RawLog): boolean {
  const topic = log.topics[0];
  return topic === TRANSFER ? log.topics.length >= 3 : topic === TRANSFER_SINGLE || topic === TRANSFER_BATCH;
}

/** First mainnet block in which SELFDESTRUCT spares contracts of earlier transactions (Cancun, EIP-6780). */
const CANCUN = 19_426_587n;

/**
 * Ether destroyed with its account: given to itself by SELFDESTRUCT, or received after that and kept. With
 * the SELFDESTRUCT that it vanished with.
 */
export function burntEther(chain: RawChain): { readonly frame: RawFrame; readonly amount: bigint }[] {
  const frames = [...chain.frames.values()].filter((frame) => !frame.failed);
  const created = new Set(frames.filter(({ type }) => type.startsWith('CREATE')).map(({ to }) => to));
  const spares =
    quantity(chain.receipt['blockNumber']) >= CANCUN ||
    quantity(chain.receipt['blobGasPrice']) > 0n ||
    quantity(chain.tx['type']) >= 3n;
  const last = new Map<string, number>();
  frames.forEach(({ type, from }, i) => {
    if (type === 'SELFDESTRUCT' && (!spares || created.has(from))) last.set(from, i);
  });
  const found: ReturnType<typeof burntEther> = [];
  for (const [account, end] of last) {
    for (const frame of frames)
      if (frame.type === 'SELFDESTRUCT' && frame.from === account && frame.to === account && frame.value > 0n)
        found.push({ frame, amount: frame.value });
    const after = frames.slice(end + 1);
    const moved = (side: 'from' | 'to'): bigint =>
      sumOf(after, (frame) => (frame[side] === account ? frame.value : 0n));
    const kept = moved('to') - moved('from');
    if (kept > 0n) found.push({ frame: frames[end]!, amount: kept });
  }
  return found;
}

// Gas a transaction cannot avoid (EIP-2028, 2929, 2930, 2200); refunds are capped by EIP-3529.
const BASE = 21_000n;
const BALANCE = 4_800n;
const LOG = 375n;

/**
 * True when the emitter's Transfer events cannot all be true: the gas spent does not pay for one balance
 * change per account they name, beside the transaction's other costs.
 */
export function gasRulesOut(emitter: string, chain: RawChain): boolean {
  const input = typeof chain.tx['input'] === 'string' ? chain.tx['input'].slice(2) : '';
  let least = BASE;
  for (let i = 0; i < input.length; i += 2) least += input.startsWith('00', i) ? 4n : 16n;
  const net = new Map<string, bigint>();
  for (const log of chain.logs.values()) {
    least += LOG + LOG * BigInt(log.topics.length) + BigInt((log.data.length - 2) / 2) * 8n;
    for (const { from, to, amount } of log.address === emitter ? decodeLog(log) : []) {
      net.set(from, (net.get(from) ?? 0n) - amount);
      net.set(to, (net.get(to) ?? 0n) + amount);
    }
  }
  const accounts = [...net].filter(([account, amount]) => amount !== 0n && account !== emitter);
  const changed = accounts.filter(([account]) => BigInt(account) !== 0n).length - 1;
  return changed > 0 && least + BALANCE * BigInt(changed) > mostSpent(chain);
}

/** Gas spent before refunds, at most. */
function mostSpent({ block, receipt }: RawChain): bigint {
  const used = quantity(receipt['gasUsed']);
  // Blocks have a base fee since London, which lowered the cap on refunds from a half to a fifth.
  return block['baseFeePerGas'] !== undefined ? (used * 5n) / 4n + 1n : used * 2n;
}

const TRANSFER_CALL = '0xa9059cbb';
const TRANSFER_FROM_CALL = '0x23b872dd';

/** The ends and amount that a `transfer` or `transferFrom` call asks a token for. */
function askedBy({ input, from, failed }: RawFrame): Omit<LogMovement, 'assetId'> | null {
  const pulls = input.startsWith(TRANSFER_FROM_CALL);
  if (failed || !(pulls || input.startsWith(TRANSFER_CALL))) return null;
  const words = wordsIn(`0x${input.slice(10)}`);
  const [payer, receiver, amount] = pulls ? words : [from, ...words];
  return { from: address(payer), to: address(receiver), amount: uint(amount) };
}

const BALANCE_OF_CALL = '0x70a08231';

/** By how much an account's balance rose from one read of the token to the next. */
function rises(token: string, account: string, { frames }: RawChain): bigint[] {
  const input = `${BALANCE_OF_CALL}${wordHex(BigInt(account))}`;
  const reads = [...frames.values()].filter((f) => f.context === token && f.input === input && !f.failed);
  return reads.slice(1).map((read, i) => uint(read.output) - uint(reads[i]!.output));
}

/** Whether the log states this transfer with more than arrived, as reads of the balance show. */
export function isCredit(moved: LogMovement, log: RawLog, chain: RawChain): boolean {
  const isSame = ({ from, to, assetId, amount }: LogMovement): boolean =>
    from === moved.from && to === moved.to && assetId === moved.assetId && amount > moved.amount;
  return decodeLog(log).some(isSame) && rises(log.address, moved.to, chain).includes(moved.amount);
}

/** Whether a call asked the token for this much more of the payer than its Transfers, or balances, say. */
export function isUnloggedTax(tax: LogMovement, chain: RawChain, frame?: RawFrame | null): boolean {
  const asked = frame && frame.to === tax.to && tokenOf(tax.assetId) === tax.to ? askedBy(frame) : null;
  if (asked?.from !== tax.from || tax.amount * 100n > asked.amount * 99n) return false;
  const logged = asked.amount - tax.amount;
  const paid = [...chain.logs.values()]
    .filter((log) => log.address === tax.to)
    .flatMap(decodeLog)
    .filter((m) => m.assetId === tax.assetId && m.from === tax.from);
  if (paid.some((m) => m.to === asked.to && m.amount === asked.amount))
    return rises(tax.to, asked.to, chain).includes(logged);
  return paid.some((_, i) => {
    let sum = 0n;
    const last = paid.findIndex((m, j) => j >= i && (sum += m.amount) >= logged);
    return sum === logged && paid.slice(i, last + 1).some((m) => m.to === asked.to);
  });
}
