import { isPrecompile } from '../../lib/accounts.ts';
import { ZERO_ADDRESS } from '../../lib/hex.ts';
import { ACTING_VENUES, COMPOSITES, PLAIN_MOVEMENTS } from '../../lib/motifKinds.ts';
import { laneNets, sidesOf, sidesOfAccount, type LaneNet, type Sides } from '../../lib/laneNets.ts';
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

/** What the proposals ask about the accounts of one transaction, worked out when it is first asked for. */
export class ElectionContext {
  readonly input: ElectionInput;
  readonly #sides = new Map<Address, Sides>();
  #traders: readonly Address[] | undefined;
  #venues: ReadonlySet<Address> | undefined;
  #tokens: ReadonlySet<Address> | undefined;
  #acting: ReadonlySet<Address> | undefined;
  #emitters: ReadonlySet<Address> | undefined;

  constructor(input: ElectionInput) { this.input = input; }

  get signer(): Address { return this.input.tx.from; }

  /** Net lanes of one account, gas excluded. */
  net(account: Address): readonly LaneNet[] {
    return laneNets(this.input.flow, this.input.rulebook.wrappedNative, new Set([account]));
  }

  /** Which way value went for one account. */
  sides(account: Address): Sides {
    let sides = this.#sides.get(account);
    if (!sides) this.#sides.set(account, (sides = sidesOfAccount(this.input.flow, this.input.rulebook.wrappedNative, account)));
    return sides;
  }

  /** As `sides`, of several accounts taken as one. */
  sidesTogether(accounts: readonly Address[]): Sides {
    return sidesOf(laneNets(this.input.flow, this.input.rulebook.wrappedNative, new Set(accounts)));
  }

  /** Accounts value touched, in first-movement order. */
  get accounts(): readonly Address[] { return [...this.input.flow.ledgers.keys()]; }

  /** Those of the accounts that gave and got. */
  get traders(): readonly Address[] {
    const { outgoing, incoming } = this.input.flow;
    return (this.#traders ??= this.accounts.filter((account) => outgoing.has(account) && incoming.has(account) && this.sides(account) === 'both'));
  }

  /** The account called others, emitted events or was created here: it has code of its own. */
  showsCode(account: Address): boolean {
    if (this.emits(account) || this.input.tx.createdContract === account) return true;
    this.#acting ??= new Set(this.input.tx.frames.filter((frame) => frame.effective && frame.parent !== null).map((frame) => frame.from));
    return account !== this.signer && this.#acting.has(account);
  }

  /** The account emitted events in this transaction. */
  emits(account: Address): boolean {
    this.#emitters ??= new Set(this.input.tx.logs.map((log) => log.address));
    return this.#emitters.has(account);
  }

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
    if (this.#isToken(account)) return 'token_contract';
    const tags = this.input.rulebook.entities.get(account)?.tags;
    const serving = tags?.find((tag) => SERVING_TAGS.has(tag));
    if (serving) return `serves_everybody:${serving}`;
    return this.#isVenue(account) ? 'venue' : null;
  }

  #isToken(account: Address): boolean {
    this.#tokens ??= new Set([...this.input.flow.assets.values()].flatMap(({ address }) => address ?? []));
    return this.#tokens.has(account);
  }

  #isVenue(account: Address): boolean {
    this.#venues ??= new Set(this.input.motifs.filter(({ kind }) => !ACTING_VENUES.has(kind) && !PLAIN_MOVEMENTS.has(kind) && !COMPOSITES.has(kind)).map(({ venue }) => venue));
    return this.#venues.has(account);
  }
}
