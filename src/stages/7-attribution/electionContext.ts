import { isPrecompile } from '../../lib/accounts.ts';
import { ZERO_ADDRESS } from '../../lib/hex.ts';
import { ACTING_VENUES, COMPOSITES, PLAIN_MOVEMENTS } from '../../lib/motifKinds.ts';
import { laneNets, sidesOf, type LaneNet, type Sides } from '../../lib/laneNets.ts';
import type { Address } from '../../model/hex.ts';
import type { BlockHeader, CanonicalTx } from '../../model/canonicalTx.ts';
import type { Motif } from '../../model/motif.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { ValueFlow } from '../../model/valueFlow.ts';

export interface ElectionInput {
  readonly tx: CanonicalTx;
  readonly flow: ValueFlow;
  readonly motifs: readonly Motif[];
  readonly rulebook: Rulebook;
  readonly header: BlockHeader;
  /** Accounts whose code delegates to another (EIP-7702): account → delegate. */
  readonly delegations: ReadonlyMap<Address, Address>;
}

/** Kinds in which a mere submitter has a part of its own. */
const SUBMITTING = new Set(['approval', 'swap', 'order_settled', 'account_delegation', 'message', 'flash_loan']);
/** Entity tags that say an address serves everybody and is nobody's own account. */
const SERVING_TAGS = new Set(['never_elect', 'router', 'aggregator', 'settlement', 'entry_point', 'bridge', 'infrastructure', 'multicall', 'wrapped_native', 'exchange_proxy', 'pool', 'vault', 'paymaster', 'forwarder']);

/** What the proposals ask about the accounts of one transaction, each answer computed once. */
export class ElectionContext {
  readonly input: ElectionInput;
  private readonly nets = new Map<Address, LaneNet[]>();
  private readonly venues = new Set<Address>();
  private readonly tokens = new Set<Address>();
  private readonly acting = new Set<Address>();
  private readonly emitters = new Set<Address>();

  constructor(input: ElectionInput) {
    this.input = input;
    for (const motif of input.motifs) if (!ACTING_VENUES.has(motif.kind) && !PLAIN_MOVEMENTS.has(motif.kind) && !COMPOSITES.has(motif.kind)) this.venues.add(motif.venue);
    for (const asset of input.flow.assets.values()) if (asset.address) this.tokens.add(asset.address);
    for (const frame of input.tx.frames) if (frame.effective && frame.parent !== null) this.acting.add(frame.from);
    for (const log of input.tx.logs) this.emitters.add(log.address);
  }

  get signer(): Address { return this.input.tx.from; }

  /** Net lanes of one account, gas excluded. */
  net(account: Address): readonly LaneNet[] {
    let lanes = this.nets.get(account);
    if (!lanes) this.nets.set(account, (lanes = laneNets(this.input.flow, this.input.rulebook.wrappedNative, new Set([account]))));
    return lanes;
  }

  sides(account: Address): Sides { return sidesOf(this.net(account)); }

  /** As `sides`, of several accounts taken as one. */
  sidesTogether(accounts: readonly Address[]): Sides {
    return sidesOf(laneNets(this.input.flow, this.input.rulebook.wrappedNative, new Set(accounts)));
  }

  hasTag(account: Address, tag: string): boolean {
    return this.input.rulebook.entities.get(account)?.tags.includes(tag) ?? false;
  }

  /** The account called others, emitted events or was created here: it has code of its own. */
  showsCode(account: Address): boolean {
    return this.acting.has(account) && account !== this.signer || this.emitters.has(account) || this.input.tx.createdContract === account;
  }

  /** The account emitted events in this transaction. */
  emits(account: Address): boolean { return this.emitters.has(account); }

  isVenue(account: Address): boolean { return this.venues.has(account); }

  /** An event or call says that the signer is the one it was done for, so it is no mere submitter. */
  get signerIsNamed(): boolean {
    return this.input.motifs.some((m) => m.basis !== 'structure' && !COMPOSITES.has(m.kind) && !SUBMITTING.has(m.kind)
      && m.participants.some((p) => p.role === 'owner' && p.account === this.signer));
  }

  /** Why the account can never be the actor, or null. */
  neverElect(account: Address): string | null {
    if (account === ZERO_ADDRESS) return 'zero_address';
    if (isPrecompile(account)) return 'precompile';
    if (account === this.signer) return null;
    if (account === this.input.header.coinbase) return 'block_builder';
    if (this.tokens.has(account)) return 'token_contract';
    const tags = this.input.rulebook.entities.get(account)?.tags;
    const serving = tags?.find((tag) => SERVING_TAGS.has(tag));
    if (serving) return `serves_everybody:${serving}`;
    return this.venues.has(account) ? 'venue' : null;
  }

  /** Accounts value touched, in first-movement order. */
  accounts(): Address[] {
    const seen = new Set<Address>();
    for (const movement of this.input.flow.movements) { seen.add(movement.from); seen.add(movement.to); }
    return [...seen];
  }
}
