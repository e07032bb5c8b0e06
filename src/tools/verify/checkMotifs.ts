import type { Motif, TxReport } from '../../model/generated/report.ts';
import { checkAsset, decimalText } from './checkDeltas.ts';
import { placeOf } from './checkEvidence.ts';
import type { Report } from './finding.ts';
import type { RawChain } from './rawChain.ts';

/** Sums of up to this many movements are tried when a motif's amount is made of several transfers. */
const MOST_PARTS = 12;

function subsetSums(amounts: readonly bigint[]): Set<bigint> {
  let sums = new Set<bigint>([0n]);
  for (const amount of amounts.slice(0, MOST_PARTS))
    sums = new Set([...sums, ...[...sums].map((sum) => sum + amount)]);
  sums.delete(0n);
  sums.add(amounts.reduce((a, b) => a + b, 0n));
  return sums;
}

/** Amounts that logs state or calls return, as unsigned words and halves of words and as magnitudes of negative ones. */
function statedAmounts(evidence: Motif['evidence'], chain: RawChain): Set<bigint> {
  const stated = new Set<bigint>();
  for (const { log_index, frame_path } of evidence) {
    const log = log_index === null ? undefined : chain.logs.get(log_index);
    const frame =
      log_index !== null || frame_path === null ? undefined : chain.frames.get(frame_path.join('.'));
    const words = log
      ? [...log.topics.slice(1).map((t) => t.slice(2)), ...(log.data.slice(2).match(/.{64}/g) ?? [])]
      : (frame?.output.slice(2).match(/.{64}/g) ?? []);
    for (const word of words) {
      const value = BigInt(`0x${word}`);
      stated.add(value).add(-BigInt.asIntN(256, value));
      for (const half of [value >> 128n, BigInt.asUintN(128, value)])
        stated.add(half).add(-BigInt.asIntN(128, half));
    }
  }
  return stated;
}

/**
 * What went in or out of a position is what its motifs moved, asset by asset. Where it is told apart into principal and fees
 * one of the two is stated; interest is stated and moved nothing.
 */
function checkUnderlying(
  effect: TxReport['position_effects'][number],
  backed: (asset: string, raw: bigint) => boolean,
  chain: RawChain,
  find: (path: string, message: string) => void,
): void {
  const stated = statedAmounts(effect.evidence, chain);
  const size = (n: bigint): bigint => (n < 0n ? -n : n);
  const byAsset = new Map<string, { sum: bigint; parts: bigint[] }>();
  effect.underlying.forEach((u, j) => {
    const raw = BigInt(u.delta_raw);
    const exact = u.asset.decimals === null ? null : decimalText(raw, u.asset.decimals);
    if (u.delta !== null && u.delta !== exact)
      find(`/underlying/${j}`, `delta reads ${u.delta}, ${exact} is exact`);
    if (u.role === 'interest' && !stated.has(size(raw)))
      find(`/underlying/${j}`, `interest of ${raw} is stated nowhere`);
    if (u.role === 'interest') return;
    const known = byAsset.get(u.asset.id) ?? { sum: 0n, parts: [] };
    byAsset.set(u.asset.id, { sum: known.sum + raw, parts: [...known.parts, raw] });
  });
  for (const [asset, { sum, parts }] of byAsset) {
    if (parts.every((part) => backed(asset, part))) continue;
    if (!backed(asset, sum)) find('/underlying', `${sum} of ${asset} is not what its motifs moved`);
    if (!parts.some((part) => stated.has(size(part))))
      find('/underlying', `the parts of ${asset} are stated nowhere`);
  }
}

