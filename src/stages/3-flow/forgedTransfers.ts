import type { Address } from '../../model/hex.ts';
import type { CanonicalTx } from '../../model/canonicalTx.ts';
import { gasOfData, GAS_PER_BYTE, GAS_PER_TRANSACTION } from '../../evm/gas.ts';
import { ZERO_ADDRESS } from '../../evm/hex.ts';
import { isNonEconomic, netChanges, uncounted, type FlowEntry } from './rawTransfer.ts';

/**
 * Least gas a balance costs to change: a storage slot's first change in a transaction (2,900) and its first
 * access (2,100 cold, or 1,900 in an access list: EIP-2929, EIP-2930); 5,000 before Berlin (EIP-2200).
 */
const GAS_PER_BALANCE = 4_800n;
/** Refunds hide at most a fifth of the gas spent since London (EIP-3529), half of it before. */
const LONDON_BLOCK = 12_965_000n;
/** The gas schedule above is known to hold for blocks below; a cheaper one would turn proof into guess. */
const SCHEDULE_KNOWN_BELOW = 24_500_000n;

/**
 * Marks the Transfers of ERC-20 emitters that cannot have changed the balances they name: the transaction
 * spent less gas than its bare cost, its logs and one storage write per account concerned. This holds for
 * any contract code, and is the only such proof a trace gives. The emitter's balance and one more account
 * do not count, since a total may imply both; net-zero accounts need no write.
 */
export function markForged(tx: CanonicalTx, entries: FlowEntry[]): FlowEntry[] {
  const forgers = findForgers(tx, entries);
  if (forgers.size === 0) return entries;
  return entries.map((entry) => {
    const isForged =
      !isNonEconomic(entry) && entry.asset.kind === 'erc20' && forgers.has(entry.asset.address!);
    return isForged ? uncounted(entry, 'forged_transfer') : entry;
  });
}

const NONE: ReadonlySet<Address> = new Set();

function findForgers(tx: CanonicalTx, entries: readonly FlowEntry[]): ReadonlySet<Address> {
  if (tx.blockNumber >= SCHEDULE_KNOWN_BELOW) return NONE;
  // Most transactions could pay for twice as many balances as they have transfers even if their data cost
  // the most it can.
  const doubtful = writesAffordable(tx, GAS_PER_TRANSACTION + (tx.input.length / 2 - 1) * GAS_PER_BYTE);
  if (doubtful !== null && BigInt(2 * entries.length) <= doubtful) return NONE;
  const affordable = writesAffordable(tx, gasOfData(tx.input));
  return affordable === null ? NONE : emittersBeyond(affordable, entries);
}

/** Emitters with more changed balances than the gas paid for. */
function emittersBeyond(affordable: bigint, entries: readonly FlowEntry[]): ReadonlySet<Address> {
  const forgers = new Set<Address>();
  for (const [emitter, net] of netChanges(entries)) {
    if (BigInt(net.size) <= affordable) continue;
    let changed = -1n;
    for (const [account, amount] of net)
      if (amount !== 0n && account !== ZERO_ADDRESS && account !== emitter) changed += 1n;
    if (changed > affordable) forgers.add(emitter);
  }
  return forgers;
}

/** Most balances that the gas left over can have changed; null where the figures contradict each other. */
function writesAffordable(tx: CanonicalTx, withData: number): bigint | null {
  let needed = withData;
  for (const { topics, data } of tx.logs) needed += 375 + 375 * topics.length + 4 * (data.length - 2);
  const bare = BigInt(needed);
  if (tx.gasUsed < bare) return null;
  // Blob fields exist only since Cancun: they show it on chains with other block numbers.
  const sinceLondon = tx.blockNumber >= LONDON_BLOCK || tx.blobGasPrice > 0n || tx.type >= 2;
  const spent = sinceLondon ? (tx.gasUsed * 5n) / 4n : tx.gasUsed * 2n;
  return (spent - bare) / GAS_PER_BALANCE;
}
