import type { Motif, Movement, PositionEffect, TxReport } from '../../model/generated/report.ts';
import { groupBy } from '../../lib/lists.ts';
import { placeOf, placesIn } from './checkEvidence.ts';
import { accountNet } from './checkProfit.ts';
import { mustOf, paysInterest, sumOf, total, type Must, type Report } from './finding.ts';
import { NATIVE, size, wordsIn, wordsOf, type RawChain } from './rawChain.ts';

/** Amounts in words and halves of words that logs state or calls return, of negative ones the magnitude. */
function statedAmounts(evidence: Motif['evidence'], chain: RawChain): Set<bigint> {
  const stated = new Set<bigint>();
  for (const place of evidence) {
    const { log, frame } = placesIn(place, chain);
    const words = log === null ? wordsIn(frame?.output ?? '0x') : log ? wordsOf(log) : [];
    for (const value of words.map((word) => BigInt(`0x${word}`))) {
      stated.add(value).add(-BigInt.asIntN(256, value));
      for (const half of [value >> 128n, BigInt.asUintN(128, value)])
        stated.add(half).add(-BigInt.asIntN(128, half));
    }
  }
  return stated;
}

/**
 * Amounts in and out of a position equal its motifs' movements, asset by asset. Where they are split into
 * principal and fees one of the two is stated; interest is stated and moved nothing.
 */
function checkUnderlying(effect: PositionEffect, backed: Backed, chain: RawChain, must: Must): void {
  const stated = statedAmounts(effect.evidence, chain);
  const isStated = (raw: string): boolean => stated.has(size(BigInt(raw)));
  effect.underlying.forEach(({ role, delta_raw: raw }, j) =>
    must(role !== 'interest' || isStated(raw), `/underlying/${j}`, `interest of ${raw} is stated nowhere`),
  );
  // Interest paid out with a withdrawal moved; other interest stayed in the position.
  const moved = effect.underlying.filter(
    ({ role, asset }) => role !== 'interest' || paysInterest(effect, asset.id),
  );
  for (const [asset, group] of groupBy(moved, (part) => part.asset.id)) {
    const parts = group.map(({ delta_raw: raw }) => raw);
    if (parts.every((part) => backed(asset, part))) continue;
    const sum = sumOf(parts, BigInt);
    must(backed(asset, `${sum}`), '/underlying', `${sum} of ${asset} is not what its motifs moved`);
    const areStated = parts.some(isStated);
    must(areStated, '/underlying', `the parts of ${asset} are stated nowhere`);
  }
}

/** Motifs rest on their movements and logs, and are as proven as their invariants allow. */
export function checkMotifs(report: TxReport, chain: RawChain, find: Report): void {
  report.motifs.forEach((motif, i) => {
    const problem: Problem = (check, message) => find(check, `/motifs/${i}`, message);
    if (motif.id !== `m-${i}`) problem('motif', `id is ${motif.id}, its place is ${i}`);
    if (motif.parent_id !== null && !report.motifs.some((m) => m !== motif && m.id === motif.parent_id))
      problem('motif', `parent ${motif.parent_id} does not exist`);
    if (motif.status === 'Proven' && motif.invariants.some(({ holds }) => !holds))
      problem('motif', 'Proven although an invariant does not hold');
    checkOwnWords(motif, report.motifs, chain, problem);
    checkScope(motif, chain, problem);
    checkOwnMovements(motif, report.movements ?? [], problem);
  });
  checkPositions(report, chain, find);
  checkPositionSums(report, find);
}

type Movements = readonly Movement[];
/** Whether an act moved an amount of an asset. */
type Backed = (asset: string | undefined, raw: string | null) => boolean;
type Problem = (check: string, message: string) => void;

