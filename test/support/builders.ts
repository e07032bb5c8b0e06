import { join } from 'node:path';
import { MultiDirectedGraph } from 'graphology';
import { prepare } from '../../src/rules/prepare.ts';
import { kindOf, NO_TRAITS } from '../../src/lib/motifKinds.ts';
import { readVocabulary } from '../../scripts/readVocabulary.ts';
import { NATIVE, NATIVE_ASSET, erc20Id, parseAssetId } from '../../src/value/asset.ts';
import { ZERO_ADDRESS } from '../../src/evm/hex.ts';
import type { Attribution } from '../../src/model/attribution.ts';
import type { BlockHeader, CanonicalTx, Frame, Log } from '../../src/model/canonicalTx.ts';
import type { Address, Hash, Hex } from '../../src/model/hex.ts';
import type { Verdict } from '../../src/model/intent.ts';
import type { Motif } from '../../src/model/motif.ts';
import type { Entity, Rulebook } from '../../src/model/rulebook.ts';
import type { IntentKindSpec, MotifKindSpec } from '../../src/model/vocabulary.ts';
import type { PriceQuote, RawContext, TokenMetadata } from '../../src/model/upstream.ts';
import type {
  Asset,
  AssetId,
  LedgerEntry,
  Movement,
  MovementKind,
  ValueFlow,
} from '../../src/model/valueFlow.ts';

/** `0xaa…aa` from one byte: readable test accounts. */
export const account = (byte: string): Address => `0x${byte.repeat(20)}`;
export const hash = (byte: string): Hash => `0x${byte.repeat(32)}`;
export const ETHER = 10n ** 18n;

export const SIGNER = account('a1');
export const BUILDER = account('bb');
export const WRAPPED = account('ee');
/** Wrapped ether of mainnet. */
const WETH: Address = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
export const wrappedId = erc20Id(WRAPPED);

export function frame(over: Partial<Frame> = {}): Frame {
  return {
    index: 0,
    parent: null,
    end: 1,
    path: [],
    type: 'CALL',
    from: SIGNER,
    to: account('c0'),
    context: account('c0'),
    value: 0n,
    input: '0x',
    output: '0x',
    selector: null,
    error: null,
    effective: true,
    static: false,
    seq: 0,
    ...over,
  };
}

export function log(over: Partial<Log> = {}): Log {
  return { logIndex: 0, index: 0, address: account('c0'), topics: [], data: '0x', frame: 0, seq: 1, ...over };
}

export function canonicalTx(over: Partial<CanonicalTx> = {}): CanonicalTx {
  return {
    hash: hash('5c'),
    dialect: 'call_tracer',
    blockNumber: 20_000_000n,
    blockHash: hash('b1'),
    type: 2,
    from: SIGNER,
    to: account('c0'),
    value: 0n,
    input: '0x',
    nonce: 7n,
    succeeded: true,
    createdContract: null,
    gasUsed: 100_000n,
    effectiveGasPrice: 30_000_000_000n,
    blobGasUsed: 0n,
    blobGasPrice: 0n,
    authorizations: [],
    frames: [frame()],
    logs: [log()],
    ...over,
  };
}

/** One thing that the root call does: a call, or a log. */
export type Happening =
  | { readonly call: Partial<Frame> }
  | { readonly log: Pick<Log, 'address' | 'topics' | 'data'> };

/** A transaction whose root call does these things in order. `logs`: what all logs have, such as no frame. */
export function txOf(
  happenings: readonly Happening[],
  {
    root = {},
    logs: ofLogs = {},
    ...over
  }: Partial<Omit<CanonicalTx, 'logs'>> & {
    readonly root?: Partial<Frame>;
    readonly logs?: Partial<Log>;
  } = {},
): CanonicalTx {
  const { from = SIGNER, to = account('c0'), value = 0n, input = '0x' } = over;
  const selector = input.length >= 10 ? (input.slice(0, 10) as Hex) : null;
  const frames = [frame({ from, to, context: to, value, input, selector, ...root })];
  const logs: Log[] = [];
  happenings.forEach((one, i) => {
    const seq = i + 1;
    const index = 'call' in one ? frames.length : logs.length;
    if ('log' in one) logs.push(log({ logIndex: index, index, seq, ...one.log, ...ofLogs }));
    else {
      const { to: callee, input: data = '0x' } = one.call;
      const place = { index, parent: 0, end: index + 1, path: [index - 1], context: callee ?? null, seq };
      const called = data.length >= 10 ? (data.slice(0, 10) as Hex) : null;
      frames.push(frame({ ...place, from, selector: called, ...one.call }));
    }
  });
  frames[0] = { ...frames[0]!, end: frames.length };
  return canonicalTx({ from, to, value, input, frames, logs, ...over });
}

