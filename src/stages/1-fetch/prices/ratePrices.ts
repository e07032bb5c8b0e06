import { create2Address, pairSalt } from '../../../evm/address.ts';
import { memoizeFor } from '../../../lib/memo.ts';
import { addressOfWord, uintOfWord, wordAt } from '../../../evm/hex.ts';
import type { ViewCall } from '../context/multicall.ts';
import { refusePrice, type Asset, type PlannedRate } from './planPricing.ts';
import type { PriceSource } from './priceSources.ts';
import type { Address, Hex } from '../../../model/hex.ts';
import { TOKEN_ARGUMENT, type RateCall, type RateNumber, type RateSpec } from '../../../model/pricing.ts';
import type { PriceRate, PriceRefusal, RateTerm } from '../../../model/upstream.ts';

type State = 'at' | 'before';
const AT: readonly State[] = ['at'];
const BOTH: readonly State[] = ['at', 'before'];
/** Word of an answer in a state. */
type Ask = (call: RateCall, state: State) => string | null;

/** ERC-7528: native ether where a contract answers an address. */
const NATIVE_ADDRESS = `0x${'e'.repeat(40)}`;
/** 10^77 is the largest power of ten in a word. */
const MAX_POWER = 77n;

/** Reads of many tokens' calls, each once. */
class Reads {
  readonly calls: ViewCall[] = [];
  /** Positions of each token's calls, by state. */
  readonly #positions = new Map<Address, Readonly<Record<State, Map<string, number>>>>();

  want(token: Address, calls: readonly RateCall[], states: readonly State[]): void {
    let known = this.#positions.get(token);
    if (!known) this.#positions.set(token, (known = { at: new Map(), before: new Map() }));
    for (const call of calls) {
      const key = keyOf(call);
      for (const state of states) {
        if (known[state].has(key)) continue;
        known[state].set(key, this.calls.length);
        const { to = token, data } = call;
        this.calls.push({ to, data: dataFor(token, data), before: state === 'before', apart: token });
      }
    }
  }

  /** Looks up a token's words in the answers to `calls`. */
  asker(answers: readonly (Hex | null)[], token: Address): Ask {
    const known = this.#positions.get(token);
    return (call, state) => {
      const answer = answers[known?.[state].get(keyOf(call)) ?? -1] ?? null;
      return answer === null ? null : wordAt(answer, 32 * call.word);
    };
  }
}

/** Most calls are to the token itself: their data is the key. */
const keyOf = ({ to, data }: RateCall): string => (to === undefined ? data : to + data);

/** A call's data; a selector alone names no token. */
function dataFor(token: Address, data: Hex): Hex {
  return data.length === 10 ? data : (data.replaceAll(TOKEN_ARGUMENT, token.slice(2)) as Hex);
}

/** The reads that prove tokens to be shares by a factory or registry. */
export function shareProofs(planned: readonly PlannedRate[]) {
  const reads = new Reads();
  for (const { spec, token } of planned) {
    const { identity } = spec;
    reads.want(token, identity?.kind === 'registry' ? identity.calls : callsOf(spec).assets, AT);
  }
  return {
    calls: reads.calls,
    /** Those proven, by the answers to `calls`. */
    read: (answers: readonly (Hex | null)[]): PlannedRate[] =>
      planned.filter(({ spec, token }) => {
        const ask = reads.asker(answers, token);
        const isListed = spec.identity?.kind === 'registry';
        return isListed ? proves(spec, token, [], ask) : readBases(spec, token, ask) !== null;
      }),
  };
}

/**
 * Prices of tokens in other assets, read at the end of the block and before it, because the transaction may
 * have moved the rate. A listed token, and one that a registry or closed factory proves, is trusted with its
 * rate; any other only as far as the transaction exchanged it.
 */
export function ratePrices(planned: readonly PlannedRate[]): PriceSource {
  const reads = new Reads();
  for (const { spec, token } of planned) {
    const { once, twice } = callsOf(spec);
    reads.want(token, once, AT);
    reads.want(token, twice, BOTH);
  }
  return {
    calls: reads.calls,
    read(answers) {
      const rates: PriceRate[] = [];
      const refusals: PriceRefusal[] = [];
      const proven = new Set<Address>();
      // Proven families first: a token that is one of them is asked for no other.
      for (const { spec, token } of [...planned].sort((a, b) => rank(a.spec) - rank(b.spec))) {
        if (proven.has(token)) continue;
        const read = readRate(spec, token, reads.asker(answers, token));
        if (read && rank(spec) === 0) proven.add(token);
        if (read && 'code' in read) refusals.push(read);
        else if (read) rates.push(read);
      }
      return { quotes: [], rates, refusals };
    },
  };
}

const rank = ({ tokens, identity }: RateSpec): number => (tokens !== null || identity ? 0 : 1);

