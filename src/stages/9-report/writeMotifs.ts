import type { CanonicalTx } from '../../model/canonicalTx.ts';
import { writeClaims, writeInvariants } from './writeClaims.ts';
import { distinctRoles } from '../../lib/roles.ts';
import type { Motif } from '../../model/motif.ts';
import type { RoleBinding } from '../../model/primitive.ts';
import type { ValueFlow } from '../../model/valueFlow.ts';
import type * as wire from '../../model/generated/report.ts';
import { motifId, type ReportWriter } from './reportWriter.ts';

export function writeProtocol(motif: Motif, writer: ReportWriter): wire.ProtocolRef | null {
  const protocol = motif.named ?? motif.protocol;
  if (!protocol) return null;
  const { slug, version, matchedBy } = protocol;
  const contract = writer.address(motif.venue);
  // `matched_by` is a closed list of the first schema version; later ways have words of their own.
  if (matchedBy === 'registry')
    return { slug, version, contract, matched_by: 'address', named_by: 'registry' };
  return matchedBy === 'token' || matchedBy === 'creator'
    ? { slug, version, contract, named_by: matchedBy }
    : { slug, version, contract, matched_by: matchedBy };
}

function writeAmounts(amounts: Motif['assetsIn'], writer: ReportWriter): wire.AssetAmount[] {
  return amounts.map(({ asset: id, amount, role }) => {
    const asset = writer.asset(id);
    const raw = amount.toString();
    return { asset, amount_raw: raw, amount: writer.amount(asset, raw), role };
  });
}

/** Ids of 32 bytes as the chain writes them. */
function poolId(id: string): string {
  return /^\d+$/.test(id) ? `0x${BigInt(id).toString(16).padStart(64, '0')}` : id;
}

/**
 * Payers and recipients are the ends of the act's movements. Behind them are the source of what they passed
 * on, and the beneficiary.
 */
function partsOf({ participants, movements }: Motif, { movements: all }: ValueFlow): readonly RoleBinding[] {
  if (movements.length === 0) return participants;
  const from = new Set(movements.map((index) => all[index]!.from));
  const to = new Set(movements.map((index) => all[index]!.to));
  const parts = participants.map(({ role, account }) => {
    if (role === 'payer' && !from.has(account)) return { role: 'source', account };
    return { role: role === 'recipient' && !to.has(account) ? 'beneficiary' : role, account };
  });
  return distinctRoles(parts);
}

export function writeMotif(
  motif: Motif,
  writer: ReportWriter,
  { tx, flow }: { readonly tx: CanonicalTx; readonly flow: ValueFlow },
): wire.Motif {
  const written: wire.Motif = {
    id: motifId(motif.index),
    kind: motif.kind,
    protocol: writeProtocol(motif, writer),
    scope: { frame_path: writer.framePath(motif.scopeFrame), log_range: writer.logRange(motif.evidence) },
    parent_id: motif.parent === null ? null : motifId(motif.parent),
    participants: partsOf(motif, flow).map(({ role, account }) => {
      return { role, account: writer.address(account) };
    }),
    assets_in: writeAmounts(motif.assetsIn, writer),
    assets_out: writeAmounts(motif.assetsOut, writer),
    invariants: writeInvariants(motif),
    claims: writeClaims(motif, writer, tx),
    status: motif.status,
    confidence: motif.confidence,
    movements: [...motif.movements],
    evidence: writer.evidences(motif.evidence),
    tags: [...motif.tags],
  };
  if (motif.poolId !== null) written.pool_id = poolId(motif.poolId);
  if (motif.count !== undefined) written.count = motif.count;
  return written;
}
