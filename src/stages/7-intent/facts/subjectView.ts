import { groupBy } from '../../../lib/lists.ts';
import { mergeNative, NATIVE_ASSET } from '../../../value/asset.ts';
import { balances, sidesOf, type Balance } from '../../../value/balances.ts';
import { movedAssets, venuesOf } from '../../../value/parties.ts';
import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import { isSwap, kindOf } from '../../../lib/motifKinds.ts';

import { Exchange } from './swapFacts.ts';
import { builderPayments } from '../../../value/parties/builder.ts';
import { executionPayments } from '../../../value/parties/execution.ts';
import { intermediariesOf } from './intermediaries.ts';
import { motifsAtEnd, payees } from './flowEnds.ts';
import { ownership } from './ownership.ts';
import { sharesByAsset } from './assetFacts.ts';
import type { IntentInput } from '../intentInput.ts';
import type { Address } from '../../../model/hex.ts';
import type { AssetAmount, Motif } from '../../../model/motif.ts';
import type { MotifKindSpec } from '../../../model/vocabulary.ts';
import type { AssetId, Movement, NonEconomicMovement } from '../../../model/valueFlow.ts';

type MotifsByKind = ReadonlyMap<string, readonly Motif[]>;
type MotifsByAsset = ReadonlyMap<AssetId, ReadonlySet<Motif>>;

/** A transaction as one account sees it. Every part is computed when a fact first asks for it, once. */
export class SubjectView {
  readonly input: IntentInput;
  #fees?: ReadonlySet<number>;
  #tips?: ReadonlySet<number>;
  #movements?: readonly Movement[];
  #balances?: readonly Balance[];
  #sent?: readonly Balance[];
  #received?: readonly Balance[];
  #venues?: ReadonlyMap<Address, Motif>;
  #intermediaries?: ReadonlySet<Address>;
  #own?: readonly Motif[];
  #ownByKind?: MotifsByKind;
  #byKind?: MotifsByKind;
  #swaps?: readonly Motif[];
  #exchange?: Exchange;
  #takers?: MotifsByAsset;
  #payers?: MotifsByAsset;
  #payees?: ReadonlySet<Address>;
  #sources?: ReadonlySet<Address>;
  #keepers?: Keepers;
  #active?: ReadonlySet<Address>;
  #code?: ReadonlySet<Address>;
  #shares?: ReadonlyMap<AssetId, readonly string[]>;

  constructor(input: IntentInput) {
    this.input = input;
  }

  get tx() {
    return this.input.tx;
  }
  get flow() {
    return this.input.flow;
  }
  get entity() {
    return this.input.subject.entity;
  }