/** Calls needed only at the block (`once`: `assets`, marks of the family, proofs), and those before it. */
const callsOf = memoizeFor(({ answers, silent = [], identity, terms, per }: RateSpec, _: void) => {
  const assets = terms.flatMap(({ asset }) => (typeof asset === 'string' ? [] : [asset]));
  return {
    assets,
    once: [
      ...assets,
      ...[...answers, ...silent].map((data): RateCall => ({ data, word: 0 })),
      ...(identity?.kind === 'registry' ? identity.calls : []),
    ],
    twice: [per, ...terms.map(({ amount }) => amount)].filter((one) => typeof one !== 'bigint'),
  };
});

/** Null where the token is none of this family: it does not answer as one, or proves nothing. */
function readRate(spec: RateSpec, token: Address, ask: Ask): PriceRate | PriceRefusal | null {
  const listed = spec.tokens !== null;
  const silent = listed ? refuse(spec, token, 'no_source', SILENT) : null;
  const bases = readBases(spec, token, ask);
  if (bases === null) return silent;
  if (spec.refuse !== null) return refuse(spec, token, 'nonstandard_supply', spec.refuse);
  const at = readTerms(spec, bases, ask, 'at');
  // A token that states its base but no rate is of another family.
  if (at === null) return silent;
  if (at === 'empty') return refuse(spec, token, 'nonstandard_supply', EMPTY);
  const before = readTerms(spec, bases, ask, 'before');
  if (listed) return { ...ownRate(spec, token), terms: at, after: null, before: earlierTerms(spec, before) };
  if (before === null) return refuse(spec, token, 'no_source', UNBORN);
  if (before === 'empty') return refuse(spec, token, 'nonstandard_supply', EMPTY);
  return { ...ownRate(spec, token), terms: before, after: at };
}

/** Null where nothing was read of the state before. */
const earlierTerms = (spec: RateSpec, before: ReturnType<typeof readTerms>): readonly RateTerm[] | null =>
  before === 'empty' || callsOf(spec).twice.length === 0 ? null : before;

/** Everything but the terms of a rate that the token's own contract states. */
function ownRate(spec: RateSpec, token: Address): Omit<PriceRate, 'terms' | 'after'> {
  return {
    asset: token,
    method: spec.method,
    source: token,
    ...(spec.uneven ? { uneven: true } : {}),
    vouched: rank(spec) === 0 && !(spec.identity?.kind === 'registry' && spec.identity.open),
    asOf: null,
    heartbeat: null,
    pool: null,
    market: null,
  };
}

const SILENT = 'the contract did not answer at this block';
const UNBORN = 'the contract stated no rate before the transaction';
const EMPTY = 'nothing was in circulation, so that a share of it means nothing';

const refuse = (spec: RateSpec, asset: Address, code: PriceRefusal['code'], reason: string): PriceRefusal =>
  refusePrice(asset, `${spec.method}: ${reason}`, { code });

function proves({ identity }: RateSpec, token: Address, bases: readonly Asset[], ask: Ask): boolean {
  if (!identity) return true;
  if (identity.kind === 'registry') {
    return identity.calls.some((call) => uintOfWord(ask(call, 'at') ?? '0') !== 0n);
  }
  const [token0 = 'native', token1 = 'native'] = bases;
  if (token0 === 'native' || token1 === 'native') return false;
  const salt = pairSalt(token0, token1, null);
  return identity.factories.some(
    ({ deployer, initCodeHash }) => create2Address(deployer, salt, initCodeHash) === token,
  );
}

/** The token's bases; null where it does not answer as this family does, or proves nothing. */
function readBases(spec: RateSpec, token: Address, ask: Ask): Asset[] | null {
  const bases: Asset[] = [];
  for (const { asset } of spec.terms) {
    const base = typeof asset === 'string' ? asset : addressOfWord(ask(asset, 'at') ?? '');
    if (base === null) return null;
    bases.push(base === NATIVE_ADDRESS ? 'native' : base);
  }
  const answered = (data: Hex): boolean => ask({ data, word: 0 }, 'at') !== null;
  if (!spec.answers.every(answered) || spec.silent?.some(answered)) return null;
  return proves(spec, token, bases, ask) ? bases : null;
}

/** Null where a number is missing; `empty` where there is nothing to divide by. */
function readTerms(
  spec: RateSpec,
  bases: readonly Asset[],
  ask: Ask,
  state: State,
): readonly RateTerm[] | 'empty' | null {
  const number = (value: RateNumber): bigint | null => {
    if (typeof value === 'bigint') return value;
    const word = ask(value, state);
    if (word === null) return null;
    const answer = uintOfWord(word);
    if (!value.power) return answer;
    return answer > MAX_POWER ? null : 10n ** answer;
  };
  const denominator = number(spec.per);
  const numerators = spec.terms.map(({ amount }) => number(amount));
  if (denominator === null || numerators.includes(null)) return null;
  if (denominator === 0n) return 'empty';
  return bases.map((asset, i) => ({ asset, numerator: numerators[i]!, denominator }));
}
