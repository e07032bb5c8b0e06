import { quantity, type RawChain, type RawLog } from './rawChain.ts';
import { decodeLog } from './decodeLog.ts';

// Gas a transaction cannot avoid: EIP-2028, EIP-2929/2930 and EIP-2200 prices; refunds are capped by EIP-3529.
const BASE = 21_000n;
const BALANCE = 4_800n;
const LOG = 375n;

/** Gas spent before refunds, at most. */
function mostSpent(chain: RawChain): bigint {
  const used = quantity(chain.receipt['gasUsed']);
  // Blocks have a base fee since London, which lowered the cap on refunds from a half to a fifth.
  return chain.block['baseFeePerGas'] !== undefined ? (used * 5n) / 4n + 1n : used * 2n;
}

/**
 * True when the emitter's Transfer events cannot all be true: the gas spent does not pay for one balance change per
 * account they speak of, beside what the transaction costs anyway.
 */
export function cannotHaveMoved(emitter: string, chain: RawChain): boolean {
  const input = typeof chain.tx['input'] === 'string' ? chain.tx['input'].slice(2) : '';
  let least = BASE;
  for (let i = 0; i < input.length; i += 2) least += input.startsWith('00', i) ? 4n : 16n;
  const net = new Map<string, bigint>();
  for (const log of chain.logs.values()) {
    least += LOG + LOG * BigInt(log.topics.length) + BigInt((log.data.length - 2) / 2) * 8n;
    if (log.address === emitter) addMovements(log, net);
  }
  const changed =
    [...net].filter(([account, amount]) => amount !== 0n && BigInt(account) !== 0n && account !== emitter)
      .length - 1;
  return changed > 0 && least + BALANCE * BigInt(changed) > mostSpent(chain);
}

function addMovements(log: RawLog, net: Map<string, bigint>): void {
  for (const { from, to, amount } of decodeLog(log)) {
    net.set(from, (net.get(from) ?? 0n) - amount);
    net.set(to, (net.get(to) ?? 0n) + amount);
  }
}
