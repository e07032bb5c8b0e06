import { decodeDecimals, decodeText, type ViewCall } from './multicall.ts';
import { averagePrices } from '../prices/averagePrices.ts';
import { ratePrices, shareProofs } from '../prices/ratePrices.ts';
import { holderCalls, MAX_HOLDERS, readHolders } from './holderReads.ts';
import { readRegistries, registryCalls } from './registryReads.ts';
import { feedPrices } from '../prices/feedPrices.ts';
import { contractSources, ratesFrom, STANDARD_PRICE_SOURCES } from '../prices/priceSources.ts';
import type { PriceSourceName, PriceAnswers, PriceSource } from '../prices/priceSources.ts';
import { readState } from './readState.ts';
import type { NameSource } from './accountNames.ts';
import type { ReadAnswer } from './viewReads.ts';
import type { ContextPlan } from './planContext.ts';
import { refuseAll, type PlannedRate } from '../prices/planPricing.ts';
import type { PriceFeedSpec } from '../../../model/pricing.ts';
import type { PriceApi } from '../prices/priceApi.ts';
import type { Session } from '../rpc/session.ts';
import type { Address, Hex } from '../../../model/hex.ts';
import type {
  PositionRead,
  PriceQuote,
  PriceRate,
  PriceRefusal,
  RawContext,
  TokenMetadata,
} from '../../../model/upstream.ts';

export interface ContextSources {
  /** Sources to ask. Left out: the standard ones, and the HTTP source where `priceApi` is one. */
  readonly names?: readonly PriceSourceName[] | null;
  readonly priceApi?: PriceApi | null;
  /** Names of accounts. Left out: none are asked. */
  readonly accountNames?: NameSource | undefined;
}

type TokenFacts = ContextPlan['tokenFacts'];
const NO_NAMES: NameSource = { calls: [], read: () => undefined };
const NO_BASES: { tokens: Address[]; feeds: readonly PriceFeedSpec[] } = { tokens: [], feeds: [] };
/** No state: no contract is asked for a price. */
const NO_SOURCES: ReadonlySet<PriceSourceName> = new Set();
/** Sources asked by default. */
const USUAL_SOURCES: ReadonlySet<PriceSourceName> = new Set<PriceSourceName>([
  ...STANDARD_PRICE_SOURCES,
  'http',
]);

/** `symbol()`, `name()`, `decimals()`. */
const METADATA_SELECTORS = ['0x95d89b41', '0x06fdde03', '0x313ce567'] as const satisfies readonly Hex[];

/** The tokens and prices read so far. */
class Gathered {
  readonly tokens = new Map<Address, TokenMetadata>();
  readonly quotes: PriceQuote[] = [];
  readonly rates: PriceRate[] = [];
  readonly positions: PositionRead[] = [];
  /** Sources that can only be asked after these answers. */
  readonly later: PriceSource[] = [];
  /** Reads that the node could not answer. */
  unread = 0;

  constructor(
    readonly timestamp: number,
    readonly refusals: PriceRefusal[],
    readonly facts: TokenFacts,
  ) {}

  add({ quotes, rates = [], positions = [], later, refusals }: PriceAnswers): void {
    this.quotes.push(...quotes);
    this.rates.push(...rates);
    this.positions.push(...positions);
    if (later) this.later.push(later);
    this.refusals.push(...refusals);
  }

  /** The answers to `readsOf` these tokens and sources. */
  read(asked: readonly Address[], sources: readonly PriceSource[], answers: readonly ReadAnswer[]): void {
    this.unread += answers.filter((answer) => answer === undefined).length;
    const own = answers.map((answer) => answer ?? null);
    let at = readMetadata(asked, own, this);
    for (const source of sources) this.add(source.read(own.slice(at, (at += source.calls.length)), this));
  }
}

/**
 * Second round trip: block header, token metadata, prices and delegations in one JSON-RPC batch, reads pinned
 * at the transaction's block. A third request repeats the reads of an aggregate that a contract spoilt by
 * spending all gas, asks proven shares that only changed hands for their rates, feeds that answered in this
 * very block for the answer before it, and pools for averages, where configured. The HTTP source waits for
 * the header where the node did not give the block's time earlier.
 */
