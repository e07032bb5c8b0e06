import type { Address, Hex } from '../../model/hex.ts';
import type { Entity, TokenCallSpec, TokenEventSpec, BindExpr } from '../../model/rulebook.ts';
import type { PriceFeedSpec } from '../../model/pricing.ts';
import { isFault, compileBind, type BindScope } from './bindExpr.ts';
import { readRuleAddress } from './compileProtocols.ts';
import type { RawEntityFile } from '../../model/generated/rules.ts';
import { Spot, type ProblemSink, type RuleItem } from './ruleItem.ts';
import { parseSignature } from './signature.ts';
import { eventKey } from './compileShapes.ts';

interface CompiledEntities {
  readonly entities: Map<Address, Entity>;
  readonly wrappedNative: Set<Address>;
  readonly knownTokens: Map<string, ReadonlySet<Address>>;
  readonly assetClasses: Map<Address, readonly string[]>;
  readonly tokenEvents: Map<string, TokenEventSpec[]>;
  readonly tokenCalls: Map<Hex, TokenCallSpec>;
  readonly feeds: PriceFeedSpec[];
  readonly multicall: { address: Address; sinceBlock: bigint } | null;
  readonly nameResolver: { address: Address; sinceBlock: bigint } | null;
  readonly errors: Map<Hex, { name: string; signature: string }>;
}

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

type Building = { -readonly [K in keyof CompiledEntities]: CompiledEntities[K] };

