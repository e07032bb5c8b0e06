import type { AssetAmount, Claim, Motif, TxReport } from '../../model/generated/report.ts';
import { mergeWrapped, profitOf } from './checkProfit.ts';
import { mustOf, sumOf, total, type Must, type Report } from './finding.ts';
import { readSide, type Context, type Side } from './claimOperands.ts';
import { NATIVE, ZERO, isSame, size, tokenOf, type RawChain } from './rawChain.ts';

type Predicate = (own: Side, other: Side, context: Context) => boolean;

/** Whether there are some, and all fit. */
const all = <T>(list: readonly T[], fits: (one: T) => boolean): boolean =>
  list.length > 0 && list.every(fits);
const fungible = ({ asset, role }: AssetAmount): boolean =>
  role !== 'fee' && (asset.kind === 'native' || asset.kind === 'erc20');

/** Amounts of an asset that parts took and gave. */
function partSum(parts: readonly Motif[], side: 'assets_in' | 'assets_out', id: string, { merged }: Context) {
  const amounts = parts.flatMap((part) => part[side]);
  return total(amounts.filter(({ role, asset }) => role !== 'fee' && merged(asset.id) === merged(id)));
}

/** Whether an amount is the sum over the parts; of a route, less the amounts passed inside. */
const ofParts =
  (net: boolean): Predicate =>
  ({ amounts: [entry] }, { parts }, context) => {
    if (entry === undefined || parts.length === 0) return false;
    const { id } = entry.asset;
    const [taken, given] = [
      partSum(parts, 'assets_in', id, context),
      partSum(parts, 'assets_out', id, context),
    ];
    const [sum, inside] = context.motif.assets_in.includes(entry) ? [taken, given] : [given, taken];
    return sum - (net ? inside : 0n) === BigInt(entry.amount_raw);
  };

const base = ({ motif, merged }: Context): string => merged(motif.assets_in[0]?.asset.id ?? '');

/** The result of accounts taken as one, payments to the builder apart. */
const results = ({ accounts }: Side, { report, chain }: Context) => profitOf(accounts, report, chain).assets;

const VENUES = /^(venue|pool|vault|market|lender|marketplace|settlement|aggregator|bridge)$/;
/** The venue of an act; empty without one. */
export const venueOf = ({ participants, protocol }: Motif): string =>
  participants.find(({ role }) => VENUES.test(role))?.account ?? protocol?.contract ?? '';

/** A venue's acts add up to its balances, but for what moves below the acts' calls: that is its hook's. */
const netted: Predicate = ({ accounts: [venue] }, _other, { report, motif, merged }) => {
  if (venue === undefined) return false;
  const acts = report.motifs.filter(
    ({ claims, participants }) =>
      !claims?.some(({ predicate }) => predicate.endsWith('_of_parts')) &&
      participants.some(({ role, account }) => VENUES.test(role) && account === venue),
  );
  const sum = (id: string, side: 'assets_in' | 'assets_out'): bigint =>
    total(acts.flatMap((act) => act[side].filter(({ asset }) => merged(asset.id) === id)));
  const stated = (id: string): bigint => sum(id, 'assets_out') - sum(id, 'assets_in');
  const assets = new Set([...motif.assets_in, ...motif.assets_out].map(({ asset }) => merged(asset.id)));
  const operands = acts.flatMap(({ claims }) => (claims ?? []).flatMap((claim) => claim.operands));
  const calls = new Set(operands.map((text) => /^(?:call|output):([^:]+)/.exec(text)?.[1]));
  const own = (report.movements ?? []).filter(
    ({ evidence: { frame_path: path } }) => !path?.some((_, i) => calls.has(path.slice(0, i).join('.'))),
  );
  const moved = (id: string, end: 'from' | 'to'): bigint =>
    total(own.filter((m) => m[end] === venue && merged(m.asset_id) === id));
  return [...assets].every((id) => stated(id) === moved(id, 'to') - moved(id, 'from'));
};

const wraps: Predicate = ({ movements: [token] }, { movements: [native] }) => {
  if (token === undefined || native === undefined) return false;
  const contract = tokenOf(token.asset_id);
  const [from, to] = isSame(ZERO, token.from) ? [token.to, contract] : [contract, token.from];
  const equal = token.amount_raw === native.amount_raw && native.asset_id === NATIVE;
  return equal && isSame(from, native.from) && isSame(to, native.to);
};

const gained =
  (sign: bigint): Predicate =>
  ({ accounts: [venue] }, { amounts: [entry] }, { report }) =>
    venue !== undefined &&
    entry !== undefined &&
    sign * BigInt(entry.amount_raw) ===
      sumOf(
        report.inventory_deltas.filter((d) => isSame(d.subject, venue) && d.asset.id === entry.asset.id),
        ({ delta_raw: raw }) => BigInt(raw),
      );

