import { count, flag, motifTags, protocols, type FactSpec } from './factSpec.ts';
import { protocolsOf, tagsOf } from './motifFacts.ts';
import type { Address } from '../../../model/hex.ts';
import type { SubjectView } from './subjectView.ts';
import type { Motif } from '../../../model/motif.ts';
import type { MotifTraits } from '../../../model/vocabulary.ts';

const poolOf = (m: Motif): string => m.poolId ?? m.venue;

/**
 * Swaps between the actor's sent assets and those it, or its payees, received. Pools are counted by id, not
 * by transfer.
 */
export const SWAP_FACTS: readonly FactSpec[] = [
  count(
    'swaps.count',
    'Swaps on the way from what the actor sent to what it received.',
    (v) => v.path.length,
  ),
  count(
    'swaps.pools',
    'Distinct pools on that way. A pool used twice counts once.',
    (v) => new Set(v.path.map(poolOf)).size,
  ),
  count('swaps.venues', 'Distinct contracts on that way.', (v) => new Set(v.path.map((m) => m.venue)).size),
  count(
    'swaps.proven',
    'Swaps on that way that are proven.',
    (v) => v.path.filter((m) => m.status === 'Proven').length,
  ),
  count(
    'swaps.structural',
    'Swaps on that way that only the movements show, no event.',
    (v) => v.path.filter((m) => m.basis === 'structure').length,
  ),
  protocols('swaps.protocols', 'Protocols on that way.', (v) => protocolsOf(v.path)),
  motifTags('swaps.tags', 'Tags of the swaps on that way.', (v) => tagsOf(v.path)),
  count(
    'swaps.elsewhere',
    'Swaps in the transaction that are not on that way.',
    (v) => v.swaps.length - v.path.length,
  ),
  count('swaps.delivered_to', 'Accounts other than the actor that kept proceeds of those swaps.', (v) =>
    v.path.length === 0 ? 0 : v.exchange.deliveries.length,
  ),
  count(
    'swaps.delivered_to_unknown',
    'Of these accounts, those that logged events no rule knows: contracts that did something ' +
      'with the proceeds.',
    (v) =>
      v.path.length === 0
        ? 0
        : v.exchange.deliveries.filter(({ account }) => speaksUnknown(account, v)).length,
  ),
  flag('swaps.by_aggregator', 'An aggregator, a solver or an order book settled the trade.', settledByOthers),
];

/** Whether the account logged an event that is no transfer or approval, and that no shape describes. */
function speaksUnknown(account: Address, { flow, tx, input: { rulebook } }: SubjectView): boolean {
  return flow.nonEconomic.some(({ kind, evidence: { contract, log } }) => {
    if (kind !== 'event' || contract !== account || log === null) return false;
    const { topics } = tx.logs[log]!;
    return !rulebook.events.has(`${topics[0]}:${topics.length}`);
  });
}

const SETTLED: ReadonlySet<MotifTraits['trade']> = new Set(['order', 'summary']);
const SETTLING_TAGS = new Set(['aggregator', 'settlement', 'order_book', 'solver']);

function settledByOthers(v: SubjectView): boolean {
  if (v.input.subject.mode === 'solver_settlement' || v.own.some((motif) => SETTLED.has(v.kind(motif).trade)))
    return true;
  if (settles(tagsOf(v.path)) || settles(v.tagsOf(v.tx.to))) return true;
  for (const agent of v.agents) if (settles(v.tagsOf(agent))) return true;
  return false;
}

function settles(tags: readonly string[]): boolean {
  for (const tag of tags) if (SETTLING_TAGS.has(tag)) return true;
  return false;
}
