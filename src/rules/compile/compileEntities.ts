import type { Address, Hex } from '../../model/hex.ts';
import type { Entity, PriceFeedSpec, TokenEventSpec } from '../../model/rulebook.ts';
import { compileTokenEvents } from './compileTokenEvents.ts';
import { isFault } from './bindExpr.ts';
import { readRuleAddress } from './compileProtocols.ts';
import type { RawEntityFile } from '../read/rawRules.ts';
import type { ProblemSink, RuleItem } from './ruleItem.ts';
import { parseSignature } from './signature.ts';

export interface CompiledEntities {
  readonly entities: Map<Address, Entity>;
  readonly wrappedNative: Set<Address>;
  readonly tokenEvents: Map<string, TokenEventSpec[]>;
  readonly feeds: PriceFeedSpec[];
  readonly multicall: { address: Address; sinceBlock: bigint } | null;
  readonly errors: Map<Hex, { name: string; signature: string }>;
}

/** Which lists a file of each kind holds. */
const LISTS: Readonly<Record<RawEntityFile['kind'], readonly (keyof RawEntityFile)[]>> = {
  wrapped_native: ['accounts'],
  accounts: ['accounts'],
  token_events: ['events', 'ignored_events'],
  feeds: ['feeds', 'registry'],
  rates: ['rates'],
  averages: ['averages'],
  errors: ['errors'],
};
const ALL_LISTS = [...new Set(Object.values(LISTS).flat())];

/** Compiles the entity files in force. */
export function compileEntities(
  items: readonly RuleItem<RawEntityFile>[],
  anyItem: RuleItem | null,
  sink: ProblemSink,
): CompiledEntities {
  const out: CompiledEntities & { multicall: CompiledEntities['multicall'] } = {
    entities: new Map(),
    wrappedNative: new Set(),
    tokenEvents: new Map(),
    feeds: [],
    multicall: null,
    errors: new Map(),
  };
  let multicalls = 0;
  const slugs = new Set<string>();
  for (const item of items) {
    const raw = item.value;
    for (const list of ALL_LISTS) {
      if (raw[list] !== undefined && !LISTS[raw.kind].includes(list))
        sink.add(item, [list], 'bad_entity', `${list} does not belong in kind ${raw.kind}`, 'key');
    }
    if (!LISTS[raw.kind].some((list) => raw[list] !== undefined))
      sink.add(item, ['kind'], 'bad_entity', `kind ${raw.kind} needs ${LISTS[raw.kind].join(' or ')}`);

    for (const [i, account] of (raw.accounts ?? []).entries()) {
      const address = readRuleAddress(item, ['accounts', i, 'address'], account.address, sink);
      if (slugs.has(account.slug)) sink.add(item, ['accounts', i, 'slug'], 'duplicate_slug', account.slug);
      slugs.add(account.slug);
      const isMulticall = account.tags?.includes('multicall') === true;
      if (isMulticall !== (account.since_block !== undefined))
        sink.add(
          item,
          ['accounts', i],
          'multicall_count',
          'the tag multicall and since_block belong together',
        );
      if (address === null) continue;
      if (out.entities.has(address))
        sink.add(
          item,
          ['accounts', i, 'address'],
          'duplicate_address',
          `${out.entities.get(address)!.slug} has it too`,
        );
      out.entities.set(address, { slug: account.slug, name: account.name, tags: account.tags ?? [] });
      if (raw.kind === 'wrapped_native') out.wrappedNative.add(address);
      if (!isMulticall) continue;
      multicalls += 1;
      if (multicalls > 1) sink.add(item, ['accounts', i], 'multicall_count', 'a second one');
      out.multicall = { address, sinceBlock: BigInt(account.since_block ?? 0) };
    }
    compileTokenEvents(item, out.tokenEvents, sink);
    compileFeeds(item, out.feeds, sink);
    compileErrors(item, out.errors, sink);
  }
  if (anyItem !== null && multicalls === 0) sink.add(anyItem, [], 'multicall_count', 'none in entities/');
  if (anyItem !== null && out.wrappedNative.size === 0)
    sink.add(anyItem, [], 'no_wrapped_native', 'none in entities/');
  return out;
}

function compileFeeds(item: RuleItem<RawEntityFile>, feeds: PriceFeedSpec[], sink: ProblemSink): void {
  for (const [i, raw] of (item.value.feeds ?? []).entries()) {
    const feed = readRuleAddress(item, ['feeds', i, 'feed'], raw.feed, sink);
    const asset =
      raw.asset === 'native' ? 'native' : readRuleAddress(item, ['feeds', i, 'asset'], raw.asset, sink);
    if (asset !== null && feeds.some((f) => f.asset === asset))
      sink.add(item, ['feeds', i, 'asset'], 'duplicate_feed', raw.asset);
    else if (feed !== null && asset !== null)
      feeds.push({ asset, feed, decimals: raw.decimals, heartbeat: raw.heartbeat });
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
