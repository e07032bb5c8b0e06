import { addTo } from '../../lib/lists.ts';
import { lazy } from '../../lib/lazy.ts';
import { MultiDirectedGraph } from 'graphology';
import type { CanonicalTx, Frame } from '../../model/canonicalTx.ts';
import type { Address } from '../../model/hex.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type {
  Asset,
  AssetId,
  LedgerEntry,
  Movement,
  NonEconomicMovement,
  ValueFlow,
} from '../../model/valueFlow.ts';
import { isNonEconomic, type FlowEntry, classifyTransfer, type RawTransfer } from './rawTransfer.ts';
import { readAllowances } from './readAllowances.ts';
import { NO_TOKENS, readTokens } from './readTokens.ts';
import { createdIn } from '../../value/frames.ts';
import { NATIVE } from '../../value/asset.ts';
import { ZERO_ADDRESS } from '../../evm/hex.ts';

/**
 * Builds every movement of value in a transaction, in execution order, with the ledgers and the graph that
 * follow from them. Gas is not included. Never throws for logged content: a log that does not read as a
 * transfer is a plain event.
 */
export function buildValueFlow(
  tx: CanonicalTx,
  rulebook: Pick<Rulebook, 'wrappedNative' | 'tokenEvents'> &
    Partial<Pick<Rulebook, 'entities' | 'prepared' | 'tokenCalls' | 'unlimited'>>,
): ValueFlow {
  const native = tx.succeeded ? readNative(tx) : [];
  const tokens = tx.succeeded ? readTokens(tx, rulebook) : NO_TOKENS;
  const movements: Movement[] = [];
  const nonEconomic: NonEconomicMovement[] = [];
  const assets = new Map<AssetId, Asset>();
  const taxes = new Set<number>();
  // A frame and a log never share a `seq`.
  for (const entry of [...native, ...tokens.entries].sort((a, b) => a.seq - b.seq)) {
    if (isNonEconomic(entry)) {
      const { kind, from, to, evidence } = entry;
      nonEconomic.push({ kind, from, to, evidence });
      continue;
    }
    const { kind, from, to, asset, amount, seq, evidence } = entry;
    if (tokens.taxes.has(entry)) taxes.add(movements.length);
    if (!assets.has(asset.id)) assets.set(asset.id, asset);
    movements.push({ index: movements.length, kind, from, to, asset: asset.id, amount, seq, evidence });
  }
  const { ledgers, outgoing, incoming } = keepLedgers(movements);
  return {
    movements,
    nonEconomic,
    taxes,
    assets,
    wrappedNative: rulebook.wrappedNative,
    allowances: readAllowances(tx, rulebook),
    ledgers,
    outgoing,
    incoming,
    // Most transactions never follow value through several accounts.
    graph: lazy(() => buildGraph(ledgers.keys(), movements)),
  };
}

type Graph = ReturnType<ValueFlow['graph']>;

/** Accounts as nodes, movements as edges. Own keys: graphology's differ from process to process. */
function buildGraph(accounts: Iterable<Address>, movements: readonly Movement[]): Graph {
  const graph: Graph = new MultiDirectedGraph();
  for (const account of accounts) graph.addNode(account);
  for (const movement of movements)
    graph.addDirectedEdgeWithKey(`m${movement.index}`, movement.from, movement.to, movement);
  return graph;
}

/**
 * Double entry over the movements: each is one account's outflow and another's inflow of the same amount, so
 * every asset's deltas sum to zero. Accounts and assets keep the order in which value first touched them.
 */
