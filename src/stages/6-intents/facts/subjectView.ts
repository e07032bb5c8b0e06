import { laneNets, type LaneNet } from '../../../lib/laneNets.ts';
import { NATIVE_ASSET } from '../../../lib/asset.ts';
import { ZERO_ADDRESS } from '../../../lib/hex.ts';
import { COMPOSITES, PLAIN_MOVEMENTS } from '../../../lib/motifKinds.ts';
import { executionFees } from './executionFees.ts';
import { exchangePath } from './exchangePath.ts';
import { motifsAtEnd } from './flowEnds.ts';
import { passThroughAccounts } from './passThrough.ts';
import { ownership } from './ownership.ts';
import { payees } from './payees.ts';
import type { IntentInput } from '../intentInput.ts';
import type { Address } from '../../../model/hex.ts';
import type { AssetId, Movement, NonEconomicMovement } from '../../../model/valueFlow.ts';
import type { Motif } from '../../../model/motif.ts';

/** Kinds that say that an asset ceased to be, and nothing of what for. */
export const BURNS: ReadonlySet<string> = new Set(['token_burn', 'nft_burn']);

/** A transaction as one account sees it. Every part is computed when a fact first asks for it, once. */
export class SubjectView {
  readonly input: IntentInput;
  constructor(input: IntentInput) { this.input = input; }

  private readonly memo = new Map<string, unknown>();
  private once<T>(key: string, compute: () => T): T {
    if (!this.memo.has(key)) this.memo.set(key, compute());
    return this.memo.get(key) as T;
  }

  get tx() { return this.input.tx; }
  get flow() { return this.input.flow; }
  get entity() { return this.input.subject.entity; }

  /** Net lanes of the subject's entity: native and wrapped native merged, what only passed through and what execution cost dropped. */
  get lanes(): readonly LaneNet[] {
    return this.once('lanes', () => {
      const net = (skip: ReadonlySet<number>) => laneNets(this.flow, this.input.rulebook.wrappedNative, this.entity, skip);
      const { prefunds, compensation } = executionFees(this);
      const without = net(new Set([...prefunds, ...compensation]));
      // An account that pays nobody but its submitter means to pay it.
      return without.length > 0 || compensation.size === 0 ? without : net(prefunds);
    });
  }
  get gave(): readonly LaneNet[] { return this.once('gave', () => this.lanes.filter((l) => l.net < 0n)); }
  get got(): readonly LaneNet[] { return this.once('got', () => this.lanes.filter((l) => l.net > 0n)); }

  /** Accounts that are somebody's counterparty in a motif: value ends there as far as passing on goes. */
  get venues(): ReadonlySet<Address> {
    return this.once('venues', () => new Set(this.input.motifs
      .filter((m) => m.assetsIn.length + m.assetsOut.length > 0 && !PLAIN_MOVEMENTS.has(m.kind) && !COMPOSITES.has(m.kind) && !this.entity.has(m.venue))
      .map((m) => m.venue)));
  }

  /** Accounts that only carry value between the subject and its counterparties: routers, proxies, forwarders. */
  get agents(): ReadonlySet<Address> {
    return this.once('agents', () => passThroughAccounts(this));
  }

  /** Motifs that are the subject's doing or happen to it, in execution order. */
  get own(): readonly Motif[] { return this.once('own', () => ownership(this)); }
  get ownByKind(): ReadonlyMap<string, readonly Motif[]> { return this.once('ownByKind', () => groupByKind(this.own)); }
  get byKind(): ReadonlyMap<string, readonly Motif[]> { return this.once('byKind', () => groupByKind(this.input.motifs)); }
  ownOf(kind: string): readonly Motif[] { return this.ownByKind.get(kind) ?? []; }

  /** Swaps that lie between what the subject gave and what it, or whoever it pays, got. */
  get path(): readonly Motif[] { return this.once('path', () => exchangePath(this)); }

