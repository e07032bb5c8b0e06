import { MultiDirectedGraph } from 'graphology';
import type { CanonicalTx } from '../../model/canonicalTx.ts';
import type { Address } from '../../model/hex.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type {
  Allowance,
  Asset,
  AssetId,
  Movement,
  NonEconomicMovement,
  ValueFlow,
} from '../../model/valueFlow.ts';
import { keepLedgers } from './ledgers.ts';
import { isNonEconomic, type FlowEntry } from './rawTransfer.ts';
import { readAllowances } from './readAllowances.ts';
import { readNative } from './readNative.ts';
import { readTokens } from './readTokens.ts';

/**
 * Builds every movement of value in a transaction, in execution order, with the ledgers and the graph that
 * follow from them. Gas is not included. Never throws for logged content: a log that does not read as a
 * transfer is a plain event.
 */
export function buildValueFlow(
  tx: CanonicalTx,
  rulebook: Pick<Rulebook, 'wrappedNative' | 'tokenEvents'> &
    Partial<Pick<Rulebook, 'entities' | 'prepared'>>,
): ValueFlow {
  const native = tx.succeeded ? readNative(tx) : [];
  const tokens = tx.succeeded ? readTokens(tx, rulebook) : [];
  const movements: Movement[] = [];
  const nonEconomic: NonEconomicMovement[] = [];
  const assets = new Map<AssetId, Asset>();
  for (const entry of inOrder(native, tokens)) {
    if (isNonEconomic(entry)) {
      const { kind, from, to, evidence } = entry;
      nonEconomic.push({ kind, from, to, evidence });
      continue;
    }
    const { kind, from, to, asset, amount, seq, evidence } = entry;
    if (!assets.has(asset.id)) assets.set(asset.id, asset);
    movements.push({ index: movements.length, kind, from, to, asset: asset.id, amount, seq, evidence });
  }
  return new Flow(movements, nonEconomic, assets, readAllowances(tx, rulebook.entities ?? new Map()));
}

/** Merges two lists that are each in execution order; a frame and a log never share a `seq`. */
function inOrder(native: readonly FlowEntry[], tokens: readonly FlowEntry[]): readonly FlowEntry[] {
  if (native.length === 0 || tokens.length === 0) return native.length === 0 ? tokens : native;
  const merged: FlowEntry[] = [];
  for (let n = 0, t = 0; n < native.length || t < tokens.length; ) {
    const nativeFirst = t === tokens.length || (n < native.length && native[n]!.seq < tokens[t]!.seq);
    merged.push(nativeFirst ? native[n++]! : tokens[t++]!);
  }
  return merged;
}

/** Builds the graph on demand: most transactions never follow value through several accounts. */
class Flow implements ValueFlow {
  readonly ledgers: ValueFlow['ledgers'];
  readonly outgoing: ValueFlow['outgoing'];
  readonly incoming: ValueFlow['incoming'];
  readonly movements: readonly Movement[];
  readonly nonEconomic: readonly NonEconomicMovement[];
  readonly assets: ReadonlyMap<AssetId, Asset>;
  readonly allowances: readonly Allowance[];
  #graph: ValueFlow['graph'] | null = null;

  constructor(
    movements: readonly Movement[],
    nonEconomic: readonly NonEconomicMovement[],
    assets: ReadonlyMap<AssetId, Asset>,
    allowances: readonly Allowance[],
  ) {
    const { ledgers, outgoing, incoming } = keepLedgers(movements);
    this.movements = movements;
    this.nonEconomic = nonEconomic;
    this.assets = assets;
    this.allowances = allowances;
    this.ledgers = ledgers;
    this.outgoing = outgoing;
    this.incoming = incoming;
  }

  get graph(): ValueFlow['graph'] {
    return (this.#graph ??= buildGraph(this.ledgers.keys(), this.movements));
  }
}

/** Accounts as nodes, movements as edges. Own keys: graphology's differ from process to process. */
function buildGraph(accounts: Iterable<Address>, movements: readonly Movement[]): ValueFlow['graph'] {
  const graph: ValueFlow['graph'] = new MultiDirectedGraph();
  for (const account of accounts) graph.addNode(account);
  for (const movement of movements)
    graph.addDirectedEdgeWithKey(`m${movement.index}`, movement.from, movement.to, movement);
  return graph;
}
