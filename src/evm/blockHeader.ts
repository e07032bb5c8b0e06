import { AnalysisError } from '../lib/errors.ts';
import { absent, readObject } from '../lib/shape.ts';
import type { BlockHeader, CanonicalTx } from '../model/canonicalTx.ts';
import { readAddress, readHash, readQuantity } from './hex.ts';
import { keccak256 } from './keccak.ts';

const BAD_BLOCK = 'block_malformed';

/**
 * Checks the block's header against the transaction. `baseFeePerGas` is 0 before London (EIP-1559). Throws
 * `block_malformed`, or `inconsistent_upstream` when it is another block.
 */
export function readBlockHeader(
  rawBlock: unknown,
  tx: Pick<CanonicalTx, 'blockHash' | 'blockNumber' | 'effectiveGasPrice'>,
): BlockHeader {
  const fields = readObject(rawBlock, BAD_BLOCK, 'the block is not an object');
  const number = readQuantity(fields['number'], BAD_BLOCK, 'number');
  const hash = readHash(fields['hash'], BAD_BLOCK, 'hash');
  if (hash !== tx.blockHash || number !== tx.blockNumber)
    throw new AnalysisError('inconsistent_upstream', 'the block is not the one the receipt names');
  const timestamp = readQuantity(fields['timestamp'], BAD_BLOCK, 'timestamp');
  if (timestamp > 0xffff_ffff_ffffn) throw new AnalysisError(BAD_BLOCK, 'timestamp');
  const { baseFeePerGas: fee } = fields;
  const baseFeePerGas = absent(fee) ? 0n : readQuantity(fee, BAD_BLOCK, 'baseFeePerGas');
  if (tx.effectiveGasPrice < baseFeePerGas)
    throw new AnalysisError('inconsistent_upstream', 'a gas price below the base fee');
  const coinbase = readAddress(fields['miner'] ?? fields['author'], BAD_BLOCK, 'miner');
  return { number, hash, timestamp: Number(timestamp), baseFeePerGas, coinbase };
}

/** The fields a header's hash covers, in their order (Yellow Paper §4.4); forks added to the end. */
const FIELDS = (
  'parentHash sha3Uncles miner stateRoot transactionsRoot receiptsRoot logsBloom difficulty number ' +
  'gasLimit gasUsed timestamp extraData mixHash nonce baseFeePerGas withdrawalsRoot blobGasUsed ' +
  'excessBlobGas parentBeaconBlockRoot requestsHash'
).split(' ');
/** The first blocks of London, Shanghai, Cancun and Prague, and the fields a header has from there on. */
const FORKS = [
  [0, 15],
  [12_965_000, 16],
  [17_034_870, 17],
  [19_426_587, 20],
  [22_431_084, 21],
] as const;
const QUANTITIES = new Set(
  'difficulty number gasLimit gasUsed timestamp baseFeePerGas blobGasUsed excessBlobGas'.split(' '),
);
/** The fields of a header and those that nodes send beside it. */
const KNOWN = new Set(
  [FIELDS, 'hash size totalDifficulty transactions uncles withdrawals author sealFields'.split(' ')].flat(),
);
/** Archives that keep no blooms or roots send zeros, or nothing. */
const PLACEHOLDER = /^0x0*$/;
const MAY_BE_ZERO =
  /^(difficulty|gasUsed|extraData|mixHash|nonce|\w+BlobGas|blobGasUsed|parentBeaconBlockRoot)$/;

/** Whether a block has another hash than it says; null where a field is unknown, missing or a placeholder. */
export function hashIsWrong(block: Readonly<Record<string, unknown>>): boolean | null {
  const absent = FIELDS.findIndex((field) => block[field] == null);
  const held = absent < 0 ? FIELDS : FIELDS.slice(0, absent);
  const known = FORKS.findLast(([first]) => Number(block['number']) >= first);
  if (known === undefined || held.length < known[1]) return null;
  if (FIELDS.slice(held.length).some((field) => block[field] != null)) return null;
  for (const key in block) if (!KNOWN.has(key)) return null;
  const text = rlpOf(held, block);
  const bytes = Buffer.from(text, 'hex');
  // Node.js stops at another character.
  if (2 * bytes.length !== text.length) return null;
  if (keccak256(bytes) === String(block['hash']).toLowerCase()) return false;
  const isEmpty = held.some((field) => !MAY_BE_ZERO.test(field) && PLACEHOLDER.test(String(block[field])));
  return isEmpty ? null : true;
}

/** The RLP of these fields as a text of hex digits; a library takes thrice the time of a hash. */
function rlpOf(fields: readonly string[], block: Readonly<Record<string, unknown>>): string {
  let payload = '';
  for (const field of fields) {
    const value = String(block[field]);
    // A text without the prefix is no hex digits.
    const given = value.startsWith('0x') ? value.slice(2) : '?';
    const digits = even(QUANTITIES.has(field) ? given.replace(/^0+/, '') : given);
    payload += digits.length === 2 && digits < '80' ? digits : rlpLength(digits, 0x80) + digits;
  }
  return rlpLength(payload, 0xc0) + payload;
}

function rlpLength(digits: string, kind: number): string {
  const length = digits.length / 2;
  if (length < 56) return evenHex(kind + length);
  const text = evenHex(length);
  return `${evenHex(kind + 55 + text.length / 2)}${text}`;
}

const evenHex = (number: number): string => even(number.toString(16));
const even = (digits: string): string => (digits.length % 2 === 0 ? digits : `0${digits}`);