  /** Motifs that took what the subject gave, and those that paid what it got. */
  private get endsInto() { return this.once('endsInto', () => motifsAtEnd(this, 'into')); }
  private get endsOutOf() { return this.once('endsOutOf', () => motifsAtEnd(this, 'outOf')); }
  get gaveInto(): ReadonlySet<Motif> { return this.once('into', () => new Set([...this.endsInto.values()].flatMap((s) => [...s]))); }
  get gotOutOf(): ReadonlySet<Motif> { return this.once('outOf', () => new Set([...this.endsOutOf.values()].flatMap((s) => [...s]))); }

  /** Lanes of the subject that some motif took or paid. */
  get explainedLanes(): { readonly gave: ReadonlySet<AssetId>; readonly got: ReadonlySet<AssetId> } {
    const explained = (ends: ReadonlyMap<AssetId, ReadonlySet<Motif>>) => new Set([...ends].filter(([, motifs]) => motifs.size > 0).map(([lane]) => lane));
    return this.once('explained', () => ({ gave: explained(this.endsInto), got: explained(this.endsOutOf) }));
  }

  /** Whether a motif took what the subject gave in this lane. That a token was burnt tells nothing of what for, unless `burnsCount`. */
  isTaken(lane: AssetId, burnsCount: boolean): boolean {
    return [...this.endsInto.get(lane) ?? []].some((m) => burnsCount || !BURNS.has(m.kind));
  }

  /** Who ended up with what the subject gave, after forwarders. */
  get payees(): ReadonlySet<Address> { return this.once('payees', () => payees(this)); }

  /** Native and wrapped native are one lane. */
  laneOf(asset: AssetId): AssetId {
    const known = this.flow.assets.get(asset);
    const native = known?.kind === 'erc20' && this.input.rulebook.wrappedNative.has(known.address!);
    return native ? NATIVE_ASSET : asset;
  }


  private get keepers() {
    return this.once('keepers', () => {
      let payers = 0, receivers = 0;
      for (const account of this.flow.ledgers.keys()) {
        if (account === ZERO_ADDRESS) continue;
        const lanes = laneNets(this.flow, this.input.rulebook.wrappedNative, new Set([account]));
        if (lanes.some((l) => l.net < 0n)) payers += 1;
        if (lanes.some((l) => l.net > 0n)) receivers += 1;
      }
      return { payers, receivers };
    });
  }
  get payerCount(): number { return this.keepers.payers; }
  get receiverCount(): number { return this.keepers.receivers; }

  nonEconomic(kind: NonEconomicMovement['kind']): number {
    return this.flow.nonEconomic.filter((m) => m.kind === kind).length;
  }

  tagsOf(account: Address | null): readonly string[] {
    return account === null ? [] : (this.input.rulebook.entities.get(account)?.tags ?? []);
  }

  /** The account emitted events, called others, or was called with data: it has code. */
  get codeAccounts(): ReadonlySet<Address> {
    return this.once('code', () => {
      const found = new Set<Address>(this.tx.logs.map((l) => l.address));
      for (const frame of this.tx.frames) {
        if (frame.parent !== null) found.add(frame.from);
        if (frame.to !== null && (frame.input !== '0x' || frame.output !== '0x')) found.add(frame.to);
      }
      found.delete(this.input.subject.signer);
      return found;
    });
  }

  isMint(movement: Movement): boolean { return movement.kind === 'mint' || (movement.kind === 'transfer' && movement.from === ZERO_ADDRESS); }
  isBurn(movement: Movement): boolean { return movement.kind === 'burn' || (movement.kind === 'transfer' && movement.to === ZERO_ADDRESS); }
}

function groupByKind(motifs: readonly Motif[]): Map<string, Motif[]> {
  const groups = new Map<string, Motif[]>();
  for (const motif of motifs) {
    const group = groups.get(motif.kind);
    if (group) group.push(motif); else groups.set(motif.kind, [motif]);
  }
  return groups;
}