export function blockHeader(over: Partial<BlockHeader> = {}): BlockHeader {
  return {
    number: 20_000_000n,
    hash: hash('b1'),
    timestamp: 1_700_000_000,
    baseFeePerGas: 20_000_000_000n,
    coinbase: BUILDER,
    ...over,
  };
}

export interface MovementSketch {
  readonly from: Address;
  readonly to: Address;
  readonly asset?: AssetId;
  readonly amount: bigint;
  readonly kind?: MovementKind;
}

/** A consistent value flow from a list of movements: ledgers, indexes and graph follow from them. */
export function valueFlow(sketches: readonly MovementSketch[]): ValueFlow {
  const movements: Movement[] = sketches.map(({ from, to, asset = NATIVE_ASSET, amount, kind }, index) => ({
    index,
    from,
    to,
    asset,
    amount,
    seq: index,
    kind: kind ?? (from === ZERO_ADDRESS ? 'mint' : to === ZERO_ADDRESS ? 'burn' : 'transfer'),
    evidence:
      asset === NATIVE_ASSET
        ? { kind: 'frame', frame: 0, log: null, contract: to }
        : { kind: 'log', frame: 0, log: 0, contract: account('c0') },
  }));
  const assets = new Map<AssetId, Asset>();
  const ledgers = new Map<Address, Map<AssetId, LedgerEntry>>();
  const outgoing = new Map<Address, number[]>();
  const incoming = new Map<Address, number[]>();
  const graph = new MultiDirectedGraph<Record<string, never>, Movement>();
  const lane = (who: Address, asset: AssetId): LedgerEntry => {
    const ledger = ledgers.get(who) ?? new Map<AssetId, LedgerEntry>();
    ledgers.set(who, ledger);
    const entry = ledger.get(asset) ?? { inflow: 0n, outflow: 0n, movements: [] };
    ledger.set(asset, entry);
    return entry;
  };
  for (const m of movements) {
    assets.set(m.asset, m.asset === NATIVE_ASSET ? NATIVE : parseAssetId(m.asset)!);
    const out = lane(m.from, m.asset);
    out.outflow += m.amount;
    out.movements.push(m.index);
    const into = lane(m.to, m.asset);
    into.inflow += m.amount;
    into.movements.push(m.index);
    outgoing.set(m.from, [...(outgoing.get(m.from) ?? []), m.index]);
    incoming.set(m.to, [...(incoming.get(m.to) ?? []), m.index]);
    graph.mergeNode(m.from);
    graph.mergeNode(m.to);
    graph.addDirectedEdgeWithKey(String(m.index), m.from, m.to, m);
  }
  return {
    movements,
    nonEconomic: [],
    taxes: new Set(),
    allowances: [],
    assets,
    wrappedNative: new Set([WRAPPED, WETH]),
    ledgers,
    outgoing,
    incoming,
    graph: () => graph,
  };
}

export function token(address: Address, over: Partial<TokenMetadata> = {}): TokenMetadata {
  return { address, symbol: 'TKN', name: 'Token', decimals: 18, ...over };
}

/** A fresh quote; `price` as a plain decimal, e.g. `'2500.5'`. */
export function quote(asset: Address | 'native', price: string, over: Partial<PriceQuote> = {}): PriceQuote {
  const [whole = '0', fraction = ''] = price.split('.');
  return {
    asset,
    numerator: BigInt(whole + fraction),
    scale: fraction.length,
    method: 'chainlink',
    source: account('fe'),
    asOf: 1_700_000_000 - 60,
    heartbeat: 3600,
    pool: null,
    confidenceBps: null,
    ...over,
  };
}

export function rawContext(
  over: { tokens?: readonly TokenMetadata[] } & Partial<Omit<RawContext, 'tokens'>> = {},
): RawContext {
  const { tokens = [], ...rest } = over;
  return {
    block: null,
    prices: [],
    refusals: [],
    delegations: new Map(),
    ...rest,
    tokens: new Map(tokens.map((t) => [t.address, t])),
  };
}

export function attribution(over: Partial<Attribution> = {}): Attribution {
  const actor = over.actor === undefined ? SIGNER : over.actor;
  return {
    signer: SIGNER,
    actor,
    beneficiary: actor,
    feePayer: SIGNER,
    mode: 'self',
    ground: 'signed',
    submitterRole: 'self',
    entryPoint: null,
    paymaster: null,
    settlementContract: null,
    orders: [],
    delegations: [],
    candidates: [],
    ambiguous: false,
    entity: actor === null ? [] : [actor],
    payments: new Map(),
    evidence: [],
    ...over,
  };
}

