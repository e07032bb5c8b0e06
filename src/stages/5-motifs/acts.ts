import type { Address } from '../../model/hex.ts';
import type { Act, Token } from './act.ts';

const NONE: readonly Act[] = [];

/** Acts in execution order, found by who took part in them. What nobody asks for is not sorted. */
export class Acts {
  readonly all: readonly Act[];
  #byParty: ReadonlyMap<Address, readonly Act[]> | undefined;
  #byToken: ReadonlyMap<Token, readonly Act[]> | undefined;
  #byAccount: ReadonlyMap<Address, readonly Act[]> | undefined;
  /** The acts of one party. */
  readonly #ofParty = new Map<Address, Acts>();

  constructor(acts: readonly Act[]) {
    this.all = acts;
  }

  /** By one of their parties, and an asset that they moved. */
  of(party: Address, token?: Token): readonly Act[] {
    this.#byParty ??= sorted(this.all, (act) => act.parties.keys());
    const acts = this.#byParty.get(party) ?? NONE;
    if (token === undefined || acts.length === 0) return acts;
    let own = this.#ofParty.get(party);
    if (!own) this.#ofParty.set(party, (own = new Acts(acts)));
    return own.moving(token);
  }

  /** By an asset that they moved. */
  moving(token: Token): readonly Act[] {
    this.#byToken ??= sorted(this.all, (act) => act.tokens);
    return this.#byToken.get(token) ?? NONE;
  }

  /** By an account that takes part in whatever role, the venue's included. */
  at(account: Address): readonly Act[] {
    this.#byAccount ??= sorted(
      this.all,
      ({ motif }) => new Set([motif.venue, ...motif.participants.map((p) => p.account)]),
    );
    return this.#byAccount.get(account) ?? NONE;
  }
}

function sorted<K>(acts: readonly Act[], keysOf: (act: Act) => Iterable<K>): Map<K, Act[]> {
  const lists = new Map<K, Act[]>();
  for (const act of acts)
    for (const key of keysOf(act)) {
      const list = lists.get(key);
      if (list) list.push(act);
      else lists.set(key, [act]);
    }
  return lists;
}
