import { groupBy, NOTHING } from '../../../lib/lists.ts';
import { mergeNative } from '../../../value/asset.ts';
import { balances, netSides, type Balance } from '../../../value/balances.ts';
import { gaveAndGot, exclusionOf, type Exchange } from '../../../value/exchange.ts';
import { movedAssets, venuesOf } from '../../../value/parties.ts';
import { amountsMoved } from '../../../value/sides.ts';
import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import { withParts, type PartsOf } from '../../../lib/lazy.ts';
import { isSwap, tagsOf } from '../../../lib/motifKinds.ts';
import { deliveriesOf, holdingsOf, pathOf, reachedBy, type Delivery } from './swapFacts.ts';
import { ownership, reachableOf } from './ownership.ts';
import { addedBeside, motifsAtEnd, recipientsOf } from './flowEnds.ts';
import { sharesByAsset } from './assetFacts.ts';
import type { Holding, HoldingFlow } from '../../../value/follow.ts';
import type { IntentInput } from '../intentInput.ts';
import type { CanonicalTx, Log } from '../../../model/canonicalTx.ts';
import type { Address } from '../../../model/hex.ts';
import type { Motif } from '../../../model/motif.ts';
import type { AssetId, Movement, NonEconomicMovement, ValueFlow } from '../../../model/valueFlow.ts';

type MotifsByKind = ReadonlyMap<string, readonly Motif[]>;
type MotifsByAsset = ReadonlyMap<AssetId, ReadonlySet<Motif>>;

interface Parts {
  /** The amounts that the subject's entity gave and got. */
  readonly exchange: Exchange;
  readonly fees: ReadonlySet<number>;
  readonly balances: readonly Balance[];
  /** Movements of the whole transaction but those that only pay for execution. */
  readonly movements: readonly Movement[];
  readonly sent: readonly Balance[];
  readonly received: readonly Balance[];
  readonly venues: ReadonlyMap<Address, Motif>;
  /** Accounts that value connects with the subject, through accounts that hand it on. */
  readonly reachable: ReadonlySet<Address>;
  /** Motifs that are the subject's doing or happen to it, in execution order. */
  readonly own: readonly Motif[];
  readonly ownByKind: MotifsByKind;
  readonly byKind: MotifsByKind;
  readonly swaps: readonly Motif[];
  /** Ways of value between accounts other than the subject, through swaps too. */
  readonly holdings: HoldingFlow;
  /** Where anything the subject sent can have gone. */
  readonly reached: ReadonlySet<Holding>;
  /** Swaps between the subject's sent assets and those it, or its recipients, received. */
  readonly path: readonly Motif[];
  /** Payments of the swaps on that way to others. */
  readonly deliveries: readonly Delivery[];
  /** Motifs that took the subject's payments, by asset, and those that paid its receipts. */
  readonly takers: MotifsByAsset;
  readonly payers: MotifsByAsset;
  /** Final recipients of the subject's payments, after forwarders. */
  readonly recipients: ReadonlySet<Address>;
  /** Accounts the subject received something from directly, the zero address included. */
  readonly senders: ReadonlySet<Address>;
  /** Whether the submitter of the subject's signed act can have added this. */
  readonly isAdded: (got: Pick<Balance, 'incoming'>) => boolean;
  /** Accounts that ended with less, and with more, of something. */
  readonly netHolders: Readonly<Record<'payers' | 'receivers', ReadonlySet<Address>>>;
  /** Events that move nothing. */
  readonly events: readonly Log[];
  /** `lp` or `share` by asset that represents a position changed in this transaction. */
  readonly shares: ReadonlyMap<AssetId, readonly string[]>;
  /** Accounts that emitted events, called others, or were called with data: they have code. */
  readonly codeAccounts: ReadonlySet<Address>;
}