export function verdict(over: Partial<Verdict> = {}): Verdict {
  return {
    kind: 'ContractCall',
    label: 'Call a contract',
    unfilled: [],
    stated: [],
    owner: null,
    caveats: [],
    status: 'Proven',
    confidence: 'High',
    rule: { slug: 'contract-call', version: 1 },
    category: 'contract',
    tags: [],
    motifs: [],
    fragments: [],
    ...over,
  };
}

export function motif(over: Partial<Motif> = {}): Motif {
  return {
    index: 0,
    kind: 'swap',
    traits: kindOf(DEFAULT_KINDS, over.kind ?? 'swap'),
    protocol: null,
    basis: 'event',
    venue: account('d0'),
    poolId: null,
    seq: 0,
    scopeFrame: 0,
    parent: null,
    participants: [],
    assetsIn: [],
    assetsOut: [],
    claims: [{ name: 'conserved_at_venue', holds: true, operands: [] }],
    tags: [],
    status: 'Proven',
    doubt: null,
    confidence: 'High',
    movements: [],
    evidence: [{ kind: 'log', frame: 0, log: 0, contract: account('d0') }],
    ...over,
  };
}

const SHIPPED = [...readVocabulary([join(import.meta.dirname, '../../rules')]).motifKinds];

/** Kinds with the traits of the shipped vocabulary, and of the rest only what is given. */
export function kindsWith(
  given: readonly (Partial<MotifKindSpec> & Pick<MotifKindSpec, 'kind'>)[] = [],
): Rulebook['motifKinds'] {
  const kinds = new Map<string, MotifKindSpec>(
    SHIPPED.map(([kind, spec]) => [kind, { ...spec, fragment: null, position: null }]),
  );
  for (const one of given)
    kinds.set(one.kind, {
      ...NO_TRAITS,
      title: one.kind,
      fragment: null,
      position: null,
      ...kinds.get(one.kind),
      ...one,
    });
  return kinds;
}

const DEFAULT_KINDS = { motifKinds: kindsWith() };

/** Motifs with the traits that these kinds declare. */
export const classified = <M extends Motif>(motifs: readonly M[], kinds: Pick<Rulebook, 'motifKinds'>): M[] =>
  motifs.map((one) => ({ ...one, traits: kindOf(kinds, one.kind) }));

export interface RulebookSketch {
  readonly entities?: Readonly<Record<Address, readonly string[]>>;
  readonly motifKinds?: readonly (Partial<MotifKindSpec> & Pick<MotifKindSpec, 'kind'>)[];
  readonly intentKinds?: readonly Pick<IntentKindSpec, 'kind' | 'category'>[];
  readonly errors?: readonly (readonly [Hex, string])[];
}

/** A rulebook with nothing in it but what is given; the wrapped native token is `WRAPPED`. */
export function rulebook(over: RulebookSketch = {}): Rulebook {
  const entities = new Map<Address, Entity>(
    Object.entries(over.entities ?? {}).map(([address, tags]) => [
      address as Address,
      { slug: 'x', name: 'X', tags },
    ]),
  );
  return prepare({
    version: '1.0.0',
    digest: `sha256:${'0'.repeat(64)}`,
    events: new Map(),
    calls: new Map(),
    entities,
    wrappedNative: new Set([WRAPPED]),
    knownTokens: new Map(),
    knownNames: new Map(),
    tokenFacts: new Map(),
    assetClasses: new Map(),
    tokenEvents: new Map(),
    tokenCalls: new Map(),
    feeds: [],
    pricing: { registry: null, rates: [], averages: [], apis: [] },
    multicall: { address: account('ca'), sinceBlock: 0n },
    nameResolver: null,
    errors: new Map(
      (over.errors ?? []).map(([selector, name]) => [selector, { name, signature: `${name}()` }]),
    ),
    motifKinds: kindsWith(over.motifKinds ?? []),
    intentKinds: new Map(
      (over.intentKinds ?? []).map((kind, rank) => [
        kind.kind,
        { rank, headline: true, ledgerLabel: null, tags: [], ...kind },
      ]),
    ),
    intents: [],
    findings: [],
    lexicon: [],
    signatures: { events: { text: '' }, functions: { text: '' }, own: { text: '' } },
    addressBook: { text: '' },
    protocolAt: new Map(),
    protocols: new Map(),
    unlimited: { from: 2n ** 128n - 1n, exactly: new Set([2n ** 96n - 1n]) },
  });
}