/** Motifs rest on their movements and logs, and are as proven as their invariants allow. */
export function checkMotifs(report: TxReport, chain: RawChain, find: Report): void {
  const movements = report.movements ?? [];
  const ids = new Map(report.motifs.map((m, i) => [m.id, i]));
  report.motifs.forEach((motif, i) => {
    const at = `/motifs/${i}`;
    if (motif.id !== `m-${i}`) find('motif', at, `id is ${motif.id}, its place is ${i}`);
    if (motif.parent_id !== null && (ids.get(motif.parent_id) ?? i) === i)
      find('motif', at, `parent ${motif.parent_id} does not exist`);
    if (motif.status === 'Proven' && motif.invariants.some(({ holds }) => !holds))
      find('motif', at, 'Proven although an invariant does not hold');
    if (motif.evidence.length === 0) find('evidence', at, 'no evidence');
    const indexes = motif.evidence.flatMap(({ log_index }) => (log_index === null ? [] : [log_index]));
    const range = indexes.length ? `${Math.min(...indexes)},${Math.max(...indexes)}` : null;
    if ((motif.scope.log_range?.join() ?? null) !== range)
      find('motif', at, `log range is ${range}, not ${motif.scope.log_range?.join() ?? null}`);
    if (motif.scope.frame_path && !chain.frames.has(motif.scope.frame_path.join('.')))
      find('evidence', at, `scope [${motif.scope.frame_path}] is not in the trace`);
    for (const m of motif.movements) if (!movements[m]) find('motif', at, `movement ${m} does not exist`);
    const stated = statedAmounts(motif.evidence, chain);
    if (motif.movements.some((m, j) => j > 0 && m <= motif.movements[j - 1]!))
      find('motif', at, 'movements are not in order, each once');
    const proven = new Set(motif.evidence.map(placeOf));
    for (const [side, list] of [
      ['assets_in', motif.assets_in],
      ['assets_out', motif.assets_out],
    ] as const)
      list.forEach((part, j) => {
        const here = `${at}/${side}/${j}`;
        checkAsset(part.asset, `${here}/asset`, find);
        const raw = BigInt(part.amount_raw);
        const exact = part.asset.decimals === null ? null : decimalText(raw, part.asset.decimals);
        if (part.amount !== null && part.amount !== exact && part.amount !== part.amount_raw)
          find('motif', here, `amount reads ${part.amount}, ${exact} is exact`);
        const carriers = motif.movements.filter((m) => movements[m]?.asset_id === part.asset.id);
        if (!subsetSums(carriers.map((m) => BigInt(movements[m]!.amount_raw))).has(raw) && !stated.has(raw))
          find('motif', here, `${raw} of ${part.asset.id} is neither moved nor stated`);
      });
    // One log can carry several movements, so the assets tell which of them a motif means.
    const assets = new Set([...motif.assets_in, ...motif.assets_out].map((part) => part.asset.id));
    movements.forEach((movement, m) => {
      if (
        assets.has(movement.asset_id) &&
        proven.has(placeOf(movement.evidence)) &&
        !motif.movements.includes(m)
      )
        find('motif', at, `movement ${m} is proven by its evidence and left out`);
    });
    for (const m of motif.movements)
      if (movements[m] && !proven.has(placeOf(movements[m].evidence)))
        find('motif', at, `the evidence of movement ${m} is not among its own`);
  });

  report.position_effects.forEach((effect, i) => {
    const at = `/position_effects/${i}`;
    const behind = effect.motif_ids.map((id) => report.motifs[ids.get(id) ?? -1]);
    if (behind.length === 0 || behind.includes(undefined))
      return find('position', at, 'rests on a motif that does not exist');
    const parts = behind.flatMap((m) => [...m!.assets_in, ...m!.assets_out]);
    const backed = (asset: string | undefined, raw: string | null) => {
      const amount = raw === null ? null : BigInt(raw) < 0n ? -BigInt(raw) : BigInt(raw);
      return (
        amount === null ||
        parts.some((p) => p.asset.id === asset && BigInt(p.amount_raw) === amount) ||
        parts.filter((p) => p.asset.id === asset).reduce((n, p) => n + BigInt(p.amount_raw), 0n) === amount
      );
    };
    const claim = (path: string, asset: string | undefined, raw: string | null) => {
      if (!backed(asset, raw))
        find('position', `${at}${path}`, `${raw} of ${asset} is not what its motifs moved`);
    };
    claim('/position_delta_raw', effect.position_asset?.id, effect.position_delta_raw);
    checkUnderlying(
      effect,
      (asset, raw) => backed(asset, raw.toString()),
      chain,
      (path, message) => find('position', `${at}${path}`, message),
    );
    if (effect.liquidation) {
      claim(
        '/liquidation/debt_covered_raw',
        effect.liquidation.debt_asset?.id,
        effect.liquidation.debt_covered_raw,
      );
      claim(
        '/liquidation/collateral_seized_raw',
        effect.liquidation.collateral_asset?.id,
        effect.liquidation.collateral_seized_raw,
      );
    }
    if (effect.evidence.length === 0) find('evidence', at, 'no evidence');
    const own = new Set(behind.flatMap((m) => m!.evidence.map(placeOf)));
    for (const e of effect.evidence)
      if (!own.has(placeOf(e))) find('position', at, `${placeOf(e)} is no evidence of its motifs`);
  });
}