const PARTS: PartsOf<Parts, SubjectView> = {
  exchange: ({ input, entity }) => gaveAndGot(input, entity, input.subject.payments),
  fees: ({ exchange }) => exchange.fees,
  movements: ({ fees, flow }) =>
    fees.size === 0 ? flow.movements : flow.movements.filter(({ index }) => !fees.has(index)),
  balances: ({ exchange }) => exchange.balances,
  sent: (view) => view.balances.filter((b) => b.net < 0n),
  received: (view) => view.balances.filter((b) => b.net > 0n),
  venues: ({ input }) => venuesOf(input.motifs),
  reachable: reachableOf,
  own: ownership,
  ownByKind: ({ own, input, byKind }) =>
    own.length === input.motifs.length ? byKind : groupBy(own, ({ kind }) => kind),
  byKind: ({ input }) => groupBy(input.motifs, ({ kind }) => kind),
  swaps: (view) => view.input.motifs.filter(isSwap),
  holdings: holdingsOf,
  reached: reachedBy,
  path: (view) => (view.swaps.length > 0 ? pathOf(view) : NOTHING),
  deliveries: deliveriesOf,
  takers: (view) => motifsAtEnd(view, 'into'),
  payers: (view) => motifsAtEnd(view, 'outOf'),
  recipients: recipientsOf,
  senders: ({ received }) => new Set(received.flatMap(({ incoming }) => incoming.map(({ from }) => from))),
  isAdded: addedBeside,
  netHolders: netHoldersOf,
  events: ({ tx, flow }) =>
    flow.nonEconomic.filter(({ kind }) => kind === 'event').map(({ evidence }) => tx.logs[evidence.log!]!),
  shares: sharesByAsset,
  codeAccounts: codeAccountsOf,
};

/** A transaction as one account sees it. Every part is computed when a fact first asks for it, once. */
export class SubjectView extends withParts<Parts>(PARTS) {
  readonly input: IntentInput;
  readonly tx: CanonicalTx;
  readonly flow: ValueFlow;
  readonly entity: ReadonlySet<Address>;

  constructor(input: IntentInput) {
    super();
    this.input = input;
    this.tx = input.tx;
    this.flow = input.flow;
    this.entity = input.subject.entity;
  }

  /** Counterparties of motifs: they pass no value on. */
  isVenue(account: Address): boolean {
    const act = this.venues.get(account);
    return act !== undefined && movedAssets(act);
  }

  ownOf(kind: string): readonly Motif[] {
    return this.ownByKind.get(kind) ?? NOTHING;
  }

  /** Motifs that took the subject's payment in this asset. A burn shows no purpose, unless `burnsCount`. */
  takersOf(asset: AssetId, burnsCount: boolean): readonly Motif[] {
    return [...(this.takers.get(asset) ?? NOTHING)].filter((motif) => burnsCount || !motif.traits.destroys);
  }
  /** Motifs that paid the subject's receipt in this asset. */
  payersOf(asset: AssetId): readonly Motif[] {
    return [...(this.payers.get(asset) ?? NOTHING)];
  }

  /** The native asset for wrapped native that moved, else the asset itself. */
  mergedAsset(asset: AssetId): AssetId {
    return this.flow.assets.has(asset) ? mergeNative(asset, this.flow) : asset;
  }
  /** The merged assets that the counterparty of a motif gave, or got, each once. */
  assetsMoved(motif: Motif, gave: boolean): ReadonlySet<AssetId> {
    return new Set(amountsMoved(motif, gave).map(({ asset }) => this.mergedAsset(asset)));
  }
  /** The motif's movements in these assets. */
  movementsIn({ movements }: Motif, assets: ReadonlySet<AssetId>): Movement[] {
    return movements
      .map((index) => this.flow.movements[index]!)
      .filter(({ asset }) => assets.has(this.mergedAsset(asset)));
  }

  nonEconomic(kind: NonEconomicMovement['kind']): number {
    return this.flow.nonEconomic.filter((m) => m.kind === kind).length;
  }

  tagsOf(account: Address | null): readonly string[] {
    if (account === null) return NOTHING;
    return tagsOf(account, this.input.rulebook);
  }

  isMint(movement: Movement): boolean {
    return movement.kind === 'mint' || (movement.kind === 'transfer' && movement.from === ZERO_ADDRESS);
  }
  isBurn(movement: Movement): boolean {
    return movement.kind === 'burn' || (movement.kind === 'transfer' && movement.to === ZERO_ADDRESS);
  }
}

function netHoldersOf({ flow, fees }: SubjectView): Parts['netHolders'] {
  const payers = new Set<Address>();
  const receivers = new Set<Address>();
  const exclude = exclusionOf(fees);
  for (const account of flow.ledgers.keys()) {
    if (account === ZERO_ADDRESS) continue;
    const own = balances(flow, account, { dust: 'drop', exclude });
    const sides = netSides(own.values());
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
