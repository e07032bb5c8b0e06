import type { CanonicalTx } from '../../model/canonicalTx.ts';
import { writeClaims, writeInvariants } from './writeClaims.ts';
import type { Motif } from '../../model/motif.ts';
import type * as wire from '../../model/generated/report.ts';
import type { ProtocolRef } from '../../model/primitive.ts';
import { motifId, type ReportWriter } from './reportWriter.ts';

export function writeProtocol(motif: Motif, writer: ReportWriter): wire.ProtocolRef | null {
  const protocol = motif.named ?? motif.protocol;
  return (
    protocol && {
      slug: protocol.slug,
      version: protocol.version,
      contract: writer.address(motif.venue),
      ...howMatched(protocol),
    }
  );
}

/** `matched_by` is a closed list of the first schema version; later ways have words of their own. */
function howMatched({ matchedBy }: ProtocolRef): Pick<wire.ProtocolRef, 'matched_by' | 'named_by'> {
  if (matchedBy === 'registry') return { matched_by: 'address', named_by: 'registry' };
  return matchedBy === 'token' || matchedBy === 'creator'
    ? { named_by: matchedBy }
    : { matched_by: matchedBy };
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
  return {
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
    ...(motif.poolId === null ? {} : { pool_id: poolId(motif.poolId) }),
    ...(motif.count === undefined ? {} : { count: motif.count }),
  };
}
