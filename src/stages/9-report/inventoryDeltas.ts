import { displayMoney, worthOf } from '../../value/money.ts';
import type { PriceBook } from '../../model/economics.ts';
import type { Address } from '../../model/hex.ts';
import type { InventoryDelta } from '../../model/generated/report.ts';
import type { AssetId, LedgerEntry, MovementKind } from '../../model/valueFlow.ts';
import type { ReportWriter } from './reportWriter.ts';
import { assetMarks, type AssetMark } from './assetMarks.ts';
import { subjectRoles, type RoleInput } from './subjectRoles.ts';

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
  const kinds = new Set(movements.map((index) => flow.movements[index]!.kind));
  const flags: string[] = MARKED_KINDS.filter((kind) => kinds.has(kind));
  const token = flow.assets.get(id)?.address;
  if (!token) return flags;
  if (suspects?.impersonating.has(id)) flags.push('impersonates');
  if (movements.some((index) => suspects?.unverified.has(index))) flags.push('unverified_source');
  const tags = rulebook.entities.get(token)?.tags;
  const marks: ReadonlySet<string> | undefined = shown.get(token);
  const marked = TAG_FLAGS.filter(([tag, flag]) => tags?.includes(tag) || marks?.has(flag));
  return [...flags, ...marked.map(([, flag]) => flag)];
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
  const writeSubject = (subject: Address, deltas: InventoryDelta[]): void => {
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
  };
  const write = (from: number, to: number): InventoryDelta[] => {
    const deltas: InventoryDelta[] = [];
    for (let i = from; i < to && i < subjects.length; i++) writeSubject(subjects[i]!, deltas);
    return deltas;
  };
  return { subjects: subjects.length, write };
}

/** Most accounts only sent or only received. */
function rawText(amount: bigint): string {
  return amount === 0n ? '0' : amount.toString();
}
