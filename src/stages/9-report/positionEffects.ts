import { roleOf } from '../../lib/roles.ts';
import { amountsOf, isShare, LIQUIDATE } from '../../value/sides.ts';
import { lowestOf } from '../../value/prove.ts';
import { displayMoney, worthOf } from '../../value/money.ts';
import type { PositionChange } from '../../model/economics.ts';
import type { Motif } from '../../model/motif.ts';
import type * as wire from '../../model/generated/report.ts';
import type { ReportInput } from './buildReport.ts';
import { motifId, type ReportWriter } from './reportWriter.ts';
import { writeProtocol } from './writeMotifs.ts';

function liquidationOf(motif: Motif, writer: ReportWriter): wire.Liquidation {
  const amounts = amountsOf(motif);
  const debt = amounts.find((one) => one.gave && !isShare(one));
  const taken = amounts.filter(({ gave }) => !gave);
  const collateral = taken.find(({ leg }) => leg === 'collateral') ?? taken[0];
  return {
    liquidator: writer.addressOrNull(roleOf(motif, 'liquidator')),
    borrower: writer.addressOrNull(roleOf(motif, 'borrower')),
    debt_asset: debt ? writer.asset(debt.asset) : null,
    debt_covered_raw: debt ? debt.amount.toString() : null,
    collateral_asset: collateral ? writer.asset(collateral.asset) : null,
    collateral_seized_raw: collateral ? collateral.amount.toString() : null,
  };
}

export function positionEffect(
  change: PositionChange,
  input: Pick<ReportInput, 'economics'>,
  writer: ReportWriter,
): wire.PositionEffect {
  const { motif, position, beside, delta, subcategory, heldBy } = change;
  const owner = writer.address(change.owner);
  const category = change.category as wire.PositionEffect['category'];
  // A filler can make up its order: the claim of the receiver shows on another chain alone.
  const isShown = heldBy === null && roleOf(motif, 'filler') === null;
  return Object.assign(subcategory === undefined ? { owner, category } : { owner, category, subcategory }, {
    effect: change.effect as wire.PositionEffect['effect'],
    protocol: writeProtocol(motif, writer),
    market: motif.poolId === null ? writer.address(motif.venue) : writer.text(motif.poolId),
    position_asset: position === null ? null : writer.asset(position),
    position_delta_raw: delta === null ? null : delta.toString(),
    ...(beside.length > 0 && {
      more_shares: beside.map((leg) => ({ asset: writer.asset(leg.asset), delta_raw: `${leg.delta}` })),
    }),
    underlying: change.parts.map(({ asset: id, delta: amount, role }) => {
      const asset = writer.asset(id);
      const raw = amount.toString();
      const usd = displayMoney(worthOf(id, amount, input.economics.book));
      return { asset, delta_raw: raw, delta: writer.amount(asset, raw), role, usd };
    }),
    liquidation: change.effect === LIQUIDATE ? liquidationOf(motif, writer) : null,
    status: isShown ? motif.status : 'Suspected',
    confidence: isShown ? motif.confidence : lowestOf([motif.confidence, 'Medium']),
    motif_ids: change.motifs.map(motifId),
    evidence: writer.evidences(change.evidence),
  });
}
