// One recording: what a node answers about a scenario's transaction, with the expectation and the measured balances.
import { getAddress, type Hex } from 'viem';
import type { Delta } from './measure.ts';
import type { Story, Told } from './story.ts';

const FEEDS = { feedEth: 'ETH / USD', feedUsdc: 'USDC / USD', feedUsdt: 'USDT / USD', feedDai: 'DAI / USD' };

type Json = Record<string, any>;

/** File name to content of every recording of a story: one JSON object on one line each. */
export async function recordAll(story: Story): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const told of story.told)
    if (told.scenario.recorded !== false)
      files.set(`${told.scenario.name}.json`, `${JSON.stringify(await recording(story, told))}\n`);
  return files;
}

/** One recording: node answers under `rpc`, the truth about it under `expect`. */
async function recording(story: Story, told: Told): Promise<Json> {
  const { scenario, hash } = told;
  const { rpc } = story.devnet;
  const [tx, receipt, callTracer, trace, prestateDiff] = (await Promise.all([
    rpc('eth_getTransactionByHash', [hash]),
    rpc('eth_getTransactionReceipt', [hash]),
    rpc('debug_traceTransaction', [hash, { tracer: 'callTracer', tracerConfig: { withLog: true } }]),
    rpc('trace_transaction', [hash]),
    rpc('debug_traceTransaction', [hash, { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }]),
  ])) as Json[];
  const block = await rpc('eth_getBlockByHash', [receipt!.blockHash, false]);
  return {
    id: `devnet/${scenario.name}`,
    name: scenario.name,
    title: scenario.title,
    hash,
    source: 'devnet',
    trace_quality: 'full',
    rpc: {
      tx,
      receipt,
      block: { ...block, transactions: [hash] },
      callTracer,
      trace,
      prestateDiff: withoutCode(prestateDiff!),
    },
    ...noncesOf(tx!, prestateDiff!),
    tokens: tokensOf(story, receipt!),
    prices: await pricesOf(story, receipt!.blockNumber),
    expect: expectation(story, told, await story.measure(hash)),
  };
}

/** Of a transaction with EIP-7702 authorisations: nonces of accounts before it and after it, alone in its block. */
function noncesOf(tx: Json, { pre, post }: Json): Json {
  if (!tx.authorizationList) return {};
  const nonces: Json = {};
  for (const [account, { nonce = 0 }] of Object.entries(pre as Json))
    if (post[account]?.nonce !== undefined) nonces[account] = [nonce, post[account].nonce];
  return { nonces };
}

/** Unchanged code says nothing about a transaction and is most of a state difference: left out. */
function withoutCode(diff: Json): Json {
  const strip = ([address, account]: [string, Json]) => {
    const { code, ...rest } = account;
    return [address, diff.post[address]?.code === undefined ? rest : { ...rest, code }];
  };
  return { pre: Object.fromEntries(Object.entries(diff.pre as Json).map(strip)), post: diff.post };
}

function tokensOf({ devnet }: Story, receipt: Json): Json {
  const found: Json = {};
  const emitters = new Set((receipt.logs as { address: string }[]).map(({ address }) => getAddress(address)));
  for (const asset of Object.values(devnet.world.assets))
    if (asset.kind !== 'native' && emitters.has(asset.address)) {
      const { kind, symbol, name, decimals } = asset;
      found[asset.address.toLowerCase()] = {
        kind,
        symbol,
        name,
        decimals: kind === 'erc20' ? decimals : null,
      };
    }
  return found;
}

/** What the price feeds answer at the block: eight decimals, as strings. */
async function pricesOf({ devnet }: Story, block: Hex): Promise<Json> {
  const prices: Json = {};
  for (const [role, description] of Object.entries(FEEDS)) {
    const feed = devnet.world.contracts[role]!;
    const [roundId, answer, , updatedAt] = await devnet.chain.read<bigint[]>(
      feed,
      'latestRoundData() view returns (uint80,int256,uint256,uint256,uint80)',
      [],
      block,
    );
    prices[feed.toLowerCase()] = {
      description,
      decimals: 8,
      answer: String(answer),
      round_id: String(roundId),
      updated_at: Number(updatedAt),
    };
  }
  return prices;
}

function expectation({ ctx }: Story, { scenario, expect }: Told, deltas: readonly Delta[]): Json {
  const elastic = new Set(
    Object.values(ctx.world.assets)
      .filter((asset) => asset.elastic)
      .map((asset) => asset.address),
  );
  const lower = (value: string | null) => value?.toLowerCase() ?? null;
  return {
    intents: [scenario.intent, ...(scenario.alsoAcceptable ?? [])],
    never: scenario.never ?? [],
    signer: lower(expect.signer),
    actor: lower(expect.actor),
    actors_ok: [expect.actor, ...(expect.alsoActors ?? []).map(ctx.at)].map(lower),
    reverted: expect.reverted ?? false,
    motifs: expect.motifs,
    // Balances after less balances before, gas excluded. `elastic`: they do not follow the token's Transfer logs.
    deltas: deltas.map(({ subject, kind, address, tokenId, delta }) => ({
      subject: lower(subject),
      kind,
      address: lower(address),
      token_id: tokenId === null ? null : String(tokenId),
      delta_raw: String(delta),
      ...(address !== null && elastic.has(address) ? { elastic: true } : {}),
    })),
  };
}
