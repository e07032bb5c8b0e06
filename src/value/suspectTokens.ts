import unhomoglyph from 'unhomoglyph';
import { lazy } from '../lib/lazy.ts';
import { memoize } from '../lib/memo.ts';
import { ZERO_ADDRESS } from '../evm/hex.ts';
import { Consent } from './consent.ts';
import { knownSymbols } from './labelFormat.ts';
import type { CanonicalTx } from '../model/canonicalTx.ts';
import type { Address } from '../model/hex.ts';
import type { Rulebook } from '../model/rulebook.ts';
import type { TokenMetadata } from '../model/upstream.ts';
import type { AssetId, Movement, ValueFlow } from '../model/valueFlow.ts';

/** Parts of the value flow that a stranger's contract may have made up. */
export interface Suspects {
  /** Assets that carry a well-known symbol at another address than its own. */
  readonly impersonating: ReadonlySet<AssetId>;
  /** Their contracts, moved or not. */
  readonly impersonators: ReadonlySet<Address>;
  /** Movements that no call explains which the account they left asked for. */
  readonly unasked: ReadonlySet<number>;
  /** Those of unlisted tokens. */
  readonly unlisted: ReadonlySet<number>;
  /** Of these, those that no standard call asked for, out of accounts that emit nothing here. */
  readonly unverified: ReadonlySet<number>;
  /** Logs of allowances that their owners neither gave by a call nor signed. */
  readonly allowances: ReadonlySet<number>;
  /** Accounts that no call reaches and that such movements or allowances mention. */
  readonly mentioned: () => ReadonlySet<Address>;
  /** Accounts' words on calls, recovered when first asked for. */
  readonly consent: Pick<Consent, 'signed' | 'cut'>;
}

/** Nothing longer is compared: no well-known symbol is. */
const MAX_COMPARED = 64;

/** Signs that look like letters. */
const LETTERS: Readonly<Record<string, string>> = {
  $: 'S',
  '†': 'T',
  '‡': 'T',
  Ξ: 'E',
  '€': 'E',
  '¢': 'C',
  '₮': 'T',
  '₿': 'B',
};

/**
 * Text as it looks: case first, since confusables map I to l, then look-alike letters, compatibility forms
 * (NFKC), spaces and marks.
 */
export function fold(text: string): string {
  const plain = unhomoglyph(text.toUpperCase()).normalize('NFKC').toUpperCase();
  return unhomoglyph(plain)
    .toUpperCase()
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** A symbol's looks: as written, with look-alikes of small letters resolved, and with signs as letters. */
const looks = memoize((symbol): readonly string[] => {
  const cut = symbol.slice(0, MAX_COMPARED);
  const signs = cut.toUpperCase().replace(/[$†‡Ξ€¢₮₿]/gu, (sign) => LETTERS[sign]!);
  return [cut, unhomoglyph(cut), signs].map(fold);
}, 1_000);

function byLook({ knownTokens }: Rulebook): ReadonlyMap<string, ReadonlySet<Address>> {
  return new Map([...knownTokens].map(([symbol, addresses]) => [fold(symbol), addresses]));
}

/**
 * Token metadata with the symbols of the rules where a well-known token gave none, and with `impersonates` set
 * where another token carries one.
 */
export function nameTokens(
  tokens: ReadonlyMap<Address, TokenMetadata>,
  rulebook: Rulebook,
): ReadonlyMap<Address, TokenMetadata> {
  const known = rulebook.prepared.derive(byLook);
  const listed = knownSymbols(rulebook.knownTokens);
  const isImpersonator = (symbol: string, address: Address): boolean =>
    looks(symbol).some((look) => known.get(look)?.has(address) === false);
  let named: Map<Address, TokenMetadata> | null = null;
  for (const [address, token] of tokens) {
    const symbol = token.symbol ?? listed.get(address) ?? null;
    const impersonates = symbol !== null && isImpersonator(symbol, address);
    if (impersonates) (named ??= new Map(tokens)).set(address, { ...token, impersonates });
    else if (symbol !== token.symbol) (named ??= new Map(tokens)).set(address, { ...token, symbol });
  }
  return named ?? tokens;
}

/** Suspect parts of a transaction's value flow; `tokens` as `nameTokens` returns them. */
export function findSuspects(
  tx: CanonicalTx,
  flow: ValueFlow,
  tokens: ReadonlyMap<Address, TokenMetadata>,
  rulebook: Rulebook,
): Suspects {
  const impersonating = new Set<AssetId>();
  const impersonators = new Set<Address>();
  for (const { address, impersonates } of tokens.values()) if (impersonates) impersonators.add(address);
  for (const { id, address } of flow.assets.values())
    if (address !== null && impersonators.has(address)) impersonating.add(id);
  const consent = new Consent(tx, flow, tokens, rulebook);
  const emitters = lazy(() => new Set(tx.logs.map(({ address }) => address)));
  const [unasked, unlisted, unverified] = [new Set<number>(), new Set<number>(), new Set<number>()];
  for (const movement of flow.movements) {
    const { index, from } = movement;
    const token = tokenTaken(movement, flow);
    if (token === null || !consent.isUnasked(movement)) continue;
    unasked.add(index);
    if (consent.isListed(token)) continue;
    unlisted.add(index);
    if (!emitters().has(from) && !consent.isNamed(from, token)) unverified.add(index);
  }
  const allowances = new Set<number>();
  for (const allowance of flow.allowances)
    if (consent.isUnaskedAllowance(allowance)) allowances.add(allowance.evidence.log!);
  const mentioned = lazy(() => mentionedBy(tx, flow, unlisted, allowances));
  return { impersonating, impersonators, unasked, unlisted, unverified, allowances, mentioned, consent };
}

function mentionedBy(
  { frames }: CanonicalTx,
  { movements, allowances }: ValueFlow,
  unlisted: ReadonlySet<number>,
  unasked: ReadonlySet<number>,
): ReadonlySet<Address> {
  const given = allowances.filter(({ evidence }) => unasked.has(evidence.log!));
  const ends = [...unlisted].flatMap((index) => [movements[index]!.from, movements[index]!.to]);
  const mentioned = new Set([...ends, ...given.map(({ spender }) => spender)]);
  if (mentioned.size > 0) for (const { to, effective } of frames) if (effective) mentioned.delete(to!);
  return mentioned;
}

/** The token that leaves an account other than its own; null for ether and mints. */
function tokenTaken({ from, kind, asset }: Movement, { assets }: ValueFlow): Address | null {
  const token = assets.get(asset)?.address ?? null;
  return token === from || from === ZERO_ADDRESS || kind === 'mint' ? null : token;
}
