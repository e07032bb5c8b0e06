import { fromNumber } from 'ox/Hex';
import { groupBy } from '../../lib/lists.ts';
import { exactAmount, type LedgerChange, type LedgerEvent } from './ledgerEvent.ts';
import type { BlockTime, ChainReader, Range } from './chainReader.ts';
import type { Commodities } from './commodities.ts';
import type { Purpose } from './ledgerRows.ts';

/** How balances of a node are read and booked. */
export interface Observing {
  /** Every token is compared at each of its transactions, not only those known to change without an event. */
  readonly all: boolean;
  /** The balances at the start are in the books. */
  readonly isContinued: boolean;
  /** Whether an earlier file of the same book has the holding. */
  readonly isOpen: (change: LedgerChange) => boolean;
  /** Left out: their balances are not compared. */
  readonly doubtful: readonly LedgerEvent[];
  readonly nameOf: Commodities;
  readonly say: (text: string) => void;
}

type Chain = Pick<ChainReader, 'balances' | 'transferred' | 'blockTime'>;

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

/**
 * The events with openings and a row for each change without an event, and the holdings at the end of the
 * period. Says which balances the node does not give, and which differences are not booked.
 */
export async function observe(
  chain: Chain,
  events: readonly LedgerEvent[],
  { range: [first, last], ...request }: Observing & { readonly range: Range },
) {
  const { isContinued, doubtful, say, nameOf, all } = request;
  const start = isContinued ? first : Math.min(first, events[0]!.block);
  const timeOf = (block: number): Promise<BlockTime> => chain.blockTime(fromNumber(block));
  const ends = [...new Set([start - 1, first - 1, last])].sort((a, b) => a - b);
  const bounds = await Promise.all(ends.map(timeOf));
  const left = doubtful.flatMap(({ changes }) => changes).filter(({ raw }) => raw !== 0n);
  const doubted = new Set(left.map(holdingOf));
  const [opening, closing]: [LedgerChange[], LedgerChange[]] = [[], []];
  const extra: LedgerEvent[] = [];
  const holdings = holdingsIn(events);
  const points = holdings.map((holding) => pointsOf(holding, bounds, all));
  const balances = await chain.balances(
    holdings.flatMap(({ account, asset }, i) => points[i]!.map(({ block }) => ({ account, asset, block }))),
  );
  const compare = async (holding: Holding, at: readonly BlockTime[], known: readonly bigint[]) => {
    const { asset } = holding;
    const held = known[0]!;
    if (isContinued && held > 0n && !request.isOpen(holding)) opening.push({ ...holding, raw: held });
    if (doubted.has(holdingOf(holding))) return;
    // Where the token has Transfers that no report has, a transaction is missing.
    for (const { raw, range, point } of differencesOf(holding, at, known))
      if (
        isCompared(holding, all) &&
        (await chain.transferred(holding.account, asset, range)) === sumWithin(holding, range)
      )
        extra.push(balanceEvent([{ ...holding, raw }], purposeOf(holding, raw), point));
      else say(missing(holding, exactAmount(raw, asset), nameOf(asset)));
    closing.push({ ...holding, raw: known.at(-1)! });
  };
  for (const [i, holding] of holdings.entries()) {
    const own = balances.splice(0, points[i]!.length);
    if (!own.includes(null)) await compare(holding, points[i]!, own as bigint[]);
    else say(`${holding.account}: the node does not tell its balance of ${nameOf(holding.asset)}`);
  }
  const opened = opening.length > 0 ? [balanceEvent(opening, 'opening', await timeOf(start))] : [];
  return {
    events: [...opened, ...[...events, ...extra].sort((a, b) => a.block - b.block)],
    closing: isContinued ? { time: bounds.at(-1)!.time, changes: closing } : undefined,
  };
}

const holdingOf = ({ account, asset }: LedgerChange): string => `${account} ${asset.id}`;

const missing = ({ account, asset }: Holding, amount: string, name: string): string =>
  `${account}: the node holds ${amount} ${name} more than the reports: a transaction is missing` +
  (asset.kind === 'erc20' ? ', or the balance changed without an event (--balances)' : '');

/** Between two points each: by how much the balance changed and the events do not say. */
function differencesOf(holding: Holding, points: readonly BlockTime[], balances: readonly bigint[]) {
  return points.slice(1).flatMap((point, before) => {
    const range = [points[before]!.block + 1, point.block] as const;
    const raw = balances[before + 1]! - balances[before]! - sumWithin(holding, range);
    return raw === 0n ? [] : [{ raw, range, point }];
  });
}

/** Every holding that some event changes. */
function holdingsIn(events: readonly LedgerEvent[]): Holding[] {
  const changes = events.flatMap(({ changes: own, block, time, moving }) =>
    own.map((change) => ({ ...change, block, time, purpose: moving.get(change.asset.id) ?? null })),
  );
  return [...groupBy(changes, holdingOf).values()].map((group) => {
    const blocks = new Map<number, { raw: bigint; time: string }>();
    for (const { block, time, raw } of group)
      blocks.set(block, { raw: raw + (blocks.get(block)?.raw ?? 0n), time });
    const purpose = group.find((one) => one.purpose !== null)?.purpose ?? null;
    return { ...group[0]!, debt: group.some(({ debt }) => debt), purpose, blocks };
  });
}

/** Ether moves by transactions alone, and NFTs by events. */
const isCompared = ({ asset, purpose }: Holding, all: boolean): boolean =>
  asset.kind === 'erc20' && (all || purpose !== null);

function pointsOf(holding: Holding, bounds: readonly BlockTime[], all: boolean): BlockTime[] {
  const [start, end] = [bounds[0]!.block, bounds.at(-1)!.block];
  const points = new Map(bounds.map((point) => [point.block, point]));
  for (const [block, { time }] of isCompared(holding, all) ? holding.blocks : [])
    if (block > start && block <= end) points.set(block, { block, time });
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
      const [sent, received] = raw < 0n ? [{ asset, raw: -raw }, null] : [null, { asset, raw }];
      return debt ? [] : { sent, received, purpose };
    }),
    fee: null,
    flows: changes.map(({ account, asset, raw, debt }) => {
      return { account, counterparty: purpose, own: false, asset, raw, debt, purpose };
    }),
    changes,
    positions: [],
    names: new Map(),
    prices: new Map(),
    moving: new Map(),
  };
}
