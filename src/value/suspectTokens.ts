import unhomoglyph from 'unhomoglyph';
import { lazy } from '../lib/lazy.ts';
import { memoize } from '../lib/memo.ts';
import { linesOf } from '../lib/tableLines.ts';
import { ZERO_ADDRESS } from '../evm/hex.ts';
import type { ProofInput } from './prove.ts';
import { Consent } from './consent.ts';
import type { Answers } from './signed.ts';
import { isListedAddress } from './tokenCall.ts';
import { mergeNative } from './asset.ts';
import { cleanText } from './cleanText.ts';
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
  readonly consent: Pick<Consent, 'signed' | 'cut' | 'handedIn' | 'isMadeBy' | 'isTakenBy'>;
}

/** Nothing longer is compared: no well-known symbol is. */
const MAX_COMPARED = 64;

/** Signs that look like letters, each before its letter; the currency signs of Unicode among them. */
const SIGNS = new Map(
  '$S†T‡TΞE€E¢C£L¥Y₠E₡C₢C₣F₤L₥M₦N₧P₨R₩W₪N₫D₭K₮T₯D₰P₱P₲G₳A₴S₵C₶L₷S₸T₹R₺L₻M₼M₽P₾L₿B฿B'
    .match(/../gu)!
    .map((pair) => [...pair] as [string, string]),
);
const DIGITS: Readonly<Record<string, string>> = { 5: 'S', 0: 'O', 1: 'I' };
/** Enclosed letters without a compatibility form: negative circled, negative squared, regional indicators. */
const ENCLOSED = /[\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}\u{1f1e6}-\u{1f1ff}]/gu;

const plainLetter = (enclosed: string): string => {
  const code = enclosed.codePointAt(0)!;
  const first = code >= 0x1f1e6 ? 0x1f1e6 : code >= 0x1f170 ? 0x1f170 : 0x1f150;
  return String.fromCodePoint(0x41 + code - first);
};

/**
 * Text as it looks: case first, since confusables map I to l, then look-alike letters, compatibility forms
 * (NFKC), spaces and marks. A plus sign is part of a symbol.
 */
export function fold(text: string): string {
  const letters = text.replace(ENCLOSED, plainLetter);
  const plain = unhomoglyph(letters.toUpperCase()).normalize('NFKC').toUpperCase();
  return unhomoglyph(plain)
    .toUpperCase()
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}+]/gu, '');
}

/** A text's looks: as written, with look-alikes of small letters, with signs and digits as letters. */
function looksOf(text: string): readonly string[] {
  const signs = [...text.toUpperCase()].map((sign) => SIGNS.get(sign) ?? sign).join('');
  const digits = signs.replace(/[501]/g, (digit) => DIGITS[digit]!);
  return [text, text.normalize('NFKC'), unhomoglyph(text), signs, digits].map(fold);
}

/** Words of several that are not written plainly: a pool's token may name its tokens. */
const disguised = (text: string): readonly string[] =>
  text.split(/[\s/:_().,-]+/u).filter((word) => word !== text && word !== '' && !/^[A-Z]+$/i.test(word));

interface Looks {
  readonly whole: readonly string[];
  readonly words: readonly string[];
  /** Of words that mix letters of other scripts with Latin ones. */
  readonly mixed: readonly string[];
}

const looks = memoize((text): Looks => {
  const cut = cleanText(text, MAX_COMPARED) ?? '';
  const hidden = cut
    .split(/\s+/u)
    .filter((word) => /[A-Z]/i.test(word) && /[^\p{Script=Latin}\P{L}]/u.test(word));
  return {
    whole: looksOf(cut),
    words: disguised(cut).flatMap(looksOf),
    mixed: hidden.flatMap(looksOf),
  };
}, 1_000);

type Known = ReadonlyMap<string, ReadonlySet<Address>>;

const folded = (known: Known): Known => new Map([...known].map(([text, own]) => [fold(text), own]));
const byLook = ({ knownTokens, knownNames }: Rulebook): { symbols: Known; names: Known } => ({
  symbols: folded(knownTokens),
  names: folded(knownNames),
});

/** Whether a token carries another's well-known symbol or name, or hides one among its words. */
function carriesAnothers(symbol: string | null, name: string | null, is: IsAnothers): boolean {
  if (symbol !== null && looks(symbol).whole.some(is.symbol)) return true;
  return [symbol, name].some((text) => {
    if (text === null) return false;
    const { whole, words, mixed } = looks(text);
    return whole.some(is.name) || words.some(is.symbol) || mixed.some(is.hidden);
  });
}
type IsAnothers = Readonly<Record<'symbol' | 'name' | 'hidden', (look: string) => boolean>>;

