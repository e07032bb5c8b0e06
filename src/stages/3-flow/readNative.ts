import type { Address } from '../../model/hex.ts';
import type { CanonicalTx, Frame } from '../../model/canonicalTx.ts';
import { createdIn } from '../../value/frames.ts';
import { NATIVE } from '../../value/asset.ts';
import { ZERO_ADDRESS } from '../../evm/hex.ts';
import { classifyTransfer, type RawTransfer, type FlowEntry } from './rawTransfer.ts';

/** First mainnet block in which SELFDESTRUCT spares contracts of earlier transactions (Cancun, EIP-6780). */
const CANCUN_BLOCK = 19_426_587n;

/** Wei moved by calls, creations and SELFDESTRUCT, in frame order, and wei destroyed with its account. */
export function readNative(tx: CanonicalTx): FlowEntry[] {
  const entries: FlowEntry[] = [];
  const doomed = destroyedAccounts(tx);
  for (const frame of tx.frames) {
    if (frame.value === 0n || frame.to === null) continue;
    const burnt = frame.type === 'SELFDESTRUCT' && frame.to === frame.from && doomed.has(frame.from);
    entries.push(
      classifyTransfer(nativeTransfer(frame, burnt ? ZERO_ADDRESS : frame.to, frame.value, frame.seq)),
    );
  }
  return doomed.size === 0 ? entries : [...entries, ...burntAtTheEnd(tx, doomed)];
}

function nativeTransfer(frame: Frame, to: Address, amount: bigint, seq: number): RawTransfer {
  return {
    kind: to === ZERO_ADDRESS ? 'burn' : 'transfer',
    from: frame.from,
    to,
    asset: NATIVE,
    amount,
    seq,
    evidence: {
      kind: 'frame',
      frame: frame.index,
      log: null,
      contract: frame.type === 'SELFDESTRUCT' ? frame.from : (frame.to ?? to),
    },
  };
}

const NONE: ReadonlyMap<Address, Frame> = new Map();

/** Accounts that cease to exist when the transaction ends, with their last SELFDESTRUCT. */
function destroyedAccounts(tx: CanonicalTx): ReadonlyMap<Address, Frame> {
  const destructions = tx.frames.filter((frame) => frame.type === 'SELFDESTRUCT' && frame.effective);
  if (destructions.length === 0) return NONE;
  // Blob fields exist only since Cancun: they show it on chains with other block numbers.
  const sparing = tx.blockNumber >= CANCUN_BLOCK || tx.blobGasPrice > 0n || tx.type >= 3;
  const created = createdIn(tx.frames);
  const doomed = new Map<Address, Frame>();
  for (const frame of destructions) if (!sparing || created.has(frame.from)) doomed.set(frame.from, frame);
  return doomed;
}

/** Ether received and kept after an account's last SELFDESTRUCT vanishes when the transaction ends. */
function burntAtTheEnd(tx: CanonicalTx, doomed: ReadonlyMap<Address, Frame>): FlowEntry[] {
  const entries: FlowEntry[] = [];
  const kept = new Map<Address, bigint>();
  const add = (account: Address, frame: Frame, amount: bigint): void => {
    const last = doomed.get(account);
    if (last && frame.seq > last.seq) kept.set(account, (kept.get(account) ?? 0n) + amount);
  };
  for (const frame of tx.frames) {
    if (frame.value === 0n || frame.to === null) continue;
    add(frame.to, frame, frame.value);
    add(frame.from, frame, -frame.value);
  }
  const end = tx.frames.length + tx.logs.length;
  for (const [account, amount] of kept) {
    if (amount > 0n)
      entries.push(classifyTransfer(nativeTransfer(doomed.get(account)!, ZERO_ADDRESS, amount, end)));
  }
  return entries;
}
