import { decode } from 'ox/AbiParameters';
import { normalize } from 'ox/Ens';
import { attempt } from '../../../lib/attempt.ts';
import { lowerAddress, wordOf, ZERO_ADDRESS } from '../../../evm/hex.ts';
import { TRANSFER, TRANSFER_BATCH, TRANSFER_SINGLE } from '../../../evm/tokenTopics.ts';
import { fold } from '../../../value/suspectTokens.ts';
import { addressName } from '../../../value/labelFormat.ts';
import type { CanonicalTx } from '../../../model/canonicalTx.ts';
import type { Address, Hex } from '../../../model/hex.ts';
import type { Rulebook } from '../../../model/rulebook.ts';
import type { AccountNames } from '../../../model/upstream.ts';
import type { ViewCall } from './multicall.ts';
import type { ReadAnswer } from './viewReads.ts';

/** Reads for the second round trip, and the meaning of their answers. */
export interface NameSource {
  readonly calls: readonly ViewCall[];
  read(answers: readonly ReadAnswer[], stateless: boolean): AccountNames | undefined;
}

/** Accounts asked per transaction: a name takes some hundred thousand gas, all share one `eth_call`. */
const MAX_ACCOUNTS = 20;
/** `reverse(bytes lookupAddress, uint256 coinType)` of ENSIP-23, and its arguments before the address. */
const REVERSE = `0x5d78a217${wordOf(64)}${wordOf(60)}${wordOf(20)}`;
/** Topic at which the sender is, the receiver after it. */
const PARTIES: Record<string, number> = { [TRANSFER]: 1, [TRANSFER_SINGLE]: 2, [TRANSFER_BATCH]: 2 };
const RESULT = [{ type: 'string' }, { type: 'address' }, { type: 'address' }] as const;

/**
 * The primary names (ENSIP-3) of a transaction's signer and of the accounts that value went from or to. The
 * universal resolver answers only with a name that points back at the account; names it would need a gateway
 * for (ERC-3668) count as none. Contracts that the rules list or that emitted a log are not asked.
 */
export function namesAround(tx: CanonicalTx, rules: Rulebook): NameSource {
  const { nameResolver } = rules;
  const resolver = nameResolver && tx.blockNumber >= nameResolver.sinceBlock ? nameResolver.address : null;
  const found = resolver === null ? [] : accountsOf(tx, rules);
  const accounts = found.slice(0, MAX_ACCOUNTS);
  const notAsked = found.length - accounts.length;
  const dataOf = (account: Address): Hex => `${REVERSE}${account.slice(2).padEnd(64, '0')}` as Hex;
  return {
    calls: accounts.map((account) => ({ to: resolver!, data: dataOf(account), apart: 'names' })),
    read(answers, stateless) {
      const names = new Map<Address, string>();
      const refused = new Map<Address, string>();
      for (const [i, account] of accounts.entries()) {
        const answer = answers[i] ?? null;
        const name = answer && attempt(() => decode(RESULT, answer)[0] || null);
        const reason = name === null ? null : refusalOf(name, rules);
        if (reason !== null) refused.set(account, reason);
        else if (name) names.set(account, name);
      }
      const limits = resolver === null ? ['no_resolver_at_block'] : [];
      if (stateless) limits.push('state_unread');
      if (notAsked > 0) limits.push('too_many_accounts');
      return { resolver, asked: accounts.length, notAsked, names, refused, limits };
    },
  };
}

/** The signer first, then ends of payments in ether and of token transfers, in their order. */
function accountsOf(tx: CanonicalTx, rules: Rulebook): Address[] {
  const found = new Set([tx.from]);
  const emitters = new Set(tx.logs.map(({ address }) => address));
  const add = (account: Address | null): void => {
    if (account === null || account === ZERO_ADDRESS || emitters.has(account)) return;
    if (rules.entities.has(account) || rules.protocolAt.has(account)) return;
    if (addressName(rules.addressBook, account) === null) found.add(account);
  };
  for (const { from, to, value } of tx.frames) if (value > 0n) [from, to].forEach(add);
  for (const { topics } of tx.logs) {
    const at = PARTIES[topics[0] ?? ''] ?? topics.length;
    for (const topic of topics.slice(at, at + 2)) add(lowerAddress(`0x${topic.slice(26)}`));
  }
  return [...found];
}

/** Why a name is not shown; null for one that is. */
function refusalOf(name: string | undefined, rules: Rulebook): string | null {
  if (name === undefined) return 'unreadable';
  if ([...name].length > 64) return 'too_long';
  // ENSIP-15: no control or bidirectional characters, mixed scripts or look-alikes of Latin words.
  if (!name.includes('.') || attempt(() => normalize(name)) !== name) return 'not_normalised';
  const labels = name.split('.').slice(0, -1);
  if (labels.some((label) => /0x[0-9a-f]{4}/.test(label))) return 'like_an_address';
  const listed = rules.prepared.derive(listedWords);
  return labels.some((label) => looksListed(label, listed)) ? 'like_a_listed_name' : null;
}

/** First words of the names in rules and address book (`Uniswap` of `Uniswap V3`), and token symbols. */
function listedWords({ protocols, entities, addressBook, knownTokens }: Rulebook): ReadonlySet<string> {
  const names = [...protocols.values(), ...entities.values()].map(({ name }) => name.split(' ')[0]!);
  const inBook = addressBook.text.split('\n').map((line) => line.split(' ')[2] ?? '');
  const words = [...names, ...inBook].map(fold).filter(({ length }) => length >= 4);
  return new Set([...words, ...[...knownTokens.keys()].map(fold).filter((look) => look !== '')]);
}

/** `uniswap`, `un1swap-support`, `officialuniswap`. Refusing too many is harmless: the address is shown. */
function looksListed(label: string, listed: ReadonlySet<string>): boolean {
  const look = fold(label);
  if (label.split(/[-_]/).some((part) => listed.has(fold(part)))) return true;
  return [...listed].some((word) => word.length >= 5 && (look.startsWith(word) || look.endsWith(word)));
}
