import unhomoglyph from 'unhomoglyph';
import { memoize } from '../lib/memo.ts';
import { addressOfWord, wordAt, ZERO_ADDRESS } from '../evm/hex.ts';
import type { CanonicalTx, Frame } from '../model/canonicalTx.ts';
import type { Address, Hex } from '../model/hex.ts';
import type { Rulebook } from '../model/rulebook.ts';
import type { TokenMetadata } from '../model/upstream.ts';
import type { AssetId, Movement, ValueFlow } from '../model/valueFlow.ts';

/** Parts of the value flow that a stranger's contract may have made up. */
export interface Suspects {
  /** Assets that carry a well-known symbol at another address than its own. */
  readonly impersonating: ReadonlySet<AssetId>;
  /** Movements of unlisted tokens out of accounts that show no part in them. */
  readonly unverified: ReadonlySet<number>;
}

/** Nothing longer is compared: no well-known symbol is. */
const MAX_COMPARED = 64;

/** A symbol as it looks: compatibility forms (NFKC), look-alike letters, case, spaces and marks folded. */
const look = memoize(
  (symbol) =>
    unhomoglyph(symbol.slice(0, MAX_COMPARED).normalize('NFKC'))
      .toUpperCase()
      .normalize('NFKD')
      .replace(/[^\p{L}\p{N}]/gu, ''),
  1_000,
);

function byLook({ knownTokens }: Rulebook): ReadonlyMap<string, ReadonlySet<Address>> {
  return new Map([...knownTokens].map(([symbol, addresses]) => [look(symbol), addresses]));
}

/** Token metadata, with `impersonates` set where a token carries another's well-known symbol. */
export function markImpersonators(
  tokens: ReadonlyMap<Address, TokenMetadata>,
  rulebook: Rulebook,
): ReadonlyMap<Address, TokenMetadata> {
  const known = rulebook.prepared.derive(byLook);
  const isImpersonator = ({ address, symbol }: TokenMetadata): boolean =>
    symbol !== null && known.get(look(symbol))?.has(address) === false;
  return new Map(
    [...tokens].map(([address, token]) => [
      address,
      isImpersonator(token) ? { ...token, impersonates: true } : token,
    ]),
  );
}

/**
 * Standard calls that move another account's holding, by selector, and the argument that names the holder:
 * `transferFrom`, `safeTransferFrom` (EIP-721, EIP-1155), `burnFrom`, `burn`, `operatorSend` (EIP-777),
 * transfers with authorisation (EIP-3009), `withdraw` and `redeem` (EIP-4626).
 */
const HOLDER_ARGUMENT: ReadonlyMap<Hex, number> = new Map([
  ['0x23b872dd', 0],
  ['0x42842e0e', 0],
  ['0xb88d4fde', 0],
  ['0xf242432a', 0],
  ['0x2eb2c2d6', 0],
  ['0x79cc6790', 0],
  ['0x9dc29fac', 0],
  ['0x62ad1b83', 0],
  ['0xe3ee160e', 0],
  ['0xef55bec6', 0],
  ['0xcf092995', 0],
  ['0x88b7ab63', 0],
  ['0xb460af94', 2],
  ['0xba087652', 2],
]);

/** Suspect parts of a transaction's value flow; `tokens` as `markImpersonators` returns them. */
export function findSuspects(
  tx: CanonicalTx,
  flow: ValueFlow,
  tokens: ReadonlyMap<Address, TokenMetadata>,
  rulebook: Rulebook,
): Suspects {
  const impersonating = new Set<AssetId>();
  for (const { id, address } of flow.assets.values())
    if (address !== null && tokens.get(address)?.impersonates) impersonating.add(id);
  const involved = accountsInvolved(tx, flow);
  const listed = rulebook.prepared.derive(listedTokens);
  const asked = holdersAsked(tx, rulebook);
  // A trace without the token's own frames shows nothing.
  const ran = new Set(tx.frames.map(({ context }) => context));
  const unverified = flow.movements.filter(({ from, kind, asset }: Movement) => {
    const token = flow.assets.get(asset)?.address ?? null;
    if (token === null || from === ZERO_ADDRESS || kind === 'mint' || involved.has(from)) return false;
    const known = listed.has(token) || rulebook.entities.has(token) || !ran.has(token);
    return !known && !asked.has(`${token} ${from}`);
  });
  return { impersonating, unverified: new Set(unverified.map(({ index }) => index)) };
}

/** Accounts that signed, were called or made calls, emitted events, or gave an allowance seen here. */
function accountsInvolved(tx: CanonicalTx, { nonEconomic }: ValueFlow): ReadonlySet<Address> {
  const involved = new Set<Address>([tx.from]);
  for (const { authority } of tx.authorizations) if (authority !== null) involved.add(authority);
  for (const { effective, from, context } of tx.frames) {
    if (!effective) continue;
    involved.add(from);
    if (context !== null) involved.add(context);
  }
  for (const { address } of tx.logs) involved.add(address);
  for (const { kind, from } of nonEconomic) if (kind === 'approval' && from !== null) involved.add(from);
  return involved;
}

/** `token holder` of every effective call that moves a holding: standard ones and a listed protocol's. */
function holdersAsked(tx: CanonicalTx, { protocolAt }: Rulebook): ReadonlySet<string> {
  const asked = new Set<string>();
  for (const frame of tx.frames) {
    if (!frame.effective || frame.selector === null) continue;
    const standard = HOLDER_ARGUMENT.get(frame.selector);
    const places = protocolAt.has(frame.from) ? FIRST_ARGUMENTS : standard === undefined ? [] : [standard];
    for (const place of places) asked.add(`${frame.context} ${addressArgument(frame, place)}`);
  }
  return asked;
}

/** Where calls between a protocol's own contracts name the holder. */
const FIRST_ARGUMENTS = [0, 1, 2];

function addressArgument({ input }: Frame, place: number): Address | null {
  const word = wordAt(input, 4 + 32 * place);
  return word === null ? null : addressOfWord(word);
}

/** Tokens named in the rules: well known, priced by a feed, or a contract of a protocol. */
function listedTokens({ knownTokens, feeds, protocolAt }: Rulebook): ReadonlySet<string> {
  return new Set<string>([
    ...[...knownTokens.values()].flatMap((addresses) => [...addresses]),
    ...feeds.map(({ asset }) => asset),
    ...protocolAt.keys(),
  ]);
}
