import type { Motif, TxReport } from '../model/generated/report.ts';
import type { FindingRule } from '../model/finding.ts';
import type { Rulebook } from '../model/rulebook.ts';

/** A log as the receipt holds it. */
export interface RawLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly logIndex: string;
}

/** A transaction of the block, with its report. */
export interface BlockTx {
  /** Position in the block. */
  readonly index: number;
  readonly report: TxReport;
  /** Accounts that did the transaction: the signer, unless it serves others, and the elected actor. */
  readonly own: ReadonlySet<string>;
  /** Accounts that received the assets it traded. */
  readonly receivers: ReadonlySet<string>;
}

/** Motifs of one kind, venue and direction in one transaction, or the transaction as a whole. */
export interface Act {
  readonly tx: BlockTx;
  readonly kind: string;
  /** Null for a transaction as a whole. */
  readonly venue: string | null;
  readonly poolId: string | null;
  readonly protocol: string | null;
  /** Assets the venue's counterparty sent and received. */
  readonly gave: ReadonlyMap<string, bigint>;
  readonly got: ReadonlyMap<string, bigint>;
  readonly within: ReadonlySet<string>;
  readonly motifs: Motif[];
}

export interface Block {
  readonly number: number;
  /** Checksummed as in the reports; null where the node named none. */
  readonly coinbase: string | null;
  readonly txs: readonly BlockTx[];
  readonly logsOf: (hash: string) => readonly RawLog[];
}

/** Signers of these roles carry out requests of others. */
const SERVING: ReadonlySet<string> = new Set(['bundler', 'relayer', 'solver', 'resolver', 'safe_executor']);

/** A report's place in its block, and the accounts that did it. */
export function blockTx(report: TxReport, index: number): BlockTx {
  const { signer, actor, submitter_role: role, ground } = report.attribution;
  const own = new Set<string>();
  if (!SERVING.has(role)) own.add(signer);
  if (actor !== null && ground !== 'claimed') own.add(actor);
  const receivers = new Set<string>();
  for (const { participants } of report.motifs)
    for (const { role: part, account } of participants)
      if (part === 'recipient' || part === 'beneficiary') receivers.add(account);
  return { index, report, own, receivers };
}

/** The acts that rules of findings ask for, in the order of the block. */
export function actsOf(
  txs: readonly BlockTx[],
  rules: readonly FindingRule[],
  rulebook: Pick<Rulebook, 'motifKinds'>,
): Act[] {
  const kinds = new Set(rules.flatMap(({ steps }) => steps.flatMap((step) => [...step.kinds])));
  return txs.flatMap((tx) => {
    const acts = new Map<string, Act>();
    for (const motif of tx.report.motifs)
      if (kinds.has(motif.kind)) addMotif(acts, tx, motif, venueOf(motif, rulebook.motifKinds));
    const { intent_kind: kind } = tx.report.classification;
    return kinds.has(kind) ? [...acts.values(), newAct(tx, kind)] : [...acts.values()];
  });
}

/** An act of a transaction as a whole, or with the given place. */
function newAct(tx: BlockTx, kind: string, at: Partial<Act> = {}): Act {
  const nowhere = { venue: null, poolId: null, protocol: null, within: new Set<string>() };
  return { tx, kind, ...nowhere, gave: new Map(), got: new Map(), motifs: [], ...at };
}

/** Where a motif happened: the participant with the role its kind's venue plays. */
export function venueOf(
  { kind, participants, protocol }: Motif,
  motifKinds: Rulebook['motifKinds'],
): string | undefined {
  const part = motifKinds.get(kind)?.venue ?? 'venue';
  return participants.find(({ role }) => role === part)?.account ?? protocol?.contract;
}

function addMotif(acts: Map<string, Act>, tx: BlockTx, motif: Motif, venue: string | undefined): void {
  if (venue === undefined) return;
  const poolId = motif.pool_id ?? null;
  const ids = (amounts: Motif['assets_in']): string => amounts.map(({ asset }) => asset.id).join();
  const key = `${motif.kind} ${venue} ${poolId} ${ids(motif.assets_out)} ${ids(motif.assets_in)}`;
  let act = acts.get(key);
  if (!act) {
    const within = new Set(rootOf(motif, tx.report.motifs).map(({ kind }) => kind));
    act = newAct(tx, motif.kind, { venue, poolId, protocol: motif.protocol?.slug ?? null, within });
    acts.set(key, act);
  }
  act.motifs.push(motif);
  addAmounts(act.gave as Map<string, bigint>, motif.assets_out);
  addAmounts(act.got as Map<string, bigint>, motif.assets_in);
}

function addAmounts(sums: Map<string, bigint>, amounts: Motif['assets_in']): void {
  for (const { asset, amount_raw } of amounts)
    sums.set(asset.id, (sums.get(asset.id) ?? 0n) + BigInt(amount_raw));
}

/** The motifs that a motif is a part of, from the nearest to the outermost. */
export function rootOf(motif: Motif, motifs: readonly Motif[]): Motif[] {
  const above: Motif[] = [];
  for (let id = motif.parent_id; id !== null && above.length < motifs.length; ) {
    const parent = motifs.find((one) => one.id === id);
    if (parent === undefined) break;
    above.push(parent);
    id = parent.parent_id;
  }
  return above;
}
