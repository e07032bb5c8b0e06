import { NATIVE_ASSET } from '../../../value/asset.ts';
import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import { balances } from '../../../value/balances.ts';
import type { SubjectView } from './subjectView.ts';
import type { Address } from '../../../model/hex.ts';
import type { AssetAmount, Motif } from '../../../model/motif.ts';
import type { AssetId } from '../../../model/valueFlow.ts';

/** An asset held by an account, or the inside of a motif. */
interface Place {
  /** Places that lie next to it on the way of the value, and against it. */
  readonly onward: Place[];
  readonly back: Place[];
}

/**
 * Represents the asset where a swap netted inside one contract does not name it. Open ends of one contract
 * meet.
 */
const OPEN: AssetId = 'open';

/**
 * How the subject's sent assets turned into its received ones, or into others'. Order in time is ignored,
 * because callback pools pay before they are paid.
 */
export class Exchange {
  readonly #view: SubjectView;
  readonly #held = new Map<Address, Map<AssetId, Place>>();
  readonly #inside = new Map<Motif, Place>();
  #path?: readonly Motif[];
  #reached?: ReadonlySet<Place>;

  constructor(view: SubjectView) {
    this.#view = view;
    const { flow, entity, input } = view;
    for (const { from, to, asset } of flow.movements) {
      if (entity.has(from) || entity.has(to)) continue;
      const id = view.mergedAsset(asset);
      link(this.#place(from, id), this.#place(to, id));
    }
    // Wrapping: native goes into the token contract and the same amount appears from the zero address, or
    // back.
    for (const wrapped of input.rulebook.wrappedNative) {
      const inside = this.#place(wrapped, NATIVE_ASSET),
        minted = this.#place(ZERO_ADDRESS, NATIVE_ASSET);
      link(inside, minted);
      link(minted, inside);
    }
    for (const motif of input.motifs) {
      if (!view.isSwap(motif) && (motif.assetsIn.length === 0 || motif.assetsOut.length === 0)) continue;
      const inside = newPlace();
      this.#inside.set(motif, inside);
      for (const place of this.#ends(motif, motif.assetsOut, 'to')) link(place, inside);
      for (const place of this.#ends(motif, motif.assetsIn, 'from')) link(inside, place);
    }
  }

  /**
   * Swaps between the subject's sent and received assets: reachable forwards from payments and backwards
   * from receipts. Only the forward half counts where the proceeds went to another account, only the
   * backward half where everything was borrowed.
   */
  get path(): readonly Motif[] {
    return (this.#path ??= this.#findPath());
  }

  #findPath(): readonly Motif[] {
    const { sent, received, swaps } = this.#view;
    if (sent.length === 0 && received.length === 0) return [];
    const after = sent.length === 0 ? null : this.#fromGifts;
    const before =
      received.length === 0
        ? null
        : reach(
            'back',
            received.flatMap((b) => b.incoming.map((m) => this.#place(m.from, b.id))),
          );
    return swaps.filter((swap) => {
      const inside = this.#inside.get(swap)!;
      return (after === null || after.has(inside)) && (before === null || before.has(inside));
    });
  }

  /**
   * Accounts outside the subject that ended with another asset than the subject sent, received along the
   * way of the swaps: the trade was made for them. Venues keep their trades and do not count.
   */
  deliveries(): ReadonlySet<Address> {
    const { flow, sent, entity, venues, input } = this.#view;
    const given = new Set(sent.map((b) => b.id));
    const after = this.#fromGifts;
    const found = new Set<Address>();
    for (const account of flow.incoming.keys()) {
      if (account === ZERO_ADDRESS || entity.has(account) || venues.has(account)) continue;
      const own = balances(flow, account, { mergeWrapped: input.rulebook.wrappedNative, dust: 'drop' });
      for (const { id, net } of own.values())
        if (net > 0n && !given.has(id) && after.has(this.#place(account, id))) found.add(account);
    }
    return found;
  }

  /** Where anything the subject sent can have gone. */
  get #fromGifts(): ReadonlySet<Place> {
    return (this.#reached ??= reach(
      'onward',
      this.#view.sent.flatMap((b) => b.outgoing.map((m) => this.#place(m.to, b.id))),
    ));
  }

  #place(account: Address, asset: AssetId): Place {
    let places = this.#held.get(account);
    if (!places) this.#held.set(account, (places = new Map()));
    let place = places.get(asset);
    if (!place) places.set(asset, (place = newPlace()));
    return place;
  }

  /** True where the motif's counterparty paid in (`to`) or was paid out (`from`) these legs' amounts. */
  #ends(motif: Motif, legs: readonly AssetAmount[], end: 'to' | 'from'): Place[] {
    const assets = this.#view.mergedAssetsOf(legs);
    const places: Place[] = [];
    for (const asset of assets) places.push(this.#place(motif.venue, asset));
    for (const index of motif.movements) {
      const movement = this.#view.flow.movements[index]!;
      const asset = this.#view.mergedAsset(movement.asset);
      if (assets.has(asset)) places.push(this.#place(movement[end], asset));
    }
    if (this.#view.isSwap(motif) && assets.size === 0) places.push(this.#place(motif.venue, OPEN));
    return places;
  }
}

function newPlace(): Place {
  return { onward: [], back: [] };
}

function link(from: Place, to: Place): void {
  from.onward.push(to);
  to.back.push(from);
}

function reach(way: 'onward' | 'back', from: readonly Place[]): Set<Place> {
  const seen = new Set(from);
  // A set also yields elements added during iteration.
  for (const place of seen) for (const next of place[way]) seen.add(next);
  return seen;
}
