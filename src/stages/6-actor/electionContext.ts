import { isRecognised, servingTag } from '../../lib/motifKinds.ts';
import { callersOf } from '../../value/frames.ts';
import { tokensOf, venuesOf } from '../../value/parties.ts';
import { isPrecompile } from '../../evm/address.ts';
import { ZERO_ADDRESS } from '../../evm/hex.ts';
import { withParts, type PartsOf } from '../../lib/lazy.ts';
import { accountsWith, roleOf } from '../../lib/roles.ts';
import { asksOwner, type Delegating } from '../../value/delegations.ts';
import { actsOnOrders } from '../../value/signed.ts';
import { isListedAddress } from '../../value/tokenCall.ts';
import type { Suspects } from '../../value/suspectTokens.ts';
import { NATIVE_ASSET } from '../../value/asset.ts';
import { balances, netSides, type Balance, type Sides } from '../../value/balances.ts';
import type { Address } from '../../model/hex.ts';
import type { Evidence, BlockHeader, Frame } from '../../model/canonicalTx.ts';
import type { Motif } from '../../model/motif.ts';
import type { MotifKindSpec } from '../../model/vocabulary.ts';
import type { AssetId, Movement } from '../../model/valueFlow.ts';
import type { Scene } from '../../model/scene.ts';

export interface ElectionInput extends Scene, Delegating {
  readonly header: BlockHeader;
  readonly suspects: Suspects;
}

interface Parts {
  readonly emitters: ReadonlySet<Address>;
  /** Callers below the root. */
  readonly callers: ReadonlySet<Address>;
  /** Accounts value touched that sent and received, in first-movement order. */
  readonly twoSided: readonly Address[];
  /** An event or call names the signer as owner of more than a mere submitter does. */
  readonly signerIsNamed: boolean;
}

const PARTS: PartsOf<Parts, ElectionContext> = {
  emitters: ({ input: { tx } }) => new Set(tx.logs.map(({ address }) => address)),
  callers: ({ input: { tx } }) =>
    new Set(tx.frames.filter((one) => one.effective && one.parent !== null).map(({ from }) => from)),
  twoSided: (context) => {
    const { ledgers, outgoing, incoming } = context.input.flow;
    const isTwoWay = (one: Address): boolean => outgoing.has(one) && incoming.has(one);
    return [...ledgers.keys()].filter((one) => isTwoWay(one) && context.sides(one) === 'both');
  },
  signerIsNamed: (context) =>
    context.input.motifs.some((motif) => {
      const { composite, submitter } = motif.traits;
      const isOfMore = motif.basis !== 'structure' && !composite && !submitter;
      return isOfMore && accountsWith(motif.participants, 'owner').includes(context.signer);
    }),
};

/** Lookups about accounts for the proposals; computed on first use. */
export class ElectionContext extends withParts<Parts>(PARTS) {
  readonly #sides = new Map<Address, Sides>();

  constructor(readonly input: ElectionInput) {
    super();
  }

  get signer(): Address {
    return this.input.tx.from;
  }

  /** Balances of an account or a group: native and wrapped native merged, dust dropped, gas excluded. */
  balances(group: Address | ReadonlySet<Address>): ReadonlyMap<AssetId, Balance> {
    return balances(this.input.flow, group, { dust: 'drop' });
  }

  /** Which way value went for one account, net. */
  sides(account: Address): Sides {
    let sides = this.#sides.get(account);
    if (!sides) this.#sides.set(account, (sides = netSides(this.balances(account).values())));
    return sides;
  }

  /** As `sides`, for several accounts taken as one. */
  sidesTogether(accounts: readonly Address[]): Sides {
    return netSides(this.balances(new Set(accounts)).values());
  }

  /** The account's first payment, else its first receipt, of an asset of its balances; empty without any. */
  firstMovement(account: Address): Evidence[] {
    const [first] = this.balances(account).values();
    const movement = first?.outgoing[0] ?? first?.incoming[0];
    return movement ? [movement.evidence] : [];
  }

  /** Motifs that execute an account's calls, or a user operation. */
  executions(what: NonNullable<MotifKindSpec['executes']>): readonly Motif[] {
    return this.input.motifs.filter(({ traits }) => traits.executes === what);
  }

  /** The account called others, emitted events or was created here: it has code of its own. */
  showsCode(account: Address): boolean {
    if (this.emitters.has(account) || this.input.tx.createdContract === account) return true;
    return account !== this.signer && this.callers.has(account);
  }