  /** Indexes of movements by which the subject paid the block builder. */
  get tips(): ReadonlySet<number> {
    return (this.#tips ??= tipsOf(this));
  }
  /** Indexes of movements that only pay for execution: prefunds, charges, repaid submitters, tips. */
  get fees(): ReadonlySet<number> {
    return (this.#fees ??= feesOf(this));
  }
  /** Movements of the whole transaction but those that only pay for execution. */
  get movements(): readonly Movement[] {
    return (this.#movements ??=
      this.fees.size === 0
        ? this.flow.movements
        : this.flow.movements.filter(({ index }) => !this.fees.has(index)));
  }

  /** Balances of the subject's entity: native and wrapped native merged, dust and execution fees dropped. */
  get balances(): readonly Balance[] {
    return (this.#balances ??= balancesWithout(this, this.fees));
  }
  get sent(): readonly Balance[] {
    return (this.#sent ??= this.balances.filter((b) => b.net < 0n));
  }
  get received(): readonly Balance[] {
    return (this.#received ??= this.balances.filter((b) => b.net > 0n));
  }

  /** Counterparties of motifs: they pass no value on. */
  isVenue(account: Address): boolean {
    const act = (this.#venues ??= venuesOf(this.input.motifs, this.input.rulebook)).get(account);
    return act !== undefined && movedAssets(act);
  }

  /** Accounts between the subject and its counterparties: routers, proxies, forwarders. */
  get intermediaries(): ReadonlySet<Address> {
    return (this.#intermediaries ??= intermediariesOf({
      tx: this.tx,
      flow: this.flow,
      entity: this.entity,
      isVenue: (account) => this.isVenue(account),
      wasCalled: this.entity.has(this.tx.from) || this.input.subject.mode !== 'solver_settlement',
    }));
  }

  /** Motifs that are the subject's doing or happen to it, in execution order. */
  get own(): readonly Motif[] {
    return (this.#own ??= ownership(this));
  }
  get ownByKind(): MotifsByKind {
    return (this.#ownByKind ??=
      this.own.length === this.input.motifs.length ? this.byKind : groupBy(this.own, ({ kind }) => kind));
  }
  get byKind(): MotifsByKind {
    return (this.#byKind ??= groupBy(this.input.motifs, ({ kind }) => kind));
  }
  ownOf(kind: string): readonly Motif[] {
    return this.ownByKind.get(kind) ?? NONE;
  }

  /** The vocabulary's traits of a motif's kind. */
  kind(motif: Motif): MotifKindSpec {
    return kindOf(this.input.rulebook, motif.kind);
  }
  isSwap(motif: Motif): boolean {
    return isSwap(this.kind(motif));
  }
  get swaps(): readonly Motif[] {
    return (this.#swaps ??= this.input.motifs.filter((motif) => this.isSwap(motif)));
  }

  get exchange(): Exchange {
    return (this.#exchange ??= new Exchange(this));
  }
  /** Swaps between the subject's sent assets and those it, or its payees, received. */
  get path(): readonly Motif[] {
    return this.swaps.length > 0 ? this.exchange.path : NONE;
  }

  /** Motifs that took the subject's payments, by asset, and those that paid its receipts. */
  get takers(): MotifsByAsset {
    return (this.#takers ??= motifsAtEnd(this, 'into'));
  }
  get payers(): MotifsByAsset {
    return (this.#payers ??= motifsAtEnd(this, 'outOf'));
  }

  /** Motifs that took the subject's payment in this asset. A burn shows no purpose, unless `burnsCount`. */
  takersOf(asset: AssetId, burnsCount: boolean): readonly Motif[] {
    return [...(this.takers.get(asset) ?? NONE)].filter((motif) => burnsCount || !this.kind(motif).destroys);
  }
  /** Motifs that paid the subject's receipt in this asset. */
  payersOf(asset: AssetId): readonly Motif[] {
    return [...(this.payers.get(asset) ?? NONE)];
  }
  /** True if a motif paid the subject's receipt in this asset. */
  isPaid(asset: AssetId): boolean {
    return (this.payers.get(asset)?.size ?? 0) > 0;
  }

  /** Final recipients of the subject's payments, after forwarders. */
  get payees(): ReadonlySet<Address> {
    return (this.#payees ??= payees(this));
  }

  /** Accounts the subject received something from directly, the zero address included. */
  get sources(): ReadonlySet<Address> {
    return (this.#sources ??= sourcesOf(this));
  }

  /** The native asset for wrapped native that moved, else the asset itself. */
  mergedAsset(asset: AssetId): AssetId {
    return this.flow.assets.has(asset) ? mergeNative(asset, this.input.rulebook.wrappedNative) : asset;
  }
  /** The merged assets of some legs of a motif, each once. */
  mergedAssetsOf(legs: readonly AssetAmount[]): ReadonlySet<AssetId> {
    return new Set(legs.map(({ asset }) => this.mergedAsset(asset)));
  }

  /** Accounts that ended with less, and with more, of something. */
  get keepers(): Keepers {
    return (this.#keepers ??= keepersOf(this));
  }

  nonEconomic(kind: NonEconomicMovement['kind']): number {
    return this.flow.nonEconomic.filter((m) => m.kind === kind).length;
  }

  tagsOf(account: Address | null): readonly string[] {
    if (account === null) return NO_TAGS;
    const { entities, prepared, protocols } = this.input.rulebook;
    return entities.get(account)?.tags ?? protocols.get(prepared.protocolOf(account) ?? '')?.tags ?? NO_TAGS;
  }

  /** Accounts that made calls or emitted events. */
  get active(): ReadonlySet<Address> {
    return (this.#active ??= new Set([
      ...this.tx.frames.map((f) => f.from),
      ...this.tx.logs.map((l) => l.address),
    ]));
  }

  /** `lp` or `share` where the asset represents a position changed in this transaction. */
  shareClasses(asset: AssetId): readonly string[] {
    return (this.#shares ??= sharesByAsset(this)).get(asset) ?? NO_TAGS;
  }

  /** Accounts that emitted events, called others, or were called with data: they have code. */
  get codeAccounts(): ReadonlySet<Address> {
    return (this.#code ??= codeAccountsOf(this));
  }

  isMint(movement: Movement): boolean {
    return movement.kind === 'mint' || (movement.kind === 'transfer' && movement.from === ZERO_ADDRESS);
  }
  isBurn(movement: Movement): boolean {
    return movement.kind === 'burn' || (movement.kind === 'transfer' && movement.to === ZERO_ADDRESS);
  }
}

const NONE: readonly Motif[] = [];

interface Keepers {
  readonly payers: ReadonlySet<Address>;
  readonly receivers: ReadonlySet<Address>;
}
const NO_TAGS: readonly string[] = [];

/** Prefunds and charges always; what repays the submitter or pays the builder, where anything else was done. */
function feesOf(view: SubjectView): ReadonlySet<number> {
  const { tx, flow, entity, input } = view;
  const { motifs, rulebook, subject } = input;
  const paid = executionPayments({ tx, flow, motifs, rulebook, group: entity, mode: subject.mode });
  const always = new Set([...paid].flatMap(([index, reason]) => (reason === 'compensation' ? [] : index)));
  for (const index of dataInValue(view)) always.add(index);
  const besides = [...paid.keys(), ...view.tips].filter((index) => !always.has(index));
  if (besides.length === 0) return always;
  const fees = new Set([...always, ...besides]);
  // An account that pays only its submitter or the builder means to pay it.
  return balancesWithout(view, fees).length > 0 ? fees : always;
}

/** Less than this many wei sent along with a trade's call are data: bots pack arguments into the value. */
const LEAST_VALUE = 10n ** 9n;

function dataInValue({ tx, flow, swaps }: SubjectView): readonly number[] {
  if (tx.value === 0n || tx.value >= LEAST_VALUE || swaps.length === 0) return NO_INDEXES;
  const isValue = ({ from, to, asset, amount }: Movement): boolean =>
    from === tx.from && to === tx.to && asset === NATIVE_ASSET && amount === tx.value;
  const index = flow.movements.findIndex(isValue);
  return index < 0 ? NO_INDEXES : [index];
}

const NO_INDEXES: readonly number[] = [];

/** What the entity paid the block builder, other than by calling it. */
function tipsOf({ tx, flow, entity, input: { header, rulebook } }: SubjectView): ReadonlySet<number> {
  const builder = header?.coinbase;
  if (!builder || builder === tx.to) return NO_MOVEMENTS;
  return builderPayments(flow, entity, builder, rulebook.wrappedNative);
}

const NO_MOVEMENTS: ReadonlySet<number> = new Set();

function balancesWithout(
  { flow, entity, input }: SubjectView,
  fees: ReadonlySet<number>,
): readonly Balance[] {
  const mergeWrapped = input.rulebook.wrappedNative;
  const exclude = (m: Movement): boolean => fees.has(m.index);
  return [...balances(flow, entity, { mergeWrapped, dust: 'drop', exclude }).values()];
}

function sourcesOf({ received }: SubjectView): Set<Address> {
  const sources = new Set<Address>();
  for (const { incoming } of received) for (const { from } of incoming) sources.add(from);
  return sources;
}

function keepersOf({ flow, fees, input: { rulebook } }: SubjectView): Keepers {
  const payers = new Set<Address>();
  const receivers = new Set<Address>();
  for (const account of flow.ledgers.keys()) {
    if (account === ZERO_ADDRESS) continue;
    const exclude = (m: Movement): boolean => fees.has(m.index);
    const own = balances(flow, account, { mergeWrapped: rulebook.wrappedNative, dust: 'drop', exclude });
    const sides = sidesOf(own.values());
    if (sides === 'sent' || sides === 'both') payers.add(account);
    if (sides === 'received' || sides === 'both') receivers.add(account);
  }
  return { payers, receivers };
}

function codeAccountsOf({ tx, input }: SubjectView): Set<Address> {
  const found = new Set<Address>(tx.logs.map((l) => l.address));
  for (const frame of tx.frames) {
    if (frame.parent !== null) found.add(frame.from);
    if (frame.to !== null && (frame.input !== '0x' || frame.output !== '0x')) found.add(frame.to);
  }
  found.delete(input.subject.signer);
  return found;
}