function checkScope({ evidence, scope }: Motif, chain: RawChain, problem: Problem): void {
  if (evidence.length === 0) problem('evidence', 'no evidence');
  const indexes = evidence.flatMap(({ log_index }) => (log_index === null ? [] : [log_index]));
  const range = indexes.length ? `${Math.min(...indexes)},${Math.max(...indexes)}` : null;
  const claimed = scope.log_range?.join() ?? null;
  if (claimed !== range) problem('motif', `log range is ${range}, not ${claimed}`);
  if (scope.frame_path && !chain.frames.has(scope.frame_path.join('.')))
    problem('evidence', `scope [${scope.frame_path}] is not in the trace`);
  const isAround = evidence.every(
    ({ frame_path: path }) => scope.frame_path?.every((n, i) => path === null || path[i] === n) ?? true,
  );
  if (!isAround) problem('evidence', `scope [${scope.frame_path}] does not hold its evidence`);
}

/** A motif lists exactly the movements of its assets that its evidence proves, in order and once. */
function checkOwnMovements(motif: Motif, movements: Movements, problem: Problem): void {
  for (const m of motif.movements) if (!movements[m]) problem('motif', `movement ${m} does not exist`);
  if (motif.movements.some((m, j) => j > 0 && m <= motif.movements[j - 1]!))
    problem('motif', 'movements are not in order, each once');
  const proven = new Set(motif.evidence.map(placeOf));
  // One log can carry several movements; the assets say which of them belong to the motif.
  const assets = new Set([...motif.assets_in, ...motif.assets_out].map((part) => part.asset.id));
  movements.forEach((movement, m) => {
    const isOwn = assets.has(movement.asset_id) && proven.has(placeOf(movement.evidence));
    if (isOwn && !motif.movements.includes(m) && !isPassedOn(movement, motif, movements))
      problem('motif', `movement ${m} is proven by its evidence and left out`);
  });
  for (const m of motif.movements)
    if (movements[m] && !proven.has(placeOf(movements[m].evidence)))
      problem('motif', `the evidence of movement ${m} is not among its own`);
}

/** Ether of a call that the motif's movements out of the contract pay out, less refunds. */
function isPassedOn({ from, to, asset_id: id, amount_raw: raw }: Movement, motif: Motif, all: Movements) {
  const isOwn = (m: Movement): boolean => motif.movements.includes(all.indexOf(m));
  const ofVenue = all.filter((m) => m.from === to && m.asset_id === id);
  const refunds = total(ofVenue.filter((m) => !isOwn(m) && m.to === from));
  return id === NATIVE && total(ofVenue.filter(isOwn)) === BigInt(raw) - refunds;
}

function checkPositions(report: TxReport, chain: RawChain, find: Report): void {
  const motifs = new Map(report.motifs.map((motif) => [motif.id, motif]));
  report.position_effects.forEach((effect, i) => {
    const at = `/position_effects/${i}`;
    const behind = effect.motif_ids.flatMap((id) => motifs.get(id) ?? []);
    checkLiquidation(effect, behind, mustOf(find, 'position', `${at}/liquidation`));
    if (behind.length === 0 || behind.length < effect.motif_ids.length)
      return find('position', at, 'rests on a motif that does not exist');
    const parts = behind.flatMap((m) => [...m.assets_in, ...m.assets_out]);
    // A position that others carried on states its owner's sends and receipts.
    const backed: Backed = (asset, raw) => {
      if (raw === null) return true;
      const amount = size(BigInt(raw));
      const moved = parts.filter((p) => p.asset.id === asset);
      return (
        moved.some((p) => BigInt(p.amount_raw) === amount) ||
        total(moved) === amount ||
        accountNet(report, effect.owner, asset ?? '') === BigInt(raw)
      );
    };
    const must = mustOf(find, 'position', at);
    checkShares(effect, report, backed, must);
    checkUnderlying(effect, backed, chain, must);
    const own = new Set([
      ...behind.flatMap((m) => m.evidence.map(placeOf)),
      ...movementsOf(effect, report).map((m) => placeOf(m.evidence)),
    ]);
    if (effect.evidence.length === 0) find('evidence', at, 'no evidence');
    for (const place of effect.evidence.map(placeOf))
      must(own.has(place), '', `${place} is no evidence of its motifs`);
    checkWhole(effect, behind, must);
  });
}

