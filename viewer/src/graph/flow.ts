import type { Movement, TxReport } from '../../../src/model/generated/report.ts';
import type { AccountBook, Role } from '../../../src/tools/wording/accounts.ts';

/** An account, or several of one part drawn as one. */
export interface FlowNode {
  readonly id: string;
  readonly role: Role;
  /** Addresses; more than one for a fold. */
  readonly members: readonly string[];
  /** Movements between members of a fold: drawn nowhere. */
  readonly inside: readonly number[];
}

interface Carried {
  readonly assetId: string;
  readonly raw: bigint;
  readonly count: number;
}

/** All that one account sent another. */
export interface FlowEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** Positions in the report's movements, in execution order. */
  readonly movements: readonly number[];
  readonly carried: readonly Carried[];
  /** Seen by the subject. */
  readonly direction: 'sent' | 'received' | 'between';
  /** Mints, burns, wraps among the movements. */
  readonly kinds: readonly string[];
  /** Place of its first movement among all edges', counted from 1. */
  readonly step: number;
}

export interface Flow {
  readonly nodes: readonly FlowNode[];
  readonly edges: readonly FlowEdge[];
}

/** Which node an address is drawn as. */
export type NodeOf = (address: string) => string;

const lowerCase: NodeOf = (address) => address.toLowerCase();
const subjectOf = (report: TxReport): string => report.classification.actor ?? report.tx.signer;

/** Parts of a report that the graph needs. */
export interface FlowSource {
  readonly report: TxReport;
  readonly accounts: AccountBook;
  readonly subject: string;
}

export interface FlowOptions {
  /** The account at the start of the flow. */
  readonly subject?: string;
  readonly nodeOf?: NodeOf;
  /** Only movements of this asset; null for all. */
  readonly asset?: string | null;
}

/** The value flow with one edge per pair of accounts, nodes in order of first use with the actor in front. */
export function flowOf(
  report: TxReport,
  accounts: AccountBook,
  { subject = subjectOf(report), nodeOf = lowerCase, asset = null }: FlowOptions = {},
): Flow {
  const movements = report.movements ?? [];
  const members = new Map<string, Set<string>>();
  const inside = new Map<string, number[]>();
  const bundles = new Map<string, { from: string; to: string; at: number[] }>();
  const join = (address: string): string => {
    const id = nodeOf(address);
    const mine = members.get(id) ?? new Set();
    members.set(id, mine.add(address));
    return id;
  };
  movements.forEach((m, index) => {
    if (asset !== null && m.asset_id !== asset) return;
    const [from, to] = [join(m.from), join(m.to)];
    if (from === to && members.get(from)!.size > 1) {
      inside.set(from, [...(inside.get(from) ?? []), index]);
      return;
    }
    const id = `${from}>${to}`;
    const bundle = bundles.get(id) ?? { from, to, at: [] };
    bundles.set(id, bundle);
    bundle.at.push(index);
  });
  const actorId = nodeOf(subject);
  const edges = [...bundles].map(
    ([id, { from, to, at }], i): FlowEdge => ({
      id,
      from,
      to,
      movements: at,
      carried: carriedBy(at.map((index) => movements[index]!)),
      direction:
        from === actorId && to !== actorId
          ? 'sent'
          : to === actorId && from !== actorId
            ? 'received'
            : 'between',
      kinds: [...new Set(at.map((index) => movements[index]!.kind))].filter((kind) => kind !== 'transfer'),
      step: i + 1,
    }),
  );
  const nodes = [...members].map(([id, addresses]): FlowNode => {
    const list = [...addresses];
    return { id, role: accounts.of(list[0]!).role, members: list, inside: inside.get(id) ?? [] };
  });
  return {
    nodes: [...nodes.filter((n) => n.id === actorId), ...nodes.filter((n) => n.id !== actorId)],
    edges,
  };
}

function carriedBy(movements: readonly Movement[]): Carried[] {
  const byAsset = new Map<string, { raw: bigint; count: number }>();
  for (const m of movements) {
    const sum = byAsset.get(m.asset_id) ?? { raw: 0n, count: 0 };
    byAsset.set(m.asset_id, { raw: sum.raw + BigInt(m.amount_raw), count: sum.count + 1 });
  }
  return [...byAsset].map(([assetId, { raw, count }]) => ({ assetId, raw, count }));
}
