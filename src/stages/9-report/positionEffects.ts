import { kindOf } from '../../lib/motifKinds.ts';
import { roleOf, SHARE_ROLES } from '../../lib/roles.ts';
import { displayMoney, worthOf } from '../../value/money.ts';
import type { Attribution } from '../../model/attribution.ts';
import type { PriceBook } from '../../model/economics.ts';
import type { Motif } from '../../model/motif.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type * as wire from '../../model/generated/report.ts';
import type { AssetId, ValueFlow } from '../../model/valueFlow.ts';
import { LIQUIDATE, sidesOf, type Side, type SignedLeg } from './positionSides.ts';
import { partsOf } from './positionUnderlying.ts';
import { motifId, type ReportWriter } from './reportWriter.ts';
import { writeProtocol } from './writeMotifs.ts';

/** Tags of rules with an event that shows that the position began or ended with it. */
const OPENS = 'opens';
const CLOSES = 'closes';
/** Effects with which a position may end. */
const ENDING: ReadonlySet<string> = new Set(['decrease', 'collect']);
/** Tag of entities with NFTs that represent positions. */
const POSITION_MANAGER = 'position_manager';

interface Input {
  readonly motifs: readonly Motif[];
  readonly flow: ValueFlow;
  readonly rulebook: Pick<Rulebook, 'motifKinds' | 'entities'>;
  readonly attribution: Attribution;
}

function liquidationOf(motif: Motif, writer: ReportWriter): wire.Liquidation {
  const debt = motif.assetsOut.find(({ role }) => !SHARE_ROLES.has(role));
  const collateral = motif.assetsIn.find(({ role }) => role === 'collateral') ?? motif.assetsIn[0];
  return {
    liquidator: writer.addressOrNull(roleOf(motif, 'liquidator')),
    borrower: writer.addressOrNull(roleOf(motif, 'borrower')),
    debt_asset: debt ? writer.asset(debt.asset) : null,
    debt_covered_raw: debt ? debt.amount.toString() : null,
    collateral_asset: collateral ? writer.asset(collateral.asset) : null,
    collateral_seized_raw: collateral ? collateral.amount.toString() : null,
  };
}

/** A non-fungible position token comes and goes with the position; for others only the event shows it. */
function effectOf({ position, shares }: Side, motif: Motif, writer: ReportWriter): string {
  const unique = (leg: SignedLeg): boolean => writer.asset(leg.asset).kind === 'erc721';
  if (
    position.effect === 'increase' &&
    (motif.tags.includes(OPENS) || shares.some((leg) => leg.delta > 0n && unique(leg)))
  )
    return 'open';
  if (
    ENDING.has(position.effect) &&
    (motif.tags.includes(CLOSES) || shares.some((leg) => leg.delta < 0n && unique(leg)))
  )
    return 'close';
  return position.effect;
}

function writeEffect(motif: Motif, side: Side, book: PriceBook, writer: ReportWriter): wire.PositionEffect {
  const token: AssetId | null = motif.position ?? side.shares[0]?.asset ?? null;
  let moved = 0n;
  for (const { asset, delta } of side.shares) if (asset === token) moved += delta;
  return {
    owner: writer.address(side.owner),
    category: side.position.category as wire.PositionEffect['category'],
    effect: effectOf(side, motif, writer) as wire.PositionEffect['effect'],
    protocol: writeProtocol(motif, writer),
    market: motif.poolId === null ? writer.address(motif.venue) : writer.text(motif.poolId),
    position_asset: token === null ? null : writer.asset(token),
    position_delta_raw: token === null ? null : moved.toString(),
    underlying: partsOf(side).map(({ asset: id, delta, role }) => {
      const asset = writer.asset(id);
      const raw = delta.toString();
      return {
        asset,
        delta_raw: raw,
        delta: writer.amount(asset, raw),
        role,
        usd: displayMoney(worthOf(id, delta, book)),
      };
    }),
    liquidation: side.position.effect === LIQUIDATE ? liquidationOf(motif, writer) : null,
    status: motif.status,
    confidence: motif.confidence,
    motif_ids: [motifId(motif.index)],
    evidence: writer.evidences(motif.evidence),
  };
}

/** A position that changes hands with its NFT: the giver's and the receiver's side of it. */
function positionTransfer(motif: Motif, { rulebook, flow }: Input): Side[] {
  const token = motif.assetsOut.find(({ asset }) => {
    const { kind, address } = flow.assets.get(asset)!;
    return kind === 'erc721' && rulebook.entities.get(address!)?.tags.includes(POSITION_MANAGER);
  });
  const [from, to] = [roleOf(motif, 'payer'), roleOf(motif, 'recipient')];
  if (!token || !from || !to) return [];
  const side = (owner: typeof from, delta: bigint): Side => ({
    position: { category: 'liquidity', effect: 'transfer' },
    owner,
    shares: [{ ...token, delta }],
    underlying: [],
    portions: [],
  });
  return [side(from, -token.amount), side(to, token.amount)];
}

/** A plain payment that is neither change nor a fee. */
function isPayment({ kind }: Motif, { rulebook }: Input): boolean {
  const { plain, composite, serves } = kindOf(rulebook, kind);
  return plain && !composite && serves === null;
}

/** Position changes by these motifs, as the vocabulary declares, in execution order. */
export function positionEffects(
  told: readonly Motif[],
  input: Input,
  book: PriceBook,
  writer: ReportWriter,
): wire.PositionEffect[] {
  const effects: wire.PositionEffect[] = [];
  for (const motif of told) {
    const { position } = kindOf(input.rulebook, motif.kind);
    if (!position && !isPayment(motif, input)) continue;
    // A part of an act that records positions itself.
    if (motif.parent !== null && kindOf(input.rulebook, input.motifs[motif.parent]!.kind).position) continue;
    for (const side of position
      ? sidesOf(motif, position, input.attribution, input.flow)
      : positionTransfer(motif, input))
      effects.push(writeEffect(motif, side, book, writer));
  }
  return effects;
}