/** The shares of a position, and the amounts of a liquidation, are backed by its motifs. */
function checkShares(effect: PositionEffect, report: TxReport, backed: Backed, must: Must): void {
  const { position_asset: share, position_delta_raw: delta, more_shares: more, liquidation: end } = effect;
  const claim = (path: string, asset: string | undefined, raw: string | null): void =>
    must(backed(asset, raw), path, `${raw} of ${asset} is not what its motifs moved`);
  const earned = earnedBeside(effect, report);
  if (earned) {
    const sum = sumOf(earned, ({ position_delta_raw: raw }) => BigInt(raw ?? 0));
    claim('/position_delta_raw', share?.id, sum.toString());
    must(earned.every(isInterest), '/position_delta_raw', 'is not the interest stated');
  } else if (!restsOnMovements(effect, report)) claim('/position_delta_raw', share?.id, delta);
  more?.forEach(({ asset, delta_raw: raw }, n) => claim(`/more_shares/${n}/delta_raw`, asset.id, raw));
  if (end === null) return;
  claim('/liquidation/debt_covered_raw', end.debt_asset?.id, end.debt_covered_raw);
  claim('/liquidation/collateral_seized_raw', end.collateral_asset?.id, end.collateral_seized_raw);
}

/** A liquidation is given exactly where there is one, with the accounts that its motifs name. */
function checkLiquidation(effect: PositionEffect, behind: readonly Motif[], must: Must): void {
  const { liquidation: end } = effect;
  must((end !== null) === (effect.effect === 'liquidate'), '', 'is given exactly for a liquidation');
  if (end === null) return;
  for (const [side, asset, raw] of [
    ['debt', end.debt_asset, end.debt_covered_raw],
    ['collateral', end.collateral_asset, end.collateral_seized_raw],
  ] as const)
    must((asset === null) === (raw === null), '', `the ${side} has an asset and an amount, or neither`);
  for (const role of ['liquidator', 'borrower'] as const) {
    const named = behind.flatMap(({ participants }) => participants.filter((p) => p.role === role));
    const isNamed = named.some(({ account }) => account === end[role]);
    must(named.length === 0 || isNamed, `/${role}`, 'is another in its motif');
  }
}

/** Movements of a position's token that its owner sent or received. */
const movementsOf = ({ owner, position_asset: token }: PositionEffect, { movements = [] }: TxReport) =>
  movements.filter(({ asset_id: id, from, to }) => id === token?.id && (from === owner || to === owner));

/** A change of a position that no act explains is the sum of the movements it gives as evidence. */
function restsOnMovements(effect: PositionEffect, report: TxReport): boolean {
  if (effect.underlying.length > 0 || !['collect', 'transfer'].includes(effect.effect)) return false;
  const places = new Set(effect.evidence.map(placeOf));
  const own = movementsOf(effect, report).filter((m) => places.has(placeOf(m.evidence)));
  const sum = sumOf(own, (m) => (m.to === effect.owner ? 1n : -1n) * BigInt(m.amount_raw));
  return sum.toString() === effect.position_delta_raw;
}

/** A `collect` and a `decrease` of one act and token: only their difference moved. Null for other effects. */
function earnedBeside(effect: PositionEffect, { position_effects }: TxReport): PositionEffect[] | null {
  const pair = position_effects.filter(
    ({ owner, position_asset: token, motif_ids: ids }) =>
      owner === effect.owner && token?.id === effect.position_asset?.id && `${ids}` === `${effect.motif_ids}`,
  );
  const kinds = pair.map((e) => e.effect);
  return effect.position_asset && `${kinds}` === 'collect,decrease' ? pair : null;
}

