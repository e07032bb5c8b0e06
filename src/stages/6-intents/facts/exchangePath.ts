import { NATIVE_ASSET } from '../../../lib/asset.ts';
import { ZERO_ADDRESS } from '../../../lib/hex.ts';
import { laneNets } from '../../../lib/laneNets.ts';
import type { SubjectView } from './subjectView.ts';
import type { Address } from '../../../model/hex.ts';
import type { Motif } from '../../../model/motif.ts';

/** A lane held by an account, `account|lane`, or the inside of a motif, `#index`. */
type Node = string;

/**
 * Swaps through which what the subject gave turned into what it got: reachable forwards from the gifts and backwards
 * from the receipts. Where the proceeds went to somebody else only the forward half counts, where everything was
 * borrowed only the backward half. Order in time is ignored, because callback pools pay before they are paid.
 */
export function exchangePath(view: SubjectView): readonly Motif[] {
  const swaps = view.input.motifs.filter((m) => m.kind === 'swap');
  if (swaps.length === 0 || (view.gave.length === 0 && view.got.length === 0)) return [];
  const links = linksOf(view);
  const after = view.gave.length === 0 ? null : reach(links.forward, view.gave.flatMap((l) => l.outgoing.map((m) => `${m.to}|${l.lane}`)));
  const before = view.got.length === 0 ? null : reach(links.backward, view.got.flatMap((l) => l.incoming.map((m) => `${m.from}|${l.lane}`)));
  return swaps.filter((swap) => {
    const { sinks, sources } = ends(view, swap);
    return (after === null || sinks.some((n) => after.has(n))) && (before === null || sources.some((n) => before.has(n)));
  });
}

/**
 * Accounts outside the subject that ended with something else than what the subject gave, and got it along the way of the
 * swaps: whom a trade was made for. Venues keep what they trade and do not count.
 */
export function deliveries(view: SubjectView): ReadonlySet<Address> {
  const given = new Set(view.gave.map((l) => l.lane));
  const after = reach(linksOf(view).forward, view.gave.flatMap((l) => l.outgoing.map((m) => `${m.to}|${l.lane}`)));
  const found = new Set<Address>();
  for (const account of view.flow.ledgers.keys()) {
    if (account === ZERO_ADDRESS || view.entity.has(account) || view.venues.has(account)) continue;
    const lanes = laneNets(view.flow, view.input.rulebook.wrappedNative, new Set([account]));
    if (lanes.some((l) => l.net > 0n && !given.has(l.lane) && after.has(`${account}|${l.lane}`))) found.add(account);
  }
  return found;
}

/**
 * Where a motif's counterparty paid in (`sinks`) and was paid out (`sources`). A swap netted inside one contract may not
 * say what it took or gave: that end is open, and open ends of one contract meet.
 */
function ends(view: SubjectView, motif: Motif): { sinks: Node[]; sources: Node[] } {
  const paidIn = new Set(motif.assetsOut.map((a) => view.laneOf(a.asset)));
  const paidOut = new Set(motif.assetsIn.map((a) => view.laneOf(a.asset)));
  const sinks = [...paidIn].map((lane) => `${motif.venue}|${lane}`);
  const sources = [...paidOut].map((lane) => `${motif.venue}|${lane}`);
  for (const index of motif.movements) {
    const movement = view.flow.movements[index]!;
    const lane = view.laneOf(movement.asset);
    if (paidIn.has(lane)) sinks.push(`${movement.to}|${lane}`);
    if (paidOut.has(lane)) sources.push(`${movement.from}|${lane}`);
  }
  if (motif.kind === 'swap' && paidIn.size === 0) sinks.push(`${motif.venue}|open`);
  if (motif.kind === 'swap' && paidOut.size === 0) sources.push(`${motif.venue}|open`);
  return { sinks, sources };
}

interface Links { forward: Map<Node, Node[]>; backward: Map<Node, Node[]> }

function linksOf(view: SubjectView): Links {
  const links: Links = { forward: new Map(), backward: new Map() };
  const link = (from: Node, to: Node): void => {
    push(links.forward, from, to);
    push(links.backward, to, from);
  };
  for (const movement of view.flow.movements) {
    if (view.entity.has(movement.from) || view.entity.has(movement.to)) continue;
    const lane = view.laneOf(movement.asset);
    link(`${movement.from}|${lane}`, `${movement.to}|${lane}`);
  }
  // Wrapping: native goes into the token contract and the same amount appears from the zero address, or back.
  for (const wrapped of view.input.rulebook.wrappedNative) {
    link(`${wrapped}|${NATIVE_ASSET}`, `${ZERO_ADDRESS}|${NATIVE_ASSET}`);
    link(`${ZERO_ADDRESS}|${NATIVE_ASSET}`, `${wrapped}|${NATIVE_ASSET}`);
  }
  for (const motif of view.input.motifs) {
    if (motif.kind !== 'swap' && (motif.assetsIn.length === 0 || motif.assetsOut.length === 0)) continue;
    const { sinks, sources } = ends(view, motif);
    const through = `#${motif.index}`;
    for (const sink of sinks) link(sink, through);
    for (const source of sources) link(through, source);
  }
  return links;
}

function push(map: Map<Node, Node[]>, key: Node, value: Node): void {
  const known = map.get(key);
  if (known) known.push(value); else map.set(key, [value]);
}

function reach(links: Map<Node, Node[]>, from: readonly Node[]): Set<Node> {
  const seen = new Set(from);
  const queue = [...from];
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    for (const next of links.get(node) ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      queue.push(next);
    }
  }
  return seen;
}
