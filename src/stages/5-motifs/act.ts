import { roleOf } from '../../lib/roles.ts';
import type { Address } from '../../model/hex.ts';
import type { Motif } from '../../model/motif.ts';

/** Roles of accounts that an act is done by or for, as opposed to where it is done; and whether they only give or only get. */
const PARTIES: ReadonlyMap<string, 'gave' | 'got' | 'both'> = new Map([
  ['payer', 'gave'], ['recipient', 'got'], ['owner', 'both'], ['caller', 'both'], ['maker', 'both'], ['taker', 'both'],
  ['buyer', 'both'], ['seller', 'both'], ['borrower', 'both'], ['liquidator', 'both'],
]);
/** Whether a motif tells of an account that came into being. */
export function createsAccount({ kind, tags }: Motif): boolean {
  return kind === 'account_administration' && tags.includes('creation');
}

/** A motif that stands on its own, with the accounts that it and its parts were done by or for. */
export class Act {
  readonly motif: Motif;
  /** Of the motif itself, in the order of its roles. */
  readonly own: readonly Address[];
  /** Of the motif and its parts. */
  readonly parties: ReadonlySet<Address>;
  readonly gave: ReadonlySet<Address>;
  readonly got: ReadonlySet<Address>;
  readonly owner: Address | null;
  /** The account that this created, of whatever kind. */
  readonly setsUp: Address | null;

  private constructor(motif: Motif, parts: readonly Motif[]) {
    const all = [motif, ...parts].flatMap((m) => m.participants);
    const side = (wanted: 'gave' | 'got'): Set<Address> => new Set(all.filter(({ role }) => [wanted, 'both'].includes(PARTIES.get(role) ?? '')).map(({ account }) => account));
    this.motif = motif;
    this.own = [...new Set(motif.participants.filter(({ role }) => PARTIES.has(role)).map(({ account }) => account))];
    this.gave = side('gave');
    this.got = side('got');
    this.parties = new Set([...this.gave, ...this.got]);
    this.owner = roleOf(motif, 'owner');
    this.setsUp = motif.kind === 'deployment' ? (roleOf(motif, 'created') ?? motif.venue) : createsAccount(motif) ? this.owner : null;
  }

  static of(motifs: readonly Motif[]): Act[] {
    const parts = new Map<number, Motif[]>();
    for (const motif of motifs) {
      if (motif.parent === null) continue;
      let top = motif.parent;
      for (let next = motifs[top]!.parent; next !== null; next = motifs[top]!.parent) top = next;
      const list = parts.get(top);
      if (list) list.push(motif);
      else parts.set(top, [motif]);
    }
    return motifs.filter((m) => m.parent === null).map((m) => new Act(m, parts.get(m.index) ?? []));
  }
}

/** Contract of an asset; `native` for the one without. */
export type Token = Address | 'native';

/** Contracts of the assets that an act moved. */
export function tokensOf({ assetsIn, assetsOut }: Motif): ReadonlySet<Token> {
  return new Set([...assetsIn, ...assetsOut].map(({ asset }) => (/:(0x[0-9a-f]{40})/.exec(asset)?.[1] as Address | undefined) ?? 'native'));
}

/** Acts in execution order, found by who took part in them. */
export class Acts {
  readonly all: readonly Act[];
  readonly #found = new Map<string, Act[]>();
  readonly #byAccount = new Map<Address, Act[]>();

  constructor(acts: readonly Act[]) {
    this.all = acts;
    for (const act of acts) {
      const tokens = tokensOf(act.motif);
      for (const token of tokens) add(this.#found, `|${token}`, act);
      for (const party of act.parties) for (const key of [party, ...[...tokens].map((token) => `${party}|${token}`)]) add(this.#found, key, act);
      for (const account of new Set([act.motif.venue, ...act.motif.participants.map((p) => p.account)])) add(this.#byAccount, account, act);
    }
  }

  /** By one of their parties, and an asset that they moved. */
  of(party: Address, token?: Token): readonly Act[] { return this.#found.get(token === undefined ? party : `${party}|${token}`) ?? []; }

  /** By an asset that they moved. */
  moving(token: Token): readonly Act[] { return this.#found.get(`|${token}`) ?? []; }

  /** By an account that takes part in whatever role, the venue's included. */
  at(account: Address): readonly Act[] { return this.#byAccount.get(account) ?? []; }
}

function add<K>(map: Map<K, Act[]>, key: K, act: Act): void {
  const list = map.get(key);
  if (list) list.push(act);
  else map.set(key, [act]);
}