/** A `collect` is exactly its interest, which its evidence states; other effects may be anything. */
function isInterest({ effect, underlying, position_delta_raw: raw, category }: PositionEffect): boolean {
  if (effect !== 'collect') return true;
  const sum = sumOf(underlying, (u) => BigInt(u.delta_raw));
  return (
    underlying.every((u) => u.role === 'interest') && `${category === 'lending_debt' ? -sum : sum}` === raw
  );
}

/** The effects of an owner on one position asset sum to the change of its balance; they are in order. */
function checkPositionSums({ position_effects, inventory_deltas }: TxReport, find: Report): void {
  const order = position_effects.map(({ motif_ids: [id] }) => Number(id?.slice(2)));
  if (order.some((m, i) => m < order[i - 1]!))
    find('position', '/position_effects', 'are not in the order of motifs');
  const held = new Map(inventory_deltas.map((d) => [`${d.subject} ${d.asset.id}`, BigInt(d.delta_raw)]));
  const counted = position_effects.filter((e) => e.position_asset && e.position_delta_raw !== null);
  for (const [place, group] of groupBy(counted, (e) => `${e.owner} ${e.position_asset!.id}`)) {
    const sum = sumOf(group, (e) => BigInt(e.position_delta_raw!));
    const change = held.get(place) ?? 0n;
    if (sum !== change)
      find('position', '/position_effects', `${place}: effects sum to ${sum}, the balance to ${change}`);
  }
}

/** Count and pool of an act are its evidence's; the parts of a whole are inside it. */
function checkOwnWords(motif: Motif, motifs: readonly Motif[], chain: RawChain, problem: Problem): void {
  const { evidence, count = evidence.length, pool_id: pool } = motif;
  if (count !== evidence.length) problem('motif', `count is ${count}, its evidence has ${evidence.length}`);
  const isStated = evidence.some((place) => {
    const { log, frame } = placesIn(place, chain);
    const text = log ? [...log.topics, log.data].join() : log === null ? frame?.input : '';
    return (text ?? '').includes(pool?.slice(2) ?? '');
  });
  if (!isStated) problem('motif', 'its evidence does not state the pool_id');
  const whole = motifs.find(({ id }) => id === motif.parent_id);
  const named = (whole?.claims ?? []).flatMap(({ operands, against = [] }) => [...operands, ...against]);
  if (named.includes(motif.id) && !motif.movements.every((m) => whole!.movements.includes(m)))
    problem('motif', `its movements are not among those of ${whole!.id}`);
}

/** Orders and requests hold nothing yet. */
export const HOLDS_NOTHING = /^(order|withdrawal_request)$/;

/** A position has the evidence and the assets of its acts. */
function checkWhole(effect: PositionEffect, behind: readonly Motif[], must: Must): void {
  const { effect: what, category, underlying, position_asset: token } = effect;
  const isGiven = (effect.position_delta_raw === null) === (token === null);
  must(isGiven, '/position_delta_raw', 'is given exactly with its asset');
  if (what === 'collect' || what === 'transfer') return;
  const shown = new Set(effect.evidence.map(placeOf));
  const left = behind.flatMap(({ evidence }) => evidence.map(placeOf)).filter((place) => !shown.has(place));
  must(left.length === 0, '/evidence', `${left.join(', ')} of its motifs is left out`);
  // A liquidator's own gain of a share is no deposit.
  const isSeized = what === 'increase' && behind.every(({ kind }) => kind === 'liquidation');
  if (isSeized || HOLDS_NOTHING.test(category)) return;
  const parts = behind.flatMap((m) => [...m.assets_in, ...m.assets_out]);
  const named = new Set(underlying.map(({ asset }) => asset.id));
  const isEmpty =
    named.size === 0 && parts.some(({ asset, role }) => asset.id !== token?.id && !role.includes('share'));
  const lacks = parts.some(({ role, asset }) => /^(in|out)$/.test(role) && !named.has(asset.id));
  const isPartial = category === 'liquidity' && behind.length === 1 && lacks;
  must(!isEmpty && !isPartial, '/underlying', 'leaves out an asset of its motifs');
}
