import type { Address } from '../../model/hex.ts';
import type { AttributionMode, ElectionGround, SubmitterRole } from '../../model/attribution.ts';
import type { Evidence } from '../../model/canonicalTx.ts';
import type { ValueFlow } from '../../model/valueFlow.ts';

/** One account that could be the actor, and why. */
export interface Proposal {
  readonly account: Address;
  readonly mode: AttributionMode;
  readonly submitterRole: SubmitterRole;
  readonly ground: ElectionGround;
  /** Machine-readable. */
  readonly reason: string;
  readonly evidence: readonly Evidence[];
  /** The contract that alone states it, by its event or its token's transfers. It elects no actor. */
  readonly claimedBy?: Address | null;
  /** Accounts that act as one with it, itself first. */
  readonly entity?: readonly Address[];
}

/**
 * Proposals of equal weight. Groups are tried in order and the first that is not empty decides: one account
 * is the actor, several are an ambiguity that is reported and never guessed away.
 */
export interface ProposalGroup {
  readonly source: string;
  readonly proposals: readonly Proposal[];
}

/** Evidence that an account took part: its first payment and its first receipt. */
export function firstMovements({ movements, outgoing, incoming }: ValueFlow, account: Address): Evidence[] {
  const first = [outgoing.get(account)?.[0], incoming.get(account)?.[0]];
  return first.flatMap((index) => (index === undefined ? [] : movements[index]!.evidence));
}