/** Payers or recipients: one account, and it sent or received of the asset. */
const single =
  (end: 'from' | 'to', side: 'assets_in' | 'assets_out'): Predicate =>
  ({ accounts }, _other, { report, motif, merged }) => {
    const assets = new Set(motif[side].map(({ asset }) => merged(asset.id)));
    const own = (report.movements ?? []).filter((m) => m[end] === accounts[0]);
    return accounts.length === 1 && own.some((m) => assets.has(merged(m.asset_id)));
  };

/** Every asset of the parts but the first one comes out as it went in, within one part in a hundred. */
const closed: Predicate = ({ parts }, _other, context) => {
  const amounts = parts.flatMap((part) => [...part.assets_in, ...part.assets_out]).filter(fungible);
  const ids = new Set(amounts.map(({ asset }) => context.merged(asset.id)));
  return [...ids].every((id) => {
    const [got, gave] = [partSum(parts, 'assets_in', id, context), partSum(parts, 'assets_out', id, context)];
    const larger = got > gave ? got : gave;
    return id === base(context) || (got > 0n && gave > 0n && size(got - gave) * 100n <= larger);
  });
};

const distinct: Predicate = ({ parts }, _other, context) => {
  const isBase = (one: AssetAmount) => fungible(one) && context.merged(one.asset.id) === base(context);
  const pools = (side: 'assets_in' | 'assets_out'): string[] =>
    parts.filter((part) => part[side].some(isBase)).map((part) => `${venueOf(part)} ${part.pool_id ?? ''}`);
  const [start, end] = [pools('assets_out'), pools('assets_in')];
  return start.length * end.length === 0 || new Set([...start, ...end]).size > 1;
};

const flat: Predicate = (own, _other, context) => {
  const moved = (context.report.movements ?? []).filter(({ to }) => own.accounts.includes(to));
  const through = (id: string): bigint =>
    total(moved.filter(({ asset_id: asset }) => context.merged(asset) === id));
  return [...results(own, context)].every(
    ([id, { paid, received }]) => id === base(context) || size(received - paid) * 10_000n <= through(id),
  );
};

const left = (own: Side, context: Context): bigint => {
  const { received = 0n, paid = 0n } = results(own, context).get(base(context)) ?? {};
  return received - paid;
};

/** The predicates of docs/qa.md, over the movements of the report and the raw chain. */
const PREDICATES: Readonly<Record<string, Predicate>> = {
  amount_moved: ({ amounts }, { movements }) =>
    total(amounts) === total(movements) &&
    all(movements, (m) => amounts.some(({ asset }) => asset.id === m.asset_id)),
  amounts_agree: ({ words: [word] }, { amounts: [entry] }) =>
    word !== undefined && entry !== undefined && size(word - BigInt(entry.amount_raw)) <= 2n,
  value_moved: ({ movements, words }) => movements.length + words.length > 0,
  happened_at: ({ places }, { accounts }) =>
    all(places, (place) => accounts.some((account) => isSame(place, account))),
  venue_involved: ({ accounts: [venue] }, { movements }, { chain }) =>
    venue !== undefined &&
    movements.some(
      ({ from, to, kind, asset_id: asset }) =>
        [from, to, tokenOf(asset)].some((one) => isSame(one, venue)) ||
        (/mint|burn/.test(kind) && isSame(venue, chain.soleCallers.get(tokenOf(asset)) ?? undefined)),
    ),
  netted_at_venue: netted,
  assets_differ: ({ amounts: taken }, { amounts: given }) =>
    !given.some(({ asset }) => taken.some((one) => one.asset.id === asset.id)),
  minted_from_zero: ({ movements }) => all(movements, ({ from }) => isSame(ZERO, from)),
  burnt_to_zero: ({ movements }) => all(movements, ({ to }) => isSame(ZERO, to)),
  single_venue: ({ movements: taken }, { movements: given }) =>
    new Set([...taken.map(({ to }) => to), ...given.map(({ from }) => from)]).size === 1,
  both_sides_equal: wraps,
  code_created: ({ frames }, _other, { chain }) =>
    all(frames, (path) => {
      const frame = chain.frames.get(path);
      return frame !== undefined && frame.type.startsWith('CREATE') && !frame.failed;
    }),
  repaid_in_full: ({ movements: lent }, { movements: repaid }, { report: { movements = [] } }) =>
    all(lent, (one) => repaid.every((back) => movements.indexOf(one) < movements.indexOf(back))) &&
    total(repaid) >= total(lent),
  principal_was_freed: ({ words }, { movements }) =>
    words.every((word) =>
      movements.some(({ asset_id: id }) => total(movements.filter((m) => m.asset_id === id)) >= word),
    ),
  issuer_holds_underlying: ({ movements }, { movements: shares }) =>
    movements.length > 0 &&
    shares.every(({ asset_id: share }) =>
      movements.some(({ from, to }) => isSame(tokenOf(share), from) || isSame(tokenOf(share), to)),
    ),
  venue_gained_in: gained(1n),
  venue_lost_out: gained(-1n),
  sum_of_parts: ofParts(false),
  net_of_parts: ofParts(true),
  one_payer: single('from', 'assets_out'),
  one_recipient: single('to', 'assets_in'),
  no_counter_flow: ({ accounts }, _other, { report }) =>
    report.inventory_deltas.every((d) => !accounts.includes(d.subject) || BigInt(d.delta_raw) <= 0n),
  amounts_chain: ({ parts }) =>
    all(parts, (part) => part.assets_in.some(fungible) && part.assets_out.some(fungible)),
  hops_proven: ({ parts }) => all(parts, ({ status }) => status === 'Proven'),
  closed,
  distinct_pools: distinct,
  positive_residual: (own, _other, context) => left(own, context) > 0n,
  negative_residual: (own, _other, context) => {
    const [gave, got] = [total(context.motif.assets_out), total(context.motif.assets_in)];
    return size(left(own, context) + gave - got) * 100n <= gave;
  },
  other_lanes_flat: flat,
  funder_consents: ({ accounts }, { accounts: entity }) => accounts.every((one) => entity.includes(one)),
};

