import { isRecognised, listedName } from '../../lib/motifKinds.ts';
import { tokensOf, venuesOf } from '../../value/parties.ts';
import type { Attribution } from '../../model/attribution.ts';
import type * as wire from '../../model/generated/report.ts';
import type { AccountName } from '../../model/generated/report.ts';
import type { ReportInput } from './buildReport.ts';
import type { ReportWriter } from './reportWriter.ts';
import { addressName } from '../../value/labelFormat.ts';
import { cleanText } from '../../value/cleanText.ts';
import type { Address } from '../../model/hex.ts';

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
      order_hash: null,
      evidence: writer.evidences(order.evidence),
    })),
    delegations: attribution.delegations.map(({ authority, delegate, source, tookEffect }) => ({
      authority: writer.addressOrNull(authority),
      delegate: writer.address(delegate),
      source,
      took_effect: tookEffect,
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

const MAX_NAME = 100;

/**
 * Names addresses from the first source that knows each: the rules' entities, their protocols, the address
 * book, the token contract itself. For display only: the report is complete before names are looked up.
 */
export function accountNames({
  rulebook,
  context,
  flow,
  motifs,
}: Pick<ReportInput, 'rulebook' | 'context' | 'flow' | 'motifs'>): (account: Address) => AccountName | null {
  const venues = venuesOf(motifs);
  // The report's assets have their tokens' own names with them.
  const described = tokensOf(flow);
  // Of pools and vaults with a factory or CREATE2 address that proves the protocol.
  const venueName = (account: Address): string | null => {
    const protocol = venues.get(account)?.protocol ?? null;
    return isRecognised(protocol) ? (rulebook.protocols.get(protocol.slug)?.name ?? protocol.slug) : null;
  };
  return (account) => {
    const own = listedName(account, rulebook);
    if (own !== null) {
      const kind = rulebook.protocolAt.has(account) ? 'protocol' : 'venue';
      return named(own, rulebook.entities.get(account)?.tags[0] ?? kind, 'rules');
    }
    const listed = addressName(rulebook.addressBook, account);
    if (listed) return named(listed.name, listed.kind, 'address_book');
    const venue = venueName(account);
    if (venue !== null) return named(venue, 'venue', 'rules');
    const token = context.tokens.get(account);
    return token && !described.has(account) ? named(token.name ?? token.symbol, 'token', 'contract') : null;
  };
}

function named(text: string | null, kind: string, source: AccountName['source']): AccountName | null {
  const name = cleanText(text, MAX_NAME);
  return name === null ? null : { name, kind, source };
}
