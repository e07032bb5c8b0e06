import type { Attribution } from '../../model/attribution.ts';
import type * as wire from '../../model/generated/report.ts';
import type { ReportWriter } from './reportWriter.ts';

export function writeAttribution(attribution: Attribution, writer: ReportWriter): wire.Attribution {
  return {
    signer: writer.address(attribution.signer),
    actor: writer.addressOrNull(attribution.actor),
    beneficiary: writer.addressOrNull(attribution.beneficiary),
    fee_payer: writer.address(attribution.feePayer),
    mode: attribution.mode,
    submitter_role: attribution.submitterRole,
    ground: attribution.ground,
    entry_point: writer.addressOrNull(attribution.entryPoint),
    paymaster: writer.addressOrNull(attribution.paymaster),
    settlement_contract: writer.addressOrNull(attribution.settlementContract),
    orders: attribution.orders.map((order) => ({
      owner: writer.address(order.owner),
      receiver: writer.addressOrNull(order.receiver),
      protocol: order.protocol,
      order_hash: order.orderHash,
      evidence: writer.evidences(order.evidence),
    })),
    delegations: attribution.delegations.map(({ authority, delegate, source }) => ({
      authority: writer.addressOrNull(authority),
      delegate: writer.address(delegate),
      source,
    })),
    candidates: attribution.candidates.map((candidate) => ({
      account: writer.address(candidate.account),
      elected: candidate.elected,
      reasons: [...candidate.reasons],
      rejected_because: candidate.rejectedBecause,
      evidence: writer.evidences(candidate.evidence),
    })),
    ambiguous: attribution.ambiguous,
    evidence: writer.evidences(attribution.evidence),
  };
}