/** Compiles the entity files in force. */
export function compileEntities(
  items: readonly RuleItem<RawEntityFile>[],
  anyItem: RuleItem | null,
  sink: ProblemSink,
): CompiledEntities {
  const out: Building = {
    entities: new Map(),
    wrappedNative: new Set(),
    knownTokens: new Map(),
    assetClasses: new Map(),
    tokenEvents: new Map(),
    tokenCalls: new Map(),
    feeds: [],
    multicall: null,
    nameResolver: null,
    errors: new Map(),
  };
  const slugs = new Set<string>();
  for (const item of items) {
    const spot = new Spot(item, sink);
    checkLists(spot, item.value);
    compileAccounts(spot, item.value, slugs, out);
    compileTokens(spot, item.value, out);
    compileTokenEvents(item, out.tokenEvents, sink);
    compileTokenCalls(item, out.tokenCalls, sink);
    compileFeeds(spot, item.value, out.feeds);
    compileErrors(item, out.errors, sink);
  }
  if (anyItem !== null && out.multicall === null)
    sink.add(anyItem, [], 'multicall_count', 'none in entities/');
  if (anyItem !== null && out.wrappedNative.size === 0)
    sink.add(anyItem, [], 'no_wrapped_native', 'none in entities/');
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

function compileAccounts(spot: Spot, raw: RawEntityFile, slugs: Set<string>, out: Building): void {
  for (const [i, account] of (raw.accounts ?? []).entries()) {
    const here = spot.at('accounts', i);
    const tags = account.tags ?? [];
    const address = readRuleAddress(here.at('address'), account.address);
    if (slugs.has(account.slug)) here.at('slug').report('duplicate_slug', account.slug);
    slugs.add(account.slug);
    const isMulticall = tags.includes('multicall');
    const isNameResolver = tags.includes('name_resolver');
    if ((isMulticall || isNameResolver) !== (account.since_block !== undefined))
      here.report('multicall_count', 'the tag multicall or name_resolver and since_block belong together');
    if (address === null) continue;
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
  for (const [i, { symbol, addresses, classes = [] }] of (raw.tokens ?? []).entries()) {
    const own = addresses.map((text, j) => readRuleAddress(spot.at('tokens', i, 'addresses', j), text));
    for (const address of own)
      if (address !== null && classes.length > 0)
        assetClasses.set(address, [...new Set([...(assetClasses.get(address) ?? []), ...classes])]);
    known.set(symbol, new Set([...(known.get(symbol) ?? []), ...own.filter((address) => address !== null)]));
  }
}

function compileFeeds(spot: Spot, { feeds: list = [] }: RawEntityFile, feeds: PriceFeedSpec[]): void {
  for (const [i, raw] of list.entries()) {
    const here = spot.at('feeds', i);
    const feed = readRuleAddress(here.at('feed'), raw.feed);
    const asset = raw.asset === 'native' ? 'native' : readRuleAddress(here.at('asset'), raw.asset);
    if (asset !== null && feeds.some((f) => f.asset === asset))
      here.at('asset').report('duplicate_feed', raw.asset);
    else if (feed !== null && asset !== null)
      feeds.push({
        asset,
        feed,
        decimals: raw.decimals,
        heartbeat: raw.heartbeat,
        assetDecimals: asset === 'native' ? 18 : (raw.asset_decimals ?? null),
      });
  }
}

function compileErrors(
  item: RuleItem<RawEntityFile>,
  errors: CompiledEntities['errors'],
  sink: ProblemSink,
): void {
  for (const [i, text] of (item.value.errors ?? []).entries()) {
    const signature = parseSignature('error', text);
    if (isFault(signature)) {
      sink.add(item, ['errors', i], signature.code, signature.message);
      continue;
    }
    const named = { name: signature.name, signature: signature.canonical };
    const other = errors.get(signature.id);
    if (other !== undefined)
      sink.add(item, ['errors', i], 'duplicate_error', `${signature.id} is ${other.signature} already`);
    else errors.set(signature.id, named);
  }
}

/** Compiles the calls by which tokens move or are allowed: the names of their parameters say what each is. */
function compileTokenCalls(
  item: RuleItem<RawEntityFile>,
  into: Map<Hex, TokenCallSpec>,
  sink: ProblemSink,
): void {
  for (const [i, text] of (item.value.token_calls ?? []).entries()) {
    const signature = parseSignature('function', text);
    if (isFault(signature)) {
      sink.add(item, ['token_calls', i], signature.code, signature.message);
      continue;
    }
    const at = (name: string): number | null =>
      signature.params.find((param) => param.name === name)?.offset ?? null;
    const spec = { holder: at('holder'), spender: at('spender'), token: at('token'), amount: at('amount') };
    into.set(signature.id, spec);
  }
}

/** Compiles the events by which pre-standard tokens move value, and those that only repeat a movement. */
function compileTokenEvents(
  item: RuleItem<RawEntityFile>,
  into: Map<string, TokenEventSpec[]>,
  sink: ProblemSink,
): void {
  for (const section of ['events', 'ignored_events'] as const) {
    for (const [i, raw] of (item.value[section] ?? []).entries()) {
      const spec = compileTokenEvent(new Spot(item, sink, [section, i]), raw);
      if (!spec) continue;
      const key = eventKey(spec.topic0, spec.topicCount);
      into.set(key, [...(into.get(key) ?? []), spec]);
    }
  }
}

type RawTransferEvent = NonNullable<RawEntityFile['events']>[number];
type RawTokenEvent = RawTransferEvent | NonNullable<RawEntityFile['ignored_events']>[number];

function compileTokenEvent(spot: Spot, raw: RawTokenEvent): TokenEventSpec | null {
  const signature = parseSignature('event', raw.event);
  if (isFault(signature)) {
    spot.at('event').report(signature.code, signature.message);
    return null;
  }
  const emitters = (raw.emitters ?? []).map((text, n) => readRuleAddress(spot.at('emitters', n), text));
  const spec = {
    topic0: signature.id,
    topicCount: signature.topicCount,
    emitters: new Set(emitters.filter((e): e is Address => e !== null)),
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
    if (text === undefined) return null;
    const result = compileBind(text, scope);
    if (!isFault(result) && result.type[use]) return result.expr;
    if (isFault(result)) spot.at(key).report(result.code, result.message);
    else spot.at(key).report('bind_type', `${text} cannot be an ${use}`);
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
