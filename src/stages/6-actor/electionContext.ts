import { isPrecompile } from '../../evm/accounts.ts';
import { ZERO_ADDRESS } from '../../evm/hex.ts';
import { ACTING_VENUES, COMPOSITES, PLAIN_MOVEMENTS } from '../../lib/motifKinds.ts';
import { laneNets, sidesOf, sidesOfAccount, type LaneNet, type Sides } from '../../value/laneNets.ts';
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
const SUBMITTING = new Set([
  'approval',
  'swap',
  'order_settled',
  'account_delegation',
  'message',
  'flash_loan',
]);
/** Entity tags that say an address serves everybody and is nobody's own account. */
const SERVING_TAGS = new Set([
  'never_elect',
  'router',
  'aggregator',
  'settlement',
  'entry_point',
  'bridge',
  'infrastructure',
  'multicall',
  'wrapped_native',
  'exchange_proxy',
  'pool',
  'vault',
  'paymaster',
  'forwarder',
]);

/** What the proposals ask about the accounts of one transaction, worked out when it is first asked for. */
export class ElectionContext {
  readonly input: ElectionInput;
  readonly #sides = new Map<Address, Sides>();
  #traders: readonly Address[] | undefined;
  #venues: ReadonlySet<Address> | undefined;
  #tokens: ReadonlySet<Address> | undefined;
  #acting: ReadonlySet<Address> | undefined;
  #emitters: ReadonlySet<Address> | undefined;

  constructor(input: ElectionInput) {
    this.input = input;
  }

  get signer(): Address {
    return this.input.tx.from;
  }

  /** Net lanes of one account, gas excluded. */
  net(account: Address): readonly LaneNet[] {
    return laneNets(this.input.flow, this.input.rulebook.wrappedNative, new Set([account]));
  }

  /** Which way value went for one account. */
  sides(account: Address): Sides {
    let sides = this.#sides.get(account);
    if (!sides)
      this.#sides.set(
        account,
        (sides = sidesOfAccount(this.input.flow, this.input.rulebook.wrappedNative, account)),
      );
    return sides;
  }

  /** As `sides`, of several accounts taken as one. */
  sidesTogether(accounts: readonly Address[]): Sides {
    return sidesOf(laneNets(this.input.flow, this.input.rulebook.wrappedNative, new Set(accounts)));
  }

  /** The motifs of a kind. */
  ofKind(kind: string): readonly Motif[] {
    const found: Motif[] = [];
    for (const motif of this.input.motifs) if (motif.kind === kind) found.push(motif);
    return found;
  }

  /** Accounts value touched that sent and received, in first-movement order. */
  get traders(): readonly Address[] {
    if (this.#traders) return this.#traders;
    const { ledgers, outgoing, incoming } = this.input.flow;
    const traders: Address[] = [];
    for (const account of ledgers.keys())
      if (outgoing.has(account) && incoming.has(account) && this.sides(account) === 'both')
        traders.push(account);
    return (this.#traders = traders);
  }

  /** The account called others, emitted events or was created here: it has code of its own. */
  showsCode(account: Address): boolean {
    if (this.emits(account) || this.input.tx.createdContract === account) return true;
    if (account === this.signer) return false;
    this.#acting ??= setOf(this.input.tx.frames, (frame) =>
      frame.effective && frame.parent !== null ? frame.from : null,
    );
    return this.#acting.has(account);
  }

  /** The account emitted events in this transaction. */
  emits(account: Address): boolean {
    this.#emitters ??= setOf(this.input.tx.logs, (log) => log.address);
    return this.#emitters.has(account);
  }

  /** An event or call says that the signer is the one it was done for, so it is no mere submitter. */
  get signerIsNamed(): boolean {
    for (const { basis, kind, participants } of this.input.motifs) {
      if (basis === 'structure' || COMPOSITES.has(kind) || SUBMITTING.has(kind)) continue;
      for (const { role, account } of participants)
        if (role === 'owner' && account === this.signer) return true;
    }
    return false;
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
    this.#tokens ??= setOf(this.input.flow.assets.values(), (asset) => asset.address);
    return this.#tokens.has(account);
  }

  #isVenue(account: Address): boolean {
    this.#venues ??= setOf(this.input.motifs, ({ kind, venue }) =>
      ACTING_VENUES.has(kind) || PLAIN_MOVEMENTS.has(kind) || COMPOSITES.has(kind) ? null : venue,
    );
    return this.#venues.has(account);
  }
}

/** The accounts that items name, those that name none left out. */
function setOf<T>(items: Iterable<T>, account: (item: T) => Address | null): Set<Address> {
  const found = new Set<Address>();
  for (const item of items) {
    const named = account(item);
    if (named !== null) found.add(named);
  }
  return found;
}