function keepLedgers(movements: readonly Movement[]): Pick<ValueFlow, 'ledgers' | 'outgoing' | 'incoming'> {
  const ledgers = new Map<Address, Map<AssetId, LedgerEntry>>();
  const outgoing = new Map<Address, number[]>();
  const incoming = new Map<Address, number[]>();
  const book = (account: Address, side: 'inflow' | 'outflow', { asset, amount, index }: Movement): void => {
    let ledger = ledgers.get(account);
    if (!ledger) ledgers.set(account, (ledger = new Map()));
    let entry = ledger.get(asset);
    if (!entry) ledger.set(asset, (entry = { inflow: 0n, outflow: 0n, movements: [] }));
    entry[side] += amount;
    entry.movements.push(index);
    addTo(side === 'inflow' ? incoming : outgoing, account, index);
  };
  for (const movement of movements) {
    book(movement.from, 'outflow', movement);
    book(movement.to, 'inflow', movement);
  }
  return { ledgers, outgoing, incoming };
}

/** First mainnet block in which SELFDESTRUCT spares contracts of earlier transactions (Cancun, EIP-6780). */
const CANCUN_BLOCK = 19_426_587n;

/** Wei moved by calls, creations and SELFDESTRUCT, in frame order, and wei destroyed with its account. */
function readNative(tx: CanonicalTx): FlowEntry[] {
  const entries: FlowEntry[] = [];
  const doomed = destroyedAccounts(tx);
  for (const frame of tx.frames) {
    if (frame.value === 0n || frame.to === null) continue;
    const burnt = frame.type === 'SELFDESTRUCT' && frame.to === frame.from && doomed.has(frame.from);
    entries.push(
      classifyTransfer(nativeTransfer(frame, burnt ? ZERO_ADDRESS : frame.to, frame.value, frame.seq)),
    );
  }
  return doomed.size === 0 ? entries : [...entries, ...burntAtTheEnd(tx, doomed)];
}

function nativeTransfer(frame: Frame, to: Address, amount: bigint, seq: number): RawTransfer {
  return {
    kind: to === ZERO_ADDRESS ? 'burn' : 'transfer',
    from: frame.from,
    to,
    asset: NATIVE,
    amount,
    seq,
    evidence: {
      kind: 'frame',
      frame: frame.index,
      log: null,
      contract: frame.type === 'SELFDESTRUCT' ? frame.from : (frame.to ?? to),
    },
  };
}

const NONE: ReadonlyMap<Address, Frame> = new Map();

/** Accounts that cease to exist when the transaction ends, with their last SELFDESTRUCT. */
function destroyedAccounts(tx: CanonicalTx): ReadonlyMap<Address, Frame> {
  const destructions = tx.frames.filter((frame) => frame.type === 'SELFDESTRUCT' && frame.effective);
  if (destructions.length === 0) return NONE;
  // Blob fields exist only since Cancun: they show it on chains with other block numbers.
  const sparing = tx.blockNumber >= CANCUN_BLOCK || tx.blobGasPrice > 0n || tx.type >= 3;
  const created = createdIn(tx.frames);
  const doomed = new Map<Address, Frame>();
  for (const frame of destructions) if (!sparing || created.has(frame.from)) doomed.set(frame.from, frame);
  return doomed;
}

/** Ether received and kept after an account's last SELFDESTRUCT vanishes when the transaction ends. */
function burntAtTheEnd(tx: CanonicalTx, doomed: ReadonlyMap<Address, Frame>): FlowEntry[] {
  const entries: FlowEntry[] = [];
  const kept = new Map<Address, bigint>();
  const add = (account: Address, frame: Frame, amount: bigint): void => {
    const last = doomed.get(account);
    if (last && frame.seq > last.seq) kept.set(account, (kept.get(account) ?? 0n) + amount);
  };
  for (const frame of tx.frames) {
    if (frame.value === 0n || frame.to === null) continue;
    add(frame.to, frame, frame.value);
    add(frame.from, frame, -frame.value);
  }
  const end = tx.frames.length + tx.logs.length;
  for (const [account, amount] of kept) {
    if (amount > 0n)
      entries.push(classifyTransfer(nativeTransfer(doomed.get(account)!, ZERO_ADDRESS, amount, end)));
  }
  return entries;
}
