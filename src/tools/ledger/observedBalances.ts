import { groupBy } from '../../lib/lists.ts';
import { parseAmount } from '../../value/amount.ts';
import { ETHER, legOf, type LedgerChange, type LedgerEvent } from './ledgerEvent.ts';
import type { HoldingRead, BlockTime, ChainReader, Range } from './chainReader.ts';
import type { Purpose } from './ledgerRows.ts';

/** Balances to read and to book. */
export interface Observation {
  readonly chain: Pick<ChainReader, 'balances' | 'transferred'>;
  /** Ends of blocks at which every balance is read: the start of the books, of this file, and its end. */
  readonly bounds: readonly BlockTime[];
  /** Every token is compared at each of its transactions, not only those known to change without an event. */
  readonly all: boolean;
  /** The first block of the books. */
  readonly opensAt: BlockTime;
  /** Whether the balance at the start is booked; left out: none is. */
  readonly opens?: (change: LedgerChange) => boolean;
  /** Doubtful amounts of it are left out: it is not compared. */
  readonly isDoubted: (change: LedgerChange) => boolean;
}

export interface Observed {
  /** With openings, and a row for each change without an event. */
  readonly events: readonly LedgerEvent[];
  /** Holdings at the last bound. */
  readonly closing: readonly LedgerChange[];
  /** Differences that are not booked: a transaction is missing, or the balance changed without an event. */
  readonly unexplained: readonly LedgerChange[];
  /** Balances that the node does not give. */
  readonly unread: readonly LedgerChange[];
}

const TITLES: Readonly<Partial<Record<Purpose, string>>> = {
  interest: 'Interest accrued',
  owed: 'Interest owed',
  rebase: 'Balance changed without an event',
  tax: 'Taken by the token without an event',
  opening: 'Opening balances',
};

/** An account's asset, and by how much the events of each block changed it. */
interface Holding extends LedgerChange {
  readonly purpose: Purpose | null;
  readonly blocks: ReadonlyMap<number, { readonly raw: bigint; readonly time: string }>;
}

/** The events, and the balances of a node beside them. */
export async function observe(events: readonly LedgerEvent[], request: Observation): Promise<Observed> {
  const { opens } = request;
  const found = { opening: [] as LedgerChange[], extra: [] as LedgerEvent[], closing: [] as LedgerChange[] };
  const [unexplained, unread]: [LedgerChange[], LedgerChange[]] = [[], []];
  const holdings = holdingsIn(events);
  const points = holdings.map((holding) => pointsOf(holding, request));
  const reads = holdings.flatMap(({ account, asset }, i) =>
    points[i]!.map(({ block }): HoldingRead => ({ account, asset, block })),
  );
  const balances = await request.chain.balances(reads);
  for (const [i, holding] of holdings.entries()) {
    const own = balances.splice(0, points[i]!.length);
    if (own.includes(null)) {
      unread.push(holding);
      continue;
    }
    const known = own as bigint[];
    if (known[0]! > 0n && opens?.(holding)) found.opening.push({ ...holding, raw: known[0]! });
    if (request.isDoubted(holding)) continue;
    for (const { raw, range, point } of differencesOf(holding, points[i]!, known)) {
      const change = { ...holding, raw };
      if (await isWithoutEvent(holding, range, request))
        found.extra.push(balanceEvent([change], purposeOf(holding, raw), point));
      else unexplained.push(change);
    }
    found.closing.push({ ...holding, raw: known.at(-1)! });
  }
  const opening = found.opening.length > 0 ? [balanceEvent(found.opening, 'opening', request.opensAt)] : [];
  const all = [...opening, ...[...events, ...found.extra].sort((a, b) => a.block - b.block)];
  return { events: all, closing: found.closing, unexplained, unread };
}

/** Between two points each: by how much the balance changed and the events do not say. */
function differencesOf(holding: Holding, points: readonly BlockTime[], balances: readonly bigint[]) {
  return points.slice(1).flatMap((point, before) => {
    const range = [points[before]!.block + 1, point.block] as const;
    const raw = balances[before + 1]! - balances[before]! - sumWithin(holding, range);
    return raw === 0n ? [] : [{ raw, range, point }];
  });
}

/** Every holding that some event changes, fees included. */
function holdingsIn(events: readonly LedgerEvent[]): Holding[] {
  const changes = events.flatMap(({ changes: own, fee, block, time, moving }) => {
    const paid = fee ? [{ account: fee.account, asset: ETHER, raw: -parseAmount(fee.amount, 18) }] : [];
    return [...own, ...paid.map((one): LedgerChange => ({ ...one, debt: false }))].map((change) => {
      return { ...change, block, time, purpose: moving.get(change.asset.id) ?? null };
    });
  });
  const grouped = groupBy(changes, ({ account, asset }) => `${account} ${asset.id}`);
  return [...grouped.values()].map((group) => {
    const blocks = new Map<number, { raw: bigint; time: string }>();
    for (const { block, time, raw } of group)
      blocks.set(block, { raw: raw + (blocks.get(block)?.raw ?? 0n), time });
    const purpose = group.find((one) => one.purpose !== null)?.purpose ?? null;
    return { ...group[0]!, debt: group.some(({ debt }) => debt), purpose, blocks };
  });
}

/** Ether moves by transactions alone, and NFTs by events. */
const isCompared = ({ asset, purpose }: Holding, { all }: Observation): boolean =>
  asset.kind === 'erc20' && (all || purpose !== null);

/** Where the token has Transfers that no report has, a transaction is missing. */
const isWithoutEvent = async (holding: Holding, range: Range, request: Observation): Promise<boolean> =>
  isCompared(holding, request) &&
  (await request.chain.transferred(holding.account, holding.asset, range)) === sumWithin(holding, range);

function pointsOf(holding: Holding, request: Observation): BlockTime[] {
  const [start, end] = [request.bounds[0]!, request.bounds.at(-1)!];
  const own = isCompared(holding, request)
    ? [...holding.blocks].map(([block, { time }]): BlockTime => ({ block, time }))
    : [];
  const within = own.filter(({ block }) => block > start.block && block <= end.block);
  const points = new Map([...request.bounds, ...within].map((point) => [point.block, point]));
  return [...points.values()].sort((a, b) => a.block - b.block);
}

function sumWithin({ blocks }: Holding, [first, last]: Range): bigint {
  let sum = 0n;
  for (const [block, { raw }] of blocks) if (block >= first && block <= last) sum += raw;
  return sum;
}

/** A token that is not known to change its balances takes where there is less. */
function purposeOf({ debt, purpose }: Holding, raw: bigint): Purpose {
  if (debt) return 'owed';
  return purpose === 'interest' ? purpose : raw < 0n && purpose !== 'rebase' ? 'tax' : 'rebase';
}

function balanceEvent(changes: readonly LedgerChange[], purpose: Purpose, point: BlockTime): LedgerEvent {
  return {
    ...point,
    txHash: '',
    intentKind: '',
    label: TITLES[purpose]!,
    actor: null,
    rows: changes.flatMap(({ asset, raw, debt }) => {
      const leg = legOf(asset, raw, { prices: new Map() });
      return debt ? [] : { sent: raw < 0n ? leg : null, received: raw < 0n ? null : leg, purpose };
    }),
    fee: null,
    flows: changes.map(({ account, asset, raw, debt }) => ({
      account,
      counterparty: purpose,
      own: false,
      asset,
      raw,
      usd: null,
      debt,
      purpose,
    })),
    changes,
    positions: [],
    listed: new Set(),
    names: new Map(),
    prices: new Map(),
    moving: new Map(),
  };
}
