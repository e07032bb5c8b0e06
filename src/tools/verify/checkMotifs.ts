import type { Motif, Movement, PositionEffect, TxReport } from '../../model/generated/report.ts';
import { placeOf, placesIn } from './checkEvidence.ts';
import { mergeWrapped, accountNet } from './checkProfit.ts';
import { checkOwnWords, checkWhole } from './checkWholes.ts';
import { mustOf, paysInterest, sumOf, total, type Must, type Report } from './finding.ts';
import { NATIVE, size, wordsIn, wordsOf, type RawChain } from './rawChain.ts';

/** The words of a log's topics and data, or of a call's result. */
function wordsAt(evidence: Motif['evidence'][number], chain: RawChain): string[] {
  const { log, frame } = placesIn(evidence, chain);
  if (log === null) return wordsIn(frame?.output ?? '0x');
  return log ? wordsOf(log) : [];
}

/** Amounts in words and halves of words that logs state or calls return, of negative ones the magnitude. */
function statedAmounts(evidence: Motif['evidence'], chain: RawChain): Set<bigint> {
  const stated = new Set<bigint>();
  for (const place of evidence) {
    for (const word of wordsAt(place, chain)) {
      const value = BigInt(`0x${word}`);
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
function checkUnderlying(
  effect: PositionEffect,
  backed: (asset: string, raw: bigint) => boolean,
  chain: RawChain,
  must: Must,
): void {
  const stated = statedAmounts(effect.evidence, chain);
  const byAsset = new Map<string, { sum: bigint; parts: bigint[] }>();
  effect.underlying.forEach((u, j) => {
    const raw = BigInt(u.delta_raw);
    const isStated = u.role !== 'interest' || stated.has(size(raw));
    must(isStated, `/underlying/${j}`, `interest of ${raw} is stated nowhere`);
    // Interest paid out with a withdrawal moved; other interest stayed in the position.
    if (u.role === 'interest' && !paysInterest(effect, u.asset.id)) return;
    const known = byAsset.get(u.asset.id) ?? { sum: 0n, parts: [] };
    byAsset.set(u.asset.id, { sum: known.sum + raw, parts: [...known.parts, raw] });
  });
  for (const [asset, { sum, parts }] of byAsset) {
    if (parts.every((part) => backed(asset, part))) continue;
    must(backed(asset, sum), '/underlying', `${sum} of ${asset} is not what its motifs moved`);
    const areStated = parts.some((part) => stated.has(size(part)));
    must(areStated, '/underlying', `the parts of ${asset} are stated nowhere`);
  }
}

/** Motifs rest on their movements and logs, and are as proven as their invariants allow. */
export function checkMotifs(report: TxReport, chain: RawChain, find: Report): void {
  const ids = new Map(report.motifs.map((m, i) => [m.id, i]));
  report.motifs.forEach((motif, i) => {
    const problem: Problem = (check, message) => find(check, `/motifs/${i}`, message);
    if (motif.id !== `m-${i}`) problem('motif', `id is ${motif.id}, its place is ${i}`);
    if (motif.parent_id !== null && (ids.get(motif.parent_id) ?? i) === i)
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
function isPassedOn(
  { from, to, asset_id: id, amount_raw: raw }: Movement,
  motif: Motif,
  all: Movements,
): boolean {
  const ofVenue = all.map((m, i) => ({ ...m, own: motif.movements.includes(i) }));
  const sum = (fits: (m: Movement & { own: boolean }) => boolean): bigint =>
    total(ofVenue.filter((m) => m.from === to && m.asset_id === id && fits(m)));
  return id === NATIVE && sum(({ own }) => own) === BigInt(raw) - sum((m) => !m.own && m.to === from);
}

function checkPositions(report: TxReport, chain: RawChain, find: Report): void {
  const merged = mergeWrapped(report);
  const motifs = new Map(report.motifs.map((motif) => [motif.id, motif]));
  report.position_effects.forEach((effect, i) => {
    const at = `/position_effects/${i}`;
    const behind = effect.motif_ids.flatMap((id) => motifs.get(id) ?? []);
    checkLiquidation(effect, behind, mustOf(find, 'position', `${at}/liquidation`));
    if (behind.length === 0 || behind.length < effect.motif_ids.length)
      return find('position', at, 'rests on a motif that does not exist');
    const parts = behind.flatMap((m) => [...m.assets_in, ...m.assets_out]);
    // A position that others carried on states its owner's sends and receipts.
    const backed = (asset: string | undefined, raw: string | null) => {
      if (raw === null) return true;
      const amount = size(BigInt(raw));
      const moved = parts.filter((p) => p.asset.id === asset);
      return (
        moved.some((p) => BigInt(p.amount_raw) === amount) ||
        total(moved) === amount ||
        accountNet(report, effect.owner, (id) => merged(id) === merged(asset ?? '')) === BigInt(raw)
      );
    };
    const must = mustOf(find, 'position', at);
    checkShares(effect, report, backed, must);
    checkUnderlying(effect, (asset, raw) => backed(asset, raw.toString()), chain, must);
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
function checkShares(
  effect: PositionEffect,
  report: TxReport,
  backed: (asset: string | undefined, raw: string | null) => boolean,
  must: Must,
): void {
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
function checkLiquidation(
  { effect, liquidation: end }: PositionEffect,
  behind: readonly Motif[],
  must: Must,
): void {
  must((end !== null) === (effect === 'liquidate'), '', 'is given exactly for a liquidation');
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
function movementsOf(
  { owner, position_asset: token }: PositionEffect,
  { movements = [] }: TxReport,
): Movement[] {
  return movements.filter(
    ({ asset_id, from, to }) => asset_id === token?.id && (from === owner || to === owner),
  );
}

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
  const key = (owner: string, asset: string): string => `${owner} ${asset}`;
  const held = new Map(
    inventory_deltas.map((d) => [key(d.subject, d.asset.id), BigInt(d.delta_raw)] as const),
  );
  const sums = new Map<string, bigint>();
  for (const { owner, position_asset: token, position_delta_raw: raw } of position_effects)
    if (token && raw !== null)
      sums.set(key(owner, token.id), (sums.get(key(owner, token.id)) ?? 0n) + BigInt(raw));
  for (const [place, sum] of sums) {
    const change = held.get(place) ?? 0n;
    if (sum !== change)
      find('position', '/position_effects', `${place}: effects sum to ${sum}, the balance to ${change}`);
  }
}
