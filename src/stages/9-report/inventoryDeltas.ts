import { displayMoney, worthTogether } from '../../lib/money.ts';
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

function flagsOf(asset: AssetId, entry: LedgerEntry, { flow, rulebook }: RoleInput, shown: ReadonlyMap<Address, ReadonlySet<AssetMark>>): string[] {
  const kinds = new Set(entry.movements.map((index) => flow.movements[index]!.kind));
  const address = flow.assets.get(asset)?.address;
  const tags = (address && rulebook.entities.get(address)?.tags) || [];
  const marks: ReadonlySet<string> = (address && shown.get(address)) || new Set<string>();
  return [...MARKED_KINDS.filter((kind) => kinds.has(kind)), ...TAG_FLAGS.filter(([tag, flag]) => tags.includes(tag) || marks.has(flag)).map(([, flag]) => flag)];
}

/** One entry per subject and asset; over all subjects the deltas of an asset sum to zero. */
export function inventoryDeltas(input: RoleInput, book: PriceBook, writer: ReportWriter): InventoryDelta[] {
  const roleOf = subjectRoles(input);
  const marks = assetMarks(input.tx, input.flow);
  return orderedSubjects(input).flatMap((subject) => {
    const lanes = [...input.flow.ledgers.get(subject)!].sort(([a], [b]) => (a < b ? -1 : 1));
    return lanes.map(([asset, entry]) => {
      const delta = entry.inflow - entry.outflow;
      return {
        subject: writer.address(subject),
        subject_role: roleOf(subject),
        asset: writer.asset(asset),
        delta_raw: delta.toString(),
        delta: writer.amount(asset, delta),
        inflow_raw: entry.inflow.toString(),
        outflow_raw: entry.outflow.toString(),
        usd: displayMoney(worthTogether([[asset, delta]], book)),
        flags: flagsOf(asset, entry, input, marks),
        movements: [...entry.movements],
      };
    });
  });
}
