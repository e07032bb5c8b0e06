import { distance } from '../value/amount.ts';
import { firstOf, linkOf, type Candidate, type Chain } from './candidates.ts';
import { rootOf, type Act, type Block } from './blockFacts.ts';
import type { FactValue } from '../model/intent.ts';

/** Of the amounts that should agree, the part that may be missing: taxes and dust. */
const AGREES_WITHIN = 100n;

/** The facts of a candidate; `profit`: signs of its entity's result. */
export function factsOf(
  { rule, chains }: Candidate,
  block: Block,
  profit: readonly bigint[],
): ReadonlyMap<string, FactValue> {
  const acts = chains.flatMap((chain) => [...chain.values()].flat());
  const own = chains.flatMap((chain) => ownActs(rule, chain));
  const facts = new Map<string, FactValue>([
    ['acts.proven', acts.every(({ motifs }) => motifs.every(({ status }) => status === 'Proven'))],
    ['acts.own', own.every(isOwn)],
    ['entity.link', weakestLink(own)],
    ['others.weigh', chains.some((chain) => othersWeigh(rule, chain))],
    ['amounts.agree', chains.some((chain) => agree(...endsOf(rule, chain)))],
    ['position.same', chains.some((chain) => samePosition(block, ...endsOf(rule, chain)))],
    ['venues.known', acts.every(({ motifs }) => motifs.every(isKnown))],
    ['venues.count', new Set(acts.map(({ venue, poolId }) => `${venue} ${poolId}`)).size],
    ['profit.sign', signOf(profit)],
  ]);
  for (const { name } of rule.steps)
    facts.set(
      `step.${name}`,
      new Set(chains.flatMap((chain) => chain.get(name)!.map(({ tx }) => tx.index))).size,
    );
  return facts;
}

type Rule = Candidate['rule'];

/** The acts of the entity: of the steps with a profit to work out. */
function ownActs({ profit }: Rule, chain: Chain): Act[] {
  return profit.flatMap((step) => [...chain.get(step)!]);
}

function endsOf(rule: Rule, chain: Chain): [Act, Act] {
  const own = ownActs(rule, chain);
  return [own[0] ?? firstOf(chain), own.at(-1) ?? firstOf(chain)];
}

/** Part of the first act below which that of another is dust: anybody may place one beside it. */
const DUST_PARTS = 100n;

function othersWeigh(rule: Rule, chain: Chain): boolean {
  const [first] = endsOf(rule, chain);
  const others = rule.steps.flatMap(({ name }) => (rule.profit.includes(name) ? [] : chain.get(name)!));
  return others.some(({ gave, got }) =>
    [...gave, ...got].some(
      ([asset, amount]) => first.gave.has(asset) && amount * DUST_PARTS >= first.gave.get(asset)!,
    ),
  );
}

function weakestLink(own: readonly Act[]): string {
  const [first, ...others] = own;
  const links = others.flatMap((act) => (act.tx === first!.tx ? [] : [linkOf(first!, act)]));
  return ['receiver', 'contract', 'signer'].find((link) => links.includes(link as never)) ?? 'none';
}

/** Whether one of the entity's accounts is a party to the act, or to a whole that contains it. */
function isOwn({ tx, motifs }: Act): boolean {
  return motifs.every((motif) =>
    [motif, ...rootOf(motif, tx.report.motifs)].some(({ participants }) =>
      participants.some(({ account }) => tx.own.has(account)),
    ),
  );
}

const isKnown = ({ protocol }: Act['motifs'][number]): boolean =>
  protocol?.matched_by === 'address' ||
  protocol?.matched_by === 'create2' ||
  protocol?.named_by === 'registry';

function agree(first: Act, last: Act): boolean {
  if (first === last) return false;
  const matches = (a: ReadonlyMap<string, bigint>, b: ReadonlyMap<string, bigint>): boolean =>
    [...a].some(([asset, amount]) => {
      const other = b.get(asset);
      return other !== undefined && distance(other, amount) * AGREES_WITHIN <= amount;
    });
  return matches(first.got, last.gave) || matches(first.gave, last.got);
}

/** One position: a share received and given back in full, or events of one contract with equal topics. */
function samePosition(block: Block, first: Act, last: Act): boolean {
  if (first === last) return false;
  for (const [asset, amount] of first.got) if (last.gave.get(asset) === amount) return true;
  const topics = ({ tx, motifs, venue }: Act): string[] => {
    const indexes = new Set(motifs.flatMap(({ evidence }) => evidence.map(({ log_index }) => log_index)));
    return block
      .logsOf(tx.report.tx.hash)
      .filter(
        ({ address, logIndex, topics: words }) =>
          indexes.has(Number(logIndex)) && words.length > 2 && address.toLowerCase() === venue?.toLowerCase(),
      )
      .map(({ topics: [, ...words] }) => words.join());
  };
  const opened = new Set(topics(first));
  return topics(last).some((words) => opened.has(words));
}

function signOf(profit: readonly bigint[]): string {
  const gain = profit.some((amount) => amount > 0n);
  const loss = profit.some((amount) => amount < 0n);
  if (gain && loss) return 'mixed';
  return gain ? 'gain' : loss ? 'loss' : 'none';
}