export async function fetchContext(
  session: Session,
  plan: ContextPlan,
  sources: ContextSources = {},
): Promise<RawContext> {
  const names = sources.names == null ? USUAL_SOURCES : new Set(sources.names);
  const priceSources = contractSources(plan.pricing, names);
  const known = [...plan.tokens, ...plan.pricing.bases];
  const { registries, tokenFacts: facts } = plan;
  const { accountNames = NO_NAMES } = sources;
  const reads = readsOf(known, priceSources, facts);
  const proofsAt = reads.length;
  const proofs = shareProofs(ratesFrom(plan.pricing.heldShares, names));
  const registriesAt = reads.push(...proofs.calls);
  const holdersAt = reads.push(...registryCalls(registries));
  const namesAt = reads.push(...holderCalls(plan.holders));
  reads.push(...accountNames.calls);

  const askApi = (timestamp: number | null): Promise<PriceAnswers> | undefined => {
    if (timestamp === null || !names.has('http')) return undefined;
    const { apis: specs } = plan.pricing;
    return sources.priceApi?.prices({ assets: ['native', ...known], timestamp, specs }, session);
  };
  const early = askApi(plan.timestamp);
  const state = await readState(session, plan, reads);
  const { block, timestamp, answers, stateless = false, delegations, redelegated, nonces } = state;
  const fromApi = early ?? askApi(timestamp);

  const found = new Gathered(timestamp, [...plan.pricing.refusals], facts);
  const pruned = 'the node no longer has the state of the block';
  const unread = stateless ? ['native' as const, ...known] : [];
  found.refusals.push(...refuseAll(unread, pruned, { code: 'source_unavailable' }));
  found.read(known, stateless ? [] : priceSources, answers.slice(0, proofsAt));
  addBases(plan.pricing.feeds, found.tokens);
  const shares = proofs.read(answers.slice(proofsAt, registriesAt).map((answer) => answer ?? null));
  const { bases, shareBases, further } = furtherSources(plan, stateless ? NO_SOURCES : names, found, shares);
  addBases(shareBases, found.tokens);
  const readOn = async (asked: readonly Address[], more: readonly PriceSource[]): Promise<void> => {
    const calls = readsOf(asked, more, facts);
    if (calls.length === 0) return;
    const state = await readState(session, { ...plan, accounts: [], watched: [] }, calls);
    found.read(asked, more, state.answers);
  };
  await readOn(bases, [...further, ...found.later.splice(0)]);
  await readOn([], found.later);
  if (fromApi) found.add(await fromApi);
  const { tokens, quotes: prices, rates, positions } = found;
  return {
    block,
    tokens,
    prices,
    rates,
    positions,
    refusals: [...unanswered(found), ...beyondLimit(plan)],
    delegations,
    redelegated,
    authorities: plan.authorities,
    nonces,
    stateless: stateless || plan.accountsCut,
    registered: readRegistries(registries, answers.slice(registriesAt)),
    holders: readHolders(plan.holders, answers.slice(holdersAt, namesAt)),
    sourcesLeftOut: STANDARD_PRICE_SOURCES.filter((name) => !names.has(name)),
    names: accountNames.read(answers.slice(namesAt), stateless),
    incomplete: isIncomplete(plan, found.unread, answers.slice(holdersAt, namesAt)),
  };
}

/** Whether a limit kept something from being asked, or something asked was not read. */
function isIncomplete(
  { registries, holders, tokensBeyondLimit }: ContextPlan,
  unread: number,
  ofHolders: readonly ReadAnswer[],
): boolean {
  const cut = registries.cut || holders.size === MAX_HOLDERS || tokensBeyondLimit.length > 0;
  return cut || unread > 0 || ofHolders.includes(undefined);
}

