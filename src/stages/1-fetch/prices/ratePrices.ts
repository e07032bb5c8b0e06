import { addressOfWord, uintOfWord, wordAt } from '../../../evm/hex.ts';
import type { ViewCall } from '../context/multicall.ts';
import type { PriceSource } from './priceSource.ts';
import type { Address, Hex } from '../../../model/hex.ts';
import type { RateCall, RateNumber, RateSpec } from '../../../model/pricing.ts';
import type { PriceRate, PriceRefusal, RateTerm } from '../../../model/upstream.ts';

type Planned = { readonly spec: RateSpec; readonly token: Address };
/** Answer of a function of a token, before the block or at its end. */
type Ask = (call: RateCall, before: boolean) => string | null;

/** Positions of the answers to a token's functions, by calldata. */
interface Places {
  readonly at: Map<Hex, number>;
  readonly before: Map<Hex, number>;
}

/**
 * Prices of tokens in terms of other assets, as the rules say to read them. Listed tokens are read at the
 * block. Any other token was minted or burnt by the transaction, which may have moved its rate: it is read
 * in the state before the block, and again at its end, so that the two can be compared.
 */
export function ratePrices(planned: readonly Planned[]): PriceSource {
  const calls: ViewCall[] = [];
  const places = new Map<Address, Places>();
  const want = (token: Address, data: Hex, before: boolean): void => {
    let ofToken = places.get(token);
    if (!ofToken) places.set(token, (ofToken = { at: new Map(), before: new Map() }));
    const list = before ? ofToken.before : ofToken.at;
    if (list.has(data)) return;
    list.set(data, calls.length);
    calls.push({ to: token, data, before, apart: token });
  };
  const wantNumber = ({ tokens }: RateSpec, token: Address, number: RateNumber): void => {
    if (typeof number === 'bigint') return;
    want(token, number.data, false);
    if (tokens === null) want(token, number.data, true);
  };
  for (const { spec, token } of planned) {
    for (const { asset } of spec.terms) if (typeof asset !== 'string') want(token, asset.data, false);
    for (const data of spec.answers) want(token, data, false);
    wantNumber(spec, token, spec.per);
    for (const { amount } of spec.terms) wantNumber(spec, token, amount);
  }
  return {
    calls,
    read(answers) {
      const rates: PriceRate[] = [];
      const refusals: PriceRefusal[] = [];
      for (const { spec, token } of planned) {
        const ofToken = places.get(token);
        const ask: Ask = ({ data, word }, before) => {
          const answer = answers[(before ? ofToken?.before : ofToken?.at)?.get(data) ?? -1] ?? null;
          return answer === null ? null : wordAt(answer, 32 * word);
        };
        const read = readRate(spec, token, ask);
        if (read && 'code' in read) refusals.push(read);
        else if (read) rates.push(read);
      }
      return { quotes: [], rates, refusals };
    },
  };
}

/** Null where the token is none of this family: it does not answer as one. */
function readRate(spec: RateSpec, token: Address, ask: Ask): PriceRate | PriceRefusal | null {
  const listed = spec.tokens !== null;
  const refuse = (code: PriceRefusal['code'], reason: string): PriceRefusal | null => ({
    asset: token,
    code,
    reason: `${spec.method}: ${reason}`,
    observed: null,
    threshold: null,
  });
  const bases = readBases(spec, ask);
  if (bases === null) return listed ? refuse('no_source', 'the contract did not answer at this block') : null;
  if (spec.refuse !== null) return refuse('nonstandard_supply', spec.refuse);
  const at = readTerms(spec, bases, ask, false);
  // A token that states its base but no rate is of another family.
  if (at === null) return listed ? refuse('no_source', 'the contract did not answer at this block') : null;
  const before = listed ? null : readTerms(spec, bases, ask, true);
  if (!listed && before === null)
    return refuse('no_source', 'the contract told no rate before the transaction');
  if (at === 'empty' || before === 'empty')
    return refuse('nonstandard_supply', 'nothing was in circulation, so that a share of it means nothing');
  return {
    asset: token,
    method: spec.method,
    source: token,
    terms: before ?? at,
    after: before && at,
    vouched: listed,
    asOf: null,
    heartbeat: null,
    pool: null,
    market: null,
  };
}

/** The token's bases; null where it leaves a question of this family unanswered. */
function readBases(spec: RateSpec, ask: Ask): (Address | 'native')[] | null {
  const bases: (Address | 'native')[] = [];
  for (const { asset } of spec.terms) {
    const base = typeof asset === 'string' ? asset : addressOfWord(ask(asset, false) ?? '');
    if (base === null) return null;
    bases.push(base);
  }
  for (const data of spec.answers) if (ask({ data, word: 0 }, false) === null) return null;
  return bases;
}

/** Null where a number is missing; `empty` where there is nothing to divide by. */
function readTerms(
  spec: RateSpec,
  bases: readonly (Address | 'native')[],
  ask: Ask,
  before: boolean,
): readonly RateTerm[] | 'empty' | null {
  const number = (value: RateNumber): bigint | null => {
    if (typeof value === 'bigint') return value;
    const word = ask(value, before);
    return word === null ? null : uintOfWord(word);
  };
  const denominator = number(spec.per);
  const numerators = spec.terms.map(({ amount }) => number(amount));
  if (denominator === null || numerators.includes(null)) return null;
  if (denominator === 0n) return 'empty';
  return bases.map((asset, i) => ({ asset, numerator: numerators[i]!, denominator }));
}
