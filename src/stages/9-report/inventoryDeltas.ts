import { displayMoney, worthOf } from '../../lib/money.ts';
import type { PriceBook } from '../../model/economics.ts';
import type { Address } from '../../model/hex.ts';
import type { InventoryDelta } from '../../model/report.ts';
import type { AssetId, LedgerEntry, MovementKind } from '../../model/valueFlow.ts';
import type { ReportWriter } from './reportWriter.ts';
import { assetMarks, type AssetMark } from './assetMarks.ts';
import { subjectRoles, type RoleInput } from './subjectRoles.ts';

/** Movement kinds that are worth a mark of their own. */
const MARKED_KINDS: readonly MovementKind[] = ['mint', 'burn', 'wrap', 'unwrap'];
/** Tags of a token that matter to whoever reads its amounts, and the mark they leave. */
const TAG_FLAGS: readonly (readonly [tag: string, flag: string])[] = [
  ['fee_on_transfer', 'fee_on_transfer'], ['rebasing', 'rebasing'], ['spam', 'suspected_spam'],
];

/** The actor, the signer, then everybody by first touch. */
function orderedSubjects({ flow, attribution, tx }: RoleInput): Address[] {
  const order = new Set<Address>();
  for (const account of [attribution.actor, tx.from]) if (account !== null) order.add(account);
  for (const movement of flow.movements) order.add(movement.from).add(movement.to);
  return [...order].filter((account) => flow.ledgers.has(account));
}

function flagsOf(id: AssetId, entry: LedgerEntry, { flow, rulebook }: RoleInput, shown: ReadonlyMap<Address, ReadonlySet<AssetMark>>): string[] {
  const flags: string[] = MARKED_KINDS.filter((kind) => entry.movements.some((index) => flow.movements[index]!.kind === kind));
  const token = flow.assets.get(id)?.address;
  if (!token) return flags;
  const tags = rulebook.entities.get(token)?.tags;
  const marks: ReadonlySet<string> | undefined = shown.get(token);
  if (tags || marks) for (const [tag, flag] of TAG_FLAGS) if (tags?.includes(tag) || marks?.has(flag)) flags.push(flag);
  return flags;
}

/** One entry per subject and asset; over all subjects the deltas of an asset sum to zero. */
export interface InventoryDeltas {
  readonly subjects: number;
  /** The entries of some subjects, by their places. */
  write(from: number, to: number): InventoryDelta[];
}

export function inventoryDeltas(input: RoleInput, book: PriceBook, writer: ReportWriter): InventoryDeltas {
  const roleOf = subjectRoles(input);
  const marks = assetMarks(input.tx, input.flow);
  const subjects = orderedSubjects(input);
  const write = (subject: Address): InventoryDelta[] => {
    const role = roleOf(subject);
    const lanes = [...input.flow.ledgers.get(subject)!].sort(([a], [b]) => (a < b ? -1 : 1));
    return lanes.map(([id, entry]) => {
      const asset = writer.asset(id);
      const delta = entry.inflow - entry.outflow;
      const raw = delta.toString();
      return {
        subject: writer.address(subject),
        subject_role: role,
        asset,
        delta_raw: raw,
        delta: writer.amount(asset, raw),
        inflow_raw: entry.inflow.toString(),
        outflow_raw: entry.outflow.toString(),
        usd: displayMoney(worthOf(id, delta, book)),
        flags: flagsOf(id, entry, input, marks),
        movements: [...entry.movements],
      };
    });
  };
  return { subjects: subjects.length, write: (from, to) => subjects.slice(from, to).flatMap(write) };
}