/**
 * Token metadata with the symbols of the rules where a well-known token gave none, and with `impersonates`
 * set where another token carries one. No listed address does.
 */
export function nameTokens(
  tokens: ReadonlyMap<Address, TokenMetadata>,
  rulebook: Rulebook,
): ReadonlyMap<Address, TokenMetadata> {
  const { symbols, names } = rulebook.prepared.derive(byLook);
  const listed = knownSymbols(rulebook.knownTokens);
  let named: Map<Address, TokenMetadata> | null = null;
  for (const [address, token] of tokens) {
    const symbol = token.symbol ?? listed.get(address) ?? null;
    const isOf = (known: Known) => (look: string) => known.get(look)?.has(address) === false;
    const is = { symbol: isOf(symbols), name: isOf(names), hidden: hidesOne(symbols) };
    const impersonates = !isNamedHere(address, rulebook) && carriesAnothers(symbol, token.name, is);
    if (impersonates) (named ??= new Map(tokens)).set(address, { ...token, impersonates });
    else if (symbol !== token.symbol) (named ??= new Map(tokens)).set(address, { ...token, symbol });
  }
  return named ?? tokens;
}

/** Rules or address book name the address itself. */
const isNamedHere = (address: Address, rulebook: Rulebook): boolean =>
  isListedAddress(address, rulebook) || linesOf(rulebook.addressBook, address).length > 0;

/** Shorter symbols occur in many words. */
const MIN_HIDDEN = 4;
const hidesOne =
  (symbols: Known) =>
  (look: string): boolean =>
    [...symbols.keys()].some((symbol) => symbol.length >= MIN_HIDDEN && look.includes(symbol));

/** Suspect parts of a transaction's value flow; its tokens as `nameTokens` returns them. */
export function findSuspects(
  tx: CanonicalTx,
  flow: ValueFlow,
  answers: Answers,
  rulebook: Rulebook,
): Suspects {
  const posing = [...answers.tokens.values()].filter(({ impersonates }) => impersonates);
  const impersonators = new Set(posing.map(({ address }) => address));
  const assets = [...flow.assets.values()].filter(({ address }) => impersonators.has(address!));
  const impersonating = new Set(assets.map(({ id }) => id));
  const consent = new Consent(tx, flow, answers, rulebook);
  const emitters = lazy(() => new Set(tx.logs.map(({ address }) => address)));
  const [unasked, unlisted, unverified] = [new Set<number>(), new Set<number>(), new Set<number>()];
  for (const movement of flow.movements) {
    const { index, from } = movement;
    const token = tokenTaken(movement, flow);
    if (token === null || !consent.isUnasked(movement)) continue;
    unasked.add(index);
    if (isListedAddress(token, rulebook)) continue;
    unlisted.add(index);
    if (!emitters().has(from) && consent.callsNaming(from, token).length === 0) unverified.add(index);
  }
  const unaskedFor = flow.allowances.filter((allowance) => consent.isUnaskedAllowance(allowance));
  const allowances = new Set(unaskedFor.map(({ evidence }) => evidence.log!));
  const mentioned = lazy(() => mentionedBy(tx, flow, unlisted, allowances));
  const doubted = { unasked, unlisted, unverified, allowances, mentioned };
  return { impersonating, impersonators, ...doubted, consent };
}

/** Whether a listed token was taken unasked from the account: a trade that it pays is no act of its own. */
export const isRobbed = (account: Address, { flow, suspects }: Pick<ProofInput, 'flow' | 'suspects'>) =>
  suspects?.unasked.size !== 0 &&
  flow.outgoing.get(account)?.some((m) => suspects?.unasked.has(m) && !suspects.unlisted.has(m)) === true;

/** Whether a plain payment was taken unasked from its owner, at once or before a carrier passed it on. */
export function wasTaken(
  paid: readonly number[],
  owner: Address,
  unasked: ReadonlySet<number>,
  flow: ValueFlow,
): boolean {
  const { movements, outgoing } = flow;
  const assetOf = (m: number): AssetId => mergeNative(movements[m]!.asset, flow);
  const own = (outgoing.get(owner) ?? []).filter((m) => unasked.has(m));
  const isPassedOn = (m: number): boolean =>
    movements[m]!.from !== owner && own.some((taken) => m > taken && assetOf(m) === assetOf(taken));
  return paid.some((m) => unasked.has(m) || isPassedOn(m));
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