  /** The rules know the contract itself, so its events are not a stranger's claim. */
  isListed(motif: Motif): boolean {
    return (
      isRecognised(motif.protocol) && motif.protocol.matchedBy !== 'create2' && motif.basis !== 'structure'
    );
  }

  /** The contract that alone states the motif; null where the rules know it or the account signed. */
  strangerOf(motif: Motif, account: Address): Address | null {
    const { tx, rulebook } = this.input;
    const emitter = motif.evidence[0]?.contract ?? motif.venue;
    const known = this.isListed(motif) || isListedAddress(emitter, rulebook);
    return known || emitter === tx.from || emitter === account || this.authorised(account) ? null : emitter;
  }

  /** The unlisted token that alone states the account's sends; null where anything else left it. */
  tokenClaiming(account: Address): Address | null {
    const { movements, assets, outgoing } = this.input.flow;
    const sent = outgoing.get(account) ?? [];
    if (sent.length === 0 || !sent.every((index) => this.input.suspects.unlisted.has(index))) return null;
    return assets.get(movements[sent[0]!]!.asset)!.address;
  }

  /** The account's own code ran and did something: it made a call, or emitted an event. */
  acted(account: Address): boolean {
    return (this.emitters.has(account) || this.madeCalls(account)) && this.asksOwner(account);
  }

  /** The account's own code made a call that was not read-only. */
  madeCalls(account: Address): boolean {
    return this.input.tx.frames.some(
      ({ effective, static: readOnly, parent, from, type }) =>
        effective && !readOnly && parent !== null && from === account && type !== 'DELEGATECALL',
    );
  }

  asksOwner(account: Address): boolean {
    return asksOwner(account, this.input);
  }

  /** The account was called by another, and the call was not undone. */
  isCalledBy(account: Address, caller: Address): boolean {
    return this.input.tx.frames.some(
      ({ effective, from, to }) => effective && from === caller && to === account,
    );
  }

  /**
   * A signature of the account (EIP-712, EIP-1271) came on chain here and covers its outflow. Anybody may
   * bring a signature seen elsewhere on chain beside movements of their own making. So it did where contracts
   * that check orders took all that it gave.
   */
  authorised(account: Address): boolean {
    if (this.#hasOrdered(account)) return true;
    const calls = this.input.suspects.consent.signed.filter((signed) => signed.account === account);
    if (calls.length === 0) return false;
    const frames = calls.map(({ frame }) => frame);
    const sent = [...this.balances(account).values()].filter(({ net }) => net < 0n);
    if (sent.length === 0) return this.#isAuthor(account, frames);
    const signed = ({ index, asset, evidence: { frame: at } }: Movement): boolean =>
      asset === NATIVE_ASSET
        ? frames.some(({ index: start, end }) => at !== null && at >= start && at < end)
        : !this.input.suspects.unasked.has(index);
    return sent.every(({ outgoing }) => outgoing.every(signed));
  }

  #hasOrdered(account: Address): boolean {
    const { tx, flow, rulebook } = this.input;
    const given = flow.outgoing.get(account) ?? [];
    return (
      given.length > 0 &&
      given.every((index) => {
        const { within } = tx.logs[flow.movements[index]!.evidence.log ?? -1] ?? {};
        if (within == null || this.input.suspects.unasked.has(index)) return false;
        return callersOf(tx.frames[within]!, tx).some(({ from }) => actsOnOrders(rulebook, from));
      })
    );
  }

  /** The signed call is a request that a forwarder executes. */
  #isAuthor(account: Address, calls: readonly Frame[]): boolean {
    return this.input.motifs.some(
      (motif) =>
        motif.tags.includes('relayed') &&
        roleOf(motif, 'owner') === account &&
        motif.evidence.some(({ frame, log }) => log === null && calls.some(({ index }) => index === frame)),
    );
  }

  /** Why the account can never be the actor, or null. */
  neverElect(account: Address): string | null {
    if (account === ZERO_ADDRESS) return 'zero_address';
    if (isPrecompile(account)) return 'precompile';
    if (account === this.signer) return null;
    if (account === this.input.header.coinbase) return 'block_builder';
    if (tokensOf(this.input.flow).has(account)) return 'token_contract';
    const serving = servingTag(this.input.rulebook, account);
    if (serving) return `serves_everybody:${serving}`;
    return venuesOf(this.input.motifs).has(account) ? 'venue' : null;
  }

  /** An account without code, other than the signer, that can be the actor. */
  isOther(account: Address): boolean {
    return account !== this.signer && this.neverElect(account) === null && !this.showsCode(account);
  }
}
