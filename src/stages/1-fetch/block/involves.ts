import { isRecord, itemsOf } from '../../../lib/shape.ts';
import type { RawBlock } from './fetchBlock.ts';
import type { Address, Hash } from '../../../model/hex.ts';

/** Whether a transaction's raw answers name one of the addresses: as a party, in a log or of a frame. */
export function involves(block: RawBlock, hash: Hash, addresses: readonly Address[]): boolean {
  const wanted = new Set<string>(addresses.map((address) => address.slice(2)));
  const isWanted = (value: unknown): boolean =>
    typeof value === 'string' && value.length === 42 && wanted.has(value.slice(2).toLowerCase());
  const parties = (value: unknown): boolean =>
    isRecord(value) &&
    (isWanted(value['from']) || isWanted(value['to']) || isWanted(value['contractAddress']));
  const receipt = block.receipts.get(hash);
  return (
    parties(block.transactions.get(hash)) ||
    parties(receipt) ||
    (isRecord(receipt) && itemsOf(receipt['logs']).some((log) => logNames(log, isWanted, wanted))) ||
    frameNames(block.traces.get(hash), isWanted)
  );
}

/** 32-byte words that hold an address are its 20 bytes after twelve zero bytes. */
const PADDING = '0'.repeat(24);

function logNames(log: unknown, isWanted: (value: unknown) => boolean, wanted: ReadonlySet<string>): boolean {
  if (!isRecord(log)) return false;
  if (isWanted(log['address'])) return true;
  const words = (hex: unknown): boolean => {
    if (typeof hex !== 'string') return false;
    for (let at = 2; at + 64 <= hex.length; at += 64)
      if (hex.startsWith(PADDING, at) && wanted.has(hex.slice(at + 24, at + 64).toLowerCase())) return true;
    return false;
  };
  return itemsOf(log['topics']).some(words) || words(log['data']);
}

/** Frames of a callTracer tree, or of a flat list of Parity traces. */
function frameNames(trace: unknown, isWanted: (value: unknown) => boolean): boolean {
  const open: unknown[] = Array.isArray(trace) ? [...(trace as unknown[])] : [trace];
  for (let frame = open.pop(); frame !== undefined; frame = open.pop()) {
    if (!isRecord(frame)) continue;
    const action = isRecord(frame['action']) ? frame['action'] : frame;
    const result = isRecord(frame['result']) ? frame['result'] : {};
    const { from, to, address, refundAddress } = action;
    if ([from, to, address, refundAddress, result['address']].some(isWanted)) return true;
    for (const call of itemsOf(frame['calls'])) open.push(call);
  }
  return false;
}
