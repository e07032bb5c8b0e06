import unhomoglyph from 'unhomoglyph';
import { memoize, memoizePair } from '../lib/memo.ts';
import { addressOfWord, wordAt, wordOf, ZERO_ADDRESS } from '../evm/hex.ts';
import type { CanonicalTx, Frame } from '../model/canonicalTx.ts';
import type { Address, Hex } from '../model/hex.ts';
import type { Rulebook } from '../model/rulebook.ts';
import type { TokenMetadata } from '../model/upstream.ts';
import type { AssetId, Movement, ValueFlow } from '../model/valueFlow.ts';

/** Parts of the value flow that a stranger's contract may have made up. */
export interface Suspects {
  /** Assets that carry a well-known symbol at another address than its own. */
  readonly impersonating: ReadonlySet<AssetId>;
  /** Movements out of accounts whose calls did not lead to the token, unless a listed contract named them. */
  readonly unasked: ReadonlySet<number>;
  /** Those of unlisted tokens that no standard call asked for, out of accounts that emit nothing here. */
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

/** The account with the holding that a standard call moves; null for any other call. */
export function holderNamed(frame: Frame): Address | null {
  const place = frame.selector === null ? undefined : HOLDER_ARGUMENT.get(frame.selector);
  return place === undefined ? null : addressArgument(frame, place);
}

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
  const listed = rulebook.prepared.derive(listedTokens);
  const calls = new TokenCalls(tx, flow, rulebook);
  const out = flow.movements.filter(({ from, kind, asset }: Movement) => {
    const token = flow.assets.get(asset)?.address ?? null;
    return token !== null && token !== from && from !== ZERO_ADDRESS && kind !== 'mint';
  });
  const unasked = out.filter((movement) => calls.isUnasked(movement));
  const emitters = new Set(tx.logs.map(({ address }) => address));
  const unverified = unasked.filter((movement) => {
    const token = flow.assets.get(movement.asset)!.address!;
    if (emitters.has(movement.from)) return false;
    return !listed.has(token) && !rulebook.entities.has(token) && !calls.isStandard(movement);
  });
  return { impersonating, unasked: indexesOf(unasked), unverified: indexesOf(unverified) };
}

const indexesOf = (movements: readonly Movement[]): ReadonlySet<number> =>
  new Set(movements.map(({ index }) => index));

/** Words of a call's arguments that are looked at: a standard call has eight at most. */
const MAX_WORDS = 32;

/** Which calls of tokens led to which movements, as far as their arguments show. */
class TokenCalls {
  readonly #tx: CanonicalTx;
  readonly #rulebook: Rulebook;
  readonly #flow: ValueFlow;
  /** Effective calls by token; only tokens that ran. */
  readonly #calls = new Map<Address, Frame[]>();
  /** Those calls by `token word`, for each word of their arguments. */
  readonly #stating = new Map<string, Frame[]>();
  readonly #standard = new Set<string>();
  readonly #alike = new Map<string, number>();
  readonly #asked = memoizePair(
    (token, account) => this.#calls.get(token as Address)!.some((call) => this.#isAsked(call, account)),
    MAX_HOLDINGS,
  );

  constructor(tx: CanonicalTx, flow: ValueFlow, rulebook: Rulebook) {
    this.#tx = tx;
    this.#flow = flow;
    this.#rulebook = rulebook;
    const tokens = new Set([...flow.assets.values()].map(({ address }) => address));
    for (const frame of tx.frames)
      if (frame.context !== null && frame.effective && tokens.has(frame.context))
        this.#add(frame.context, frame);
    for (const movement of flow.movements) {
      const key = alikeKey(movement);
      this.#alike.set(key, (this.#alike.get(key) ?? 0) + 1);
    }
  }

  #add(token: Address, frame: Frame): void {
    // A proxy's call of its own code says nothing new.
    if (frame.to !== token && this.#calls.has(token)) return;
    push(this.#calls, token, frame);
    const words = Math.min(MAX_WORDS, Math.floor((frame.input.length - 10) / 64));
    for (let i = 0; i < words; i++)
      push(this.#stating, `${token} ${frame.input.slice(10 + 64 * i, 74 + 64 * i)}`, frame);
    const holder = holderNamed(frame);
    if (holder !== null) this.#standard.add(`${token} ${holder}`);
  }

  /** A standard call of anybody names the account as the holder. */
  isStandard({ asset, from }: Movement): boolean {
    return this.#standard.has(`${this.#flow.assets.get(asset)!.address} ${from}`);
  }

  /**
   * No call of the token that the account led to, or in which a listed contract names it, states the amount;
   * or fewer calls do than movements have it. Where no call states it, any call of the token counts.
   */
  isUnasked(movement: Movement): boolean {
    const { asset, from, amount } = movement;
    const { address, tokenId } = this.#flow.assets.get(asset)!;
    // A trace without the token's own frames shows nothing; the signer leads to every call.
    if (from === this.#tx.from || !this.#calls.has(address!)) return false;
    const word = wordOf(tokenId === null ? amount : BigInt(tokenId));
    const stating = this.#stating.get(`${address} ${word}`);
    if (stating === undefined) return !this.#asked(address!, from);
    // Many alike: a loop over them all would be quadratic, and the first ones show the pattern.
    const needed = Math.min(this.#alike.get(alikeKey(movement))!, MAX_ALIKE);
    let asked = 0;
    for (const call of stating.slice(0, MAX_ALIKE * 4)) if (this.#isAsked(call, from)) asked++;
    return asked < needed;
  }

  #isAsked(call: Frame, account: string): boolean {
    if (
      pullsForOthers(this.#rulebook, call.from) &&
      FIRST_ARGUMENTS.some((place) => addressArgument(call, place) === account)
    )
      return true;
    for (let at: number | null = call.index; at !== null; at = this.#tx.frames[at]!.parent)
      if (this.#tx.frames[at]!.from === account) return true;
    return false;
  }
}

/** Movements alike, and a few times as many calls, that are compared. */
const MAX_ALIKE = 16;
/** Pairs of token and account remembered. */
const MAX_HOLDINGS = 4_096;

const alikeKey = ({ asset, from, amount }: Movement): string => `${asset} ${from} ${amount}`;

function push<K>(lists: Map<K, Frame[]>, key: K, frame: Frame): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [frame]);
  else if (list.at(-1) !== frame) list.push(frame);
}

/** A listed contract, unless it makes any call it is given. */
export function pullsForOthers({ protocolAt, entities }: Rulebook, account: Address): boolean {
  const tags = entities.get(account)?.tags;
  return (protocolAt.has(account) || tags !== undefined) && !tags?.includes('open_calls');
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
