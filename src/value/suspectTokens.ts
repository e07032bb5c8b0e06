import unhomoglyph from 'unhomoglyph';
import { memoize } from '../lib/memo.ts';
import { ZERO_ADDRESS } from '../evm/hex.ts';
import { Consent } from './consent.ts';
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
 * Text as it looks: case first, since confusables map I to l, then look-alike letters, compatibility forms (NFKC),
 * spaces and marks.
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

/** Token metadata, with `impersonates` set where a token carries another's well-known symbol. */
export function markImpersonators(
  tokens: ReadonlyMap<Address, TokenMetadata>,
  rulebook: Rulebook,
): ReadonlyMap<Address, TokenMetadata> {
  const known = rulebook.prepared.derive(byLook);
  const isImpersonator = ({ address, symbol }: TokenMetadata): boolean =>
    symbol !== null && looks(symbol).some((look) => known.get(look)?.has(address) === false);
  return new Map(
    [...tokens].map(([address, token]) => [
      address,
      isImpersonator(token) ? { ...token, impersonates: true } : token,
    ]),
  );
}

/** Suspect parts of a transaction's value flow; `tokens` as `markImpersonators` returns them. */
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
  const out = flow.movements.filter(({ from, kind, asset }: Movement) => {
    const token = flow.assets.get(asset)?.address ?? null;
    return token !== null && token !== from && from !== ZERO_ADDRESS && kind !== 'mint';
  });
  const unasked = out.filter((movement) => consent.isUnasked(movement));
  const emitters = new Set(tx.logs.map(({ address }) => address));
  const tokenOf = ({ asset }: Movement): Address => flow.assets.get(asset)!.address!;
  const unlisted = unasked.filter((movement) => !consent.isListed(tokenOf(movement)));
  const unverified = unlisted.filter(
    (movement) => !emitters.has(movement.from) && !consent.isNamed(movement.from, tokenOf(movement)),
  );
  const allowances = flow.allowances.filter((allowance) => consent.isUnaskedAllowance(allowance));
  return {
    impersonating,
    impersonators,
    unasked: indexesOf(unasked),
    unlisted: indexesOf(unlisted),
    unverified: indexesOf(unverified),
    allowances: new Set(allowances.map(({ evidence }) => evidence.log!)),
    consent,
  };
}

const indexesOf = (movements: readonly Movement[]): ReadonlySet<number> =>
  new Set(movements.map(({ index }) => index));