/** Predicates about amounts: each amount of a motif needs one of them. */
const OF_AMOUNTS: ReadonlySet<string> = new Set([
  'amount_moved',
  'amounts_agree',
  'sum_of_parts',
  'net_of_parts',
  'venue_gained_in',
  'venue_lost_out',
]);

/** Every claim holds by its predicate, rests on the motif's own parts, and none is missing. */
export function checkClaims(report: TxReport, chain: RawChain, find: Report): void {
  const merged = mergeWrapped(report);
  report.motifs.forEach((motif, i) => {
    if (motif.claims === undefined) return;
    const context = { report, chain, motif, merged };
    const must = mustOf(find, 'claim', `/motifs/${i}`);
    motif.claims.forEach((claim, j) => {
      const problem = faultOf(claim, context);
      must(problem === null, `/claims/${j}`, `${problem}`);
    });
    checkNames(motif, motif.claims, must);
  });
}

const placesOf = ({ operands, against = [] }: Claim): readonly string[] => [...operands, ...against];

function faultOf(claim: Claim, context: Context): string | null {
  const { predicate, operands, against = [], holds } = claim;
  const evaluate = Object.hasOwn(PREDICATES, predicate) ? PREDICATES[predicate] : undefined;
  if (evaluate === undefined) return `${predicate} is no predicate`;
  const own = readSide(operands, context);
  if (typeof own === 'string') return own;
  const other = readSide(against, context);
  if (typeof other === 'string') return other;
  const is = evaluate(own, other, context);
  if (is === holds) return null;
  return `${predicate} ${is ? 'holds' : 'does not hold'} of ${placesOf(claim).join(', ')}`;
}

/**
 * Claims over the parts of a motif are over the same ones; the invariants are the claims' names; each amount
 * has a claim of its own.
 */
function checkNames(motif: Motif, claims: readonly Claim[], must: Must): void {
  const lists = claims.map((claim) => placesOf(claim).filter((text) => text.startsWith('m-')));
  const parts = new Set(lists.map((list) => list.sort().join()).filter((list) => list !== ''));
  must(parts.size <= 1, '/claims', `rest on different parts: ${[...parts].join(' and ')}`);
  const names = new Map<string, boolean>();
  for (const { predicate, holds } of claims) names.set(predicate, holds && (names.get(predicate) ?? true));
  const listed = motif.invariants.map(({ name, holds }) => [name, holds]);
  const areNames = JSON.stringify(listed) === JSON.stringify([...names]);
  must(areNames, '/invariants', 'are not the names of the claims');
  const spoken = new Set(claims.filter(({ predicate }) => OF_AMOUNTS.has(predicate)).flatMap(placesOf));
  for (const side of ['in', 'out'] as const)
    motif[`assets_${side}`].forEach((_, n) =>
      must(spoken.has(`${side}${n}`), `/assets_${side}/${n}`, 'no claim speaks for the amount'),
    );
}
