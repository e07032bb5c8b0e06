import type { Address, Hex } from '../../model/hex.ts';
import { addTo } from '../../lib/lists.ts';
import type { Entity, TokenCallSpec, TokenEventSpec, BindExpr } from '../../model/rulebook.ts';
import type { PriceFeedSpec } from '../../model/pricing.ts';
import type { TokenMetadata } from '../../model/upstream.ts';
import { compileBind, type BindScope } from './bindExpr.ts';
import type { RawEntityFile } from '../../model/generated/rules.ts';
import { Spot, type RuleItem } from './ruleItem.ts';
import { parseSignature } from './signature.ts';
import { eventKey } from '../../evm/signatures.ts';

/** Which lists a file of each kind holds. */
const LISTS: Readonly<Record<RawEntityFile['kind'], readonly (keyof RawEntityFile)[]>> = {
  wrapped_native: ['accounts'],
  accounts: ['accounts'],
  tokens: ['tokens'],
  token_events: ['events', 'ignored_events'],
  token_calls: ['token_calls'],
  feeds: ['feeds', 'registry'],
  rates: ['rates', 'positions'],
  averages: ['averages'],
  price_apis: ['price_apis'],
  errors: ['errors'],
};
const ALL_LISTS = [...new Set(Object.values(LISTS).flat())];

/** A contract that exists from a block on. */
type Since = { readonly address: Address; readonly sinceBlock: bigint } | null;

const nothing = () => ({
  entities: new Map<Address, Entity>(),
  wrappedNative: new Set<Address>(),
  knownTokens: new Map<string, ReadonlySet<Address>>(),
  knownNames: new Map<string, ReadonlySet<Address>>(),
  tokenFacts: new Map<Address, TokenMetadata>(),
  assetClasses: new Map<Address, readonly string[]>(),
  tokenEvents: new Map<string, TokenEventSpec[]>(),
  tokenCalls: new Map<Hex, TokenCallSpec>(),
  feeds: [] as PriceFeedSpec[],
  multicall: null as Since,
  nameResolver: null as Since,
  errors: new Map<Hex, { name: string; signature: string }>(),
});
type CompiledEntities = ReturnType<typeof nothing>;

/** Compiles the entity files in force. */
export function compileEntities(
  items: readonly RuleItem<RawEntityFile>[],
  anyItem: RuleItem | null,
): CompiledEntities {
  const out = nothing();
  const slugs = new Set<string>();
  for (const item of items) {
    const spot = new Spot(item);
    checkLists(spot, item.value);
    compileAccounts(spot, item.value, slugs, out);
    compileTokens(spot, item.value, out);
    compileTokenEvents(spot, item.value, out.tokenEvents);
    compileTokenCalls(spot, item.value, out.tokenCalls);
    compileFeeds(spot, item.value, out.feeds);
    compileErrors(spot, item.value, out.errors);
  }
  const home = anyItem && new Spot(anyItem);
  if (out.multicall === null) home?.report('multicall_count', 'none in entities/');
  if (out.wrappedNative.size === 0) home?.report('no_wrapped_native', 'none in entities/');
  return out;
}

function checkLists(spot: Spot, raw: RawEntityFile): void {
  const own = LISTS[raw.kind];
  for (const list of ALL_LISTS)
    if (raw[list] !== undefined && !own.includes(list))
      spot.at(list).reportKey('bad_entity', `${list} does not belong in kind ${raw.kind}`);
  if (!own.some((list) => raw[list] !== undefined))
    spot.at('kind').report('bad_entity', `kind ${raw.kind} needs ${own.join(' or ')}`);
}

function compileAccounts(spot: Spot, raw: RawEntityFile, slugs: Set<string>, out: CompiledEntities): void {
  for (const [account, here] of spot.each('accounts', raw.accounts)) {
    const tags = account.tags ?? [];
    const address = here.at('address').address(account.address);
    if (slugs.has(account.slug)) here.at('slug').report('duplicate_slug', account.slug);
    slugs.add(account.slug);
    const isMulticall = tags.includes('multicall');
    const isNameResolver = tags.includes('name_resolver');
    if ((isMulticall || isNameResolver) !== (account.since_block !== undefined))
      here.report('multicall_count', 'the tag multicall or name_resolver and since_block belong together');
    const other = out.entities.get(address);
    if (other) here.at('address').report('duplicate_address', `${other.slug} has it too`);
    out.entities.set(address, { slug: account.slug, name: account.name, tags });
    if (raw.kind === 'wrapped_native') out.wrappedNative.add(address);
    const since = { address, sinceBlock: BigInt(account.since_block ?? 0) };
    if (isMulticall && out.multicall !== null) here.report('multicall_count', 'a second one');
    if (isMulticall) out.multicall = since;
    if (isNameResolver) out.nameResolver = since;
  }
}

