import type { Address } from '../../model/hex.ts';
import type { Attribution } from '../../model/attribution.ts';
import type { BlockHeader } from '../../model/canonicalTx.ts';
import type { Suspects } from '../../value/suspectTokens.ts';
import { findFact } from './facts/registry.ts';
import type { FactSource, FactValue } from '../../model/intent.ts';
import type { Scene } from '../../model/scene.ts';
import type { SubjectView } from './facts/subjectView.ts';

/** The account the rules look at the transaction from. */
export interface Subject extends Pick<Attribution, 'signer' | 'mode' | 'payments' | 'submitterRole'> {
  readonly account: Address;
  /** The transaction's EIP-7702 authorisations, with their effect. */
  readonly authorizations: Attribution['delegations'];
  /** The account and all accounts that act as one with it. */
  readonly entity: ReadonlySet<Address>;
  /** False when several accounts of equal weight share the transaction and this one substitutes for them. */
  readonly elected: boolean;
  /** Elected by nothing but an event or balances, which any contract can make so. */
  readonly claimed: boolean;
}

export interface IntentInput extends Scene {
  readonly subject: Subject;
  /** Left out: payments to the block builder count as any other. */
  readonly header?: Pick<BlockHeader, 'coinbase'>;
  /** Left out: nothing is suspect. */
  readonly suspects?: Suspects;
  /** True where neither code nor token names could be read: delegations and imitations stay unseen. */
  readonly stateless?: boolean;
}

/** The elected actor as the subject; the signer if no account was elected. */
export function subjectOf(attribution: Attribution): Subject {
  const account = attribution.actor ?? attribution.signer;
  return {
    account,
    entity: new Set([account, ...attribution.entity]),
    signer: attribution.signer,
    mode: attribution.mode,
    payments: attribution.payments,
    submitterRole: attribution.submitterRole,
    authorizations: attribution.delegations.filter(({ source }) => source === 'authorization_list'),
    elected: attribution.actor !== null,
    claimed: attribution.ground === 'claimed',
  };
}

/** Facts about a candidate, each computed when first asked for. Throws for names that the loader refuses. */
export function factsAbout(view: SubjectView): FactSource {
  const known = new Map<string, FactValue>();
  return (name) => {
    let value = known.get(name);
    if (value !== undefined) return value;
    const fact = findFact(name);
    if (!fact) throw new Error(`unknown fact ${name}`);
    known.set(name, (value = fact.compute(view)));
    return value;
  };
}
