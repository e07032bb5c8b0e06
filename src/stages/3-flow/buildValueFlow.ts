import { MultiDirectedGraph } from 'graphology';
import type { CanonicalTx } from '../../model/canonicalTx.ts';
import type { Address } from '../../model/hex.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { Asset, AssetId, Movement, NonEconomicMovement, ValueFlow } from '../../model/valueFlow.ts';
import { Ledgers } from './ledgers.ts';
import { isAside } from './draft.ts';
import { readNative } from './readNative.ts';
import { readTokens } from './readTokens.ts';

/**
 * Every movement of value in a transaction, in execution order, with the ledgers and the graph that follow from them. Gas
 * is not among them. Never throws for anything a contract can log: what does not read as a transfer is a plain event.
 */
export function buildValueFlow(
  tx: CanonicalTx,
  rulebook: Pick<Rulebook, 'wrappedNative' | 'tokenEvents'>,
): ValueFlow {
  const native = tx.succeeded ? readNative(tx) : [];
  const tokens = tx.succeeded ? readTokens(tx, rulebook) : [];
  const movements: Movement[] = [];
  const nonEconomic: NonEconomicMovement[] = [];
  const assets = new Map<AssetId, Asset>();
  const ledgers = new Ledgers();
  // Both lists are in execution order, and a frame and a log never share a stamp.
  for (let n = 0, t = 0; n < native.length || t < tokens.length; ) {
    const reading =
      t === tokens.length || (n < native.length && native[n]!.seq < tokens[t]!.seq)
        ? native[n++]!
        : tokens[t++]!;
    if (isAside(reading)) {
      nonEconomic.push({
        kind: reading.kind,
        from: reading.from,
        to: reading.to,
        evidence: reading.evidence,
      });
      continue;
    }
    const { kind, from, to, asset, amount, seq, evidence } = reading;
    let known = assets.get(asset.id);
    if (!known) assets.set(asset.id, (known = asset));
    const giver = ledgers.of(from);
    const taker = ledgers.of(to);
    const index = movements.length;
    giver.give(known.id, amount, index);
    taker.take(known.id, amount, index);
    // One text for all movements of an asset or account: comparing it is comparing a reference.
    movements.push({
      index,
      kind,
      from: giver.account,
      to: taker.account,
      asset: known.id,
      amount,
      seq,
      evidence,
    });
  }
  return new Flow(movements, nonEconomic, assets, ledgers);
}

/** A class, since an object with a getter of its own is costly to make: most transactions are small. */
class Flow implements ValueFlow {
  readonly ledgers: ValueFlow['ledgers'];
  readonly outgoing: ValueFlow['outgoing'];
  readonly incoming: ValueFlow['incoming'];
  readonly movements: readonly Movement[];
  readonly nonEconomic: readonly NonEconomicMovement[];
  readonly assets: ReadonlyMap<AssetId, Asset>;
  #graph: ValueFlow['graph'] | null = null;

  constructor(
    movements: readonly Movement[],
    nonEconomic: readonly NonEconomicMovement[],
    assets: ReadonlyMap<AssetId, Asset>,
    books: Ledgers,
  ) {
    const { ledgers, outgoing, incoming } = books.told(movements);
    this.movements = movements;
    this.nonEconomic = nonEconomic;
    this.assets = assets;
    this.ledgers = ledgers;
    this.outgoing = outgoing;
    this.incoming = incoming;
  }

  get graph(): ValueFlow['graph'] {
    return (this.#graph ??= buildGraph(this.ledgers.keys(), this.movements));
  }
}

/** Accounts as nodes, movements as edges. Own keys: graphology's automatic ones differ from process to process. */
function buildGraph(accounts: Iterable<Address>, movements: readonly Movement[]): ValueFlow['graph'] {
  const graph: ValueFlow['graph'] = new MultiDirectedGraph();
  for (const account of accounts) graph.addNode(account);
  for (const movement of movements)
    graph.addDirectedEdgeWithKey(`m${movement.index}`, movement.from, movement.to, movement);
  return graph;
}
