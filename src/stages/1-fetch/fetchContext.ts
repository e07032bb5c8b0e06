import { decodeDecimals, decodeText } from './abiAnswers.ts';
import { averagePrices } from './averagePrices.ts';
import { headerMismatch, quantity } from './consistency.ts';
import { faultOf, isRecord, type RpcAnswer, type RpcCall } from './rpcMessages.ts';
import { UpstreamFault } from './upstreamFault.ts';
import { feedPrices } from './feedPrices.ts';
import { contractSources, STANDARD_PRICE_SOURCES, type PriceSourceName } from './priceSources.ts';
import { groupReads, readAnswers, rpcOfGroup, settledResult } from './viewReads.ts';
import type { ContextPlan } from './planContext.ts';
import type { PriceApi } from './priceApi.ts';
import type { PriceAnswers, PriceSource } from './priceSource.ts';
import type { RpcEndpoint } from './rpcEndpoint.ts';
import type { Session } from './session.ts';
import type { ViewCall } from './multicall.ts';
import type { Address, Hex } from '../../model/hex.ts';
import type { PriceQuote, PriceRate, PriceRefusal, RawContext, TokenMetadata } from '../../model/upstream.ts';

export interface ContextSources {
  /** Sources to ask. Left out: the standard ones, and the HTTP source where `priceApi` is one. */
  readonly names?: readonly PriceSourceName[] | null;
  /** Further sources, read after those in this order. */
  readonly priceSources?: readonly PriceSource[];
  readonly priceApi?: PriceApi | null;
}

/** `symbol()`, `name()`, `decimals()`. */
const METADATA_SELECTORS = ['0x95d89b41', '0x06fdde03', '0x313ce567'] as const satisfies readonly Hex[];

/**
 * Second round trip: block header, token metadata, prices and delegations in one JSON-RPC batch, reads pinned at the
 * transaction's block. Three cases need a third request: a contract that spends all gas spoils an aggregate, whose reads
 * are then asked one by one; averages of pools, where configured, are asked for the tokens that nothing else priced; and
 * the HTTP price source waits for the header where the node did not tell the block's time earlier.
 */
export async function fetchContext(session: Session, plan: ContextPlan, sources: ContextSources = {}): Promise<RawContext> {
  const names = new Set<PriceSourceName>(sources.names ?? [...STANDARD_PRICE_SOURCES, 'http']);
  const priceSources = [...contractSources(plan.pricing, names), ...(sources.priceSources ?? [])];
  const known = [...plan.tokens, ...plan.pricing.bases];
  const reads = [...metadataReads(known), ...priceSources.flatMap((source) => source.calls)];

  const priceApi = names.has('http') ? sources.priceApi : null;
  const askApi = (timestamp: number): Promise<PriceAnswers> =>
    priceApi?.prices(['native', ...known], timestamp, session) ?? Promise.resolve({ quotes: [], refusals: [] });
  const early = plan.timestamp === null ? null : askApi(plan.timestamp);
  const { block, timestamp, answers, delegations } = await session.ask((endpoint) => attempt(session, endpoint, plan, reads));
  const fromApi = early ?? askApi(timestamp);

  const tokens = readMetadata(known, answers);
  const quotes: PriceQuote[] = [];
  const rates: PriceRate[] = [];
  const refusals: PriceRefusal[] = plan.pricing.beyondLimit.map(({ token, source, limit }) => ({
    asset: token, code: 'no_source', reason: `more tokens in one transaction than ${source} can be asked about`, observed: null, threshold: String(limit),
  }));
  const take = (found: PriceAnswers): void => {
    quotes.push(...found.quotes);
    rates.push(...(found.rates ?? []));
    refusals.push(...found.refusals);
  };
  const takeAll = (list: readonly PriceSource[], own: readonly (Hex | null)[]): void => {
    let position = 0;
    for (const source of list) take(source.read(own.slice(position, (position += source.calls.length)), { timestamp, tokens, quotes }));
  };
  takeAll(priceSources, answers.slice(metadataReads(known).length));
  if (names.has('twap')) {
    const wanting = unpriced(plan, quotes, rates, timestamp);
    const { tokens: bases, feeds } = wanting.length > 0 ? plan.pricing.averageBases() : { tokens: [], feeds: [] };
    const list = [...(names.has('chainlink') ? [feedPrices(feeds)] : []), averagePrices(wanting, plan.pricing.averages)];
    const further = [...metadataReads(bases), ...list.flatMap((source) => source.calls)];
    if (further.length > 0) {
      const third = await session.ask((endpoint) => attempt(session, endpoint, { ...plan, accounts: [] }, further));
      for (const [address, metadata] of readMetadata(bases, third.answers)) tokens.set(address, metadata);
      takeAll(list, third.answers.slice(metadataReads(bases).length));
    }
  }
  take(await fromApi);
  const priced = new Set([...quotes, ...rates].map(({ asset }) => asset));
  const telling = refusals.filter(({ asset, code }) => code !== 'no_source' || !priced.has(asset));
  return { block, tokens, prices: quotes, rates, refusals: [...withoutRepeats(telling), ...beyondLimit(plan)], delegations };
}

