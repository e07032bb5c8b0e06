import { roleOf } from '../../lib/roles.ts';
import type { Address } from '../../model/hex.ts';
import type { Motif } from '../../model/motif.ts';
import type { AssetId } from '../../model/valueFlow.ts';

/** What a party to an act did, as flags. */
export const GAVE = 1;
export const GOT = 2;

/** Roles of accounts that an act is done by or for, as opposed to where it is done; and whether they only give or only get. */
const PARTIES: ReadonlyMap<string, number> = new Map([
  ['payer', GAVE],
  ['recipient', GOT],
  ...['owner', 'caller', 'maker', 'taker', 'buyer', 'seller', 'borrower', 'liquidator'].map(
    (role) => [role, GAVE | GOT] as const,
  ),
]);

/** Whether a motif tells of an account that came into being. */
export function createsAccount({ kind, tags }: Motif): boolean {
  return kind === 'account_administration' && tags.includes('creation');
}

/** A motif that stands on its own, with the accounts that it and its parts were done by or for. */
export class Act {
  readonly motif: Motif;
  /** Parties of the motif itself, in the order of its roles. */
  readonly own: readonly Address[];
  /** Of the motif and its parts: who `GAVE`, who `GOT`, who did both. */
  readonly parties: ReadonlyMap<Address, number>;
  readonly owner: Address | null;
  /** The account that this created, of whatever kind. */
  readonly setsUp: Address | null;
  #tokens: ReadonlySet<Token> | undefined;

  private constructor(motif: Motif, parts: readonly Motif[]) {
    const parties = new Map<Address, number>();
    takeParties(motif, parties);
    this.own = [...parties.keys()];
    for (const part of parts) takeParties(part, parties);
    this.motif = motif;
    this.parties = parties;
    this.owner = roleOf(motif, 'owner');
    this.setsUp =
      motif.kind === 'deployment'
        ? (roleOf(motif, 'created') ?? motif.venue)
        : createsAccount(motif)
          ? this.owner
          : null;
  }

  /** Contracts of the assets that the motif moved. */
  get tokens(): ReadonlySet<Token> {
    return (this.#tokens ??= tokensOf(this.motif));
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
    return motifs.filter((m) => m.parent === null).map((m) => new Act(m, parts.get(m.index) ?? NO_PARTS));
  }
}

const NO_PARTS: readonly Motif[] = [];

function takeParties({ participants }: Motif, parties: Map<Address, number>): void {
  for (const { role, account } of participants) {
    const did = PARTIES.get(role);
    if (did !== undefined) parties.set(account, did | (parties.get(account) ?? 0));
  }
}

/** Contract of an asset; `native` for the one without. */
export type Token = Address | 'native';

function tokensOf({ assetsIn, assetsOut }: Motif): ReadonlySet<Token> {
  const tokens = new Set<Token>();
  for (const { asset } of assetsIn) tokens.add(tokenOf(asset));
  for (const { asset } of assetsOut) tokens.add(tokenOf(asset));
  return tokens;
}

/** The address in an asset id stands behind the name of its standard, and a token's number behind it. */
function tokenOf(asset: AssetId): Token {
  const start = asset.indexOf(':0x') + 1;
  return start === 0 ? 'native' : (asset.slice(start, start + 42) as Address);
}