/** Sources of a third round trip, and the bases to read with them: averages of pools, proven held shares. */
function furtherSources(
  plan: ContextPlan,
  names: ReadonlySet<PriceSourceName>,
  found: Gathered,
  shares: readonly PlannedRate[],
) {
  const { pricing } = plan;
  const wanting = names.has('twap') ? unpriced(plan, found, shares) : [];
  const { tokens: bases, feeds } = wanting.length > 0 ? pricing.averageBases() : NO_BASES;
  const shareBases = shares.length > 0 ? pricing.heldBases().filter((feed) => !feeds.includes(feed)) : [];
  const further = [averagePrices(wanting, pricing.averages), ratePrices(shares)];
  if (names.has('chainlink')) further.unshift(feedPrices([...feeds, ...shareBases]));
  return { bases, shareBases, further };
}

/** Decimals that the rules state of assets a share may rest on. */
function addBases(feeds: readonly PriceFeedSpec[], tokens: Map<Address, TokenMetadata>): void {
  for (const { asset, assetDecimals: decimals } of feeds) {
    if (asset !== 'native' && !tokens.has(asset) && decimals != null)
      tokens.set(asset, { address: asset, symbol: null, name: null, decimals });
  }
}

const UNSTATED = { symbol: null, name: null, decimals: null };

/** Whether the rules state all that a token would be asked for. */
const isWhole = ({ name, decimals }: Omit<TokenMetadata, 'address'> = UNSTATED): boolean =>
  name !== null && decimals !== null;

/** Reads of one round trip: the metadata of tokens that the rules do not state, then each source's calls. */
function readsOf(tokens: readonly Address[], sources: readonly PriceSource[], facts: TokenFacts): ViewCall[] {
  const unstated = tokens.filter((token) => !isWhole(facts.get(token)));
  const reads = unstated.flatMap((to) => METADATA_SELECTORS.map((data): ViewCall => ({ to, data })));
  for (const source of sources) reads.push(...source.calls);
  return reads;
}

/** Fungible tokens that nothing prices, or only an answer older than its source promises. */
function unpriced(
  plan: ContextPlan,
  { quotes, rates, timestamp }: Gathered,
  shares: readonly PlannedRate[],
): Address[] {
  const fresh = new Set<string>(shares.map(({ token }) => token));
  for (const { asset, asOf, heartbeat } of [...quotes, ...rates])
    if (asOf === null || heartbeat === null || timestamp - asOf <= heartbeat) fresh.add(asset);
  return plan.pricing.fungible.filter((token) => !fresh.has(token));
}

/** Stores the tokens by the first answers, three each, and by the rules; returns the number of answers. */
function readMetadata(
  asked: readonly Address[],
  answers: readonly (Hex | null)[],
  { tokens, facts }: Gathered,
): number {
  let at = 0;
  for (const address of asked) {
    const stated = facts.get(address);
    const read = isWhole(stated) ? [] : answers.slice(at, (at += METADATA_SELECTORS.length));
    const [ofSymbol = null, ofName = null, ofDecimals = null] = read;
    const { symbol, name, decimals } = stated ?? UNSTATED;
    tokens.set(address, {
      address,
      symbol: decodeText(ofSymbol) ?? symbol,
      name: decodeText(ofName) ?? name,
      decimals: decodeDecimals(ofDecimals) ?? decimals,
    });
  }
  return at;
}

function beyondLimit({ tokens, tokensBeyondLimit: beyond, tokenLimit }: ContextPlan): PriceRefusal[] {
  const observed = String(tokens.length + beyond.length);
  const details = { code: 'unknown_decimals', observed, threshold: String(tokenLimit) } as const;
  return refuseAll(beyond, 'more tokens in one transaction than are looked up', details);
}

/** Without those of assets that another source priced, and one per asset and code. */
function unanswered({ refusals, quotes, rates }: Gathered): readonly PriceRefusal[] {
  if (refusals.length === 0) return refusals;
  const priced = new Set([...quotes, ...rates].map(({ asset }) => asset));
  const seen = new Set<string>();
  return refusals.filter(({ asset, code }) => {
    if (code === 'no_source' && priced.has(asset)) return false;
    return !seen.has(`${asset} ${code}`) && seen.add(`${asset} ${code}`);
  });
}