function compileTokens(spot: Spot, raw: RawEntityFile, out: CompiledEntities): void {
  const { knownTokens: known, assetClasses } = out;
  for (const [token, at] of spot.each('tokens', raw.tokens)) {
    const { symbol, name = null, decimals = null, addresses, classes = [] } = token;
    const own = at.at('addresses').addresses(addresses);
    for (const address of own)
      out.tokenFacts.set(address, { address, symbol, name: own.length === 1 ? name : null, decimals });
    for (const address of classes.length > 0 ? own : [])
      assetClasses.set(address, [...new Set([...(assetClasses.get(address) ?? []), ...classes])]);
    known.set(symbol, new Set([...(known.get(symbol) ?? []), ...own]));
    if (name !== null) out.knownNames.set(name, new Set(own));
  }
}

function compileFeeds(spot: Spot, { feeds: list }: RawEntityFile, feeds: PriceFeedSpec[]): void {
  for (const [{ decimals, heartbeat, ...raw }, here] of spot.each('feeds', list)) {
    const feed = here.at('feed').address(raw.feed);
    const asset = raw.asset === 'native' ? raw.asset : here.at('asset').address(raw.asset);
    const assetDecimals = asset === 'native' ? 18 : (raw.asset_decimals ?? null);
    if (feeds.some((f) => f.asset === asset)) here.at('asset').report('duplicate_feed', raw.asset);
    feeds.push({ asset, feed, decimals, heartbeat, assetDecimals });
  }
}

function compileErrors(
  spot: Spot,
  { errors: list }: RawEntityFile,
  errors: CompiledEntities['errors'],
): void {
  for (const [text, at] of spot.each('errors', list)) {
    const signature = at.take(parseSignature('error', text));
    if (signature === null) continue;
    const other = errors.get(signature.id);
    if (other) at.report('duplicate_error', `${signature.id} is ${other.signature} already`);
    else errors.set(signature.id, { name: signature.name, signature: signature.canonical });
  }
}

const CALL_WORDS = ['holder', 'to', 'spender', 'token', 'amount', 'id', 'approved'] as const;

/** Compiles the calls by which tokens move or are allowed, by the names of their parameters. */
function compileTokenCalls(spot: Spot, raw: RawEntityFile, into: Map<Hex, TokenCallSpec>): void {
  for (const [text, here] of spot.each('token_calls', raw.token_calls)) {
    const signature = here.take(parseSignature('function', text));
    const offsets = new Map(signature?.params.map(({ name, offset }) => [name, offset]));
    const places = CALL_WORDS.map((word) => [word, offsets.get(word) ?? null] as const);
    if (signature) into.set(signature.id, Object.fromEntries(places) as Record<keyof TokenCallSpec, number>);
  }
}

/** Compiles the events by which pre-standard tokens move value, and those that only repeat a movement. */
function compileTokenEvents(spot: Spot, raw: RawEntityFile, into: Map<string, TokenEventSpec[]>): void {
  for (const section of ['events', 'ignored_events'] as const)
    for (const [event, at] of spot.each<RawTokenEvent>(section, raw[section])) {
      const spec = compileTokenEvent(at, event);
      if (spec) addTo(into, eventKey(spec.topic0, spec.topicCount), spec);
    }
}

type RawTransferEvent = NonNullable<RawEntityFile['events']>[number];
type RawTokenEvent = RawTransferEvent | NonNullable<RawEntityFile['ignored_events']>[number];

function compileTokenEvent(spot: Spot, raw: RawTokenEvent): TokenEventSpec | null {
  const signature = spot.at('event').take(parseSignature('event', raw.event));
  if (signature === null) return null;
  const spec = {
    topic0: signature.id,
    topicCount: signature.topicCount,
    emitters: new Set(spot.at('emitters').addresses(raw.emitters)),
    params: signature.params,
  };
  if (!('from' in raw))
    return { ...spec, assetKind: 'erc20', ignored: true, from: ZERO, to: ZERO, amount: null, tokenId: null };
  if ((raw.asset_kind === 'erc721') !== (raw.token_id !== undefined))
    spot.report('bad_entity', 'erc721 needs token_id, erc20 takes none');
  if (raw.asset_kind === 'erc20' && raw.amount === undefined) spot.report('bad_entity', 'erc20 needs amount');
  const scope: BindScope = { kind: 'event', ...signature, venue: null, legs: [] };
  const bind = (key: 'from' | 'to' | 'amount' | 'token_id', use: 'account' | 'amount'): BindExpr | null => {
    const text = raw[key];
    const result = text === undefined ? null : spot.at(key).take(compileBind(text, scope));
    if (!result || result.type[use]) return result && result.expr;
    spot.at(key).report('bind_type', `${text!} cannot be an ${use}`);
    return null;
  };
  return {
    ...spec,
    assetKind: raw.asset_kind,
    ignored: false,
    from: bind('from', 'account') ?? ZERO,
    to: bind('to', 'account') ?? ZERO,
    amount: bind('amount', 'amount'),
    tokenId: bind('token_id', 'amount'),
  };
}

const ZERO: BindExpr = { op: 'zero' };
