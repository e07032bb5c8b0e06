import type { CanonicalTx } from '../../model/canonicalTx.ts';
import { writeClaims, writeInvariants } from './writeClaims.ts';
import type { Motif } from '../../model/motif.ts';
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

export function writeMotif(motif: Motif, writer: ReportWriter, tx: CanonicalTx): wire.Motif {
  const written: wire.Motif = {
    id: motifId(motif.index),
    kind: motif.kind,
    protocol: writeProtocol(motif, writer),
    scope: { frame_path: writer.framePath(motif.scopeFrame), log_range: writer.logRange(motif.evidence) },
    parent_id: motif.parent === null ? null : motifId(motif.parent),
    participants: motif.participants.map(({ role, account }) => ({ role, account: writer.address(account) })),
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
