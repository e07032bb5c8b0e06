import { BIND_WORDS } from '../../../../rules/compile/bindExpr.ts';
import { isFault, parseSignature, type ParsedSignature } from '../../../../rules/compile/signature.ts';
import { NO_AMOUNTS } from '../../../../rules/lint/checkWeak.ts';
import { stemsOf } from '../../../../lib/text.ts';
import { applies, signatureWords, type SignatureWords } from '../../../../lib/lexicon.ts';
import type { LexiconEntry } from '../../../../model/vocabulary.ts';
import type { ParamSpec, Rulebook } from '../../../../model/rulebook.ts';
import { CliError } from '../../cliIo.ts';

/** A guess at the meaning of an unknown contract's event or call, from the words of its signature. */
export interface Guess {
  readonly signature: ParsedSignature;
  /** As a shape may write it: names of parameters that are bind words are changed. */
  readonly text: string;
  readonly kind: string;
  /** A motif kind that the rules do not have: the name of the event. */
  readonly isOwn: boolean;
  readonly account: string | null;
  readonly asset: string | null;
  readonly amount: string | null;
  readonly flow: 'sent' | 'received' | 'unknown' | 'none';
  /** Role of the leg. */
  readonly role: string;
}

export const ACCOUNTS = 'owner account user holder beneficiary recipient receiver to sender'.split(' ');
/** Value that goes in is the payer's act, also for another beneficiary. */
const PAYERS = 'payer funder depositor buyer donor sender from'.split(' ');
const ASSETS = ['token', 'asset', 'underlying', 'currency', 'collateral', 'reward token'];
const AMOUNTS = ['amount', 'value', 'assets', 'wad', 'quantity', 'shares', 'reward', 'payout', 'principal'];
/** Words of names that say where value went, beside those of the lexicon. */
const OUTGOING = ['paid', 'collect', 'gather'];
const INCOMING = ['buy', 'bought', 'fund'];

/**
 * Guesses the meaning of one event. `own`: as a motif kind of its own, not one of the lexicon.
 * @throws CliError where the text is not an event
 */
export function guessMeaning(text: string, { lexicon, motifKinds }: Rulebook, own = false): Guess {
  const renamed = withoutBindWords(text, 'event');
  const signature = parseSignature('event', renamed);
  if (isFault(signature)) throw new CliError(signature.message);
  const words = signatureWords('event', { name: signature.name, args: signature.params });
  const hint = hintOf(words, lexicon);
  const entry = own ? undefined : hint;
  const kind = entry?.kind ?? snake(signature.name);
  const amount = amountOf(signature.params);
  const flow = amount === null ? 'none' : flowOf(hint, words.name);
  return {
    signature,
    text: renamed,
    kind,
    isOwn: !motifKinds.has(kind),
    account:
      (flow === 'sent' ? pick(signature.params, 'address', PAYERS) : null) ??
      pick(signature.params, 'address', ACCOUNTS) ??
      firstAddress(signature.params),
    asset: pick(signature.params, 'address', ASSETS),
    amount,
    flow,
    role: roleOf(entry, flow),
  };
}

/** The entry for the name of an event or call by which value goes one way. */
export function hintOf(words: SignatureWords, lexicon: readonly LexiconEntry[]): LexiconEntry | undefined {
  return lexicon.find(
    (entry) =>
      entry.sign === null && entry.flow !== 'exchanged' && entry.names.length > 0 && applies(entry, words),
  );
}

export function roleOf(entry: LexiconEntry | undefined, flow: Guess['flow']): string {
  if (entry && entry.leg !== 'in') return entry.leg;
  return flow === 'received' ? 'out' : 'in';
}

export function flowOf(entry: LexiconEntry | undefined, stems: ReadonlySet<string>): Guess['flow'] {
  if (entry?.flow === 'sent' || entry?.flow === 'received' || entry?.flow === 'none') return entry.flow;
  const has = (words: readonly string[]): boolean =>
    words.some((word) => [...stemsOf(word)].every((stem) => stems.has(stem)));
  if (has(OUTGOING)) return 'received';
  return has(INCOMING) ? 'sent' : 'unknown';
}

export function pick(params: readonly ParamSpec[], type: string, names: readonly string[]): string | null {
  for (const name of names) {
    const wanted = [...stemsOf(name)];
    const found = params.find((p) => p.type === type && wanted.every((stem) => stemsOf(p.name).has(stem)));
    if (found) return found.name;
  }
  return null;
}

function firstAddress(params: readonly ParamSpec[]): string | null {
  const addresses = params.filter(({ type }) => type === 'address');
  const asset = pick(params, 'address', ASSETS);
  return addresses.find(({ name }) => name !== asset)?.name ?? null;
}

function amountOf(params: readonly ParamSpec[]): string | null {
  for (const type of ['uint256', 'uint128', 'uint96']) {
    const named = pick(params, type, AMOUNTS);
    if (named !== null) return named;
  }
  return (
    params.find(
      ({ type, name, indexed }) =>
        type === 'uint256' && !indexed && !NO_AMOUNTS.test(name) && !/fee/i.test(name),
    )?.name ?? null
  );
}

/** The text with parameters that have the name of a bind word renamed; names do not change the hash. */
export function withoutBindWords(text: string, kind: 'event' | 'call'): string {
  const words = Object.entries(BIND_WORDS).flatMap(([name, { in: place }]) =>
    place === kind || place === 'both' ? [name] : [],
  );
  return text
    .trim()
    .replace(/^event\s+/, '')
    .replace(/;$/, '')
    .replace(new RegExp(`(\\s)(${words.join('|')})(?=\\s*[,)])`, 'g'), '$1$2_');
}

/** `HarvestGathered` as `harvest_gathered`. */
export function snake(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase()
    .slice(0, 40);
}