interface Attempt {
  readonly block: unknown;
  readonly timestamp: number;
  readonly answers: readonly (Hex | null)[];
  readonly delegations: ReadonlyMap<Address, Address>;
}

async function attempt(session: Session, endpoint: RpcEndpoint, plan: ContextPlan, reads: readonly ViewCall[]): Promise<Attempt> {
  const at: Hex = `0x${plan.blockNumber.toString(16)}`;
  const groups = groupReads(reads, plan);
  const asked: RpcCall[] = [
    // By number: after a reorganisation the hash that comes back is another one, and that is noticed.
    { method: 'eth_getBlockByNumber', params: [at, false] },
    ...plan.accounts.map((account): RpcCall => ({ method: 'eth_getCode', params: [account, at] })),
    ...groups.map((group) => rpcOfGroup(group, plan)),
  ];
  const [header, ...rest] = await endpoint.send(asked, session);
  const { block, timestamp } = readHeader(header!, plan);
  const codes = rest.slice(0, plan.accounts.length).map(settledResult);
  const answers = await readAnswers(groups, rest.slice(plan.accounts.length), plan, (calls) => endpoint.send(calls, session));
  return { block, timestamp, answers, delegations: readDelegations(plan.accounts, codes) };
}

/** Fungible tokens that nothing prices, or only an answer older than its source promises. */
function unpriced(plan: ContextPlan, quotes: readonly PriceQuote[], rates: readonly PriceRate[], timestamp: number): Address[] {
  const fresh = new Set<string>();
  for (const { asset, asOf, heartbeat } of [...quotes, ...rates]) if (asOf === null || heartbeat === null || timestamp - asOf <= heartbeat) fresh.add(asset);
  return plan.pricing.fungible.filter((token) => !fresh.has(token));
}

function readHeader(answer: RpcAnswer, plan: ContextPlan): { block: unknown; timestamp: number } {
  if (!answer.ok) throw faultOf('eth_getBlockByNumber', answer.error);
  const block = answer.result;
  if (block == null) throw new UpstreamFault('inconsistent_upstream', 'again', 'no header for the block the receipt names');
  if (!isRecord(block)) throw new UpstreamFault('block_malformed', 'again');
  const mismatch = headerMismatch(block, { hash: plan.blockHash, number: plan.blockNumber });
  if (mismatch) throw new UpstreamFault('inconsistent_upstream', 'again', mismatch);
  const timestamp = quantity(block['timestamp']);
  if (timestamp === null || timestamp > BigInt(Number.MAX_SAFE_INTEGER)) throw new UpstreamFault('block_malformed', 'again', 'timestamp');
  return { block, timestamp: Number(timestamp) };
}

/** EIP-7702: the code of a delegated account is `0xef0100 ‖ address`. */
function readDelegations(accounts: readonly Address[], codes: readonly (Hex | null)[]): ReadonlyMap<Address, Address> {
  const found = new Map<Address, Address>();
  accounts.forEach((account, i) => {
    const match = /^0xef0100([0-9a-f]{40})$/.exec(codes[i] ?? '');
    if (match) found.set(account, `0x${match[1]!}`);
  });
  return found;
}

function metadataReads(tokens: readonly Address[]): ViewCall[] {
  return tokens.flatMap((to) => METADATA_SELECTORS.map((data): ViewCall => ({ to, data })));
}

/** From the first answers, in the order of `metadataReads`. */
function readMetadata(tokens: readonly Address[], answers: readonly (Hex | null)[]): Map<Address, TokenMetadata> {
  const width = METADATA_SELECTORS.length;
  return new Map(
    tokens.map((address, i) => {
      const [symbol, name, decimals] = answers.slice(i * width, (i + 1) * width);
      return [address, { address, symbol: decodeText(symbol ?? null), name: decodeText(name ?? null), decimals: decodeDecimals(decimals ?? null) }];
    }),
  );
}

function beyondLimit(plan: ContextPlan): PriceRefusal[] {
  const observed = String(plan.tokens.length + plan.tokensBeyondLimit.length);
  return plan.tokensBeyondLimit.map((asset) => ({
    asset, code: 'unknown_decimals', reason: 'more tokens in one transaction than are looked up', observed, threshold: String(plan.tokenLimit),
  }));
}

/** One refusal per asset and code is enough. */
function withoutRepeats(refusals: readonly PriceRefusal[]): PriceRefusal[] {
  const seen = new Set<string>();
  return refusals.filter(({ asset, code }) => !seen.has(`${asset} ${code}`) && seen.add(`${asset} ${code}`));
}
