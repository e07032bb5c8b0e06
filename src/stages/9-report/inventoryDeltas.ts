import { displayMoney, worthOf } from '../../value/money.ts';
import type { PriceBook } from '../../model/economics.ts';
import type { Address } from '../../model/hex.ts';
import type { InventoryDelta } from '../../model/generated/report.ts';
import type { AssetId, LedgerEntry, MovementKind, ValueFlow } from '../../model/valueFlow.ts';
import type { ReportWriter } from './reportWriter.ts';
import { subjectRoles, type RoleInput } from './subjectRoles.ts';
import { SHARE_TOPICS } from '../../evm/tokenTopics.ts';
import type { CanonicalTx } from '../../model/canonicalTx.ts';

/** Movement kinds that are worth a mark of their own. */
const MARKED_KINDS: readonly MovementKind[] = ['mint', 'burn', 'wrap', 'unwrap'];
/** Tags of a token that matter to readers of its amounts, and their mark. */
const TAG_FLAGS: readonly (readonly [tag: string, flag: string])[] = [
  ['fee_on_transfer', 'fee_on_transfer'],
  ['rebasing', 'rebasing'],
  ['spam', 'suspected_spam'],
];

/** The actor, the signer, then everybody by first touch. */
function orderedSubjects({ flow: { ledgers }, attribution: { actor }, tx: { from } }: RoleInput): Address[] {
  const subjects: Address[] = [];
  if (actor !== null && ledgers.has(actor)) subjects.push(actor);
  if (from !== actor && ledgers.has(from)) subjects.push(from);
  for (const account of ledgers.keys()) if (account !== actor && account !== from) subjects.push(account);
  return subjects;
}

function flagsOf(
  id: AssetId,
  { movements }: LedgerEntry,
  { flow, rulebook, suspects }: RoleInput,
  shown: ReadonlyMap<Address, ReadonlySet<AssetMark>>,
): string[] {
  const kinds = movements.map((index) => flow.movements[index]!.kind);
  const flags: string[] = MARKED_KINDS.filter((kind) => kinds.includes(kind));
  const token = flow.assets.get(id)?.address;
  if (!token) return flags;
  if (suspects?.impersonating.has(id)) flags.push('impersonates');
  if (movements.some((index) => suspects?.unverified.has(index))) flags.push('unverified_source');
  const tags = rulebook.entities.get(token)?.tags;
  const marks: ReadonlySet<string> | undefined = shown.get(token);
  for (const [tag, flag] of TAG_FLAGS) if (tags?.includes(tag) || marks?.has(flag)) flags.push(flag);
  return flags;
}

/** One entry per subject and asset; over all subjects the deltas of an asset sum to zero. */
export function inventoryDeltas(input: RoleInput, book: PriceBook, writer: ReportWriter): InventoryDelta[] {
  const roleOf = subjectRoles(input);
  const marks = assetMarks(input.tx, input.flow);
  const deltas: InventoryDelta[] = [];
  for (const subject of orderedSubjects(input)) {
    const address = writer.address(subject);
    const role = roleOf(subject);
    const ledger = input.flow.ledgers.get(subject)!;
    for (const id of ledger.size === 1 ? ledger.keys() : [...ledger.keys()].sort()) {
      const entry = ledger.get(id)!;
      const asset = writer.asset(id);
      const delta = entry.inflow - entry.outflow;
      const [inflow, outflow] = [rawText(entry.inflow), rawText(entry.outflow)];
      const raw = entry.outflow === 0n ? inflow : entry.inflow === 0n ? `-${outflow}` : rawText(delta);
      deltas.push({
        subject: address,
        subject_role: role,
        asset,
        delta_raw: raw,
        delta: writer.amount(asset, raw),
        inflow_raw: inflow,
        outflow_raw: outflow,
        usd: displayMoney(worthOf(id, delta, book)),
        flags: flagsOf(id, entry, input, marks),
        movements: [...entry.movements],
      });
    }
  }
  return deltas;
}

function rawText(amount: bigint): string {
  return amount === 0n ? '0' : amount.toString();
}

type AssetMark = 'fee_on_transfer' | 'rebasing';

/**
 * Marks this very transaction shows about its tokens: `rebasing` for a token with an event that only tokens
 * with balances derived from shares or an index raise; `fee_on_transfer` for one that taxed a transfer.
 */
export function assetMarks(tx: CanonicalTx, flow: ValueFlow): ReadonlyMap<Address, ReadonlySet<AssetMark>> {
  const marks = new Map<Address, Set<AssetMark>>();
  const mark = (token: Address, name: AssetMark): void =>
    void marks.set(token, (marks.get(token) ?? new Set<AssetMark>()).add(name));
  for (const { address, topics } of tx.logs)
    if (topics[0] !== undefined && SHARE_TOPICS.has(topics[0])) mark(address, 'rebasing');
  for (const index of flow.taxes)
    mark(flow.assets.get(flow.movements[index]!.asset)!.address!, 'fee_on_transfer');
  return marks;
}
