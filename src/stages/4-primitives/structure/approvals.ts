import { addressOfWord, wordAt } from '../../../lib/hex.ts';
import type { Found, StructureContext } from './context.ts';
import type { Log } from '../../../model/canonicalTx.ts';
import type { Movement } from '../../../model/valueFlow.ts';

/**
 * Allowances granted or revoked. Many tokens log an approval again whenever `transferFrom` uses one up: such a log stands
 * next to the transfer it paid for and grants nothing.
 */
export function findApprovals(context: StructureContext): Found[] {
  const { tx, flow } = context;
  const transfers = new Map<number, Movement>();
  for (const m of flow.movements) if (m.evidence.log !== null) transfers.set(m.evidence.log, m);

  const found: Found[] = [];
  for (const item of flow.nonEconomic) {
    const log = item.evidence.log === null ? undefined : tx.logs[item.evidence.log];
    if (item.kind !== 'approval' || !log || !item.from || !item.to) continue;
    if (isUsage(log, item.from, transfers)) continue;
    const token = permitToken(log);
    found.push({
      kind: 'approval', seq: log.seq, basis: 'structure', shape: null, protocol: null, venue: log.address, poolId: null,
      roles: [{ role: 'owner', account: item.from }, { role: 'spender', account: item.to }, ...(token ? [{ role: 'token', account: token }] : [])],
      legs: [], invariants: [], tags: grantsNothing(log) ? ['revoked'] : ['granted'], evidence: [item.evidence],
    });
  }
  return found;
}

function isUsage(log: Log, owner: string, transfers: ReadonlyMap<number, Movement>): boolean {
  return [log.index - 1, log.index + 1].some((at) => {
    const m = transfers.get(at);
    return m !== undefined && m.evidence.contract === log.address && m.from === owner;
  });
}

/** All shapes of approval carry the allowance (or true/false) in the first word of the data, the NFT one has none. */
function grantsNothing(log: Log): boolean {
  const word = wordAt(log.data, 0);
  return word !== null && /^0+$/.test(word);
}

/** Approvals kept outside the token name it in the second of three indexed accounts. */
function permitToken(log: Log) {
  return log.topics.length === 4 && log.data.length >= 2 + 128 ? addressOfWord(log.topics[2]!) : null;
}
