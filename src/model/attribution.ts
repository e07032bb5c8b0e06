import type * as wire from './generated/report.ts';
import type { Address } from './hex.ts';
import type { Evidence } from './canonicalTx.ts';

export type AttributionMode = wire.Attribution['mode'];
export type SubmitterRole = wire.Attribution['submitter_role'];

/**
 * Ground of an election. `signed`: the account signed the transaction. `authorised`: its signature was
 * recovered here. `listed`: a contract listed in the rules called it for an operation or settled its order.
 * `own_contract`: it was called and moved its own funds. `claimed`: only an event or the balances point at
 * it, and any contract can cause these.
 */
export type ElectionGround = 'signed' | 'authorised' | 'listed' | 'own_contract' | 'claimed';

/**
 * Ether to or from an ERC-4337 entry point; a paymaster's fee or refund; repayment of the submitter; a pull
 * for the submitter by an unlisted contract.
 */
export type ExecutionReason = 'prefund' | 'charge' | 'compensation' | 'pull';

export interface Candidate {
  readonly account: Address;
  readonly elected: boolean;
  /** Machine-readable reasons for it, best first. */
  readonly reasons: readonly string[];
  readonly rejectedBecause: string | null;
  readonly evidence: readonly Evidence[];
}

export interface SettledOrder {
  readonly owner: Address;
  readonly receiver: Address | null;
  readonly protocol: string | null;
  readonly evidence: readonly Evidence[];
}

export interface Delegation {
  readonly authority: Address | null;
  readonly delegate: Address;
  readonly source: 'authorization_list' | 'code';
  /** Whether the authorisation did; null where the chain does not show it, and of code. */
  readonly tookEffect: boolean | null;
}

export interface Attribution {
  readonly signer: Address;
  readonly actor: Address | null;
  readonly beneficiary: Address | null;
  readonly feePayer: Address;
  readonly mode: AttributionMode;
  /** Null when no account was elected. */
  readonly ground: ElectionGround | null;
  readonly submitterRole: SubmitterRole;
  readonly entryPoint: Address | null;
  readonly paymaster: Address | null;
  readonly settlementContract: Address | null;
  readonly orders: readonly SettledOrder[];
  readonly delegations: readonly Delegation[];
  readonly candidates: readonly Candidate[];
  readonly ambiguous: boolean;
  /** An account that only a stranger's contract names, where no actor is elected. */
  readonly strangerClaim?: { readonly account: Address; readonly by: Address } | null | undefined;
  /** Candidates of equal rank, none chosen; empty with an actor. */
  readonly owners?: readonly Address[];
  /** Accounts that act as one economic entity with the actor (a bot's contract and its signer). */
  readonly entity: readonly Address[];
  /** Movements by which these accounts pay for execution by another's transaction, by index. */
  readonly payments: ReadonlyMap<number, ExecutionReason>;
  readonly evidence: readonly Evidence[];
}
